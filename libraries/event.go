package libraries

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/lectern-dev/lectern/reading/calendar"
)

// EventID identifies an event by its identifier, reader and day: events that share all three are one event (F1).
//
// It has 8 bytes of a SHA-256 of the three and the resource. Event ids are compared within a set of 128 readers and 8
// days. In a set of a million events, the chance that two share an id is about 1 in 37 million.
type EventID uint64

// The resources of events, for [NewEventID]: a session and a preview with one identifier are two events.
const (
	SessionResource  = 's'
	PreviewResource  = 'p'
	ActivityResource = 'a'
	RenewalResource  = 'r'
	RequestResource  = 'q'
)

// maxIDBytes is the size of the longest identifier of a feed (F5): 64 characters. Longer ones work, but allocate.
const maxIDBytes = 64 * 4

// NewEventID returns the event id for an identifier of a resource. It does not allocate.
func NewEventID(resource byte, id []byte, reader int64, day calendar.Date) EventID {
	var room [1 + 8 + 4 + maxIDBytes]byte
	b := append(room[:0], resource)
	b = binary.LittleEndian.AppendUint64(b, uint64(reader))
	b = binary.LittleEndian.AppendUint32(b, uint32(day))
	sum := sha256.Sum256(append(b, id...))
	return EventID(binary.LittleEndian.Uint64(sum[:]))
}

// Event is a session, a preview, an activity record or a renewal, as a load aggregates it. Its day is the Brasilia day on
// which it starts.
type Event struct {
	Kind   EventKind // SessionEvent, PreviewEvent, ActivityEvent or RenewalEvent
	ID     EventID
	Reader int64
	Book   int64 // 0 for activity records
	Day    calendar.Date
	Second int32 // of the Brasilia day

	// The other fields are set for sessions only.
	Seconds  int64
	Progress Progress // at the end of the session
	Mode     Mode
	Format   Format
}

// Changed is a new record, if Was is nil, or one that differs from its stored version Was.
type Changed[T any] struct {
	Now T
	Was *T
}

// LoanChange and ReservationChange are changed loans and reservations.
type (
	LoanChange        = Changed[Loan]
	ReservationChange = Changed[Reservation]
)

// ReaderFeed has all validated rows of a feed about one reader. Events are in the order of the feed. Each loan and each
// reservation is listed once.
type ReaderFeed struct {
	Reader       int64
	Row          *Reader // the row of readers that counts, nil if the feed has none (F1)
	Events       []Event
	Loans        []LoanChange
	Reservations []ReservationChange
	Requests     []Request
}
