package schools

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"strconv"
	"time"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// Effect is what an event counts for in the reports.
type Effect uint8

// The effects. A Silent event is remembered, so that it is known when it comes again, and counts for nothing.
// Presence makes the day a day with access (S6). EffectiveReading does so too, and counts in time and
// coverage.
const (
	Silent Effect = iota
	Presence
	EffectiveReading
)

// Event is a segment or an access, as a load aggregates it.
type Event struct {
	ID     EventID
	User   directory.UserID
	Day    calendar.Date
	Effect Effect
	// The other fields are set for effective reading only. At is the second of the Brasilia day at which the
	// segment starts, MS its duration in milliseconds, and Extent the part of the book that was read.
	At     int32
	MS     int64
	Book   int64
	Extent reading.Interval
}

// NewSegment returns the event of a segment, which belongs to the day on which it starts (S2).
func NewSegment(id EventID, user directory.UserID, book int64, s reading.Segment) Event {
	day := calendar.Day(s.Start)
	e := Event{ID: id, User: user, Day: day, Effect: Presence}
	if s.Effective() {
		e.Effect, e.Book, e.MS = EffectiveReading, book, s.DurationMS
		e.At = int32(s.Start.Sub(day.Start()) / time.Second)
		e.Extent = reading.Interval{From: s.From, To: s.To}
	}
	return e
}

// AccessKind is the kind of an access record.
type AccessKind uint8

// The kinds of access records. The last two are received, not done by the user, so they make no day with
// access (S6).
const (
	Login AccessKind = iota + 1
	Session
	ReadingAccess
	Audiobook
	Activity
	Assessment
	RecommendationReceived
	ActivityReceived
)

var accessKinds = [...]string{
	Login: "login", Session: "session", ReadingAccess: "reading", Audiobook: "audiobook", Activity: "activity",
	Assessment: "assessment", RecommendationReceived: "recommendation-received", ActivityReceived: "activity-received",
}

// String returns the kind's name in feeds.
func (k AccessKind) String() string { return row.NameOf(accessKinds[:], "access kind", k) }

// AccessKinds returns the names of all kinds, after an empty one for none. The list is shared.
func AccessKinds() []string { return accessKinds[:] }

// ParseAccessKind returns the kind with a name in feeds, and false for an unknown name.
func ParseAccessKind[T string | []byte](name T) (AccessKind, bool) {
	return row.ValueOf[AccessKind](accessKinds[:], string(name))
}

// NewAccess returns the event of an access record.
func NewAccess(id EventID, user directory.UserID, at time.Time, kind AccessKind) Event {
	e := Event{ID: id, User: user, Day: calendar.Day(at), Effect: Presence}
	if kind >= RecommendationReceived {
		e.Effect = Silent
	}
	return e
}

// EventID represents an event's identifier. Two events are compared only if they have one user and one day
// (F1).
//
// An identifier that ends in a number, such as 4711 or s-ana-17, belongs to a series: all identifiers that
// differ only in that number. Series is 8 bytes of the SHA-256 of the resource and the text before the
// number, and never 0. Any other identifier has a Hash instead, 8 bytes of the SHA-256 of the resource and
// the whole text. If one user had a million such events on one day, two of them would share a hash with a
// chance of about 1 in 37 million.
type EventID struct {
	Hash, Series uint64
	Number       int64 // in the series; not negative
}

// NewEventID returns the event id for an identifier of a resource, such as 's' for segments or 'a' for
// accesses. A segment and an access with one identifier are two events.
func NewEventID(resource byte, id []byte) EventID {
	before, number, ok := numbered(id)
	if !ok {
		return EventID{Hash: sum(resource, id)}
	}
	return EventID{Series: max(1, sum(resource, before)), Number: number}
}

// sum returns 8 bytes of the SHA-256 of a resource and a text.
func sum(resource byte, text []byte) uint64 {
	var buf [65]byte
	b := append(buf[:0], resource)
	hash := sha256.Sum256(append(b, text...))
	return binary.LittleEndian.Uint64(hash[:])
}

// maxBefore is the most bytes of text before the number of a series. A longer text mostly belongs to one
// event only, as a UUID does.
const maxBefore = 32

// numbered splits an identifier into the text before its number and the number. The text is empty or ends in
// neither a letter nor a digit. The number is one that strconv writes without leading zeros, so the two parts
// make the identifier again. ok is false if there is no such number.
func numbered(id []byte) (before []byte, number int64, ok bool) {
	n := len(id)
	for n > 0 && '0' <= id[n-1] && id[n-1] <= '9' {
		n--
	}
	if n > maxBefore || n > 0 && isWord(id[n-1]) || len(id)-n > 1 && id[n] == '0' {
		return nil, 0, false
	}
	number, err := strconv.ParseInt(string(id[n:]), 10, 64)
	return id[:n], number, err == nil
}

// isWord reports whether a byte is an ASCII letter or part of a character that is not ASCII.
func isWord(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80 }

// Compare orders event ids by series, those without one first, then by number or hash. Ids of one event
// compare equal.
func (e EventID) Compare(f EventID) int {
	if e.Series == 0 && f.Series == 0 {
		return cmp.Compare(e.Hash, f.Hash)
	}
	return cmp.Or(cmp.Compare(e.Series, f.Series), cmp.Compare(e.Number, f.Number))
}
