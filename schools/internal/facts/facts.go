package facts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// formVersion is the first byte of every stored form of this package. A change of a form needs a new version.
const formVersion = 2

// The kinds of a partner's blocks. Their numbers are stored.
var (
	RecordKind   = snapshot.Kind{Number: 1, Name: "record"}                     // A is the user, B the book; Lo and Hi are the first and last day read
	IndexKind    = snapshot.Kind{Number: 2, Name: "index"}                      // A is the block of users, B the page
	DayKind      = snapshot.Kind{Number: 3, Name: "days"}                       // A is the day
	EventSetKind = snapshot.Kind{Number: 5, Name: "event ids", LoadsOnly: true} // A is the user, B the block of days
	SumsKind     = snapshot.Kind{Number: 6, Name: "sums"}                       // A is the user
)

// Facts reads the aggregated facts of one partner at one snapshot.
type Facts struct {
	Blocks  snapshot.Blocks
	Partner directory.PartnerID
	At      int64 // the number of the load that made the snapshot
}

// Scan calls visit with the stored blocks of a kind, in the order of their keys.
func (f Facts) Scan(ctx context.Context, k snapshot.Kind, r snapshot.Range, visit func(snapshot.Block) error) error {
	return f.Blocks.Scan(ctx, auth.Tenant(f.Partner), f.At, k, r, visit)
}

// Index reads the index of the given blocks of users, which ascend. If blocks is nil, it reads all of them.
func (f Facts) Index(ctx context.Context, blocks []int64) (*Index, error) {
	ls := &Index{}
	return ls, f.Scan(ctx, IndexKind, snapshot.Range{Among: blocks}, func(b snapshot.Block) error {
		if err := ls.AddPage(b.BlockKey, slices.Clone(b.Data)); err != nil {
			return fmt.Errorf("block %d, page %d: %w", b.A, b.B, err)
		}
		return nil
	})
}

// Attendance reads the users of every day with an access.
func (f Facts) Attendance(ctx context.Context) (*Attendance, error) {
	a := &Attendance{}
	return a, f.Days(ctx, snapshot.Range{}, func(date calendar.Date, d Day) {
		a.Days, a.Sets = append(a.Days, date), append(a.Sets, d.Users)
	})
}

// Tenths reads the tenths of the users of the days of a period.
func (f Facts) Tenths(ctx context.Context, period calendar.Period) (TenthsByDay, error) {
	m := TenthsByDay{}
	return m, f.Days(ctx, snapshot.Range{A: snapshot.Between(period.Start, period.End)}, func(date calendar.Date, d Day) {
		m[date] = d.Tenths.Clone()
	})
}

// Days calls visit with the stored days of a range, ascending. The tenths are valid until visit returns.
func (f Facts) Days(ctx context.Context, r snapshot.Range, visit func(calendar.Date, Day)) error {
	return f.Scan(ctx, DayKind, r, func(b snapshot.Block) error {
		d, date := Day{}, calendar.Date(b.A)
		if err := packed.Open(b.Data, &d); err != nil {
			return fmt.Errorf("day %s: %w", date, err)
		}
		visit(date, d)
		return nil
	})
}

// Records calls visit with the stored record of each key. The keys ascend, and each record has a day in the
// period. It scans all records of these users in the period, because mostly the keys name nearly all of them.
func (f Facts) Records(ctx context.Context, keys []RecordKey, period snapshot.Span, visit func(k RecordKey, data []byte) error) error {
	return f.Scan(ctx, RecordKind, snapshot.Range{Among: snapshot.Numbers(UsersOf(keys)), Extent: period}, func(b snapshot.Block) error {
		k := RecordKey{directory.UserID(b.A), b.B}
		for len(keys) > 0 && keys[0].Compare(k) < 0 {
			keys = keys[1:]
		}
		if len(keys) == 0 || keys[0] != k {
			return nil
		}
		return visit(k, b.Data)
	})
}

// Sums calls visit with the sums of the given users, who ascend. Users who have no records are left out. The
// sums are valid until visit returns.
func (f Facts) Sums(ctx context.Context, users []directory.UserID, visit func(directory.UserID, *Sums) error) error {
	s := &Sums{}
	return f.Scan(ctx, SumsKind, snapshot.Range{Among: snapshot.Numbers(users)}, func(b snapshot.Block) error {
		if err := packed.Open(b.Data, s); err != nil {
			return fmt.Errorf("sums of user %d: %w", b.A, err)
		}
		return visit(directory.UserID(b.A), s)
	})
}

// ParseRecord decodes a stored record. The error is [packed.ErrCorrupt] if the bytes are not a record or it
// has no days.
func ParseRecord(data []byte) (*reading.Record, error) {
	r := &reading.Record{}
	err := r.UnmarshalBinary(data)
	if err == nil && len(r.Days) == 0 {
		err = errors.New("no days")
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", packed.ErrCorrupt, err)
	}
	return r, nil
}

// RecordKey names one record: all that a user read of a book.
type RecordKey struct {
	User directory.UserID
	Book int64
}

// UsersOf returns the users of keys, which ascend, each once.
func UsersOf(keys []RecordKey) []directory.UserID {
	users := make([]directory.UserID, 0, len(keys))
	for _, k := range keys {
		if n := len(users); n == 0 || users[n-1] != k.User {
			users = append(users, k.User)
		}
	}
	return users
}

// Compare orders keys by user, then by book, as the readings are ordered.
func (k RecordKey) Compare(l RecordKey) int {
	return cmp.Or(cmp.Compare(k.User, l.User), cmp.Compare(k.Book, l.Book))
}
