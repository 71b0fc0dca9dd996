package directorydb

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect"
	"github.com/uptrace/bun/schema"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/row"
)

// listing is a list: the live rows of a table whose columns have the given values, by their key. There is an index over
// the partner, the columns and the key, of live rows.
//
// The condition is a range of that index, as a comparison of rows, and the order names the index's columns. With plain
// equalities the engines would rather go along the primary key and pass over what is not of the list, which may be nearly
// all that the partner has.
type listing struct {
	table, columns string
	key            string
	of             string // the columns that say which list it is, with commas
	partner        directory.PartnerID
	values         []int64 // of these columns
	dialect        dialect.Name
}

// query returns the statement for a page: one row more than it shows, from the cursor on and in the direction in which it
// points, and in each row whether the list has rows on the cursor's other side. That is asked, not taken for granted,
// for they may have been deleted since.
func (l listing) query(at directory.Cursor) (statement string, args []any) {
	other, rows := bun.SafeQuery("FALSE"), l.after(0)
	switch {
	case at.After != 0:
		other, rows = l.has(l.before(at.After+1)), l.after(at.After)
	case at.Before != 0:
		other, rows = l.has(l.after(at.Before-1)), l.before(at.Before)
	}
	return `SELECT ` + l.columns + `, ?0 ?1 LIMIT ?2`, []any{other, rows, directory.Limit + 1}
}

// after is the part of a statement for the rows after a number, in order.
func (l listing) after(number int64) schema.QueryWithArgs { return l.side(number, ">", "<=", "ASC") }

// before is the part of a statement for the rows before a number, from the last to the first.
func (l listing) before(number int64) schema.QueryWithArgs { return l.side(number, "<", ">=", "DESC") }

// side is the part of a statement for the rows from a number to the end of the list.
func (l listing) side(number int64, from, to, direction string) schema.QueryWithArgs {
	columns := strings.Split(l.of, ", ")
	return bun.SafeQuery(`
		  FROM `+l.table+`
		 WHERE tenant_id = ?0 AND NOT deleted
		   AND (`+l.of+`, `+l.key+`) `+from+` (?1, ?2)
		   AND (`+l.of+`) `+to+` (?1)
		       ?3
		 ORDER BY `+strings.Join(append(columns, l.key), " "+direction+", ")+` `+direction,
		l.partner, bun.List(l.values), number, l.held(columns))
}

// held is a condition that PostgreSQL needs while it has no statistics, as after the first load: that each column is between
// its value and itself makes it expect few rows, where it would gather the whole list and sort it. SQLite would take this
// for the better bound.
func (l listing) held(columns []string) schema.QueryWithArgs {
	held := bun.SafeQuery("")
	for i, c := range columns {
		if l.dialect == dialect.PG {
			held = bun.SafeQuery("? AND "+c+" BETWEEN ? AND ?", held, l.values[i], l.values[i])
		}
	}
	return held
}

// has is the expression for whether a side has rows: it looks for the nearest, which the index has at hand.
func (l listing) has(side schema.QueryWithArgs) schema.QueryWithArgs {
	return bun.SafeQuery(`(SELECT `+l.key+` ? LIMIT 1) IS NOT NULL`, side)
}

// readPage reads a page of records of the schema, which record finds in a row.
func readPage[T any](ctx context.Context, idb bun.IDB, l listing, at directory.Cursor, s row.Schema, record func(*T) row.Row) (directory.Page[T], error) {
	var p directory.Page[T]
	var other bool
	statement, args := l.query(at)
	rows, err := idb.QueryContext(ctx, statement, args...)
	scanner := s.Scanner()
	err = each(rows, err, func() error {
		var v T
		err := scanner.Scan(func(dest ...any) error { return rows.Scan(append(dest, &other)...) }, record(&v))
		p.Rows = append(p.Rows, v)
		return err
	})
	if err != nil {
		return directory.Page[T]{}, fmt.Errorf("list %s: %w", l.table, err)
	}
	more := len(p.Rows) > directory.Limit
	if more {
		p.Rows = p.Rows[:directory.Limit]
	}
	if p.HasBefore, p.HasAfter = other, more; at.After == 0 && at.Before != 0 {
		p.HasBefore, p.HasAfter = more, other
		slices.Reverse(p.Rows)
	}
	return p, nil
}

// entities lists the entities that have a value in a column.
func (s *Store) entities(ctx context.Context, partner directory.PartnerID, column string, value int64, at directory.Cursor) (directory.Page[directory.EntityRecord], error) {
	l := listing{"entities", entityColumns, "entity_id", column, partner, []int64{value}, s.DB.Dialect().Name()}
	return readPage(ctx, s.DB, l, at, entityFields, func(e *directory.EntityRecord) row.Row { return &e.Entity })
}

// Entities implements directory.Store.
func (s *Store) Entities(ctx context.Context, partner directory.PartnerID, t directory.EntityType, at directory.Cursor) (directory.Page[directory.EntityRecord], error) {
	return s.entities(ctx, partner, "entity_type", int64(t), at)
}

// Subtree implements directory.Store.
func (s *Store) Subtree(ctx context.Context, partner directory.PartnerID, ref directory.Ref, at directory.Cursor) (directory.Page[directory.EntityRecord], error) {
	root, err := readEntity(ctx, s.DB, partner, ref)
	if err != nil || root.Type == directory.Class {
		return directory.Page[directory.EntityRecord]{}, err
	}
	column := "parent_id"
	if root.Type == directory.Network {
		column = "network_id"
	}
	return s.entities(ctx, partner, column, int64(root.ID), at)
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
	e, err := readEntity(ctx, s.DB, partner, ref)
	if err != nil {
		return directory.Page[directory.AccountRecord]{}, err
	}
	l := listing{"accounts", accountColumns, "user_id", "entity_id, kind", partner, []int64{int64(e.ID), int64(k)}, s.DB.Dialect().Name()}
	p, err := readPage(ctx, s.DB, l, at, accountFields, func(a *directory.AccountRecord) row.Row { return &a.Account })
	for i := range p.Rows {
		p.Rows[i].EntityRef = ref
	}
	return p, err
}
