package state

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/lectern-dev/lectern/paging"
)

// Changed is a row of a list, by its key, that may differ between two states, or that has left the list. A and B are what the
// list is ordered by; B is 0 where A alone names the row.
type Changed struct {
	A, B    int64
	Removed bool
	// Note is the list's own: what helps to read the row.
	Note uint8
}

func (c Changed) compare(d Changed) int { return cmp.Or(cmp.Compare(c.A, d.A), cmp.Compare(c.B, d.B)) }

// Round has what changed in a list between two states (H14), in the order of the list: every row that differs, and perhaps some
// that do not. It names rows and has nothing of what is in them, so that it may be kept.
type Round []Changed

// MaxChanged is how many rows a round may have, so that its memory is bounded: who lacks more is sooner served by the whole list.
const MaxChanged = 2_000_000

// ErrManyChanged says that more than MaxChanged rows may differ.
var ErrManyChanged = errors.New("too much has changed between the two states")

// Add puts a row at the end.
func (r *Round) Add(row Changed) error {
	if len(*r) == MaxChanged {
		return ErrManyChanged
	}
	*r = append(*r, row)
	return nil
}

// Sorted returns the rows in order, each once, as it was added first.
func (r Round) Sorted() Round {
	slices.SortStableFunc(r, Changed.compare)
	r = slices.CompactFunc(r, func(x, y Changed) bool { return x.compare(y) == 0 })
	return slices.Clone(r) // what is kept has no room to grow
}

// Bytes returns the memory that the round holds.
func (r Round) Bytes() int { return 24 * cap(r) }

// Page returns the rows of a page.
func (r Round) Page(p paging.Page) Round {
	n := int64(len(r))
	from := min(p.Offset(), n)
	to := min(from+int64(max(p.Size, 0)), n)
	return r[from:to]
}

// Diff adds the rows that two lists in one order do not have in common: those of now that was lacks, or has otherwise, and those
// of was that are not in now any more. key is a row's place, and same reports whether a row stands in both as it is.
func Diff[T any](r *Round, was, now []T, key func(T) Changed, same func(was, now T) bool) error {
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

// Rows returns the rows of a page of a round, and which of them were removed: of those that were, gone makes one that has its key
// and no more, and read reads the others, in their order.
func Rows[T any](page Round, read func(Round) ([]T, error), gone func(Changed) T) (rows []T, removed []bool, err error) {
	var kept Round
	for _, c := range page {
		if !c.Removed {
			kept = append(kept, c)
		}
	}
	var found []T
	if len(kept) > 0 {
		if found, err = read(kept); err != nil {
			return nil, nil, err
		}
	}
	if len(found) != len(kept) {
		return nil, nil, fmt.Errorf("%d rows of %d that changed", len(found), len(kept))
	}
	rows, removed = make([]T, len(page)), make([]bool, len(page))
	for i, c := range page {
		if removed[i] = c.Removed; c.Removed {
			rows[i] = gone(c)
			continue
		}
		rows[i], found = found[0], found[1:]
	}
	return rows, removed, nil
}

// LoadsAfter is the span of the numbers of the loads that lie between a state's facts and later ones, whose own is the last.
func LoadsAfter(facts, later int64) Span { return Span{facts + 1, later + 1} }
