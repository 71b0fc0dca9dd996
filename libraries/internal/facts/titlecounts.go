package facts

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/lectern-dev/lectern/reading/packed"
)

// ErrBelowZero says that a count would fall below 0: the changes are not those of what they are added to.
var ErrBelowZero = errors.New("folded data: less than nothing would be left")

// TitleCounts is what is counted now of one title; as a part of a Change, what is to be added to it.
type TitleCounts struct {
	Book               int64
	Readings           int64 // (reader, title) pairs with progress of 10 or more and a loan (L9)
	ActiveLoans        int64 // with status active (L6)
	ActiveReservations int64 // waiting or available
	Confirmed          int64 // loans (L7)
}

// Add adds the counts of a change.
func (h *TitleCounts) Add(c TitleCounts) {
	h.Readings += c.Readings
	h.ActiveLoans += c.ActiveLoans
	h.ActiveReservations += c.ActiveReservations
	h.Confirmed += c.Confirmed
}

// empty reports whether nothing is counted of the title.
func (h TitleCounts) empty() bool { return h == TitleCounts{Book: h.Book} }

// CountsByTitle are the counts of all titles that have any, by Book.
type CountsByTitle []TitleCounts

// Of returns the counts of a title, zeros where it has none.
func (h CountsByTitle) Of(book int64) TitleCounts {
	if i, found := h.search(book); found {
		return h[i]
	}
	return TitleCounts{Book: book}
}

// search returns where the title stands, or would stand.
func (h CountsByTitle) search(book int64) (int, bool) {
	return slices.BinarySearchFunc(h, book, func(h TitleCounts, book int64) int { return cmp.Compare(h.Book, book) })
}

// Add returns the titles' counts with the changes, which may be in any order and name a title more than once; h stays as it
// is. Titles of which nothing is left are left out. The error is [ErrBelowZero].
func (h CountsByTitle) Add(changes []TitleCounts) (CountsByTitle, error) {
	all := slices.Concat(h, changes)
	slices.SortFunc(all, func(a, b TitleCounts) int { return cmp.Compare(a.Book, b.Book) })
	sums := all[:0]
	for len(all) > 0 {
		sum, n := all[0], 1
		for ; n < len(all) && all[n].Book == sum.Book; n++ {
			sum.Add(all[n])
		}
		all = all[n:]
		if min(sum.Readings, sum.ActiveLoans, sum.ActiveReservations, sum.Confirmed) < 0 {
			return nil, fmt.Errorf("counts of title %d: %w", sum.Book, ErrBelowZero)
		}
		if !sum.empty() {
			sums = append(sums, sum)
		}
	}
	return slices.Clone(sums), nil // without the room of the changes
}

// Bytes returns the memory that the titles' counts hold.
func (h CountsByTitle) Bytes() int { return 40 * cap(h) }

const (
	countsVersion = 1

	// minTitleCounts is the number of bytes that a title takes at least: identifier and counts.
	minTitleCounts = 5
)

// AppendBinary appends the stored form: a byte for the version, the number of titles, then each: the distance of its
// identifier from the one before, Readings, ActiveLoans, ActiveReservations and Confirmed; all of them varints.
func (h CountsByTitle) AppendBinary(b []byte) []byte {
	b = append(b, countsVersion)
	b = binary.AppendUvarint(b, uint64(len(h)))
	former := int64(0)
	for i, t := range h {
		b = appendStep(b, t.Book, former, i == 0)
		former = t.Book
		for _, n := range [...]int64{t.Readings, t.ActiveLoans, t.ActiveReservations, t.Confirmed} {
			b = binary.AppendUvarint(b, uint64(n))
		}
	}
	return b
}

// ParseCountsByTitle unpacks stored counts; no data are none. The error is [packed.ErrCorrupt].
func ParseCountsByTitle(data []byte) (CountsByTitle, error) {
	if len(data) == 0 {
		return nil, nil
	}
	d := packed.NewDecoder(data, countsVersion)
	h := make(CountsByTitle, d.Count(minTitleCounts))
	former := int64(0)
	for i := range h {
		h[i].Book = step(d, former, i == 0)
		former = h[i].Book
		h[i].Readings, h[i].ActiveLoans, h[i].ActiveReservations, h[i].Confirmed = d.Natural(), d.Natural(), d.Natural(), d.Natural()
		if d.Check(!h[i].empty()); d.Bad() {
			break
		}
	}
	if err := d.End(); err != nil {
		return nil, err
	}
	return h, nil
}
