package facts

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// appendBinary appends the stored form of a leaf, which must have an entry: version, and for each user with entries the difference of
// places in the block (the first from -1) and the number of entries. An entry is the difference of books (the first from -1), the
// number of days from the last one before the leaf to the leaf's first, 0 where there is none, and the days as 4 bytes,
// little-endian. Other numbers are varints.
func (l *leaf) appendBinary(b []byte) []byte {
	b = append(b, formVersion)
	last := -1
	for place := range ledgerBlock {
		entries := l.of(directory.UserID(place))
		if len(entries) == 0 {
			continue
		}
		b = binary.AppendUvarint(b, uint64(place-last))
		b = binary.AppendUvarint(b, uint64(len(entries)))
		last = place
		book := int64(-1)
		for _, e := range entries {
			b = binary.AppendUvarint(b, uint64(e.book-book))
			ago := uint64(0)
			if e.before != never {
				ago = uint64(firstOf(l.number) - e.before)
			}
			b = binary.AppendUvarint(b, ago)
			b = binary.LittleEndian.AppendUint32(b, uint32(e.days))
			book = e.book
		}
	}
	return b
}

// unmarshalBinary reads the stored form of the leaf of a number. Of data it keeps nothing.
func (l *leaf) unmarshalBinary(number int32, data []byte) error {
	d := packed.NewDecoder(data, formVersion)
	l.number = number
	l.all = make([]entry, 0, len(data)/6) // as many as there can be
	place := -1
	for d.Len() > 0 && !d.Bad() {
		step, n := d.Uvarint(), d.Count(6)
		d.Check(n > 0 && step > 0 && step < uint64(ledgerBlock-place))
		if d.Bad() {
			break
		}
		l.fill(place, place+int(step))
		place += int(step)
		for book := int64(-1); n > 0; n-- {
			e := entryOf(d, number, book)
			if d.Bad() {
				break
			}
			l.all, l.days = append(l.all, e), l.days|e.days
			book = e.book
		}
	}
	l.fill(place, ledgerBlock)
	d.Check(len(l.all) > 0)
	return d.End()
}

// fill says of the users behind one place, up to another, that their entries begin here.
func (l *leaf) fill(behind, to int) {
	for i := behind + 1; i <= to; i++ {
		l.starts[i] = int32(len(l.all))
	}
}

// entryOf reads an entry of a leaf behind that of a book.
func entryOf(d *packed.Decoder, number int32, book int64) entry {
	e := entry{book: book + int64(d.Uvarint()), before: never}
	if ago := d.Uvarint(); ago > 0 {
		d.Check(ago < math.MaxInt32)
		e.before = firstOf(number) - calendar.Date(ago)
	}
	if days := d.Bytes(4); days != nil {
		e.days = Days(binary.LittleEndian.Uint32(days))
	}
	d.Check(e.book > book && e.days != 0)
	return e
}

// AddBlock adds a stored block, of which it keeps nothing. Those of a block of users come by leaf.
func (ls *Ledgers) AddBlock(k state.BlockKey, data []byte) error {
	if k.A < 0 || k.A > maxUserID/ledgerBlock {
		return fmt.Errorf("block %d of users: %w", k.A, packed.ErrCorrupt)
	}
	leaves := ls.leaves(k.A)
	if n := len(leaves); k.B != int64(int32(k.B)) || n > 0 && int64(leaves[n-1].number) >= k.B {
		return fmt.Errorf("leaf %d twice: %w", k.B, packed.ErrCorrupt)
	}
	l := &leaf{}
	if err := l.unmarshalBinary(int32(k.B), data); err != nil {
		return err
	}
	ls.add(k.A, l)
	return nil
}
