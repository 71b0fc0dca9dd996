package spill_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/lectern-dev/lectern/reading/packed"
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

// TestSplit moves the records of a part to another pile, or copies them where they are kept; one that ends where none does is an error.
func TestSplit(t *testing.T) {
	for name, limit := range map[string]int{"in memory": 1 << 30, "spilt often": 64} {
		for _, keep := range []bool{false, true} {
			p, to := &spill.Pile{Dir: t.TempDir(), Limit: limit, Keep: keep}, &spill.Pile{Dir: t.TempDir(), Limit: limit}
			want := map[int][]byte{}
			for n := range 50_000 {
				record := []byte{1 + byte(n%3), byte(n % 5), 7, 7}[:2+n%3]
				if n%5 < 4 {
					want[n%5] = append(want[n%5], record...)
				}
				if err := p.Add(9, record); err != nil {
					t.Fatal(err)
				}
			}
			size := p.Size(9)
			err := p.Split(9, to, func(data []byte) (size, part int) {
				if part = int(data[1]); part == 4 {
					part = -1
				}
				return 1 + int(data[0]), part
			})
			if left := p.Size(9); err != nil || keep && left != size || !keep && left != 0 {
				t.Errorf("%s, kept %t: Split = %v, and %d of %d bytes are left", name, keep, err, left, size)
			}
			for i := range spill.Parts {
				if got, err := to.Part(i); err != nil || !bytes.Equal(got, want[i]) {
					t.Errorf("%s, kept %t: part %d has %d bytes, %v, want %d", name, keep, i, len(got), err, len(want[i]))
				}
			}
			for _, size := range []int{0, -1, 7} {
				if err := p.Add(9, []byte("record")); err != nil {
					t.Fatal(err)
				}
				if err := p.Split(9, to, func(data []byte) (int, int) { return max(size, size*len(data)), 0 }); !errors.Is(err, packed.ErrCorrupt) {
					t.Errorf("Split at %d bytes = %v, want that it is corrupt", size, err)
				}
			}
			if err := errors.Join(p.Close(), to.Close()); err != nil {
				t.Fatal(err)
			}
		}
	}
}
