package degrees_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/server/internal/operate/degrees"
)

// FuzzRead checks that a valid vocabulary is the same after a write and a read, with unique codes and grades 1 to 9 or none.
func FuzzRead(f *testing.F) {
	var standard bytes.Buffer
	if err := degrees.Write(&standard, directory.DefaultDegrees()); err != nil {
		f.Fatal(err)
	}
	f.Add(standard.Bytes(), true)
	f.Add([]byte("code,stage,grade\n\"a,\"\"b\",,9\nx,MEDIO,\n"), true)
	f.Add([]byte(`{"code":"\u00e9","stage":null,"grade":1}`+"\n"), false)
	f.Fuzz(func(t *testing.T, content []byte, csv bool) {
		dir := t.TempDir()
		name := filepath.Join(dir, "degrees.ndjson")
		if csv {
			name = filepath.Join(dir, "degrees.csv")
		}
		ds := read(t, name, content)
		if ds == nil {
			return
		}
		codes := map[string]bool{}
		for _, d := range ds {
			if codes[d.Code] || d.Code == "" || d.Grade < 0 || d.Grade > 9 {
				t.Errorf("Read(%q) has the invalid degree %+v", content, d)
			}
			codes[d.Code] = true
		}
		var written bytes.Buffer
		if err := degrees.Write(&written, ds); err != nil {
			t.Fatal(err)
		}
		if again := read(t, filepath.Join(dir, "again.csv"), written.Bytes()); !slices.Equal(again, ds) {
			t.Errorf("Read(%q) = %+v, written as %q and read again as %+v", content, ds, written.Bytes(), again)
		}
	})
}

// read writes a file and reads it. It returns nil if the file is refused.
func read(t *testing.T, name string, content []byte) directory.Degrees {
	t.Helper()
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	ds, err := degrees.Read(t.Context(), name)
	if err == nil && len(ds) == 0 {
		t.Errorf("Read(%q) returns no degree, want an error", content)
	}
	if err != nil {
		return nil
	}
	return ds
}
