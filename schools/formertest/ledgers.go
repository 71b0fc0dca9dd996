// Package formertest writes packed forms as former versions stored them, for tests of what reads them. It shares nothing with
// the code that it tests.
package formertest

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/lectern-dev/lectern/reading/calendar"
)

// Days are the days of one user's books, by book, at least one each, ascending.
type Days map[int64][]calendar.Date

// Ledgers is a block of 128 users' ledgers as it was until ledgers had leaves, by user; block is the number of the first divided by 128.
func Ledgers(block int64, users map[int64]Days) []byte {
	b := binary.AppendUvarint([]byte{1}, uint64(len(users)))
	last := block * 128
	for _, id := range slices.Sorted(maps.Keys(users)) {
		l := ledger(users[id])
		b = binary.AppendUvarint(b, uint64(id-last))
		b = binary.AppendUvarint(b, uint64(len(l)))
		b = append(b, l...)
		last = id
	}
	return b
}

func ledger(books Days) []byte {
	b := binary.AppendUvarint(nil, uint64(len(books)))
	last := int64(-1)
	for _, book := range slices.Sorted(maps.Keys(books)) {
		days := books[book]
		n := len(days)
		b = binary.AppendUvarint(b, uint64(book-last))
		b = binary.AppendUvarint(b, uint64(n))
		b = binary.AppendVarint(b, int64(days[0]))
		last = book
		if n == 1 {
			continue
		}
		var inner []byte
		for i := 1; i < n-1; i++ {
			inner = binary.AppendUvarint(inner, uint64(days[i]-days[i-1]))
		}
		b = binary.AppendUvarint(b, uint64(days[n-1]-days[0]))
		b = binary.AppendUvarint(b, uint64(len(inner)))
		b = append(b, inner...)
	}
	return b
}
