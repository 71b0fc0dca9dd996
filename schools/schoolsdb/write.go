package schoolsdb

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools"
)

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
	return had, authdb.Visit(rows, err, "days", func(rows *sql.Rows) error {
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
