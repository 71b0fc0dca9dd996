package directorydb

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/handle"
)

// listing is a list of the live rows of a table whose columns have given values, in the order of the key. An index
// covers the partner, the columns and the key of live rows.
//
// The condition compares rows, and the order names the index's columns, so that the engines read a range of that index.
// With plain equalities they would rather scan the primary key and skip the rows of other lists, which may be nearly
// all.
type listing struct {
	db         bun.IDB
	partner    directory.PartnerID
	table, key string
	of         []string // the columns that define the list
	values     []int64  // their values
	at         directory.Cursor
}

// query returns the statement for a page. It reads one row more than the page shows, from the cursor on in its
// direction. Each row also tells whether the list has rows on the other side of the cursor, which may have been deleted
// since. The statement is raw since bun's builder cannot share a part between two statements.
func (l listing) query(columns string) (statement string, args []any) {
	other, rows := bun.SafeQuery("FALSE"), l.after(0)
	switch {
	case l.at.After != 0:
		other, rows = l.has(l.before(l.at.After+1)), l.after(l.at.After)
	case l.at.Before != 0:
		other, rows = l.has(l.after(l.at.Before-1)), l.before(l.at.Before)
	}
	return `SELECT ` + columns + `, ?0 ?1 LIMIT ?2`, []any{other, rows, directory.Limit + 1}
}

// after returns the part of a statement for the rows after a number, in order.
func (l listing) after(number int64) schema.QueryWithArgs { return l.side(number, ">", "<=", "ASC") }

// before returns the part of a statement for the rows before a number, in reverse order.
func (l listing) before(number int64) schema.QueryWithArgs { return l.side(number, "<", ">=", "DESC") }

// side returns the part of a statement for the rows on one side of a number.
func (l listing) side(number int64, from, to, direction string) schema.QueryWithArgs {
	of, order := strings.Join(l.of, ", "), strings.Join(append(slices.Clone(l.of), l.key), " "+direction+", ")
	return bun.SafeQuery(`
		  FROM `+l.table+`
		 WHERE tenant_id = ?0 AND NOT deleted
		   AND (`+of+`, `+l.key+`) `+from+` ?1
		   AND (`+of+`) `+to+` ?2
		       ?3
		 ORDER BY `+order+` `+direction,
		l.partner, handle.Row(append(slices.Clone(l.values), number)), handle.Row(l.values), l.held())
}

// held returns a condition for PostgreSQL without statistics, as after the first load. That each column is between its
// value and itself makes the planner expect few rows: otherwise it collects and sorts the whole list. SQLite would take
// the condition for the better index bound.
func (l listing) held() schema.QueryWithArgs {
	held := bun.SafeQuery("")
	for i, c := range l.of {
		if handle.Postgres(l.db) {
			held = bun.SafeQuery("? AND "+c+" BETWEEN ? AND ?", held, l.values[i], l.values[i])
		}
	}
	return held
}

// has returns an expression that is true if a side has rows. It finds the nearest row through the index.
func (l listing) has(side schema.QueryWithArgs) schema.QueryWithArgs {
	return bun.SafeQuery(`(SELECT `+l.key+` ? LIMIT 1) IS NOT NULL`, side)
}

// readPage reads a page of records. show returns what the list shows of a record.
func readPage[R, T any](ctx context.Context, l listing, f fields[R], show func(R) T) (p directory.Page[T], err error) {
	var other bool
	statement, args := l.query(f.columns)
	rows, err := l.db.QueryContext(ctx, statement, args...)
	err = f.read(rows, err, func(r R) error {
		p.Rows = append(p.Rows, show(r))
		return nil
	}, &other)
	if err != nil {
		return directory.Page[T]{}, fmt.Errorf("list %s: %w", l.table, err)
	}
	more := len(p.Rows) > directory.Limit
	if more {
		p.Rows = p.Rows[:directory.Limit]
	}
	if p.HasBefore, p.HasAfter = other, more; l.at.After == 0 && l.at.Before != 0 {
		p.HasBefore, p.HasAfter = more, other
		slices.Reverse(p.Rows)
	}
	return p, nil
}

// Entities implements directory.Store.
func (s *Store) Entities(ctx context.Context, partner directory.PartnerID, t directory.EntityType, at directory.Cursor) (directory.Page[directory.EntityRecord], error) {
	return listing{s.DB, partner, "entities", "entity_id", []string{"entity_type"}, []int64{int64(t)}, at}.entities(ctx)
}

// Subtree implements directory.Store.
func (s *Store) Subtree(ctx context.Context, partner directory.PartnerID, ref directory.Ref, at directory.Cursor) (directory.Page[directory.EntityRecord], error) {
	root, err := s.Entity(ctx, partner, ref)
	if err != nil || root.Type == directory.Class {
		return directory.Page[directory.EntityRecord]{}, err
	}
	column := "parent_id"
	if root.Type == directory.Network {
		column = "network_id"
	}
	return listing{s.DB, partner, "entities", "entity_id", []string{column}, []int64{int64(root.ID)}, at}.entities(ctx)
}

func (l listing) entities(ctx context.Context) (directory.Page[directory.EntityRecord], error) {
	return readPage(ctx, l, entityFields, func(e directory.Entity) directory.EntityRecord { return directory.EntityRecord{Entity: e} })
}

// Readers implements directory.Store.
func (s *Store) Readers(ctx context.Context, partner directory.PartnerID, ref directory.Ref, at directory.Cursor) (directory.Page[directory.AccountRecord], error) {
	return s.people(ctx, partner, ref, directory.Reader, at)
}

// Teachers implements directory.Store.
func (s *Store) Teachers(ctx context.Context, partner directory.PartnerID, ref directory.Ref, at directory.Cursor) (directory.Page[directory.AccountRecord], error) {
	return s.people(ctx, partner, ref, directory.Teacher, at)
}

// people lists the accounts of a kind that are attached to an entity.
func (s *Store) people(ctx context.Context, partner directory.PartnerID, ref directory.Ref, k directory.Kind, at directory.Cursor) (directory.Page[directory.AccountRecord], error) {
	e, err := s.Entity(ctx, partner, ref)
	if err != nil {
		return directory.Page[directory.AccountRecord]{}, err
	}
	l := listing{s.DB, partner, "accounts", "user_id", []string{"entity_id", "kind"}, []int64{int64(e.ID), int64(k)}, at}
	return readPage(ctx, l, accounts.fields, func(a directory.Account) directory.AccountRecord {
		return directory.AccountRecord{Account: a, EntityRef: ref}
	})
}
