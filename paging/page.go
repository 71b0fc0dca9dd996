package paging

import (
	"errors"
	"fmt"
	"slices"
)

// ErrPage is the error for a page number below 1.
var ErrPage = errors.New("the number of a page must not be below 1")

// Page is a page that a client asks for: the page with a Number, from 1, of Size rows.
type Page struct{ Number, Size int }

// List is one page of a list, and the number of rows of all pages. In an incremental pull, Removed says which rows have
// left the list: they have only their key. Erased says that a person may have been erased while the page was read, so
// that Rows may show people as before or after.
type List[T any] struct {
	Rows    []T
	Total   int64
	Removed []bool
	Erased  bool
}

// ListOf returns the page of a list. Its rows share the memory of all. A page past the end is empty, and so is one
// whose Size is below 1. The error is [ErrPage].
func ListOf[T any](all []T, p Page) (List[T], error) {
	from, to, err := p.bounds(int64(len(all)))
	return List[T]{Rows: all[from:to:to], Total: int64(len(all))}, err
}

// bounds returns the rows on the page of a list, from one index up to but not including another.
func (p Page) bounds(rows int64) (from, to int64, err error) {
	if p.Number < 1 {
		return 0, 0, fmt.Errorf("page %d: %w", p.Number, ErrPage)
	}
	before, size := int64(p.Number-1), int64(p.Size)
	if size < 1 || before > rows/size {
		return rows, rows, nil
	}
	from = before * size
	return from, from + min(size, rows-from), nil
}

// Groups finds the pages of a list that consists of groups of rows, of which only the numbers are known. The zero
// Groups is the empty list. It does not change, and is safe for concurrent use.
type Groups struct {
	starts []int64 // the number of rows before each group, and that of all rows
}

// Span is the part of a group that is on a page: its rows From up to but not including To, counted from 0. It has at
// least one row.
type Span struct{ Group, From, To int }

// NewGroups returns the list whose group i has counts[i] rows. A negative count is 0. It does not keep counts.
func NewGroups(counts []int) Groups {
	g := Groups{make([]int64, len(counts)+1)}
	for i, n := range counts {
		g.starts[i+1] = g.starts[i] + int64(max(n, 0))
	}
	return g
}

// Total returns the number of rows of the list.
func (g Groups) Total() int64 {
	if len(g.starts) == 0 {
		return 0
	}
	return g.starts[len(g.starts)-1]
}

// Spans returns the parts of groups that are on the page, in the order of the list. It finds the first by binary
// search, so that any page costs the same. The error is [ErrPage].
func (g Groups) Spans(p Page) (spans []Span, err error) {
	at, end, err := p.bounds(g.Total())
	next, _ := slices.BinarySearch(g.starts, at+1) // the group before the first that starts after at has rows
	for group := next - 1; at < end; group++ {
		start, to := g.starts[group], min(end, g.starts[group+1])
		if to > at {
			spans = append(spans, Span{group, int(at - start), int(to - start)})
		}
		at = to
	}
	return spans, err
}

// Bytes returns the memory of g in bytes.
func (g Groups) Bytes() int { return 24 + 8*cap(g.starts) }
