package facts

import (
	"cmp"
	"context"
	"fmt"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// formVersion begins every binary form of this package, so that a later layout can be told from this one.
const formVersion = 1

// The kinds of a partner's blocks.
var (
	RecordKind   = state.Kind{Number: 1, Name: "record"}      // A is the user, B the book; it spans the days read on
	LedgerKind   = state.Kind{Number: 2, Name: "ledgers"}     // A is the block of users, B the leaf
	PresenceKind = state.Kind{Number: 3, Name: "presence"}    // A is the day
	MinutesKind  = state.Kind{Number: 4, Name: "minutes"}     // A is the day
	SeenKind     = state.Kind{Number: 5, Name: "seen events"} // A is the user, B the block of days
	SumsKind     = state.Kind{Number: 6, Name: "sums"}        // A is the user
)

// Facts are a partner's folded facts at one state: where they are, and the number of the load that made them.
type Facts struct {
	Blocks  state.Blocks
	Partner directory.PartnerID
	At      int64
}

func (f Facts) Scan(ctx context.Context, k state.Kind, r state.Range, visit func(state.Block) error) error {
	return f.Blocks.Scan(ctx, state.Tenant(f.Partner), f.At, k, r, visit)
}

// Ledgers reads the ledgers of all users.
func (f Facts) Ledgers(ctx context.Context) (*Ledgers, error) { return f.ledgers(ctx, state.Range{}) }

// LedgersOf reads the ledgers of blocks of users, which ascend.
func (f Facts) LedgersOf(ctx context.Context, blocks []int64) (*Ledgers, error) {
	return f.ledgers(ctx, state.Range{Among: blocks})
}

func (f Facts) ledgers(ctx context.Context, r state.Range) (*Ledgers, error) {
	ls := &Ledgers{}
	return ls, f.Scan(ctx, LedgerKind, r, func(b state.Block) error {
		if err := ls.AddBlock(b.BlockKey, b.Data); err != nil {
			return fmt.Errorf("block %d, leaf %d: %w", b.A, b.B, err)
		}
		return nil
	})
}

// Attendance reads the users of every day with an access.
func (f Facts) Attendance(ctx context.Context) (*Attendance, error) {
	a := &Attendance{}
	return a, f.Scan(ctx, PresenceKind, state.Range{}, func(b state.Block) error {
		day := calendar.Date(b.A)
		set, err := ParsePresence(b.Data)
		if err != nil {
			return fmt.Errorf("day %s: %w", day, err)
		}
		a.Days, a.Sets = append(a.Days, day), append(a.Sets, set)
		return nil
	})
}

// Minutes reads the minutes of the days of a period.
func (f Facts) Minutes(ctx context.Context, period calendar.Period) (MinutesByDay, error) {
	m := MinutesByDay{}
	return m, f.Scan(ctx, MinutesKind, state.Range{A: state.Between(period.Start, period.End)}, func(b state.Block) error {
		m[calendar.Date(b.A)] = append(Minutes(nil), b.Data...)
		return nil
	})
}

// Records calls visit with the packed record of every key, in their order; the keys ascend, and each record has a day in the
// period. It reads by user: a user's records of one period are mostly those of the keys, or few more.
func (f Facts) Records(ctx context.Context, keys []RecordKey, period state.Span, visit func(k RecordKey, data []byte) error) error {
	return f.Scan(ctx, RecordKind, state.Range{Among: UsersOf(keys), Extent: period}, func(b state.Block) error {
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

// Sums reads the sums of users, who ascend: of those who have records.
func (f Facts) Sums(ctx context.Context, users []int64, visit func(directory.UserID, *Sums) error) error {
	return f.Scan(ctx, SumsKind, state.Range{Among: users}, func(b state.Block) error {
		s, err := ParseSums(b.Data)
		if err != nil {
			return fmt.Errorf("sums of user %d: %w", b.A, err)
		}
		return visit(directory.UserID(b.A), s)
	})
}

// RecordKey names one record: what a user read of a book.
type RecordKey struct {
	User directory.UserID
	Book int64
}

// UsersOf returns the users of keys, which ascend.
func UsersOf(keys []RecordKey) []int64 {
	users := make([]int64, 0, len(keys))
	for _, k := range keys {
		if n := len(users); n == 0 || users[n-1] != int64(k.User) {
			users = append(users, int64(k.User))
		}
	}
	return users
}

// Compare orders keys by user, then by book: the order of readings.
func (k RecordKey) Compare(l RecordKey) int {
	if k.User != l.User {
		return cmp.Compare(int64(k.User), int64(l.User))
	}
	return cmp.Compare(k.Book, l.Book)
}
