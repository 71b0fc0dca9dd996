package facts

import (
	"encoding/binary"
	"iter"
	"math"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/reading/packed"
)

// LoginDay is a row of logins.
type LoginDay struct {
	Reader   int64
	Presence libraries.Presence
}

// minLogin is the number of bytes that a row of logins takes at least: reader, events, returns, and one of those.
const minLogin = 4

// appendLogin appends a row of a sheet of logins. The sheet is a byte for the version, the number of rows, then each: the
// distance of the reader from the one before; the number of events that are not returns, and where there are any, the
// second of the first of them and the seconds from it to the last; the number of returns by the reader, the second of
// the first, and the seconds from each to the next. All numbers are varints. Returns are kept apart for they may be
// corrected.
func appendLogin(b []byte, presence libraries.Presence, returned []int32) []byte {
	b = binary.AppendUvarint(b, uint64(presence.Events))
	if presence.Events > 0 {
		b = binary.AppendUvarint(b, uint64(presence.First))
		b = binary.AppendUvarint(b, uint64(presence.Last-presence.First))
	}
	b = binary.AppendUvarint(b, uint64(len(returned)))
	former := int32(0)
	for _, second := range returned {
		b = binary.AppendUvarint(b, uint64(second-former))
		former = second
	}
	return b
}

// readLogin reads a row, behind its reader. The seconds of its returns are appended to returned.
func readLogin(d *packed.Decoder, returned []int32) (libraries.Presence, []int32) {
	var p libraries.Presence
	if events := d.Uvarint(); events > 0 {
		first, span := ReadSecond(d), ReadSecond(d)
		d.Check(events <= math.MaxInt32 && first+span < daySeconds)
		p = libraries.Presence{Events: int32(events), First: first, Last: first + span}
	}
	n := d.Count(1)
	d.Check(n <= math.MaxInt32-int(p.Events) && n+int(p.Events) > 0)
	second := int32(0)
	for range n {
		second += ReadSecond(d)
		if d.Check(second < daySeconds); d.Bad() {
			break
		}
		returned = append(returned, second)
	}
	return p, returned
}

// withReturns returns the presence with the returns among its events.
func withReturns(p libraries.Presence, returned []int32) libraries.Presence {
	if n := len(returned); n > 0 {
		p.Merge(libraries.Presence{Events: int32(n), First: returned[0], Last: returned[n-1]})
	}
	return p
}

// ParseLogins unpacks a stored sheet of logins: readers with activity, ascending, returns by the reader among their
// events. The error is [packed.ErrCorrupt]: a sequence that is returned has no error in it.
func ParseLogins(data []byte) (iter.Seq[LoginDay], error) {
	var rows []LoginDay
	err := visitLogins(data, func(n int) { rows = make([]LoginDay, 0, n) }, func(reader int64, p libraries.Presence, returned []int32) {
		rows = append(rows, LoginDay{reader, withReturns(p, returned)})
	})
	if err != nil {
		return nil, err
	}
	return slices.Values(rows), nil
}

// visitLogins calls start with the number of rows of a sheet of logins, then visit with each; returned is valid until
// visit returns.
func visitLogins(data []byte, start func(n int), visit func(reader int64, p libraries.Presence, returned []int32)) error {
	d := packed.NewDecoder(data, sheetVersion)
	n := d.Count(minLogin)
	start(n)
	var p libraries.Presence
	var room []int32
	former := int64(0)
	for i := range n {
		former = step(d, former, i == 0)
		p, room = readLogin(d, room[:0])
		if d.Bad() {
			break
		}
		visit(former, p, room)
	}
	return d.End()
}
