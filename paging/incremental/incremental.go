// Package round lists what has changed in a list between two states of its data (H14), so that who keeps a copy of the list does not
// pull all of it again.
//
// The rows of a round are found by comparing the two lists where they may differ, and are kept by their keys alone, in the order of the
// list:
//
//	var rows incremental.Rows
//	err := incremental.Diff(&rows, was, now, key, same)
//
// One page of them has what stands in the later list as it stands there, and of what has left it the key:
//
//	list, err := incremental.Page(rows, page, read, gone)
//
// A copy of the earlier list from which the removed rows are taken, and into which the others are put in place of those of their keys, is
// the later list. Rows that do not differ may be among them, and change nothing.
package incremental

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/lectern-dev/lectern/paging"
)

// Row is a row of a list, by its key, that may differ between two states, or that has left the list. A and B are what the list is
// ordered by; B is 0 where A alone names the row.
type Row struct {
	A, B    int64
	Removed bool
	// Note is the list's own: what helps to read the row.
	Note uint8
}

func (r Row) compare(s Row) int { return cmp.Or(cmp.Compare(r.A, s.A), cmp.Compare(r.B, s.B)) }

// Rows are the rows of a round. They have nothing of what the rows show, so that they may be kept.
type Rows []Row

// Most is how many rows a round may have, so that its memory is bounded: who lacks more is sooner served by the whole list.
const Most = 2_000_000

// ErrMany says that more than Most rows may differ.
var ErrMany = errors.New("too much has changed between the two states")

// Add puts a row at the end. The error is ErrMany.
func (r *Rows) Add(row Row) error {
	if len(*r) == Most {
		return ErrMany
	}
	*r = append(*r, row)
	return nil
}

// Sorted returns the rows in order, each once, as it was added first.
func (r Rows) Sorted() Rows {
	slices.SortStableFunc(r, Row.compare)
	r = slices.CompactFunc(r, func(x, y Row) bool { return x.compare(y) == 0 })
	return slices.Clone(r) // what is kept has no room to grow
}

// Bytes returns the memory that the rows hold.
func (r Rows) Bytes() int { return 24 * cap(r) }

// Diff adds the rows that two lists in one order do not have in common: those of now that was lacks, or has otherwise, and those of
// was that are not in now any more. key is a row's, and same reports whether a row stands in both as it is.
func Diff[T any](r *Rows, was, now []T, key func(T) Row, same func(was, now T) bool) error {
	for len(was)+len(now) > 0 {
		var order int
		switch {
		case len(was) == 0:
			order = 1
		case len(now) == 0:
			order = -1
		default:
			order = key(was[0]).compare(key(now[0]))
		}
		var err error
		switch {
		case order < 0:
			gone := key(was[0])
			gone.Removed = true
			err = r.Add(gone)
		case order > 0 || !same(was[0], now[0]):
			err = r.Add(key(now[0]))
		}
		if err != nil {
			return err
		}
		if order <= 0 {
			was = was[1:]
		}
		if order >= 0 {
			now = now[1:]
		}
	}
	return nil
}

// Page returns a page of a round: of a row that was removed, gone makes one that has its key and no more; the others read returns, in
// their order. The error is that of read, or paging.ErrPage.
func Page[T any](all Rows, p paging.Page, read func(Rows) ([]T, error), gone func(Row) T) (paging.List[T], error) {
	page, err := paging.ListOf(all, p)
	if err != nil {
		return paging.List[T]{}, err
	}
	kept := slices.DeleteFunc(slices.Clone(page.Rows), func(r Row) bool { return r.Removed })
	var found []T
	if len(kept) > 0 {
		if found, err = read(kept); err != nil {
			return paging.List[T]{}, err
		}
	}
	if len(found) != len(kept) {
		return paging.List[T]{}, fmt.Errorf("%d rows were read of %d that changed", len(found), len(kept))
	}
	list := paging.List[T]{Rows: make([]T, len(page.Rows)), Total: page.Total, Removed: make([]bool, len(page.Rows))}
	for i, r := range page.Rows {
		if list.Removed[i] = r.Removed; r.Removed {
			list.Rows[i] = gone(r)
			continue
		}
		list.Rows[i], found = found[0], found[1:]
	}
	return list, nil
}
