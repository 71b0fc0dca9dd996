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

// earlier returns the access to an earlier snapshot. Its hour is unknown, and not needed.
func (a Access) earlier(since snapshot.Versions) Access {
	return Access{Network: a.Network, At: since}
}

// sinceKey returns the cache key of the rows of a query that differ between an earlier snapshot and that of the access.
func sinceKey(a Access, since snapshot.Versions, what string, q any) snapshot.Key {
	return key(a, what+" since", since.Facts, since.Registers, a.At.Registers, q)
}

// pull answers one page of an incremental pull. compare finds the keys of the rows that differ, which are cached. read
// returns the rows of keys, and removed makes a row of the key of a row that has left the list.
func pull[T any](
	ctx context.Context, r *Reports, k snapshot.Key, p paging.Page, compare func(context.Context) (incremental.Rows, error),
	read func(incremental.Rows) ([]T, error), removed func(incremental.Row) T,
) (paging.List[T], error) {
	changed, err := snapshot.Load(ctx, r.Cache, k, compare)
	if err != nil {
		return paging.List[T]{}, err
	}
	return incremental.Page(changed, p, read, removed)
}

// since answers one page of an incremental pull of the list.
func (l recordList[R, T]) since(ctx context.Context, r *Reports, a Access, since snapshot.Versions, q RecordQuery[uint8], p paging.Page) (paging.List[T], error) {
	q.Period = r.since(q.Period)
	d := &recordDiff{Reports: r, was: a.earlier(since), now: a, kind: l.kind, q: q}
	return pull(ctx, r, sinceKey(a, since, fmt.Sprint("list ", l.kind), q), p,
		func(ctx context.Context) (incremental.Rows, error) { return d.compare(ctx, l.shown) },
		func(page incremental.Rows) ([]T, error) {
			positions := make(ListPositions, len(page))
			for i, c := range page {
				positions[i] = ListPosition{Day: calendar.Date(c.A), ID: c.B, Status: c.Note}
			}
			return l.rowsAt(ctx, a, positions)
		},
		func(c incremental.Row) T { return l.removed(c.B) })
}

// recordDiff finds the rows of loans or reservations that differ between two snapshots.
type recordDiff struct {
	*Reports
	was, now Access
	kind     ListKind
	q        RecordQuery[uint8]
	found    incremental.Rows
}

// compare finds the rows whose records differ, those whose titles differ, and those that shown adds.
func (d *recordDiff) compare(ctx context.Context, shown func(*recordDiff, context.Context) error) (incremental.Rows, error) {
	if err := d.records(ctx); err != nil {
		return nil, err
	}
	books, err := d.Store.ReplacedRows(ctx, d.now, d.loads(), BookRows)
	if err == nil {
		err = d.ofBooks(ctx, books)
	}
	if err == nil {
		err = shown(d, ctx)
	}
	return d.found.Sorted(), err
}

// loads returns the numbers of the loads between the two snapshots.
func (d *recordDiff) loads() snapshot.Span {
	return snapshot.LoadsAfter(d.was.At.Facts, d.now.At.Facts)
}

// has reports whether the query's list has the row of a record.
func (d *recordDiff) has(v ListedRecord) bool {
	return (d.q.Reader == nil || *d.q.Reader == v.Reader) && (d.q.Book == nil || *d.q.Book == v.Book) &&
		(d.q.Status == 0 || d.q.Status == v.Status)
}

// add adds the row of a record of the later snapshot, if the list has it.
func (d *recordDiff) add(v ListedRecord) error {
	if !d.has(v) {
		return nil
	}
	return d.found.Add(incremental.Row{A: int64(v.Day), B: v.ID, Note: v.Status})
}

// records adds the rows of the records that loads have inserted or deleted. A load that replaces a record does both.
// Inserted records are read only on the days whose totals differ and on those of deleted records: on all other days
// the totals would count them.
func (d *recordDiff) records(ctx context.Context) error {
	days, err := d.days(ctx)
	if err != nil {
		return err
	}
	var deleted []ListedRecord
	err = d.Store.Listed(ctx, d.was, d.kind, RecordFilter{Period: d.q.Period, Deleted: d.loads()}, func(v ListedRecord) error {
		if len(deleted) == incremental.Most {
			return incremental.ErrMany
		}
		deleted, days = append(deleted, v), append(days, v.Day)
		return nil
	})
	if err != nil {
		return err
	}
	slices.Sort(days)
	inserted := RecordFilter{Period: d.q.Period, Inserted: d.loads(), Days: slices.Compact(days)}
	if err := d.Store.Listed(ctx, d.now, d.kind, inserted, d.add); err != nil {
		return err
	}
	for _, v := range deleted { // of two rows with one key the first counts: one that was replaced was inserted above
		if !d.has(v) {
			continue
		}
		if err := d.found.Add(incremental.Row{A: int64(v.Day), B: v.ID, Removed: true}); err != nil {
			return err
		}
	}
	return nil
}

// days returns the days whose totals differ, each at least once.
func (d *recordDiff) days(ctx context.Context) (changed []calendar.Date, err error) {
	was, err := d.network(ctx, d.was)
	if err != nil {
		return nil, err
	}
	now, err := d.network(ctx, d.now)
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

// ofBooks adds the rows of titles.
func (d *recordDiff) ofBooks(ctx context.Context, books []int64) error {
	slices.Sort(books)
	return d.Store.Listed(ctx, d.now, d.kind, RecordFilter{Period: d.q.Period, Books: slices.Compact(books)}, d.add)
}

// readersAtOnce bounds the number of readers whose titles are in memory.
const readersAtOnce = 2000

// progressed adds the loans whose readers' progress in the title differs.
func (d *recordDiff) progressed(ctx context.Context) error {
	readers, err := d.Store.ReplacedRows(ctx, d.now, d.loads(), TitleRecords)
	if err != nil {
		return err
	}
	if d.q.Reader != nil {
		readers = slices.DeleteFunc(readers, func(id int64) bool { return id != *d.q.Reader })
	}
	for some := range slices.Chunk(slices.Compact(readers), readersAtOnce) {
		was, err := d.progress(ctx, d.was, some)
		if err != nil {
			return err
		}
		now, err := d.progress(ctx, d.now, some)
		if err != nil {
			return err
		}
		err = d.Store.Listed(ctx, d.now, d.kind, RecordFilter{Period: d.q.Period, Readers: some}, func(v ListedRecord) error {
			if at := (readerBook{v.Reader, v.Book}); was[at] != now[at] {
				return d.add(v)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// readerBook is a reader and a title.
type readerBook struct{ reader, book int64 }

// progress returns what readers, who ascend, read of each title. Seconds and share of a title never read are 0.
func (d *recordDiff) progress(ctx context.Context, a Access, readers []int64) (map[readerBook]facts.LoanReading, error) {
	all := map[readerBook]facts.LoanReading{}
	var titles facts.ReaderTitles // of one reader after the other
	return all, d.blocks(ctx, a, facts.ReaderTitlesKind, snapshot.Range{Among: readers}, func(b snapshot.Block) error {
		if err := packed.Open(b.Data, &titles); err != nil {
			return fmt.Errorf("titles of reader %d: %w", b.A, err)
		}
		for i := range titles.Books {
			t := &titles.Books[i]
			all[readerBook{b.A, t.Book}] = facts.LoanReading{Seconds: t.Pair.Seconds, Highest: t.Pair.Highest}
		}
		return nil
	})
}

// queued adds the reservations whose titles' queues have another length.
func (d *recordDiff) queued(ctx context.Context) error {
	was, err := d.network(ctx, d.was)
	if err != nil {
		return err
	}
	now, err := d.network(ctx, d.now)
	if err != nil {
		return err
	}
	var books []int64
	for _, t := range slices.Concat(was.Titles, now.Titles) {
		if was.Titles.Of(t.Book).ActiveReservations != now.Titles.Of(t.Book).ActiveReservations {
			books = append(books, t.Book)
		}
	}
	return d.ofBooks(ctx, books)
}
