package paging

import (
	"errors"
	"fmt"
)

// ErrPage is the error of a page whose number is below 1.
var ErrPage = errors.New("the number of a page must not be below 1")

// Page is a page that a client asks for: the Number, from 1, of a page of Size rows.
type Page struct{ Number, Size int }

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
