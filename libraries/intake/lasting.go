package intake

import (
	"cmp"
	"encoding/binary"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
	"github.com/lectern-dev/lectern/reading/spill"
)

// lasting are loans, or reservations: records which keep something for ever, by the day on which they began.
type lasting[T any] struct {
	table *state.Records[T]
	start string // the name of the field
	of    func(T) forever
}

// forever is what of a record never changes (F1).
type forever struct {
	id, reader, book int64
	start            time.Time
}

func (f forever) day() calendar.Date { return calendar.Day(f.start) }

var (
	loans = lasting[libraries.Loan]{Loans, "borrowedAt", func(l libraries.Loan) forever {
		return forever{l.ID, l.Reader, l.Book, l.Borrowed}
	}}
	reservations = lasting[libraries.Reservation]{Reservations, "reservedAt", func(r libraries.Reservation) forever {
		return forever{r.ID, r.Reader, r.Book, r.Reserved}
	}}
)

// Loan checks a row of loans by itself. The error is a *FaultError.
func (in *Intake) Loan(l libraries.Loan) (libraries.Loan, error) {
	if wrong := in.exists(l.Reader, l.Book); wrong != nil {
		return l, wrong
	}
	return l, in.ends(l.Borrowed, l.Returned, l.Status.Ended(), end{"borrowedAt", "returnedAt", "the loan is active"})
}

// Reservation checks a row of reservations by itself. A position that its status does not have is left out (L6). The error is
// a *FaultError.
func (in *Intake) Reservation(r libraries.Reservation) (libraries.Reservation, error) {
	if wrong := in.exists(r.Reader, r.Book); wrong != nil {
		return r, wrong
	}
	if !r.Status.Active() {
		r.Position = libraries.None
	}
	return r, in.ends(r.Reserved, r.Resolved, r.Status.Resolved(), end{"reservedAt", "resolvedAt", "the reservation is waiting or available"})
}

// end has the names of the fields of a beginning and an end, and says in words when there is none.
type end struct{ start, end, unless string }

// ends checks the end of what began: it is given where, and only where, it has ended.
func (in *Intake) ends(start, at time.Time, ended bool, of end) error {
	given := !at.IsZero()
	switch {
	case in.late(start):
		return row.Fault(of.start, isLate)
	case ended && !given:
		return row.Fault(of.end, isRequired+" unless "+of.unless)
	case !ended && given:
		return row.Fault(of.end, "must be empty while "+of.unless)
	case given && at.Before(start):
		return row.Fault(of.end, "must not be before "+of.start)
	case given && in.late(at):
		return row.Fault(of.end, isLate)
	}
	return nil
}

// Loans settles rows of loans, each checked by itself before: all those of each identifier in them, in the order of their
// lines. had has what the store knows of these identifiers. It returns those that are new or changed. A loan
// before the history does not exist (G6): its rows are counted, and nothing of them is kept.
func (in *Intake) Loans(rows []row.Lined[libraries.Loan], had map[int64]libraries.Loan, c *Counts, bad row.Rejected) ([]facts.LoanChange, error) {
	return loans.settle(rows, had, in.History, c, bad)
}

// Reservations settles rows of reservations, as Loans does those of loans.
func (in *Intake) Reservations(rows []row.Lined[libraries.Reservation], had map[int64]libraries.Reservation, c *Counts, bad row.Rejected) ([]facts.ReservationChange, error) {
	return reservations.settle(rows, had, in.History, c, bad)
}

func (k lasting[T]) settle(rows []row.Lined[T], had map[int64]T, history calendar.Date, c *Counts, bad row.Rejected) (changes []facts.Changed[T], err error) {
	counts := row.Counts(*c)
	err = row.Settling[T, T]{
		Order: func(a, b T) int { return cmp.Compare(k.of(a).id, k.of(b).id) },
		Check: k.checker(had, history), Same: k.table.Same,
		Was: func(v T) (T, bool) { was, known := had[k.of(v).id]; return was, known },
		Put: func(v T, was *T) error {
			changes = append(changes, facts.Changed[T]{Now: v, Was: was})
			return nil
		},
	}.Settle(rows, &counts, bad)
	*c = Counts(counts)
	return changes, err
}

// checker returns what checks rows, identifier by identifier, against what must not change.
func (k lasting[T]) checker(had map[int64]T, history calendar.Date) func(T) (T, error) {
	var first forever // what is known of the identifier
	known := false
	return func(v T) (T, error) {
		now := k.of(v)
		if !known || first.id != now.id {
			was, stored := had[now.id]
			first, known = k.of(was), stored
		}
		if field := k.changed(first, now); known && field != "" {
			return v, row.Fault(field, "must not change")
		}
		if now.day() < history { // nor does it say what must not change
			return v, ErrBeforeHistory
		}
		first, known = now, true
		return v, nil
	}
}

// changed returns the field in which what is now differs from what was known first, or nothing.
func (k lasting[T]) changed(first, now forever) string {
	switch {
	case first.reader != now.reader:
		return "userId"
	case first.book != now.book:
		return "bookId"
	case !first.start.Equal(now.start):
		return k.start
	}
	return ""
}

// neighbours is the number of identifiers that follow one another and are in one part: what the store knows of a part is then read in
// runs, and not a row from every page of the table.
const neighbours = 256

// pile returns a pile on which rows wait until all are there, parted by their identifier, in bounded memory: which of them stands is
// known from all rows of a record and from what the store has of it. A row that names another reader than the first one is told
// only there, so that they are parted by their identifier first, and by their reader afterwards. room says where. What is piled is
// the row's line and the row.
func (k lasting[T]) pile(room spill.Pile) *spill.Of[row.Lined[T]] {
	return &spill.Of[row.Lined[T]]{
		Pile: room,
		In:   func(l row.Lined[T]) int { return spread(k.of(l.Row).id / neighbours) },
		Append: func(b []byte, l row.Lined[T]) []byte {
			return k.table.Append(binary.AppendUvarint(b, uint64(l.Line)), &l.Row)
		},
		Read: func(d *packed.Decoder) row.Lined[T] {
			return row.Lined[T]{Line: int(d.Natural()), Row: read(d, k.table)}
		},
	}
}

// order is that of the table: by day, then identifier.
func (k lasting[T]) order(a, b *T) int {
	x, y := k.of(*a), k.of(*b)
	return cmp.Or(cmp.Compare(x.day(), y.day()), cmp.Compare(x.id, y.id))
}
