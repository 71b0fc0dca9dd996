package report

import (
	"context"
	"errors"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// Store keeps the data of the reports. Each method reads the snapshot that the access names, whatever was loaded since.
// So an answer never mixes two snapshots, and no reader waits for a load (G8).
type Store interface {
	// Blocks are the aggregated facts.
	snapshot.Blocks
	// Catalogue returns the vocabularies, the titles and their lines.
	Catalogue(ctx context.Context, a Access) (*Catalogue, error)
	// Named returns the readers with the given identifiers, which ascend, in their order. Unknown ones are left out. Of
	// each reader it returns at least what the attributes lack: ID, Name, Email, Updated, Confirmed and LastLogin.
	// erased reports whether people may have been erased since the key was checked.
	Named(ctx context.Context, a Access, ids []int64) (people []libraries.Reader, erased bool, err error)
	// LoansIn and ReservationsIn return a part of the list of all readers and titles.
	LoansIn(ctx context.Context, a Access, w ListWindow) ([]libraries.Loan, error)
	ReservationsIn(ctx context.Context, a Access, w ListWindow) ([]libraries.Reservation, error)
	// PositionsOf returns the positions of the loans or reservations of a reader, a title, or both, by day, then
	// identifier. One of the two is given.
	PositionsOf(ctx context.Context, a Access, of ListKind, reader, book *int64) (ListPositions, error)
	// LoansByID and ReservationsByID return those of the given records that the snapshot has.
	LoansByID(ctx context.Context, a Access, ids []int64) (map[int64]libraries.Loan, error)
	ReservationsByID(ctx context.Context, a Access, ids []int64) (map[int64]libraries.Reservation, error)
	// Requests returns the suggestion requests of the period, by Requested, then ID, then Reader.
	Requests(ctx context.Context, a Access, period calendar.Period) ([]libraries.Request, error)
	// Channels returns the rows of the channels feed in the period, by day, then channel.
	Channels(ctx context.Context, a Access, period calendar.Period) ([]libraries.ChannelDay, error)

	// The other methods compare the snapshot with an earlier one (H14). loads are the numbers of the loads between.

	// Changed returns the A of the blocks of a kind that differ, ascending. Some may be listed twice, and some may be
	// the same in both snapshots. It is meant for kinds with few blocks.
	Changed(ctx context.Context, a Access, loads snapshot.Span, k snapshot.Kind) ([]int64, error)
	// ReplacedRows returns the identifiers of the rows that loads have replaced or deleted, ascending. Some may be
	// listed twice. Of NamedTerms it also returns those that loads have inserted.
	ReplacedRows(ctx context.Context, a Access, loads snapshot.Span, of ReplacedKind) ([]int64, error)
	// Listed calls visit with loans or reservations of the snapshot, in any order.
	Listed(ctx context.Context, a Access, of ListKind, which RecordFilter, visit func(ListedRecord) error) error
}

// ListKind says whether a list is of loans or of reservations.
type ListKind uint8

// The lists of records by day.
const (
	LoanList ListKind = iota + 1
	ReservationList
)

// ListPosition is the position of a loan or a reservation in its list. Status is a LoanStatus or a ReservationStatus.
type ListPosition struct {
	Day    calendar.Date
	ID     int64
	Status uint8
}

// ListPositions are positions by day, then identifier.
type ListPositions []ListPosition

// Bytes returns the memory that the positions take.
func (m ListPositions) Bytes() int { return 24 * cap(m) }

// ListWindow is a part of the loans or reservations of a period by day, then identifier: Size records after the first
// Skip ones. Only records with the status count, unless it is 0.
type ListWindow struct {
	Period     calendar.Period
	Status     uint8
	Skip, Size int
}

// ListedRecord has what lists filter of a loan or a reservation.
type ListedRecord struct {
	ListPosition
	Reader, Book int64
}

// RecordFilter selects loans or reservations of a period. One of the other fields is set, and Days with Inserted.
type RecordFilter struct {
	Period   calendar.Period
	Deleted  snapshot.Span // the loads that replaced or deleted the records
	Inserted snapshot.Span // the loads that inserted the records, on one of the days
	Days     []calendar.Date
	Readers  []int64
	Books    []int64
}

// ReplacedKind says which rows loads have replaced.
type ReplacedKind uint8

// The rows that [Store.ReplacedRows] returns.
const (
	ReaderRows    ReplacedKind = iota + 1 // readers, by identifier
	BookRows                              // titles, by identifier
	NamedTerms                            // libraries and age groups, by identifier
	TitleRecords                          // what a reader did with each title, by reader
	ErasedReaders                         // readers of whom something was erased; the span is of register versions
)

// ChannelSource returns the sessions by channel (L13): rows by day, then channel, each pair once, no day outside of the
// period. The error is [ErrChannels] while the source is not available.
type ChannelSource interface {
	Channels(ctx context.Context, a Access, period calendar.Period) ([]libraries.ChannelDay, error)
}

// ChannelQuestion names one answer of an analytics source.
type ChannelQuestion struct {
	Network libraries.NetworkID
	Hour    libraries.Hour
	Period  calendar.Period
}

// ErrChannels says that the analytics source is not available. The error is not cached, and the call may be repeated.
var ErrChannels = errors.New("the analytics source is not available")
