package deploy_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestRelease tests that a release has the same bytes in every folder, names its commit and has the right checksums.
// Uncommitted changes are refused.
func TestRelease(t *testing.T) {
	target := runtime.GOOS + "/" + runtime.GOARCH
	first := filepath.Join(t.TempDir(), "first")
	copySources(t, filepath.Join("..", ".."), first)
	commit(t, first)
	second := filepath.Join(t.TempDir(), "elsewhere", "second")
	run(t, first, nil, "git", "clone", "--quiet", ".", second)

	var sums []string
	for _, dir := range []string{first, second} {
		run(t, dir, nil, filepath.Join("server", "deploy", "release"), target)
		text, err := os.ReadFile(filepath.Join(dir, "release", "SHA256SUMS"))
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, string(text))
	}
	if sums[0] != sums[1] {
		t.Errorf("two builds of one commit differ:\n%s\n%s", sums[0], sums[1])
	}
	names := strings.NewReplacer("/", "-")
	file := filepath.Join(first, "release", "lectern-"+names.Replace(target))
	binary, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("%x  %s\n", sha256.Sum256(binary), filepath.Base(file)); !strings.Contains(sums[0], want) {
		t.Errorf("the sums are\n%s\nwant\n%s", sums[0], want)
	}
	head := run(t, first, nil, "git", "rev-parse", "--short=12", "HEAD")
	if out := run(t, first, nil, file, "--version"); !strings.Contains(out, " (commit "+strings.TrimSpace(head)+")\n") {
		t.Errorf("the version is %q, want the commit %s", out, head)
	}
	if licences, err := os.ReadFile(filepath.Join(first, "release", "LICENSES")); err != nil || !strings.Contains(string(licences), "==== github.com/uptrace/bun@") {
		t.Errorf("LICENSES has %d bytes, %v", len(licences), err)
	}
	checkBill(t, first, file)
	checkRefusal(t, second)
}

// checkBill compares the bill of materials of a binary with what Go says is in it, and checks the checksum of the bill.
func checkBill(t *testing.T, dir, binary string) {
	t.Helper()
	text, err := os.ReadFile(binary + ".cdx.json")
	if err != nil {
		t.Fatal(err)
	}
	var bill struct {
		BomFormat  string
		Components []struct {
			Name, Version, PURL string
		}
	}
	if err := json.Unmarshal(text, &bill); err != nil || bill.BomFormat != "CycloneDX" {
		t.Fatalf("the bill is in the form %q, %v", bill.BomFormat, err)
	}
	var got, want []string
	for _, c := range bill.Components {
		if strings.HasPrefix(c.PURL, "pkg:golang/") && c.Name != "std" {
			got = append(got, c.Name+" "+c.Version)
		}
	}
	for line := range strings.Lines(run(t, dir, nil, "go", "version", "-m", binary)) {
		if words := strings.Fields(line); words[0] == "dep" {
			want = append(want, words[1]+" "+words[2])
		}
	}
	if slices.Sort(got); !slices.Equal(got, want) || len(bill.Components) != len(want)+1 { // plus Go's standard library
		t.Errorf("the bill has %q of %d, want %q", got, len(bill.Components), want)
	}
	sums, err := os.ReadFile(filepath.Join(dir, "release", "SHA256SUMS"))
	if line := fmt.Sprintf("%x  %s.cdx.json\n", sha256.Sum256(text), filepath.Base(binary)); !strings.Contains(string(sums), line) {
		t.Errorf("the sums have no %q, %v", line, err)
	}
}

// checkRefusal checks that a folder with uncommitted changes is not released.
func checkRefusal(t *testing.T, dir string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "new.go"), []byte("package lectern\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out := run(t, dir, nil, "sh", "-c", "! server/deploy/release 2>&1")
	if !strings.Contains(out, "not committed") {
		t.Errorf("a change is answered %q", out)
	}
}

// copySources copies the sources, without build products and other ignored files.
func copySources(t *testing.T, from, to string) {
	t.Helper()
	files := run(t, from, nil, "git", "ls-files", "--cached", "--others", "--exclude-standard")
	for name := range strings.Lines(files) {
		name = strings.TrimSpace(name)
		text, err := os.ReadFile(filepath.Join(from, name))
		if os.IsNotExist(err) { // a removal that is not committed yet
			continue
		}
		info, err2 := fs.Stat(os.DirFS(from), name)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(to, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, name), text, info.Mode()); err != nil {
			t.Fatal(err)
		}
	}
}

// commit makes a folder a repository with one commit.
func commit(t *testing.T, dir string) {
	t.Helper()
	env := []string{"GIT_AUTHOR_NAME=test", "GIT_AUTHOR_EMAIL=test@example.com", "GIT_COMMITTER_NAME=test", "GIT_COMMITTER_EMAIL=test@example.com"}
	for _, args := range [][]string{{"init", "--quiet"}, {"add", "--all"}, {"commit", "--quiet", "--no-gpg-sign", "--message", "release"}} {
		run(t, dir, env, "git", args...)
	}
}
