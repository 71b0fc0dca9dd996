package facts

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// EventID stands for an event's identifier, reader and day: events that share all three are one event (F1). It is 8 bytes
// of a SHA-256; identifiers are told apart within one row of [EventSet] alone.
type EventID uint64

// The resources of events, for NewEventID.
const (
	SessionResource  = 's'
	PreviewResource  = 'p'
	ActivityResource = 'a'
	RenewalResource  = 'r'
	RequestResource  = 'q'
)

// maxIDBytes is the number of bytes that an identifier takes at most (F5): 64 characters. Longer ones work too.
const maxIDBytes = 64 * 4

// NewEventID returns the stand-in of an identifier of a resource, such as 's' for sessions. It does not allocate.
func NewEventID(resource byte, id []byte, reader int64, day calendar.Date) EventID {
	var room [1 + 8 + 4 + maxIDBytes]byte
	b := append(room[:0], resource)
	b = binary.LittleEndian.AppendUint64(b, uint64(reader))
	b = binary.LittleEndian.AppendUint32(b, uint32(day))
	sum := sha256.Sum256(append(b, id...))
	return EventID(binary.LittleEndian.Uint64(sum[:]))
}

// Event is a session, a preview, an activity record or a renewal as the fold takes it. It belongs to the day on which it
// starts.
type Event struct {
	Kind   libraries.EventKind // SessionEvent, PreviewEvent, ActivityEvent or RenewalEvent
	ID     EventID
	Reader int64
	Book   int64 // of all but activity records
	Day    calendar.Date
	Second int32 // of the Brasilia day
	// The rest is of sessions alone.
	Seconds  int64
	Progress libraries.Progress
	Mode     libraries.Mode
	Format   libraries.Format
}

// Changed is a record that is new, where Was is nil, or differs from what it was before.
type Changed[T any] struct {
	Now T
	Was *T
}

// What changes of loans and reservations.
type (
	LoanChange        = Changed[libraries.Loan]
	ReservationChange = Changed[libraries.Reservation]
)

// Delivery is what a feed says of one reader, checked and complete: events in the order of the feed, each loan and
// reservation at most once.
type ReaderFeed struct {
	Reader       int64
	Row          *libraries.Reader // the reader's own row, where the feed has one: of several the one that stands
	Events       []Event
	Loans        []LoanChange
	Reservations []ReservationChange
	Requests     []libraries.Request
}
