// Package incremental finds what has changed in a list between two snapshots (H14), so that a client with a copy of the
// list need not pull all of it again.
//
// The changed rows are found by comparing the two lists where they may differ. Only their keys are kept, in the order
// of the list:
//
//	var rows incremental.Rows
//	err := incremental.Diff(&rows, was, now, key, same)
//
// If was has the rows 1, 2 and 3, and now has 1, a changed 3 and 4, then rows are 2, which is removed, 3 and 4. A page
// of them has the rows of the later list, and only the key of a removed one:
//
//	list, err := incremental.Page(rows, page, read, removed)
//
// A client deletes the removed rows from its copy, and puts the others in place of those with their keys. The copy then
// equals the later list. Rows that have not changed may be among them, and do no harm.
//
// The package does not know which parts of two lists may differ, and reads no data.
package incremental

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/lectern-dev/lectern/paging"
)

// Row is the key of a row that may differ between two snapshots, or that has left the list. A and B are the numbers
// that the list is ordered by. B is 0 if A identifies the row.
type Row struct {
	A, B    int64
	Removed bool
	// Note is for the list, to find the row.
	Note uint8
}

func (r Row) compare(s Row) int { return cmp.Or(cmp.Compare(r.A, s.A), cmp.Compare(r.B, s.B)) }

// Rows are the rows of an incremental pull. They contain only keys, so that they may be cached.
type Rows []Row

// Most bounds the rows of an incremental pull, and so its memory. A client that lacks more is served better by the
// whole list.
const Most = 2_000_000

// ErrMany says that more than Most rows may differ.
var ErrMany = errors.New("too much has changed between the two snapshots")

// Add appends a row. The error is ErrMany.
func (r *Rows) Add(row Row) error {
	if len(*r) == Most {
		return ErrMany
	}
	*r = append(*r, row)
	return nil
}

// Sorted returns the rows in order. Of several with one key the first counts.
func (r Rows) Sorted() Rows {
	slices.SortStableFunc(r, Row.compare)
	r = slices.CompactFunc(r, func(x, y Row) bool { return x.compare(y) == 0 })
	return slices.Clone(r) // without spare capacity, since it may be cached
}

// Bytes returns the memory of the rows in bytes.
func (r Rows) Bytes() int { return 24 * cap(r) }

// Diff adds the rows that differ between two lists in the same order: those of now that was lacks or has with other
// values, and those of was that now lacks. same reports whether a row is unchanged.
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
			removed := key(was[0])
			removed.Removed = true
			err = r.Add(removed)
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

// Page returns a page of an incremental pull. read returns the changed rows, in their order. removed makes a row that
// has only its key. The error is that of read, or paging.ErrPage.
func Page[T any](all Rows, p paging.Page, read func(Rows) ([]T, error), removed func(Row) T) (paging.List[T], error) {
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
			list.Rows[i] = removed(r)
			continue
		}
		list.Rows[i], found = found[0], found[1:]
	}
	return list, nil
}
