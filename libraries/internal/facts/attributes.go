package facts

import (
	"encoding/binary"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// The stored form of a block of attributes has all readers of it in columns. After the byte of the version and the number of
// readers there are
//
//	identifiers         the first, signed, then a column of the distances to the one before, 0 for the first
//	library, age group  a dictionary, then a column of the indexes into it
//	state, city, RA     likewise
//	gender and status   a column of status x 8 + gender
//	registered, updated columns of days
//	deleted             a column of days, of the readers whose status is Gone alone
//	loans, reservations columns
//
// A column is the least of its numbers, signed; the number of bytes that each number takes, 0, 1, 2, 4 or 8; and the
// numbers less the least one, in so many bytes, the lowest first. Where all are alike they take no bytes at all. A
// dictionary is the number of values and the values, ascending, each once and none unused: integers as what they exceed
// the one before by, the first as what it exceeds None by; texts with their lengths in front.

// AttributesVersion is the version of the form.
const AttributesVersion = 1

// AppendAttributes appends the stored form of one block's readers, which ascend: see BlockReaders.
func AppendAttributes(b []byte, block []Attributes) []byte {
	b = append(b, AttributesVersion)
	b = binary.AppendUvarint(b, uint64(len(block)))
	if len(block) == 0 {
		return b
	}
	b = binary.AppendVarint(b, block[0].ID)
	numbers := make([]int64, len(block))
	column := func(of func(i int, a *Attributes) int64) {
		for i := range block {
			numbers[i] = of(i, &block[i])
		}
		b = appendColumn(b, numbers)
	}
	column(func(i int, a *Attributes) int64 { return a.ID - block[max(i-1, 0)].ID })
	b = appendIntegers(b, block, func(a *Attributes) int64 { return a.Library })
	b = appendIntegers(b, block, func(a *Attributes) int64 { return a.AgeGroup })
	b = appendTexts(b, block, func(a *Attributes) string { return a.State })
	b = appendTexts(b, block, func(a *Attributes) string { return a.City })
	b = appendTexts(b, block, func(a *Attributes) string { return a.RA })
	column(func(_ int, a *Attributes) int64 { return int64(a.Status)<<3 | int64(a.Gender) })
	column(func(_ int, a *Attributes) int64 { return int64(a.Registered) })
	column(func(_ int, a *Attributes) int64 { return int64(a.UpdatedDay) })
	b = appendColumn(b, deletions(numbers[:0], block))
	column(func(_ int, a *Attributes) int64 { return a.Loans })
	column(func(_ int, a *Attributes) int64 { return a.ActiveReservations })
	return b
}

// deletions appends the days on which the readers of the block went who are gone.
func deletions(days []int64, block []Attributes) []int64 {
	for i := range block {
		if block[i].Status.Gone() {
			days = append(days, int64(block[i].DeletedAt))
		}
	}
	return days
}

// appendIntegers appends a dictionary of integers, none below None, and the column of the indexes into it.
func appendIntegers(b []byte, block []Attributes, of func(*Attributes) int64) []byte {
	values, at := dictionary(block, of)
	b = binary.AppendUvarint(b, uint64(len(values)))
	before := int64(libraries.None)
	for _, v := range values {
		b = binary.AppendUvarint(b, uint64(v-before))
		before = v
	}
	return appendColumn(b, at)
}

// appendTexts appends a dictionary of texts and the column of the indexes into it.
func appendTexts(b []byte, block []Attributes, of func(*Attributes) string) []byte {
	values, at := dictionary(block, of)
	b = binary.AppendUvarint(b, uint64(len(values)))
	for _, v := range values {
		b = packed.AppendText(b, v)
	}
	return appendColumn(b, at)
}

// dictionary returns the different values of the block, ascending, and the index of each reader's.
func dictionary[T int64 | string](block []Attributes, of func(*Attributes) T) (values []T, at []int64) {
	index := make(map[T]int64)
	for i := range block {
		if v := of(&block[i]); !hasKey(index, v) {
			index[v] = 0
			values = append(values, v)
		}
	}
	slices.Sort(values)
	for i, v := range values {
		index[v] = int64(i)
	}
	at = make([]int64, len(block))
	for i := range block {
		at[i] = index[of(&block[i])]
	}
	return values, at
}

func hasKey[K comparable, V any](m map[K]V, k K) bool { _, ok := m[k]; return ok }

// appendColumn appends a column. Of no numbers there is nothing.
func appendColumn(b []byte, numbers []int64) []byte {
	if len(numbers) == 0 {
		return b
	}
	least := slices.Min(numbers)
	width := columnWidth(uint64(slices.Max(numbers)) - uint64(least))
	b = binary.AppendVarint(b, least)
	b = append(b, byte(width))
	for _, n := range numbers {
		rest := uint64(n) - uint64(least)
		for range width {
			b = append(b, byte(rest))
			rest >>= 8
		}
	}
	return b
}

// columnWidth returns the number of bytes that numbers up to most take in a column.
func columnWidth(most uint64) int {
	switch {
	case most == 0:
		return 0
	case most < 1<<8:
		return 1
	case most < 1<<16:
		return 2
	case most < 1<<32:
		return 4
	}
	return 8
}

// ParseAttributes unpacks a stored block. The error is packed.ErrCorrupt.
func ParseAttributes(data []byte) ([]Attributes, error) {
	var f AttributesForm
	if err := f.Open(data); err != nil {
		return nil, err
	}
	block := make([]Attributes, len(f.IDs))
	gone := 0
	for i, id := range f.IDs {
		block[i] = Attributes{
			ID: id, Library: f.Libraries.of(i), AgeGroup: f.AgeGroups.of(i),
			State: string(f.States.of(i)), City: string(f.Cities.of(i)), RA: string(f.RAs.of(i)),
			Gender: libraries.Gender(f.Kinds[i] & 7), Status: libraries.ReaderStatus(f.Kinds[i] >> 3),
			Registered: calendar.Date(f.Registered.At(i)), UpdatedDay: calendar.Date(f.Updated.At(i)),
			Loans: f.Loans.At(i), ActiveReservations: f.Reservations.At(i),
		}
		if block[i].Status.Gone() {
			block[i].DeletedAt = calendar.Date(f.Deleted.At(gone))
			gone++
		}
	}
	return block, nil
}

// BlockReaders is the number of neighbouring readers whose attributes are stored together, and whose deliveries stay in one
// part of a Pile.
const BlockReaders = 1024

// Block returns the number of the block that a reader belongs to.
func Block(reader int64) int64 { return reader / BlockReaders }

// Attributes are what filters, groups and counts need of a reader.
type Attributes struct {
	ID                 int64
	Library, AgeGroup  int64 // or None
	State, City, RA    string
	Gender             libraries.Gender
	Status             libraries.ReaderStatus
	Registered         calendar.Date
	DeletedAt          calendar.Date // where the Status is Gone
	UpdatedDay         calendar.Date // the Brasilia day of Updated
	Loans              int64         // historical (totalLoans)
	ActiveReservations int64
}

// AttributesOf returns the attributes of a register row, with the counters 0.
func AttributesOf(r libraries.Reader) Attributes {
	a := Attributes{
		ID: r.ID, Library: r.Library, AgeGroup: r.AgeGroup, State: r.State, City: r.City, RA: r.RA,
		Gender: r.Gender, Status: r.Status, Registered: r.Registered, UpdatedDay: calendar.Day(r.Updated),
	}
	if r.Status.Gone() {
		a.DeletedAt = r.DeletedAt
	}
	return a
}
