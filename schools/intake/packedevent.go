package intake

import (
	"bytes"
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

// hashed says of a packed identifier that its series is packed as its hash. Other numbers are the length of a series, 0 of an
// identifier without one.
const hashed = schools.MaxSeries + 1

// appendID packs an identifier.
func appendID(b []byte, id schools.EventID) []byte {
	if id.Series == 0 {
		return binary.LittleEndian.AppendUint64(append(b, 0), id.Hash)
	}
	b = binary.LittleEndian.AppendUint64(append(b, hashed), id.Series)
	return binary.AppendUvarint(b, uint64(id.Number))
}

// appendParts packs the parts of an identifier.
func appendParts(b []byte, id *schools.IDParts) []byte {
	series := id.Series()
	b = append(b, byte(len(series)))
	if len(series) == 0 {
		return binary.LittleEndian.AppendUint64(b, id.Hash)
	}
	b = append(b, series...)
	return binary.AppendUvarint(b, uint64(id.Number))
}

// appendEvent packs the rest of an event, behind its header and its identifier, which b is.
func appendEvent(b []byte, e *schools.Event) []byte {
	b = binary.AppendVarint(b, int64(e.Day))
	b = binary.AppendUvarint(b, uint64(e.Effect))
	if e.Effect == schools.EffectiveReading {
		b = binary.AppendUvarint(b, uint64(e.At))
		b = binary.AppendUvarint(b, uint64(e.MS))
		b = binary.AppendUvarint(b, uint64(e.Book))
		b = binary.AppendUvarint(b, uint64(e.Extent.From))
		b = binary.AppendUvarint(b, uint64(e.Extent.To-e.Extent.From))
	}
	b[0] = byte(len(b) - 1) // 110 at most
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

// unpacker unpacks events, and hashes a series once where its events follow one another.
type unpacker struct {
	series []byte
	hash   uint64
}

// event unpacks the event with which data begin.
func (u *unpacker) event(data []byte) schools.Event {
	user, d := header(data)
	e := schools.Event{ID: u.id(&d), User: user, Day: calendar.Date(d.Varint()), Effect: schools.Effect(d.Uvarint())}
	if e.Effect == schools.EffectiveReading {
		e.At = int32(d.Uvarint() & math.MaxInt32)
		e.MS = int64(d.Uvarint())
		e.Book = int64(d.Uvarint())
		e.Extent.From = int64(d.Uvarint())
		e.Extent.To = e.Extent.From + int64(d.Uvarint())
	}
	return e
}

// id unpacks an identifier.
func (u *unpacker) id(d *packed.Decoder) (id schools.EventID) {
	switch n := int(d.Byte()); n {
	case 0:
		id.Hash = word(d)
		return id
	case hashed:
		id.Series = word(d)
	default:
		if series := d.Bytes(n); len(series) > 0 && !bytes.Equal(series, u.series) {
			u.series, u.hash = series, schools.SeriesHash(series)
		}
		id.Series = u.hash
	}
	id.Number = int64(d.Uvarint())
	return id
}

// word reads 8 bytes.
func word(d *packed.Decoder) uint64 {
	if b := d.Bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}
