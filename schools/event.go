package schools

import (
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
