package statedb

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/paging/state"
)

// Former is a table of packed forms from before there were states. Its rows become blocks of the first load's number.
type Former struct {
	Table string
	// Before is its name where the schema is not up to date yet, if that is another: programs of the former version, which would
	// miss the rows that have moved, no longer find it.
	Before string
	// Key are the columns of its key besides the tenant: the first is A of the blocks, the second, if there is one, B.
	Key []string
	// Lo and Hi are the columns of what the blocks span; empty where they span nothing.
	Lo, Hi string
	// Forms are the columns that hold packed forms, each of a kind of its own. An empty form makes no block.
	Forms []Form
}

// Form is a column of a Former.
type Form struct {
	Column string
	Kind   state.Kind
}

// moveRows is how many rows move in one transaction.
const moveRows = 500

// Move moves the rows of former tables to the blocks and drops the tables, in batches: killed, it goes on where it was when
// it is called again, and several may do it at once. It does nothing where the tables are gone. moved, if not nil, is told the
// rows of a table that have moved, of those that were there when it began.
func (s *Store) Move(ctx context.Context, tables []Former, moved func(table string, done, total int64)) error {
	for _, f := range tables {
		err := s.move(ctx, f, moved)
		if err == nil {
			continue
		}
		if there, e := s.there(ctx, f.Table); there || e != nil { // else another process has moved the last row
			return fmt.Errorf("move %s: %w", f.Table, err)
		}
	}
	return nil
}

// move moves one table.
func (s *Store) move(ctx context.Context, f Former, moved func(table string, done, total int64)) error {
	if there, err := s.there(ctx, f.Table); err != nil || !there {
		return err
	}
	var done, total int64
	if moved != nil {
		if err := s.DB.NewRaw(`SELECT count(*) FROM ?`, bun.Ident(f.Table)).Scan(ctx, &total); err != nil {
			return err
		}
	}
	var after []int64
	for {
		n, err := s.moveBatch(ctx, f, &after)
		if err != nil {
			return err
		}
		if n == 0 {
			break
		}
		if done += int64(n); moved != nil {
			moved(f.Table, done, max(done, total))
		}
	}
	_, err := s.DB.NewRaw(`DROP TABLE IF EXISTS ?`, bun.Ident(f.Table)).Exec(ctx)
	return err
}

// ToMove returns which former tables there are, and about how many bytes they take: on SQLite none where the whole file has not
// more than enough.
func (s *Store) ToMove(ctx context.Context, tables []Former, enough int64) (names []string, bytes int64, err error) {
	var asked []string
	for _, f := range tables {
		asked = append(asked, f.Table)
		if f.Before != "" {
			asked = append(asked, f.Before)
		}
	}
	query := `SELECT name FROM sqlite_schema WHERE type = 'table' AND name IN (?) ORDER BY 1`
	if postgres(s.DB) {
		query = `SELECT tablename FROM pg_tables WHERE schemaname = ANY(current_schemas(false)) AND tablename IN (?) ORDER BY 1`
	}
	if err = s.DB.NewRaw(query, bun.List(asked)).Scan(ctx, &names); err != nil || len(names) == 0 {
		return nil, 0, err
	}
	if postgres(s.DB) {
		err = s.DB.NewRaw(`SELECT sum(pg_total_relation_size(to_regclass(t)))::bigint FROM unnest(ARRAY[?]) AS t`, bun.List(names)).Scan(ctx, &bytes)
		return names, bytes, err
	}
	// To count a table's pages all of them are read: not where they cannot be too many.
	err = s.DB.NewRaw(`SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size`).Scan(ctx, &bytes)
	if err != nil || bytes <= enough {
		return names, 0, err
	}
	err = s.DB.NewRaw(`SELECT coalesce(sum(pgsize), 0) FROM dbstat WHERE aggregate = TRUE AND name IN (?)`, bun.List(names)).Scan(ctx, &bytes)
	return names, bytes, err
}

// there reports whether the database has a table.
func (s *Store) there(ctx context.Context, table string) (there bool, err error) {
	query := `SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?)`
	if postgres(s.DB) {
		query = `SELECT to_regclass(?) IS NOT NULL`
	}
	err = s.DB.NewRaw(query, table).Scan(ctx, &there)
	return there, err
}

// formerRow is a row of a former table.
type formerRow struct {
	tenant state.Tenant
	block  state.Block // all but the data
	forms  [][]byte
}

// moveBatch moves some rows and returns how many there were. They come after the key at after, which becomes the last one's: what
// was deleted is not passed over again and again.
func (s *Store) moveBatch(ctx context.Context, f Former, after *[]int64) (n int, err error) {
	var last []int64
	err = s.inTx(ctx, func(ctx context.Context, conn bun.Conn, tx bun.Tx) error {
		if postgres(tx) { // two that move at once would both move a row
			if _, err := tx.NewRaw(`LOCK TABLE ? IN EXCLUSIVE MODE`, bun.Ident(f.Table)).Exec(ctx); err != nil {
				return err
			}
		}
		rows, err := f.read(ctx, tx, *after)
		if n = len(rows); err != nil || n == 0 {
			return err
		}
		if _, err := s.Copy(ctx, conn, state.BlocksTable.Name, columns(state.BlocksTable), f.blocks(rows)); err != nil {
			return err
		}
		keys := make([][]int64, n)
		for i, r := range rows {
			keys[i] = []int64{int64(r.tenant), r.block.A, r.block.B}[:1+len(f.Key)]
		}
		_, err = tx.NewRaw(`DELETE FROM ? WHERE (tenant_id, `+strings.Join(f.Key, ", ")+`) IN (VALUES ?)`,
			bun.Ident(f.Table), bun.List(tuples(keys))).Exec(ctx)
		last = keys[n-1]
		return err
	})
	if err == nil {
		*after = last
	}
	return n, err
}

// read reads the first rows that are left after a key, by key.
func (f Former) read(ctx context.Context, tx bun.Tx, after []int64) (list []formerRow, err error) {
	columns := append([]string{"tenant_id"}, f.Key...)
	order := strings.Join(columns, ", ")
	left := bun.SafeQuery("TRUE")
	if after != nil {
		left = bun.SafeQuery("("+order+") > ?", bun.Tuple(after))
	}
	if f.Lo != "" {
		columns = append(columns, f.Lo, f.Hi)
	}
	for _, form := range f.Forms {
		columns = append(columns, form.Column)
	}
	rows, err := tx.QueryContext(ctx, `SELECT `+strings.Join(columns, ", ")+` FROM ? WHERE ? ORDER BY `+order+` LIMIT ?`,
		bun.Ident(f.Table), left, moveRows)
	return list, authdb.Visit(rows, err, f.Table, func(rows *sql.Rows) error {
		r := formerRow{forms: make([][]byte, len(f.Forms))}
		dest := []any{&r.tenant, &r.block.A}
		if len(f.Key) > 1 {
			dest = append(dest, &r.block.B)
		}
		if f.Lo != "" {
			dest = append(dest, &r.block.Lo, &r.block.Hi)
		}
		for i := range r.forms {
			dest = append(dest, &r.forms[i])
		}
		err := rows.Scan(dest...)
		list = append(list, r)
		return err
	})
}

// blocks yields the rows of the blocks that rows become.
func (f Former) blocks(rows []formerRow) func(yield func([]any) bool) {
	return func(yield func([]any) bool) {
		row := make([]any, len(columns(state.BlocksTable)))
		for _, r := range rows {
			for i, form := range f.Forms {
				if len(r.forms[i]) == 0 {
					continue
				}
				b := r.block
				b.Data = r.forms[i]
				fill(row, state.BlocksTable, r.tenant, state.First, b.Row(r.tenant, form.Kind))
				if !yield(row) {
					return
				}
			}
		}
	}
}
