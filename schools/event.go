package schools

import (
	"maps"
	"slices"
	"time"

	"github.com/lectern-dev/lectern/directory"
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

// ByUser returns the events grouped by user, users ascending, each user's in the order in which they stand.
func ByUser(events []Event) []Event {
	next := map[directory.UserID]int{} // first the count, then the place of a user's next event
	for _, e := range events {
		next[e.User]++
	}
	place := 0
	for _, user := range slices.Sorted(maps.Keys(next)) {
		n := next[user]
		next[user] = place
		place += n
	}
	grouped := make([]Event, len(events))
	for _, e := range events {
		grouped[next[e.User]] = e
		next[e.User]++
	}
	return grouped
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

// ParseAccessKind returns the kind of a name in a feed.
func ParseAccessKind[T string | []byte](name T) (AccessKind, bool) {
	for k := Login; k <= ActivityReceived; k++ {
		if string(name) == accessKinds[k] {
			return k, true
		}
	}
	return 0, false
}

// NewAccess returns the event of an access record.
func NewAccess(id EventID, user directory.UserID, at time.Time, kind AccessKind) Event {
	e := Event{ID: id, User: user, Day: calendar.Day(at), Effect: Presence}
	if kind >= RecommendationReceived {
		e.Effect = Silent
	}
	return e
}
