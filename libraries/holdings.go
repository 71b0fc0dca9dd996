package libraries

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

// Holding is what is counted now of one title; as a part of a Change, what is to be added to it.
type Holding struct {
	Book               int64
	Readings           int64 // (reader, title) pairs with progress of 10 or more and a loan (L9)
	ActiveLoans        int64 // with status active (L6)
	ActiveReservations int64 // waiting or available
	Confirmed          int64 // loans (L7)
}

// add adds the counts of a change.
func (h *Holding) add(c Holding) {
	h.Readings += c.Readings
	h.ActiveLoans += c.ActiveLoans
	h.ActiveReservations += c.ActiveReservations
	h.Confirmed += c.Confirmed
}

// empty reports whether nothing is counted of the title.
func (h Holding) empty() bool { return h == Holding{Book: h.Book} }

// Holdings are the holdings of all titles that have any, by Book.
type Holdings []Holding

// Of returns the holding of a title, zeros where it has none.
func (h Holdings) Of(book int64) Holding {
	if i, found := h.search(book); found {
		return h[i]
	}
	return Holding{Book: book}
}

// search returns where the title stands, or would stand.
func (h Holdings) search(book int64) (int, bool) {
	return slices.BinarySearchFunc(h, book, func(h Holding, book int64) int { return cmp.Compare(h.Book, book) })
}

// Add returns the holdings with the changes, which may be in any order and name a title more than once; h stays as it
// is. Titles of which nothing is left are left out. The error is [ErrBelowZero].
func (h Holdings) Add(changes []Holding) (Holdings, error) {
	all := slices.Concat(h, changes)
	slices.SortFunc(all, func(a, b Holding) int { return cmp.Compare(a.Book, b.Book) })
	sums := all[:0]
	for len(all) > 0 {
		sum, n := all[0], 1
		for ; n < len(all) && all[n].Book == sum.Book; n++ {
			sum.add(all[n])
		}
		all = all[n:]
		if min(sum.Readings, sum.ActiveLoans, sum.ActiveReservations, sum.Confirmed) < 0 {
			return nil, fmt.Errorf("holdings of title %d: %w", sum.Book, ErrBelowZero)
		}
		if !sum.empty() {
			sums = append(sums, sum)
		}
	}
	return slices.Clone(sums), nil // without the room of the changes
}

// Bytes returns the memory that the holdings hold.
func (h Holdings) Bytes() int { return 40 * cap(h) }

const (
	holdingsVersion = 1

	// minHolding is the number of bytes that a title takes at least: identifier and counts.
	minHolding = 5
)

// AppendBinary appends the stored form: a byte for the version, the number of titles, then each: the distance of its
// identifier from the one before, Readings, ActiveLoans, ActiveReservations and Confirmed; all of them varints.
func (h Holdings) AppendBinary(b []byte) []byte {
	b = append(b, holdingsVersion)
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

// ParseHoldings unpacks stored holdings; no data are no holdings. The error is [packed.ErrCorrupt].
func ParseHoldings(data []byte) (Holdings, error) {
	if len(data) == 0 {
		return nil, nil
	}
	d := packed.NewDecoder(data, holdingsVersion)
	h := make(Holdings, d.Count(minHolding))
	former := int64(0)
	for i := range h {
		h[i].Book = step(d, former, i == 0)
		former = h[i].Book
		h[i].Readings, h[i].ActiveLoans, h[i].ActiveReservations, h[i].Confirmed = natural(d), natural(d), natural(d), natural(d)
		if d.Check(!h[i].empty()); d.Bad() {
			break
		}
	}
	if err := d.End(); err != nil {
		return nil, err
	}
	return h, nil
}
