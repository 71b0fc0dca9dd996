package schoolsdb

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/uptrace/bun"
	"golang.org/x/sync/errgroup"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools"
)

// load writes the facts of one load. What was folded before is read on connections of its own, since the load's
// transaction changes none of it before it is read: each user is folded once.
type load struct {
	*Store
	partner  directory.PartnerID
	conn     bun.Conn
	tx       bun.Tx
	progress func(done, total int)
	saved    Saved

	ledgers *schools.Ledgers // as they were before
	empty   bool             // nothing was folded before
	changed []userLedger
	days    map[calendar.Date]*schools.Sheet
}

// userLedger is a ledger that the load changed.
type userLedger struct {
	user   directory.UserID
	ledger schools.Ledger
}

// folders is the number of goroutines that fold while one writes.
const folders = 2

// facts folds the pile part by part and writes what changed: records and seen events part by part, ledgers and days,
// which all parts share, at the end.
func (l *load) facts(ctx context.Context, pile *schools.Pile) error {
	ledgers, err := l.Store.ledgers(ctx, l.partner)
	if err != nil {
		return err
	}
	l.ledgers, l.days = ledgers, map[calendar.Date]*schools.Sheet{}
	if l.empty, err = l.nothingSeen(ctx); err != nil {
		return err
	}
	if err := l.parts(ctx, pile); err != nil {
		return err
	}
	if err := l.writeLedgers(ctx); err != nil {
		return err
	}
	return l.writeDays(ctx)
}

func (l *load) nothingSeen(ctx context.Context) (bool, error) {
	var any bool
	err := l.DB.NewRaw(`SELECT EXISTS (SELECT 1 FROM schools_seen WHERE tenant_id = ?)`, l.partner).Scan(ctx, &any)
	return !any, err
}

// parts folds on several goroutines and writes on this one, part after part as they come.
func (l *load) parts(ctx context.Context, pile *schools.Pile) error {
	todo, done := make(chan int), make(chan *folded)
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		defer close(todo)
		for i := range pile.Parts() {
			select {
			case todo <- i:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	workers, wctx := errgroup.WithContext(ctx)
	for range folders {
		workers.Go(func() error {
			for i := range todo {
				f, err := l.fold(wctx, pile, i)
				if err != nil {
					return err
				}
				select {
				case done <- f:
				case <-wctx.Done():
					return wctx.Err()
				}
			}
			return nil
		})
	}
	g.Go(func() error {
		defer close(done)
		return workers.Wait()
	})
	g.Go(func() error {
		n := 0
		for f := range done {
			if err := l.write(ctx, f); err != nil {
				return err
			}
			if n++; l.progress != nil {
				l.progress(n, pile.Parts())
			}
		}
		return nil
	})
	return g.Wait()
}

// folded is what one part of the pile changes.
type folded struct {
	changes []schools.Change
	had     before
}

// before is what was folded before of the users of a part.
type before struct {
	seen    map[seenKey]*schools.Seen
	records map[schools.RecordKey]*reading.Record
}

// seenKey names a row of schools_seen.
type seenKey struct {
	user  directory.UserID
	block int64
}

// fold folds one part of the pile.
func (l *load) fold(ctx context.Context, pile *schools.Pile, part int) (*folded, error) {
	events, err := pile.Part(part)
	if err != nil {
		return nil, err
	}
	events = schools.ByUser(events)
	f := &folded{}
	if f.had, err = l.before(ctx, events); err != nil {
		return nil, err
	}
	for user, events := range byUser(events) {
		a := schools.Account{Ledger: l.ledgers.Ledger(user), Seen: map[int64]*schools.Seen{}, Records: map[int64]*reading.Record{}}
		if !l.empty {
			f.had.into(&a, user, events)
		}
		change, err := schools.Fold(a, user, events)
		if err != nil {
			return nil, fmt.Errorf("fold user %d: %w", user, err)
		}
		f.changes = append(f.changes, change)
	}
	return f, nil
}

// byUser yields the events of each user; they must be sorted by user.
func byUser(events []schools.Event) func(func(directory.UserID, []schools.Event) bool) {
	return func(yield func(directory.UserID, []schools.Event) bool) {
		for len(events) > 0 {
			n := 1
			for n < len(events) && events[n].User == events[0].User {
				n++
			}
			if !yield(events[0].User, events[:n]) {
				return
			}
			events = events[n:]
		}
	}
}

// into gives an account what the store had of it.
func (b before) into(a *schools.Account, user directory.UserID, events []schools.Event) {
	for _, e := range events {
		block := schools.SeenBlock(e.Day)
		if s := b.seen[seenKey{user, block}]; s != nil {
			a.Seen[block] = s
		}
	}
	books, _ := a.Ledger.Unpack()
	for _, e := range books {
		if r := b.records[schools.RecordKey{User: user, Book: e.Book}]; r != nil {
			a.Records[e.Book] = r
		}
	}
}

// before reads what was folded before of a part's users, as far as its events touch it.
func (l *load) before(ctx context.Context, events []schools.Event) (before, error) {
	b := before{map[seenKey]*schools.Seen{}, map[schools.RecordKey]*reading.Record{}}
	if l.empty || len(events) == 0 {
		return b, nil
	}
	var users []int64
	var keys []schools.RecordKey
	first, last := int64(math.MaxInt64), int64(math.MinInt64)
	for user, events := range byUser(events) {
		users = append(users, int64(user))
		books, err := schools.Needed(l.ledgers.Ledger(user), events)
		if err != nil {
			return b, err
		}
		for _, book := range books {
			keys = append(keys, schools.RecordKey{User: user, Book: book})
		}
		for _, e := range events {
			first, last = min(first, schools.SeenBlock(e.Day)), max(last, schools.SeenBlock(e.Day))
		}
	}
	if err := l.seen(ctx, b, users, first, last); err != nil {
		return b, err
	}
	all := calendar.Period{Start: math.MinInt32, End: math.MaxInt32}
	return b, l.records(ctx, l.partner, keys, all, func(k schools.RecordKey, data []byte) error {
		r, err := schools.ParseRecord(data)
		b.records[k] = r
		return err
	})
}

// seen reads the seen events of users in a range of blocks.
func (l *load) seen(ctx context.Context, b before, users []int64, first, last int64) error {
	rows, err := l.DB.QueryContext(ctx, `
		SELECT user_id, block, data
		FROM schools_seen
		WHERE tenant_id = ? AND user_id IN (?) AND block BETWEEN ? AND ?`, l.partner, bun.List(users), first, last)
	return visit(rows, err, "seen events", func(rows *sql.Rows) error {
		var k seenKey
		var data sql.RawBytes
		if err := rows.Scan((*int64)(&k.user), &k.block, &data); err != nil {
			return err
		}
		s := &schools.Seen{}
		b.seen[k] = s
		return s.UnmarshalBinary(data)
	})
}

// write writes one part and keeps what the parts share.
func (l *load) write(ctx context.Context, f *folded) error {
	for i := range f.changes {
		l.keep(&f.changes[i])
	}
	if err := l.forget(ctx, f); err != nil {
		return err
	}
	_, err := l.Copy(ctx, l.conn, "schools_records", []string{"tenant_id", "user_id", "book_id", "first_day", "last_day", "data"}, l.recordRows(f))
	if err != nil {
		return fmt.Errorf("write records: %w", err)
	}
	_, err = l.Copy(ctx, l.conn, "schools_seen", []string{"tenant_id", "user_id", "block", "data"}, l.seenRows(f))
	if err != nil {
		return fmt.Errorf("write seen events: %w", err)
	}
	return nil
}

// keep takes over a user's part of the ledgers and days.
func (l *load) keep(c *schools.Change) {
	l.saved.New += c.New
	l.saved.Repeated += c.Repeated
	if len(c.Records) > 0 {
		l.changed = append(l.changed, userLedger{c.User, c.Ledger})
	}
	for _, d := range c.Days {
		sheet := l.days[d.Date]
		if sheet == nil {
			sheet = &schools.Sheet{}
			l.days[d.Date] = sheet
		}
		sheet.Users = append(sheet.Users, c.User)
		sheet.Tenths = append(sheet.Tenths, d.Tenths)
	}
}

// forget deletes the rows that the part's rows replace.
func (l *load) forget(ctx context.Context, f *folded) error {
	var records, seen [][]int64
	for _, c := range f.changes {
		for _, book := range slices.Sorted(maps.Keys(c.Records)) {
			if f.had.records[schools.RecordKey{User: c.User, Book: book}] != nil {
				records = append(records, []int64{int64(c.User), book})
			}
		}
		for _, block := range slices.Sorted(maps.Keys(c.Seen)) {
			if f.had.seen[seenKey{c.User, block}] != nil {
				seen = append(seen, []int64{int64(c.User), block})
			}
		}
	}
	if err := l.delete(ctx, "schools_records", "book_id", records); err != nil {
		return err
	}
	return l.delete(ctx, "schools_seen", "block", seen)
}

// delete deletes rows of a table by user and second key.
func (l *load) delete(ctx context.Context, table, column string, keys [][]int64) error {
	for len(keys) > 0 {
		n := min(chunk, len(keys))
		_, err := l.tx.NewRaw(`DELETE FROM ? WHERE tenant_id = ? AND (user_id, ?) IN (VALUES ?)`,
			bun.Ident(table), l.partner, bun.Ident(column), bun.List(tuples(keys[:n]))).Exec(ctx)
		if err != nil {
			return fmt.Errorf("replace rows of %s: %w", table, err)
		}
		keys = keys[n:]
	}
	return nil
}

// recordRows yields the rows of the part's records, by user and book.
func (l *load) recordRows(f *folded) func(func([]any) bool) {
	return func(yield func([]any) bool) {
		for _, c := range f.changes {
			for _, book := range slices.Sorted(maps.Keys(c.Records)) {
				r := c.Records[book]
				first, last := r.Days[0].Date, r.Days[len(r.Days)-1].Date
				if !yield([]any{int64(l.partner), int64(c.User), book, int32(first), int32(last), schools.AppendRecord(nil, *r)}) {
					return
				}
			}
		}
	}
}

// seenRows yields the rows of the part's seen events, by user and block.
func (l *load) seenRows(f *folded) func(func([]any) bool) {
	return func(yield func([]any) bool) {
		for _, c := range f.changes {
			for _, block := range slices.Sorted(maps.Keys(c.Seen)) {
				if !yield([]any{int64(l.partner), int64(c.User), int32(block), c.Seen[block].AppendBinary(nil)}) {
					return
				}
			}
		}
	}
}

// writeLedgers writes the blocks of ledgers that changed.
func (l *load) writeLedgers(ctx context.Context) error {
	if len(l.changed) == 0 {
		return nil
	}
	var blocks []int64
	for _, c := range l.changed {
		l.ledgers.Set(c.user, c.ledger)
		blocks = append(blocks, schools.LedgerBlock(c.user))
	}
	slices.Sort(blocks)
	blocks = slices.Compact(blocks)
	if _, err := l.tx.NewRaw(`DELETE FROM schools_ledgers WHERE tenant_id = ? AND block IN (?)`, l.partner, bun.List(blocks)).Exec(ctx); err != nil {
		return fmt.Errorf("replace ledgers: %w", err)
	}
	_, err := l.Copy(ctx, l.conn, "schools_ledgers", []string{"tenant_id", "block", "data"}, func(yield func([]any) bool) {
		for _, block := range blocks {
			if !yield([]any{int64(l.partner), block, l.ledgers.AppendBlock(nil, block)}) {
				return
			}
		}
	})
	if err != nil {
		return fmt.Errorf("write ledgers: %w", err)
	}
	return nil
}

// daysAtOnce bounds the sheets that are in memory packed and unpacked at one time.
const daysAtOnce = 16

// writeDays merges the users of the load into the days that it touched.
func (l *load) writeDays(ctx context.Context) error {
	for days := range slices.Chunk(slices.Sorted(maps.Keys(l.days)), daysAtOnce) {
		had, err := l.sheets(ctx, days)
		if err != nil {
			return err
		}
		if len(had) > 0 {
			if _, err := l.tx.NewRaw(`DELETE FROM schools_days WHERE tenant_id = ? AND day IN (?)`, l.partner, bun.List(int32s(days))).Exec(ctx); err != nil {
				return fmt.Errorf("replace days: %w", err)
			}
		}
		_, err = l.Copy(ctx, l.conn, "schools_days", []string{"tenant_id", "day", "presence", "minutes"}, func(yield func([]any) bool) {
			for _, day := range days {
				sheet := had[day].Merge(l.days[day].Sorted())
				delete(l.days, day)
				if !yield([]any{int64(l.partner), int32(day), sheet.AppendPresence(nil), sheet.AppendMinutes(nil)}) {
					return
				}
			}
		})
		if err != nil {
			return fmt.Errorf("write days: %w", err)
		}
	}
	return nil
}

// sheets reads the sheets of some days; a day without access has none.
func (l *load) sheets(ctx context.Context, days []calendar.Date) (map[calendar.Date]schools.Sheet, error) {
	had := map[calendar.Date]schools.Sheet{}
	if l.empty {
		return had, nil
	}
	rows, err := l.DB.QueryContext(ctx, `SELECT day, presence, minutes FROM schools_days WHERE tenant_id = ? AND day IN (?)`, l.partner, bun.List(int32s(days)))
	return had, visit(rows, err, "days", func(rows *sql.Rows) error {
		var day calendar.Date
		var presence, minutes sql.RawBytes
		if err := rows.Scan((*int32)(&day), &presence, &minutes); err != nil {
			return err
		}
		sheet, err := schools.ParseSheet(presence, schools.Minutes(minutes))
		had[day] = sheet
		return err
	})
}

func int32s(days []calendar.Date) []int32 {
	n := make([]int32, len(days))
	for i, d := range days {
		n[i] = int32(d)
	}
	return n
}

// tuples makes each key a tuple of a VALUES list.
func tuples(keys [][]int64) []bun.TupleValues {
	t := make([]bun.TupleValues, len(keys))
	for i, k := range keys {
		t[i] = bun.Tuple(k)
	}
	return t
}
