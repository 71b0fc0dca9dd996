package libraries

import (
	"time"

	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// EventKind is a kind of event of a reader. The zero EventKind is none.
type EventKind uint8

// The kinds of events. All except the last are activity of the reader (L3).
const (
	ActivityEvent    EventKind = iota + 1 // an activity record
	SessionEvent                          // a session of reading or listening, at its start
	PreviewEvent                          // a title viewed without a loan
	LoanEvent                             // a loan made
	RenewalEvent                          // a loan renewed
	ReservationEvent                      // a reservation made
	ReturnEvent                           // a loan returned by the reader
	ExpiryEvent                           // a loan that ended by its time
)

var eventKinds = [...]string{
	ActivityEvent: "activity", SessionEvent: "session", PreviewEvent: "preview", LoanEvent: "loan",
	RenewalEvent: "renewal", ReservationEvent: "reservation", ReturnEvent: "return", ExpiryEvent: "expiry",
}

// String returns a word for the kind.
func (k EventKind) String() string { return row.NameOf(eventKinds[:], "event kind", k) }

// Activity reports whether an event of this kind makes its day a day with activity of the reader, a login (L3).
func (k EventKind) Activity() bool { return k >= ActivityEvent && k <= ReturnEvent }

// Presence is the activity of a reader on one day: a row of the logins. The zero Presence is a day without activity.
type Presence struct {
	Events int32
	// First and Last are seconds of the Brasilia day, from 0 to 86,399. Both are 0 if Events is.
	First, Last int32
}

// Add counts an event at a [Second] of the day if its kind is activity.
func (p *Presence) Add(kind EventKind, second int32) {
	if kind.Activity() {
		p.Merge(Presence{Events: 1, First: second, Last: second})
	}
}

// Merge adds the events of q, which must be other events of the same reader and day. The order does not matter.
func (p *Presence) Merge(q Presence) {
	if q.Events == 0 {
		return
	}
	if p.Events == 0 {
		*p = q
		return
	}
	p.Events += q.Events
	p.First, p.Last = min(p.First, q.First), max(p.Last, q.Last)
}

// Logins returns 1 for a day with activity and 0 for one without.
func (p Presence) Logins() int64 { return int64(min(p.Events, 1)) }

// Second returns the second of the Brasilia day at t. It cuts off fractions (H7).
func Second(t time.Time) int32 {
	return int32(t.Unix() - calendar.Day(t).Start().Unix())
}
