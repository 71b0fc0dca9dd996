package intake

import (
	"encoding/binary"
	"math"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
	"github.com/lectern-dev/lectern/schools"
)

// appendHeader begins a packed event: a byte, which is how many follow when all is packed, and the user.
func appendHeader(b []byte, user directory.UserID) []byte {
	return binary.AppendUvarint(append(b, 0), uint64(user))
}

// appendEvent packs an event: a byte, which is how many follow; the user; the series of the identifier, and its number, or its hash; the
// day, the effect, and what effective reading has.
func appendEvent(b []byte, e *schools.Event) []byte {
	b = binary.LittleEndian.AppendUint64(appendHeader(b, e.User), e.ID.Series)
	if e.ID.Series == 0 {
		b = binary.LittleEndian.AppendUint64(b, e.ID.Hash)
	} else {
		b = binary.AppendUvarint(b, uint64(e.ID.Number))
	}
	b = binary.AppendVarint(b, int64(e.Day))
	b = binary.AppendUvarint(b, uint64(e.Effect))
	if e.Effect == schools.EffectiveReading {
		b = binary.AppendUvarint(b, uint64(e.At))
		b = binary.AppendUvarint(b, uint64(e.MS))
		b = binary.AppendUvarint(b, uint64(e.Book))
		b = binary.AppendUvarint(b, uint64(e.Extent.From))
		b = binary.AppendUvarint(b, uint64(e.Extent.To-e.Extent.From))
	}
	b[0] = byte(len(b) - 1) // 90 at most
	return b
}

// header reads the user of the packed event with which data begin, and returns what follows.
func header(data []byte) (directory.UserID, packed.Decoder) {
	d := packed.Bare(data)
	d.Byte()
	return directory.UserID(d.Uvarint()), d
}

// moved is the packed event with which data begin, as another user's.
func moved(data []byte, to directory.UserID) []byte {
	_, d := header(data[:1+int(data[0])])
	b := append(appendHeader(nil, to), d.Bytes(d.Len())...)
	b[0] = byte(len(b) - 1)
	return b
}

// unpackEvent unpacks the event with which data begin.
func unpackEvent(data []byte) schools.Event {
	user, d := header(data)
	e := schools.Event{User: user}
	if e.ID.Series = word(&d); e.ID.Series == 0 {
		e.ID.Hash = word(&d)
	} else {
		e.ID.Number = int64(d.Uvarint())
	}
	e.Day, e.Effect = calendar.Date(d.Varint()), schools.Effect(d.Uvarint())
	if e.Effect == schools.EffectiveReading {
		e.At = int32(d.Uvarint() & math.MaxInt32)
		e.MS = int64(d.Uvarint())
		e.Book = int64(d.Uvarint())
		e.Extent.From = int64(d.Uvarint())
		e.Extent.To = e.Extent.From + int64(d.Uvarint())
	}
	return e
}

// word reads 8 bytes.
func word(d *packed.Decoder) uint64 {
	if b := d.Bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}
