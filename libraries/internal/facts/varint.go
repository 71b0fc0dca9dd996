package facts

import (
	"encoding/binary"
	"math"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// step reads an identifier that is above the former one: as the distance to it, the first as itself.
func step(d *packed.Decoder, former int64, first bool) int64 {
	v := d.Natural()
	if first {
		return v
	}
	d.Check(v > 0 && v <= math.MaxInt64-former)
	return former + v
}

// appendStep appends an identifier as step reads it.
func appendStep(b []byte, id, former int64, first bool) []byte {
	if first {
		former = 0
	}
	return binary.AppendUvarint(b, uint64(id-former))
}

// AppendDate appends a day as its distance from HistoryStart: two bytes for the first 22 years.
func AppendDate(b []byte, day calendar.Date) []byte {
	return binary.AppendVarint(b, int64(day)-int64(libraries.HistoryStart))
}

// ReadDate reads a day as appendDate appends it.
func ReadDate(d *packed.Decoder) calendar.Date {
	v := d.Varint()
	day := v + int64(libraries.HistoryStart)
	d.Check(v <= math.MaxInt32 && day >= math.MinInt32 && day <= math.MaxInt32)
	return calendar.Date(day)
}

// ReadSecond reads a second of the day, or a number of seconds less than a day.
func ReadSecond(d *packed.Decoder) int32 {
	v := d.Uvarint()
	d.Check(v < daySeconds)
	return int32(v)
}

const daySeconds = 24 * 60 * 60

// notVarint is what longVarint returns where there is no number: above every number of the forms, so that the check of a
// number's range finds it.
const notVarint = math.MaxUint64

// longVarint reads a number of more than one byte in its shortest form, as [packed.Decoder] does: b[i-1] is its first
// byte. It returns where what follows begins. Columns of many thousands read numbers of one byte themselves, for most are.
func longVarint(b []byte, i int) (uint64, int) {
	if i < len(b) && b[i]-1 < 0x7f { // from 1 to 0x7f: it takes two bytes
		return uint64(b[i-1]&0x7f) | uint64(b[i])<<7, i + 1
	}
	v, n := binary.Uvarint(b[i-1:])
	if n <= 0 || b[i-2+n] == 0 { // a last byte of 0 only makes it longer
		return notVarint, len(b)
	}
	return v, i - 1 + n
}
