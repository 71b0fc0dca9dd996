package feed_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/server/feed"
)

func folderOf(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("{}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestOpen(t *testing.T) {
	known := []string{"accounts", "segments"}
	for _, tt := range []struct {
		name  string
		files []string
		want  string // part of the error; empty for none
	}{
		{"empty", nil, "has none of the files accounts, segments"},
		{"both", []string{"accounts.csv", "segments.ndjson.zst"}, ""},
		{"other files", []string{"README.md", ".segments.csv.swp", "notes"}, "has none of the files accounts, segments"},
		{"misspelt", []string{"segment.ndjson"}, "unknown file segment.ndjson"},
		{"upper case", []string{"Segments.ndjson"}, "unknown file Segments.ndjson"},
		{"another ending", []string{"segments.json", "accounts.csv.zip"}, "unknown file accounts.csv.zip, segments.json"},
		{"half sent", []string{"segments.csv.gz.part"}, "unknown file segments.csv.gz.part"},
		{"two files of one resource", []string{"segments.csv.gz", "segments.ndjson"}, "segments.csv.gz and segments.ndjson are both segments; keep one"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := feed.Open(os.DirFS(folderOf(t, tt.files...)), known...)
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("Open(%q) = %v, want %q", tt.files, err, tt.want)
			}
		})
	}
	if _, err := feed.Open(os.DirFS(filepath.Join(t.TempDir(), "none"))); err == nil {
		t.Error("Open of a missing folder = nil, want an error")
	}
}

func TestFolderFiles(t *testing.T) {
	folder, err := feed.Open(os.DirFS(folderOf(t, "accounts.csv", "segments.csv.gz", "segments.ndjson", "loans.csv")))
	if err != nil {
		t.Fatal(err)
	}
	if file, err := folder.File("books"); file != nil || err != nil {
		t.Errorf("File(books) = %v, %v, want nil, nil", file, err)
	}
	if file, err := folder.File("accounts"); err != nil || file.Name() != "accounts.csv" {
		t.Errorf("File(accounts) = %v, %v, want accounts.csv", file, err)
	}
	if _, err := folder.File("segments"); err == nil {
		t.Error("File(segments) with two files = nil, want an error")
	}
	if got := folder.Size(); got != 12 {
		t.Errorf("Size = %d, want 12", got)
	}
}

func TestDoneReachesSize(t *testing.T) {
	for name, content := range map[string][]byte{"f.csv": []byte("a,b\n1,2\n"), "f.csv.gz": gzipped([]byte("a,b\n1,2\n")), "f.ndjson.zst": zstandard([]byte("{\"a\":\"1\"}\n"))} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
		folder, err := feed.Open(os.DirFS(dir), "f")
		if err != nil {
			t.Fatal(err)
		}
		file, _ := folder.File("f")
		if rows, faults, err := read(file); err != nil || len(rows) != 1 || faults != nil {
			t.Fatalf("Read(%s) = %q, %q, %v, want one row", name, rows, faults, err)
		}
		if folder.Done() != folder.Size() {
			t.Errorf("Done after %s = %d, want %d", name, folder.Done(), folder.Size())
		}
	}
}
