package report

import (
	"context"
	"fmt"
	"slices"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/incremental"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/internal/facts"
)

// Readings answers one page of what was read in the period, by userId, then book (S3, S4). The period must be
// effective already. The error is [paging.ErrPage] or one of the store.
//
// The index tells how many rows each user has. So the keys of a page are known before any record is read, and
// the cost of a page does not depend on its depth.
func (r *Reports) Readings(ctx context.Context, a Access, period calendar.Period, f Filter, p paging.Page) (paging.List[Reading], error) {
	v, err := r.userBooks(ctx, a, f, period)
	if err != nil {
		return paging.List[Reading]{}, err
	}
	key := a.key("readings", period, a.Network, f)
	starts, err := snapshot.Load(ctx, r.Cache, key, func(context.Context) (paging.Groups, error) {
		return paging.NewGroups(v.index.Count(v.users.IDs, period)), nil
	})
	if err != nil {
		return paging.List[Reading]{}, err
	}
	spans, err := starts.Spans(p)
	if err != nil {
		return paging.List[Reading]{}, err
	}
	rows, err := r.rows(ctx, a, &v, v.recordKeys(spans))
	return paging.List[Reading]{Rows: rows, Total: starts.Total()}, err
}

// userBooks has the users that a query selects, the books, and the index of who read which book.
type userBooks struct {
	accounts *Accounts
	users    *Users
	books    *schools.Books
	index    *facts.Index
	period   calendar.Period
}

// userBooks reads the users that pass a filter, the books and the index.
func (r *Reports) userBooks(ctx context.Context, a Access, f Filter, period calendar.Period) (userBooks, error) {
	v := userBooks{period: period}
	return v, snapshot.Parallel(ctx,
		func(ctx context.Context) (err error) { v.accounts, v.users, err = r.selection(ctx, a, f); return err },
		func(ctx context.Context) (err error) { v.index, err = r.index(ctx, a); return err },
		func(ctx context.Context) (err error) { v.books, err = r.books(ctx, a); return err },
	)
}

// recordKeys returns the keys of a page's rows, in their order.
func (v *userBooks) recordKeys(spans []paging.Span) (keys []facts.RecordKey) {
	for _, s := range spans {
		keys = append(keys, v.rowsOf(v.users.IDs[s.Group])[s.From:s.To]...)
	}
	return keys
}

// rowsOf returns the keys of a user's rows, ascending; none for a user who does not pass the filter.
func (v *userBooks) rowsOf(id directory.UserID) (keys []facts.RecordKey) {
	if !v.users.set.Has(id) {
		return nil
	}
	for _, book := range v.index.Books(id, v.period) {
		keys = append(keys, facts.RecordKey{User: id, Book: book})
	}
	return keys
}

// index returns the index of all users, from the cache if it has it.
func (r *Reports) index(ctx context.Context, a Access) (*facts.Index, error) {
	return snapshot.Load(ctx, r.Cache, a.factsKey("index"), func(ctx context.Context) (*facts.Index, error) {
		return r.facts(a).Index(ctx, nil)
	})
}

// books returns the books. Only loads change them, and a load raises both versions. So they are cached by the
// number of the load, and directory writes do not evict them.
func (r *Reports) books(ctx context.Context, a Access) (*schools.Books, error) {
	return snapshot.Load(ctx, r.Cache, a.factsKey("books"), func(ctx context.Context) (*schools.Books, error) {
		return r.Store.Books(ctx, a.Partner, a.At)
	})
}

// rows returns the rows of keys: from the sums of users if the period has all days of the index, the others
// from records.
func (r *Reports) rows(ctx context.Context, a Access, v *userBooks, keys []facts.RecordKey) ([]Reading, error) {
	of := readings{reports: r, Access: a, userBooks: v, keys: keys, rows: make([]Reading, len(keys))}
	if v.index.Within(v.period) {
		if err := of.bySums(ctx); err != nil {
			return nil, err
		}
	}
	return of.rows, of.byRecords(ctx)
}

// readings has the rows of a page while they are made.
type readings struct {
	reports *Reports
	Access
	*userBooks
	keys []facts.RecordKey
	rows []Reading // in the order of the keys; a row without a book is not made yet
}

// bySums makes the rows that the sums of their users can tell. It reads one row for each user, and all days
// of these books are in the period.
func (of *readings) bySums(ctx context.Context) error {
	i := 0
	return of.reports.facts(of.Access).Sums(ctx, facts.UsersOf(of.keys), func(user directory.UserID, sums *facts.Sums) error {
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

// made stores the row of a key.
func (of *readings) made(i int, book *schools.Book, t reading.Total) {
	of.rows[i] = Reading{of.keys[i].User, book, t.Percent, t.Minutes, t.First, t.Last, t.Finished}
}

// byRecords makes the other rows, each from its record.
func (of *readings) byRecords(ctx context.Context) error {
	var records []wantedTotal
	for i, row := range of.rows {
		if row.Book == nil {
			records = append(records, wantedTotal{of.keys[i], of.period, i})
		}
	}
	return of.reports.totals(ctx, of.Access, of.books, snapshot.Between(of.period.Start, of.period.End), records, func(w wantedTotal, book *schools.Book, t reading.Total) {
		of.made(w.place, book, t)
	})
}

// wantedTotal asks for the total of one record over a period on which it has a day.
type wantedTotal struct {
	facts.RecordKey
	period calendar.Period
	place  int // the caller's own
}

// totals calls visit with the total of each wanted record. They are ordered by key, and each record has a day
// in the span or around it. The error is [packed.ErrCorrupt] if a record is missing or has no day in its period.
func (r *Reports) totals(ctx context.Context, a Access, books *schools.Books, days snapshot.Span, left []wantedTotal, visit func(wantedTotal, *schools.Book, reading.Total)) error {
	if len(left) == 0 {
		return nil
	}
	keys := make([]facts.RecordKey, len(left))
	for i, w := range left {
		keys[i] = w.RecordKey
	}
	var sum reading.Totaller
	err := r.facts(a).Records(ctx, keys, days, func(k facts.RecordKey, data []byte) error {
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
				return fmt.Errorf("record of user %d, book %d: index and record differ: %w", k.User, k.Book, packed.ErrCorrupt)
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

// ReadingsSince answers one page of an incremental pull of the readings (H14).
func (r *Reports) ReadingsSince(ctx context.Context, a Access, q Pull, p paging.Page) (paging.List[Reading], error) {
	changed, err := snapshot.Load(ctx, r.Cache, a.key("readings since", a.Network, q), func(ctx context.Context) (incremental.Rows, error) { return r.readingsChanged(ctx, a, q) })
	if err != nil {
		return paging.List[Reading]{}, err
	}
	read := func(page incremental.Rows) ([]Reading, error) {
		v, err := r.userBooks(ctx, a, q.Filter, q.Period)
		if err != nil {
			return nil, err
		}
		keys := make([]facts.RecordKey, len(page))
		for i, c := range page {
			keys[i] = facts.RecordKey{User: directory.UserID(c.A), Book: c.B}
		}
		return r.rows(ctx, a, &v, keys)
	}
	return incremental.Page(changed, p, read, func(c incremental.Row) Reading {
		return Reading{UserID: directory.UserID(c.A), Book: &schools.Book{ID: c.B}}
	})
}

// replacedRows has the records and books that loads have replaced. A row with the same days is the same in
// both snapshots unless it is among them.
type replacedRows struct {
	records []facts.RecordKey // ascending, some perhaps twice
	books   map[int64]bool
}

// replacedRows reads the records and books that loads have replaced. The error is [incremental.ErrMany] if there
// are too many.
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
		if len(w.records) == incremental.Most {
			return incremental.ErrMany
		}
		w.records = append(w.records, facts.RecordKey{User: directory.UserID(k.A), Book: k.B})
		return nil
	})
}

// of reports whether any row of a user may have been replaced.
func (w *replacedRows) of(id directory.UserID) bool {
	i, _ := slices.BinarySearchFunc(w.records, facts.RecordKey{User: id}, facts.RecordKey.Compare)
	return len(w.books) > 0 || i < len(w.records) && w.records[i].User == id
}

// has reports whether the record or the book of a row was replaced.
func (w *replacedRows) has(k facts.RecordKey) bool {
	_, found := slices.BinarySearchFunc(w.records, k, facts.RecordKey.Compare)
	return found || w.books[k.Book]
}

// readingsChanged compares the index of both snapshots user by user. A row that is in both has changed if its
// record or book was replaced, or if the book was read on days that only one of the periods has. Users
// without any of these are skipped.
func (r *Reports) readingsChanged(ctx context.Context, a Access, q Pull) (incremental.Rows, error) {
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
	var changed incremental.Rows
	users := slices.Concat(was.users.IDs, now.users.IDs)
	slices.Sort(users)
	for _, id := range slices.Compact(users) {
		same := was.users.set.Has(id) == now.users.set.Has(id) && q.Was == q.Period && !replaced.of(id) &&
			now.index.Same(was.index, id)
		if same {
			continue
		}
		if err := q.userChanged(&changed, id, replaced, was, now); err != nil {
			return nil, err
		}
	}
	return changed.Sorted(), nil
}

// userChanged adds the rows of a user that differ.
func (q Pull) userChanged(changed *incremental.Rows, id directory.UserID, replaced replacedRows, was, now userBooks) error {
	apart := q.apart(now.index, id)
	return incremental.Diff(changed, was.rowsOf(id), now.rowsOf(id),
		func(k facts.RecordKey) incremental.Row { return incremental.Row{A: int64(k.User), B: k.Book} },
		func(k, _ facts.RecordKey) bool { return !replaced.has(k) && !slices.Contains(apart, k.Book) })
}

// apart returns the books that a user read on days which only one of the two periods has.
func (q Pull) apart(ls *facts.Index, id directory.UserID) []int64 {
	if q.Was == q.Period {
		return nil
	}
	before := ls.Books(id, calendar.Period{Start: min(q.Was.Start, q.Period.Start), End: max(q.Was.Start, q.Period.Start) - 1})
	after := ls.Books(id, calendar.Period{Start: min(q.Was.End, q.Period.End) + 1, End: max(q.Was.End, q.Period.End)})
	return append(before, after...)
}
