package spill_test

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"github.com/lectern-dev/lectern/reading/spill"
)

// TestPile gives back every record in the order of its part, in memory and from files, and leaves no file behind.
func TestPile(t *testing.T) {
	for name, limit := range map[string]int{"in memory": 1 << 30, "spilt often": 64} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			p := &spill.Pile{Dir: dir, Limit: limit}
			want := map[int][]byte{}
			for i := range 5000 {
				part, record := i*i%spill.Parts, fmt.Appendf(nil, "record %d;", i)
				want[part] = append(want[part], record...)
				if err := p.Add(part, record); err != nil {
					t.Fatal(err)
				}
			}
			if err := p.Done(); err != nil {
				t.Fatal(err)
			}
			if held := p.Held(); (held == 0) != (limit == 64) {
				t.Errorf("of a pile that is %s %d bytes are in memory", name, held)
			}
			for i := range spill.Parts {
				for n, want := range [][]byte{want[i], nil} { // what was taken is forgotten
					if got, err := p.Part(i); err != nil || !bytes.Equal(got, want) {
						t.Fatalf("part %d, time %d = %q, %v, want %q", i, n, got, err, want)
					}
				}
			}
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
				t.Errorf("%v left (%v)", left, err)
			}
		})
	}
}

// TestPileWithoutRoom fails at once and for good where there is no place for files.
func TestPileWithoutRoom(t *testing.T) {
	p := &spill.Pile{Dir: t.TempDir() + "/missing", Limit: 1}
	for range 2 {
		if err := p.Add(0, []byte("more than one")); err == nil {
			t.Error("Add without room succeeds")
		}
		if err := p.Done(); err == nil {
			t.Error("Done without room succeeds")
		}
	}
}
