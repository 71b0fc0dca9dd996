package paging

import (
	"errors"
	"fmt"
	"slices"
)

// ErrPage is the error of a page whose number is below 1.
var ErrPage = errors.New("the number of a page must not be below 1")

// Page is a page that a client asks for: the Number, from 1, of a page of Size rows.
type Page struct{ Number, Size int }

// List is one page of a list, and the number of rows of all its pages. Of an incremental pull, Removed says which rows have left the
// list: they have their natural key and no more. Erased says that somebody may have been erased since the access was made: who is
// shown may be as before that or after.
type List[T any] struct {
	Rows    []T
	Total   int64
	Removed []bool
	Erased  bool
}

// ListOf returns the page of a list. Its rows are those of all. The error is [ErrPage].
func ListOf[T any](all []T, p Page) (List[T], error) {
	rows, err := Cut(all, p)
	return List[T]{Rows: rows, Total: int64(len(all))}, err
}

// Cut returns the rows of a list that stand on the page; they are those of all. A page past the end has none, and so has one
// whose Size is below 1. The error is [ErrPage].
func Cut[T any](all []T, p Page) ([]T, error) {
	from, to, err := p.bounds(int64(len(all)))
	return all[from:to:to], err
}

// bounds returns the rows of a list of so many that stand on the page: from one up to but without another.
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

// Groups finds the pages of a list that consists of groups of rows, one after the other, of which only the numbers of
// rows are known. The zero Groups is the empty list. It is never changed, so that goroutines may share it.
type Groups struct {
	ends []int64 // for each group, how many rows it has with all groups before it
}

// Span is the part of a group that stands on a page: its rows From up to but without To, counted from 0. It has at
// least one row.
type Span struct{ Group, From, To int }

// NewGroups returns the list of groups of which the one at i has counts[i] rows. A count below 0 is taken as 0. It keeps
// nothing of counts.
func NewGroups(counts []int) Groups {
	g := Groups{make([]int64, len(counts))}
	total := int64(0)
	for i, n := range counts {
		total += int64(max(n, 0))
		g.ends[i] = total
	}
	return g
}

// Total returns the number of rows of the list.
func (g Groups) Total() int64 {
	if len(g.ends) == 0 {
		return 0
	}
	return g.ends[len(g.ends)-1]
}

// Spans returns the parts of groups that stand on the page, in the order of the list. Together they have p.Size rows,
// fewer on the last page and none past the end. The page's depth costs nothing: its first group is found by a binary
// search. The error is [ErrPage].
func (g Groups) Spans(p Page) (spans []Span, err error) {
	at, end, err := p.bounds(g.Total())
	group, _ := slices.BinarySearch(g.ends, at+1) // the first that ends after at: it has rows
	for ; at < end; group++ {
		start, to := g.start(group), min(end, g.ends[group])
		if to > at {
			spans = append(spans, Span{group, int(at - start), int(to - start)})
		}
		at = to
	}
	return spans, err
}

// start returns how many rows stand before a group.
func (g Groups) start(group int) int64 {
	if group == 0 {
		return 0
	}
	return g.ends[group-1]
}

// Bytes returns the memory that g holds, in bytes: eight for each group, and those of g itself.
func (g Groups) Bytes() int { return 24 + 8*cap(g.ends) }
