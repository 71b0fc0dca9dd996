package incremental_test

import (
	"errors"
	"maps"
	"slices"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/incremental"
)

// row is a row of the lists of these tests. Its visible content is text.
type row struct {
	a, b int64
	text string
}

func key(r row) incremental.Row { return incremental.Row{A: r.a, B: r.b} }

// lists draws a list of rows in ascending order.
func lists(rt *rapid.T, name string) []row {
	kept := rapid.MapOf(rapid.Custom(func(t *rapid.T) [2]int64 {
		return [2]int64{rapid.Int64Range(0, 3).Draw(t, "a"), rapid.Int64Range(0, 3).Draw(t, "b")}
	}), rapid.SampledFrom([]string{"x", "y"})).Draw(rt, name)
	var list []row
	for k, text := range kept {
		list = append(list, row{k[0], k[1], text})
	}
	slices.SortFunc(list, func(r, s row) int { return slices.Compare([]int64{r.a, r.b}, []int64{s.a, s.b}) })
	return list
}

// TestIncrementalPull tests that an incremental pull turns a copy of one list into the other, page by page, and lists only rows
// that differ.
func TestIncrementalPull(t *testing.T) { rapid.Check(t, checkPull) }

// FuzzDiff is TestIncrementalPull with values that a fuzzer draws.
func FuzzDiff(f *testing.F) { f.Fuzz(rapid.MakeFuzz(checkPull)) }

func checkPull(rt *rapid.T) {
	was, now := lists(rt, "was"), lists(rt, "now")
	var rows incremental.Rows
	if err := incremental.Diff(&rows, was, now, key, func(x, y row) bool { return x == y }); err != nil {
		rt.Fatal(err)
	}
	if sorted := rows.Sorted(); !slices.Equal(sorted, rows) {
		rt.Fatalf("Diff returned the rows %v, want them sorted", rows)
	}
	copied := map[incremental.Row]string{}
	for _, r := range was {
		copied[key(r)] = r.text
	}
	size := rapid.IntRange(1, 5).Draw(rt, "size")
	for n := 1; (n-1)*size < len(rows); n++ {
		apply(rt, copied, now, rows, paging.Page{Number: n, Size: size})
	}
	want := map[incremental.Row]string{}
	for _, r := range now {
		want[key(r)] = r.text
	}
	if !maps.Equal(copied, want) {
		rt.Fatalf("copy after the pull = %v, want %v", copied, want)
	}
}

// apply applies a page of an incremental pull to a copy. Each listed row must differ from the copy's.
func apply(rt *rapid.T, copied map[incremental.Row]string, now []row, all incremental.Rows, page paging.Page) {
	list, err := incremental.Page(all, page, func(kept incremental.Rows) ([]row, error) {
		return slices.DeleteFunc(slices.Clone(now), func(r row) bool { return !slices.Contains(kept, key(r)) }), nil
	}, func(r incremental.Row) row { return row{a: r.A, b: r.B} })
	if err != nil {
		rt.Fatal(err)
	}
	for i, r := range list.Rows {
		had, ok := copied[key(r)]
		if list.Removed[i] {
			delete(copied, key(r))
		} else {
			copied[key(r)] = r.text
		}
		if list.Removed[i] && !ok || !list.Removed[i] && ok && had == r.text {
			rt.Fatalf("row %v (removed: %t) does not change the copy", r, list.Removed[i])
		}
	}
}

// TestMost tests that an incremental pull of too many rows is refused.
func TestMost(t *testing.T) {
	rows := make(incremental.Rows, 2_000_000-1)
	if err := rows.Add(incremental.Row{A: 1}); err != nil {
		t.Fatal(err)
	}
	if err := rows.Add(incremental.Row{A: 2}); !errors.Is(err, incremental.ErrMany) {
		t.Errorf("Add of one row too many = %v, want ErrMany", err)
	}
	err := incremental.Diff(&rows, nil, []row{{a: 3}}, key, func(x, y row) bool { return false })
	if !errors.Is(err, incremental.ErrMany) {
		t.Errorf("Diff = %v, want ErrMany", err)
	}
}

// TestSorted tests that the first entry counts if a row was added twice.
func TestSorted(t *testing.T) {
	rows := incremental.Rows{{A: 2}, {A: 1, B: 2, Note: 7}, {A: 1, B: 2, Removed: true}, {A: 1, B: 1}}
	if got, want := rows.Sorted(), (incremental.Rows{{A: 1, B: 1}, {A: 1, B: 2, Note: 7}, {A: 2}}); !slices.Equal(got, want) {
		t.Errorf("Sorted = %v, want %v", got, want)
	}
}

// TestBytes tests that Bytes returns the allocated memory, which may be more than the rows need.
func TestBytes(t *testing.T) {
	if got, want := make(incremental.Rows, 3, 5).Bytes(), 5*int(unsafe.Sizeof(incremental.Row{})); got != want {
		t.Errorf("Bytes = %d, want %d", got, want)
	}
}

// all is a page with all rows.
var all = paging.Page{Number: 1, Size: 10}

// TestPageGone tests that a page of removed rows lists them without reading.
func TestPageGone(t *testing.T) {
	read := func(incremental.Rows) ([]row, error) { return nil, errors.New("unexpected read") }
	list, err := incremental.Page(incremental.Rows{{A: 1, Removed: true}}, all, read, func(r incremental.Row) row { return row{a: r.A} })
	if err != nil || !slices.Equal(list.Rows, []row{{a: 1}}) || !slices.Equal(list.Removed, []bool{true}) {
		t.Errorf("Page = %v, %v, want one removed row", list, err)
	}
}

// TestPageLacks tests that Page fails if changed rows cannot be read.
func TestPageLacks(t *testing.T) {
	broken := errors.New("broken")
	for _, tt := range []struct {
		read []row
		err  error
	}{{make([]row, 1), nil}, {make([]row, 3), nil}, {make([]row, 2), broken}} {
		_, err := incremental.Page(incremental.Rows{{A: 1}, {A: 2, Removed: true}, {A: 3}}, all, func(incremental.Rows) ([]row, error) { return tt.read, tt.err }, func(incremental.Row) row { return row{} })
		if err == nil || tt.err != nil && !errors.Is(err, tt.err) {
			t.Errorf("Page that read %d of 2 rows = %v, want an error", len(tt.read), err)
		}
	}
}
