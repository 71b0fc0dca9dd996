package report

import (
	"context"
	"fmt"
	"slices"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/round"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/internal/facts"
)

// Readings answers one page of what was read in the period, by userId, then book. The period must be effective already.
//
// The ledgers say how many rows each user has, so that the page's keys are known before any record is read: the cost
// of a page does not depend on its depth.
func (r *Reports) Readings(ctx context.Context, a Access, period calendar.Period, f Filter, p paging.Page) (paging.List[Reading], error) {
	var users *Users
	var ledgers *facts.Index
	var books *schools.Books
	err := snapshot.Parallel(ctx,
		func(ctx context.Context) (err error) { _, users, err = r.selection(ctx, a, f); return err },
		func(ctx context.Context) (err error) { ledgers, err = r.index(ctx, a); return err },
		func(ctx context.Context) (err error) { books, err = r.books(ctx, a); return err },
	)
	if err != nil {
		return paging.List[Reading]{}, err
	}
	key := a.key("readings", period, a.Network, f)
	starts, err := snapshot.Load(ctx, r.Cache, key, func(context.Context) (paging.Groups, error) {
		return paging.NewGroups(ledgers.Count(users.IDs, period)), nil
	})
	if err != nil {
		return paging.List[Reading]{}, err
	}
	spans, err := starts.Spans(p)
	if err != nil {
		return paging.List[Reading]{}, err
	}
	rows, err := r.rows(ctx, a, ledgers, books, period, recordKeys(ledgers, users, period, spans))
	return paging.List[Reading]{Rows: rows, Total: starts.Total()}, err
}

// recordKeys returns the keys of a page's rows, in their order.
func recordKeys(ls *facts.Index, u *Users, period calendar.Period, spans []paging.Span) (keys []facts.RecordKey) {
	for _, s := range spans {
		id := u.IDs[s.Group]
		for _, book := range ls.Books(id, period)[s.From:s.To] {
			keys = append(keys, facts.RecordKey{User: id, Book: book})
		}
	}
	return keys
}

// ledgers returns the ledgers of all users.
func (r *Reports) index(ctx context.Context, a Access) (*facts.Index, error) {
	return snapshot.Load(ctx, r.Cache, a.factsKey("ledgers"), func(ctx context.Context) (*facts.Index, error) {
		return r.facts(a).Index(ctx, nil)
	})
}

// books returns the books. They change by loads alone, which raise both versions: by that of the facts, they outlive the
// directory's writes.
func (r *Reports) books(ctx context.Context, a Access) (*schools.Books, error) {
	return snapshot.Load(ctx, r.Cache, a.factsKey("books"), func(ctx context.Context) (*schools.Books, error) {
		return r.Store.Books(ctx, a.Partner, a.At)
	})
}

// rows sums what was read of the keys' books over the period.
func (r *Reports) rows(ctx context.Context, a Access, ledgers *facts.Index, books *schools.Books, period calendar.Period, keys []facts.RecordKey) ([]Reading, error) {
	of := readings{Reports: r, Access: a, books: books, period: period, keys: keys, rows: make([]Reading, len(keys))}
	if ledgers.Within(period) {
		if err := of.bySums(ctx); err != nil {
			return nil, err
		}
	}
	return of.rows, of.byRecords(ctx)
}

// readings are the rows of a page while they are made.
type readings struct {
	*Reports
	Access
	books  *schools.Books
	period calendar.Period
	keys   []facts.RecordKey
	rows   []Reading // in the order of the keys; without a book: not made yet
}

// bySums makes the rows that the users' sums tell, which read a row for each user: of books that were read in the period alone.
func (of *readings) bySums(ctx context.Context) error {
	i := 0
	return of.facts(of.Access).Sums(ctx, facts.UsersOf(of.keys), func(user directory.UserID, sums *facts.Sums) error {
		for ; i < len(of.keys) && of.keys[i].User <= user; i++ {
			k := of.keys[i]
			book := of.books.Book(k.Book)
			if k.User != user || book == nil {
				continue
			}
			if t, ok := sums.Total(k.Book, of.period, book.Length); ok {
				of.made(i, book, t)
			}
		}
		return nil
	})
}

// made puts in the row of a key.
func (of *readings) made(i int, book *schools.Book, t reading.Total) {
	of.rows[i] = Reading{of.keys[i].User, book, t.Percent, t.Minutes, t.First, t.Last, t.Finished}
}

// byRecords makes the other rows, of the records.
func (of *readings) byRecords(ctx context.Context) error {
	var records []wantedTotal
	for i, row := range of.rows {
		if row.Book == nil {
			records = append(records, wantedTotal{of.keys[i], of.period, i})
		}
	}
	return of.totals(ctx, of.Access, of.books, of.period, records, func(w wantedTotal, book *schools.Book, t reading.Total) {
		of.made(w.place, book, t)
	})
}

// wanted is a record whose total over a period is asked for: it has a day in the period.
type wantedTotal struct {
	facts.RecordKey
	period calendar.Period
	place  int // the caller's own
}

// totals calls visit with the total of each wanted record. They are ordered by key; all their periods are in one.
func (r *Reports) totals(ctx context.Context, a Access, books *schools.Books, all calendar.Period, left []wantedTotal, visit func(wantedTotal, *schools.Book, reading.Total)) error {
	if len(left) == 0 {
		return nil
	}
	keys := make([]facts.RecordKey, len(left))
	for i, w := range left {
		keys[i] = w.RecordKey
	}
	var sum reading.Totaller
	err := r.facts(a).Records(ctx, keys, snapshot.Between(all.Start, all.End), func(k facts.RecordKey, data []byte) error {
		book := books.Book(k.Book)
		if left[0].RecordKey != k || book == nil {
			return fmt.Errorf("record of user %d, book %d: it or one before it is missing: %w", k.User, k.Book, packed.ErrCorrupt)
		}
		for ; len(left) > 0 && left[0].RecordKey == k; left = left[1:] {
			t, ok, err := sum.TotalBinary(data, left[0].period, book.Length)
			if err != nil {
				return fmt.Errorf("record of user %d, book %d: %w", k.User, k.Book, err)
			}
			if !ok {
				return fmt.Errorf("record of user %d, book %d: ledger and record differ: %w", k.User, k.Book, packed.ErrCorrupt)
			}
			visit(left[0], book, t)
		}
		return nil
	})
	if err == nil && len(left) > 0 {
		err = fmt.Errorf("%d of %d records are missing: %w", len(left), len(keys), packed.ErrCorrupt)
	}
	return err
}

// ReadingsSince answers one page of a round of the readings.
func (r *Reports) ReadingsSince(ctx context.Context, a Access, q Pull, p paging.Page) (paging.List[Reading], error) {
	changed, err := snapshot.Load(ctx, r.Cache, a.key("readings since", a.Network, q), func(ctx context.Context) (round.Rows, error) { return r.readingsChanged(ctx, a, q) })
	if err != nil {
		return paging.List[Reading]{}, err
	}
	read := func(page round.Rows) ([]Reading, error) {
		books, err := r.books(ctx, a)
		if err != nil {
			return nil, err
		}
		ledgers, err := r.index(ctx, a)
		if err != nil {
			return nil, err
		}
		keys := make([]facts.RecordKey, len(page))
		for i, c := range page {
			keys[i] = facts.RecordKey{User: directory.UserID(c.A), Book: c.B}
		}
		return r.rows(ctx, a, ledgers, books, q.Period, keys)
	}
	return round.Page(changed, p, read, func(c round.Row) Reading {
		return Reading{UserID: directory.UserID(c.A), Book: &schools.Book{ID: c.B}}
	})
}

// read is what a state knows of who read what, as far as a question asks for it.
type userBooks struct {
	users   *Users
	ledgers *facts.Index
	period  calendar.Period
}

// read reads what a state knows of who read what in a period.
func (r *Reports) userBooks(ctx context.Context, a Access, f Filter, period calendar.Period) (userBooks, error) {
	_, users, err := r.selection(ctx, a, f)
	if err != nil {
		return userBooks{}, err
	}
	ledgers, err := r.index(ctx, a)
	return userBooks{users, ledgers, period}, err
}

// books returns the books of a user's rows, ascending.
func (v *userBooks) books(id directory.UserID) (keys []facts.RecordKey) {
	if !v.users.set.Has(id) {
		return nil
	}
	for _, book := range v.ledgers.Books(id, v.period) {
		keys = append(keys, facts.RecordKey{User: id, Book: book})
	}
	return keys
}

// rewritten is what loads have replaced: a row of the same days stands as it was unless it is of these.
type replacedRows struct {
	records []facts.RecordKey // ascending, some perhaps twice
	books   map[int64]bool
}

// rewritten reads what loads have replaced.
func (r *Reports) replacedRows(ctx context.Context, a Access, loads snapshot.Span) (w replacedRows, err error) {
	books, err := r.Store.ReplacedBooks(ctx, a.Partner, loads)
	if err != nil {
		return w, err
	}
	w.books = make(map[int64]bool, len(books))
	for _, id := range books {
		w.books[id] = true
	}
	return w, r.Store.Replaced(ctx, auth.Tenant(a.Partner), facts.RecordKind, loads, func(k snapshot.BlockKey) error {
		if len(w.records) == round.Most {
			return round.ErrMany
		}
		w.records = append(w.records, facts.RecordKey{User: directory.UserID(k.A), Book: k.B})
		return nil
	})
}

// of reports whether something of a user may have been replaced.
func (w *replacedRows) of(id directory.UserID) bool {
	i, _ := slices.BinarySearchFunc(w.records, facts.RecordKey{User: id}, facts.RecordKey.Compare)
	return len(w.books) > 0 || i < len(w.records) && w.records[i].User == id
}

// has reports whether a row's record or book was replaced.
func (w *replacedRows) has(k facts.RecordKey) bool {
	_, found := slices.BinarySearchFunc(w.records, k, facts.RecordKey.Compare)
	return found || w.books[k.Book]
}

// readingsChanged compares the ledgers of both states, user by user. A row that stands in both is another where its record or its
// book was replaced, or where it was read on days that one period alone has. Users who have nothing of it are passed over.
func (r *Reports) readingsChanged(ctx context.Context, a Access, q Pull) (round.Rows, error) {
	now, err := r.userBooks(ctx, a, q.Filter, q.Period)
	if err != nil {
		return nil, err
	}
	was, err := r.userBooks(ctx, q.earlier(a), q.Filter, q.Was)
	if err != nil {
		return nil, err
	}
	replaced, err := r.replacedRows(ctx, a, q.loads(a))
	if err != nil {
		return nil, err
	}
	var changed round.Rows
	users := slices.Concat(was.users.IDs, now.users.IDs)
	slices.Sort(users)
	for _, id := range slices.Compact(users) {
		same := was.users.set.Has(id) == now.users.set.Has(id) && q.Was == q.Period && !replaced.of(id) &&
			now.ledgers.Same(was.ledgers, id)
		if same {
			continue
		}
		if err := q.userChanged(&changed, id, replaced, was, now); err != nil {
			return nil, err
		}
	}
	return changed.Sorted(), nil
}

// userChanged adds what differs of a user.
func (q Pull) userChanged(changed *round.Rows, id directory.UserID, replaced replacedRows, was, now userBooks) error {
	apart := q.apart(now.ledgers, id)
	return round.Diff(changed, was.books(id), now.books(id),
		func(k facts.RecordKey) round.Row { return round.Row{A: int64(k.User), B: k.Book} },
		func(k, _ facts.RecordKey) bool { return !replaced.has(k) && !slices.Contains(apart, k.Book) })
}

// apart returns the books of a user that were read on days which one of the two periods alone has.
func (q Pull) apart(ls *facts.Index, id directory.UserID) []int64 {
	if q.Was == q.Period {
		return nil
	}
	before := ls.Books(id, calendar.Period{Start: min(q.Was.Start, q.Period.Start), End: max(q.Was.Start, q.Period.Start) - 1})
	after := ls.Books(id, calendar.Period{Start: min(q.Was.End, q.Period.End) + 1, End: max(q.Was.End, q.Period.End)})
	return append(before, after...)
}
