package report

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/internal/facts"
)

// Readings answers one page of what was read in the period, by userId, then book. The period must be effective already.
//
// The ledgers say how many rows each user has, so that the page's keys are known before any record is read: the cost
// of a page does not depend on its depth.
func (r *Reports) Readings(ctx context.Context, a Access, period calendar.Period, f Filter, p paging.Page) (List[Reading], error) {
	var users *Users
	var ledgers *facts.Ledgers
	var books *schools.Books
	err := state.Together(
		func() (err error) { _, users, err = r.selection(ctx, a, f); return err },
		func() (err error) { ledgers, err = r.ledgers(ctx, a); return err },
		func() (err error) { books, err = r.books(ctx, a); return err },
	)
	if err != nil {
		return List[Reading]{}, err
	}
	key := a.key(fmt.Sprintf("readings %s %s %s", period.Start, period.End, a.filter(f)))
	starts, err := state.Load(ctx, r.Cache, key, func(context.Context) (paging.Groups, error) {
		return ledgerGroups(ledgers, users, period)
	})
	if err != nil {
		return List[Reading]{}, err
	}
	key.What += fmt.Sprintf(" page %d of %d", p.Number, p.Size)
	rows, err := state.Load(ctx, r.Cache, key, func(ctx context.Context) (readings, error) {
		keys, err := recordKeys(ledgers, users, period, starts.Spans(p))
		if err != nil || len(keys) == 0 {
			return nil, err
		}
		return r.rows(ctx, a, books, period, keys)
	})
	return List[Reading]{Rows: rows, Total: starts.Total()}, err
}

// readings are the rows of one page. They are kept, since clients are known to ask for a page two or three times over.
type readings []Reading

// Bytes returns the memory that the rows hold.
func (r readings) Bytes() int { return int(unsafe.Sizeof(Reading{})) * cap(r) }

// ledgerGroups counts the reading rows of each user.
func ledgerGroups(ls *facts.Ledgers, u *Users, period calendar.Period) (paging.Groups, error) {
	counts := make([]int, len(u.IDs))
	for i, id := range u.IDs {
		n, err := ls.Ledger(id).Count(period)
		if err != nil {
			return paging.Groups{}, fmt.Errorf("ledger of user %d: %w", id, err)
		}
		counts[i] = n
	}
	return paging.NewGroups(counts), nil
}

// recordKeys returns the keys of a page's rows, in their order.
func recordKeys(ls *facts.Ledgers, u *Users, period calendar.Period, spans func(func(paging.Span) bool)) ([]facts.RecordKey, error) {
	var keys []facts.RecordKey
	for s := range spans {
		id := u.IDs[s.Group]
		books, err := ls.Ledger(id).Books(period)
		if err != nil {
			return nil, fmt.Errorf("ledger of user %d: %w", id, err)
		}
		for _, book := range books[s.From:s.To] {
			keys = append(keys, facts.RecordKey{User: id, Book: book})
		}
	}
	return keys, nil
}

// ledgers returns the ledgers of all users.
func (r *Reports) ledgers(ctx context.Context, a Access) (*facts.Ledgers, error) {
	return state.Load(ctx, r.Cache, a.loaded("ledgers"), func(ctx context.Context) (*facts.Ledgers, error) {
		return r.facts(a).Ledgers(ctx)
	})
}

// books returns the books. They change by loads alone, which raise both versions: by that of the facts, they outlive the
// directory's writes.
func (r *Reports) books(ctx context.Context, a Access) (*schools.Books, error) {
	return state.Load(ctx, r.Cache, a.loaded("books"), func(ctx context.Context) (*schools.Books, error) {
		return r.Store.Books(ctx, a.Partner, a.At)
	})
}

// rows reads the records of the keys and sums each over the period.
func (r *Reports) rows(ctx context.Context, a Access, books *schools.Books, period calendar.Period, keys []facts.RecordKey) ([]Reading, error) {
	rows := make([]Reading, len(keys))
	found := 0 // the keys before it were visited
	var sum facts.Totaller
	err := r.facts(a).Records(ctx, keys, state.Between(period.Start, period.End), func(k facts.RecordKey, data []byte) error {
		book := books.Book(k.Book)
		if keys[found] != k || book == nil {
			return fmt.Errorf("record of user %d, book %d: it or one before it is missing: %w", k.User, k.Book, packed.ErrCorrupt)
		}
		t, ok, err := sum.Total(data, period, book.Length)
		if err != nil {
			return fmt.Errorf("record of user %d, book %d: %w", k.User, k.Book, err)
		}
		if !ok {
			return fmt.Errorf("record of user %d, book %d: ledger and record differ: %w", k.User, k.Book, packed.ErrCorrupt)
		}
		rows[found] = Reading{k.User, book, t.Percent, t.Tenths, t.First, t.Last, t.Finished}
		found++
		return nil
	})
	if err == nil && found != len(keys) {
		err = fmt.Errorf("%d of %d records are missing: %w", len(keys)-found, len(keys), packed.ErrCorrupt)
	}
	return rows, err
}
