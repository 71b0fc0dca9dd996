package report

import (
	"context"
	"errors"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// Store keeps what the reports are computed from. Each method reads the state that the access names, as its load left it,
// whatever was loaded since.
type Store interface {
	// Blocks are the aggregated facts.
	snapshot.Blocks
	// Catalogue returns the vocabularies, the titles and their lines.
	Catalogue(ctx context.Context, a Access) (*Catalogue, error)
	// Named returns the readers of the given identifiers, which ascend, in their order; unknown ones are left out. It is asked for
	// what the attributes lack, ID, Name, Email, Updated, Confirmed and LastLogin: the rest need not be there. Erased says that the
	// number of erasures may be another one now than that of the access.
	Named(ctx context.Context, a Access, ids []int64) (people []libraries.Reader, erased bool, err error)
	// LoansIn and ReservationsIn return a part of the list of all readers and titles.
	LoansIn(ctx context.Context, a Access, w ListWindow) ([]libraries.Loan, error)
	ReservationsIn(ctx context.Context, a Access, w ListWindow) ([]libraries.Reservation, error)
	// PositionsOf returns where the loans or reservations stand in their list that are of a reader, a title, or both, of all days, by day, then identifier. One of the two is given.
	PositionsOf(ctx context.Context, a Access, of ListKind, reader, book *int64) (ListPositions, error)
	// Loans returns the loans of the positions, in their order.
	Loans(ctx context.Context, a Access, positions ListPositions) ([]libraries.Loan, error)
	// Reservations returns the reservations of the positions, in their order.
	Reservations(ctx context.Context, a Access, positions ListPositions) ([]libraries.Reservation, error)
	// Requests returns the suggestion requests of the period, by Requested, then ID, then Reader.
	Requests(ctx context.Context, a Access, period calendar.Period) ([]libraries.Request, error)
	// Channels returns the rows of the channels feed in the period, by day, then channel.
	Channels(ctx context.Context, a Access, period calendar.Period) ([]libraries.ChannelDay, error)

	// What rounds compare (H14). The loads are those that lie between an earlier state and that of the access.

	// Changed returns the first numbers, ascending, of the blocks of a kind that differ between the two states, some perhaps
	// twice, and some perhaps that do not. It is asked of kinds of few blocks.
	Changed(ctx context.Context, a Access, loads snapshot.Span, k snapshot.Kind) ([]int64, error)
	// ReplacedRows returns the identifiers of what loads have taken out, ascending, some perhaps twice: what the earlier state has
	// and the later one has not as it was. Of terms it returns those too that were put in.
	ReplacedRows(ctx context.Context, a Access, loads snapshot.Span, of ReplacedKind) ([]int64, error)
	// Listed calls visit with loans or reservations of the state of the access, in any order.
	Listed(ctx context.Context, a Access, of ListKind, which RecordFilter, visit func(ListedRecord) error) error
}

// Window is a part of the loans or reservations by day, then identifier: of those of a period that have a status, where it is not 0,
// as many as Size behind the first Skip.
type ListWindow struct {
	Period     calendar.Period
	Status     uint8
	Skip, Size int
}

// Versioned says what was replaced.
type ReplacedKind uint8

// What loads replace one by one.
const (
	ReaderRows    ReplacedKind = iota + 1 // readers, by identifier
	BookRows                              // titles, by identifier
	NamedTerms                            // libraries and age groups, by identifier
	TitleRecords                          // what a reader did with each title, by reader
	ErasedReaders                         // readers of whom something was erased from every state: the span is of versions of the registers
)

// Listed is a loan or a reservation as far as lists filter it.
type ListedRecord struct {
	ListPosition
	Reader, Book int64
}

// Which says which loans or reservations of a period are asked for: those that one of the other fields names, of which one is
// given.
type RecordFilter struct {
	Period   calendar.Period
	Deleted  snapshot.Span // those that these loads have taken out
	Inserted snapshot.Span // those that these loads have put in, on one of the days
	Days     []calendar.Date
	Readers  []int64
	Books    []int64
}

// ChannelSource answers for the sessions by channel (L13): rows by day, then channel, each pair once, no day outside of the
// period. The error is ErrChannels where the source does not answer.
type ChannelSource interface {
	Channels(ctx context.Context, a Access, period calendar.Period) ([]libraries.ChannelDay, error)
}

// ChannelQuestion is what a source is asked in an hour.
type ChannelQuestion struct {
	Network libraries.NetworkID
	Hour    libraries.Hour
	Period  calendar.Period
}

// ErrChannels says that the analytics source is not available; nothing of it is kept, and the call may be repeated.
var ErrChannels = errors.New("the analytics source is not available")

// Register says whether ListPositions are of loans or of reservations.
type ListKind uint8

// The registers that are listed by day.
const (
	LoanList ListKind = iota + 1
	ReservationList
)

// ListPosition is where a loan or a reservation stands in its list. Status is a LoanStatus or a ReservationStatus.
type ListPosition struct {
	Day    calendar.Date
	ID     int64
	Status uint8
}

// ListPositions are positions by day, then identifier.
type ListPositions []ListPosition

// Bytes returns the memory that the positions hold.
func (m ListPositions) Bytes() int { return 24 * cap(m) }
