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

// Effect is what an event does to the reports.
type Effect uint8

// The effects. A Silent event is only remembered; one of Presence makes the day a day with access (S6); one of
// EffectiveReading also counts in time and coverage.
const (
	Silent Effect = iota
	Presence
	EffectiveReading
)

// Event is a segment or an access as the fold takes it.
type Event struct {
	ID     EventID
	User   directory.UserID
	Day    calendar.Date
	Effect Effect
	// The rest is set for effective reading alone: the second of the Brasilia day at which it starts, its duration in
	// milliseconds, and what was read of which book.
	At     int32
	MS     int64
	Book   int64
	Extent reading.Interval
}

// NewSegment returns the event of a segment: it belongs to the day on which it starts (S2).
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

// The kinds of access records. The last two are received, not done, and make no day of access (S6).
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

// String returns the kind's name in a feed.
func (k AccessKind) String() string { return row.NameOf(accessKinds[:], "access kind", k) }

// AccessKinds returns the names of all kinds, behind the empty one of none.
func AccessKinds() []string { return accessKinds[:] }

// ParseAccessKind returns the kind of a name in a feed.
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

// EventID stands for an event's identifier. Events are told apart within one user and day alone (F1).
//
// An identifier that ends in a number, such as 4711 or s-ana-17, stands in a series, that of all identifiers which are the same up
// to their numbers: Series is 8 bytes of the SHA-256 of its kind and of what stands before the number, and never 0. It is the
// number that tells it from the others of its series. Any other identifier has a Hash in their place, 8 bytes of the SHA-256 of its
// kind and text: two of a million of one user and day would share one with a chance of about 1 in 37 million.
type EventID struct {
	Hash, Series uint64
	Number       int64 // of the series; not negative
}

// NewEventID returns the stand-in of an identifier of a resource, such as 's' for segments and 'a' for accesses.
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

// maxBefore is how many bytes may stand before the number of a series. What is longer is likely to be of one event alone, as a UUID is.
const maxBefore = 32

// numbered parts an identifier into a number at its end and what stands before it: nothing, or a text that ends in no letter and no
// digit. A number is one as strconv writes it, so that both parts make the identifier again.
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

// isWord reports whether a byte is a letter, or of a character that is not ASCII.
func isWord(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80 }

// Compare orders identifiers by series, those without one first, then by number or hash. Those that are one event's compare equal.
func (e EventID) Compare(f EventID) int {
	if e.Series == 0 && f.Series == 0 {
		return cmp.Compare(e.Hash, f.Hash)
	}
	return cmp.Or(cmp.Compare(e.Series, f.Series), cmp.Compare(e.Number, f.Number))
}
