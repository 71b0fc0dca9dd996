package report

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/incremental"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// A round asks what has changed in a list since an earlier state (H14), whose copy the client has. Blocks and rows that no load
// between the two states has touched are the same in both, so that only the others are compared.

// then is the access to the earlier state. Its hour is not known, and not asked for.
func (a Access) earlier(since snapshot.Versions) Access {
	return Access{Network: a.Network, At: since}
}

// sinceKey names what differs between an earlier state and that of the access, as far as a query asks.
func sinceKey(a Access, since snapshot.Versions, what string, q any) snapshot.Key {
	return key(a, what+" since", since.Facts, since.Registers, a.At.Registers, q)
}

// LoansSince answers one page of a round of the loans. A loan shows what its reader did with the title, and the title.
func (r *Reports) LoansSince(ctx context.Context, a Access, since snapshot.Versions, q LoanQuery, p paging.Page) (paging.List[LoanRow], error) {
	return r.loans().since(ctx, r, a, since, q.positions(), p)
}

// ReservationsSince answers one page of a round of the reservations. A reservation shows the queue of its title, and the title.
func (r *Reports) ReservationsSince(ctx context.Context, a Access, since snapshot.Versions, q ReservationQuery, p paging.Page) (paging.List[ReservationRow], error) {
	return r.reservations().since(ctx, r, a, since, q.positions(), p)
}

// since answers one page of a round of a register.
func (of recordList[R, T]) since(ctx context.Context, r *Reports, a Access, since snapshot.Versions, q recordQuery, p paging.Page) (paging.List[T], error) {
	q.period = r.since(q.period)
	changed, err := snapshot.Load(ctx, r.Cache, sinceKey(a, since, "positions", q), func(ctx context.Context) (incremental.Rows, error) {
		c := &recordDiff{Reports: r, now: a, was: a.earlier(since), q: q}
		return c.compare(ctx, of.shown)
	})
	if err != nil {
		return paging.List[T]{}, err
	}
	return incremental.Page(changed, p,
		func(kept incremental.Rows) ([]T, error) { return of.rowsAt(ctx, a, positionsOf(kept)) }, func(c incremental.Row) T { return of.gone(c.B) })
}

// positionsOf returns the positions of rows that changed.
func positionsOf(kept incremental.Rows) ListPositions {
	positions := make(ListPositions, len(kept))
	for i, c := range kept {
		positions[i] = ListPosition{Day: calendar.Date(c.A), ID: c.B, Status: c.Note}
	}
	return positions
}

// positionsCompared finds what differs between two states of a register that is listed by day.
type recordDiff struct {
	*Reports
	was, now Access
	q        recordQuery
	found    incremental.Rows
}

// loads are those that lie between the two states.
func (c *recordDiff) loads() snapshot.Span {
	return snapshot.LoadsAfter(c.was.At.Facts, c.now.At.Facts)
}

// has reports whether the query's list has a row of the register.
func (c *recordDiff) has(v ListedRecord) bool {
	return (c.q.reader == nil || *c.q.reader == v.Reader) && (c.q.book == nil || *c.q.book == v.Book) &&
		(c.q.status == 0 || c.q.status == v.Status)
}

// put notes a row of now that the list has.
func (c *recordDiff) put(v ListedRecord) error {
	if !c.has(v) {
		return nil
	}
	return c.found.Add(incremental.Row{A: int64(v.Day), B: v.ID, Note: v.Status})
}

// rows finds the rows that loads have put in or taken out. What they put in stands on days whose totals they changed, or on which
// they took something out: else it would be counted there.
func (c *recordDiff) rows(ctx context.Context) error {
	changed, err := c.days(ctx)
	if err != nil {
		return err
	}
	var out []ListedRecord
	err = c.Store.Listed(ctx, c.was, c.q.list, RecordFilter{Period: c.q.period, Deleted: c.loads()}, func(v ListedRecord) error {
		if len(out) == incremental.Most {
			return incremental.ErrMany
		}
		out, changed = append(out, v), append(changed, v.Day)
		return nil
	})
	if err != nil {
		return err
	}
	slices.Sort(changed)
	in := RecordFilter{Period: c.q.period, Inserted: c.loads(), Days: slices.Compact(changed)}
	if err := c.Store.Listed(ctx, c.now, c.q.list, in, c.put); err != nil {
		return err
	}
	for _, v := range out { // what the list has still was found before, in the same place: the day of a row does not change
		if !c.has(v) {
			continue
		}
		if err := c.found.Add(incremental.Row{A: int64(v.Day), B: v.ID, Removed: true}); err != nil {
			return err
		}
	}
	return nil
}

// days returns the days whose totals differ, each at least once.
func (c *recordDiff) days(ctx context.Context) (changed []calendar.Date, err error) {
	was, err := c.network(ctx, c.was)
	if err != nil {
		return nil, err
	}
	now, err := c.network(ctx, c.now)
	if err != nil {
		return nil, err
	}
	totals := make(map[calendar.Date]facts.DayTotals, len(was.Days.Dates))
	for i, day := range was.Days.Dates {
		totals[day] = was.Days.Totals[i]
	}
	for i, day := range now.Days.Dates {
		if totals[day] != now.Days.Totals[i] {
			changed = append(changed, day)
		}
		delete(totals, day)
	}
	return slices.AppendSeq(changed, maps.Keys(totals)), nil
}

// ofBooks notes the rows of titles.
func (c *recordDiff) ofBooks(ctx context.Context, books []int64) error {
	slices.Sort(books)
	return c.Store.Listed(ctx, c.now, c.q.list, RecordFilter{Period: c.q.period, Books: slices.Compact(books)}, c.put)
}

// compare finds the rows that differ: by themselves, by their titles, or by what else they show.
func (c *recordDiff) compare(ctx context.Context, shown func(*recordDiff, context.Context) error) (incremental.Rows, error) {
	if err := c.rows(ctx); err != nil {
		return nil, err
	}
	books, err := c.Store.ReplacedRows(ctx, c.now, c.loads(), BookRows)
	if err == nil {
		err = c.ofBooks(ctx, books)
	}
	if err == nil {
		err = shown(c, ctx)
	}
	return c.found.Sorted(), err
}

// progressed notes the loans whose readers have other progress in their titles.
func (c *recordDiff) progressed(ctx context.Context) error {
	readers, err := c.Store.ReplacedRows(ctx, c.now, c.loads(), TitleRecords)
	if err != nil {
		return err
	}
	if c.q.reader != nil {
		readers = slices.DeleteFunc(readers, func(id int64) bool { return id != *c.q.reader })
	}
	for part := range slices.Chunk(slices.Compact(readers), readersAtOnce) {
		if err := c.ofReaders(ctx, part); err != nil {
			return err
		}
	}
	return nil
}

// readersAtOnce is the number of readers whose titles are compared together.
const readersAtOnce = 2000

// pair is a reader and a title.
type pair struct{ reader, book int64 }

// ofReaders notes the loans of readers whose progress in the title is another. Titles that they had not before have no loan of before.
func (c *recordDiff) ofReaders(ctx context.Context, readers []int64) error {
	was, err := c.progress(ctx, c.was, readers)
	if err != nil {
		return err
	}
	now, err := c.progress(ctx, c.now, readers)
	if err != nil {
		return err
	}
	return c.Store.Listed(ctx, c.now, c.q.list, RecordFilter{Period: c.q.period, Readers: readers}, func(v ListedRecord) error {
		at := pair{v.Reader, v.Book}
		if was[at] == now[at] {
			return nil
		}
		return c.put(v)
	})
}

// progress returns what readers, who ascend, did with each title.
func (c *recordDiff) progress(ctx context.Context, a Access, readers []int64) (map[pair]facts.LoanReading, error) {
	all := map[pair]facts.LoanReading{}
	var titles facts.ReaderTitles // of one reader after the other
	return all, c.blocks(ctx, a, facts.ReaderTitlesKind, snapshot.Range{Among: readers}, func(b snapshot.Block) error {
		if err := packed.Open(b.Data, &titles); err != nil {
			return fmt.Errorf("titles of reader %d: %w", b.A, err)
		}
		for i := range titles.Books {
			t := &titles.Books[i]
			all[pair{b.A, t.Book}] = facts.LoanReading{Seconds: t.Pair.Seconds, Highest: t.Pair.Highest}
		}
		return nil
	})
}

// queued notes the reservations whose titles have queues of another length.
func (c *recordDiff) queued(ctx context.Context) error {
	was, err := c.titleCounts(ctx, c.was)
	if err != nil {
		return err
	}
	now, err := c.titleCounts(ctx, c.now)
	if err != nil {
		return err
	}
	var books []int64
	for _, t := range slices.Concat(was, now) {
		if was.Of(t.Book).ActiveReservations != now.Of(t.Book).ActiveReservations {
			books = append(books, t.Book)
		}
	}
	return c.ofBooks(ctx, books)
}
