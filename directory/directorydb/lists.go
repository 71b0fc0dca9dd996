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

// listing is a list: the live rows of a table whose columns have the given values, by their key. There is an index over
// the partner, the columns and the key, of live rows.
//
// The condition is a range of that index, as a comparison of rows, and the order names the index's columns. With plain
// equalities the engines would rather go along the primary key and pass over what is not of the list, which may be nearly
// all that the partner has.
type listing struct {
	db         bun.IDB
	partner    directory.PartnerID
	table, key string
	of         []string // the columns that say which list it is
	values     []int64  // of these columns
	at         directory.Cursor
}

// query returns the statement for a page: one row more than it shows, from the cursor on and in the direction in which it
// points, and in each row whether the list has rows on the cursor's other side. That is asked, not taken for granted,
// for they may have been deleted since. It is raw: the builder has no part of a statement that two of them share.
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

// after is the part of a statement for the rows after a number, in order.
func (l listing) after(number int64) schema.QueryWithArgs { return l.side(number, ">", "<=", "ASC") }

// before is the part of a statement for the rows before a number, from the last to the first.
func (l listing) before(number int64) schema.QueryWithArgs { return l.side(number, "<", ">=", "DESC") }

// side is the part of a statement for the rows from a number to the end of the list.
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

// held is a condition that PostgreSQL needs while it has no statistics, as after the first load: that each column is between
// its value and itself makes it expect few rows, where it would gather the whole list and sort it. SQLite would take this
// for the better bound.
func (l listing) held() schema.QueryWithArgs {
	held := bun.SafeQuery("")
	for i, c := range l.of {
		if handle.Postgres(l.db) {
			held = bun.SafeQuery("? AND "+c+" BETWEEN ? AND ?", held, l.values[i], l.values[i])
		}
	}
	return held
}

// has is the expression for whether a side has rows: it looks for the nearest, which the index has at hand.
func (l listing) has(side schema.QueryWithArgs) schema.QueryWithArgs {
	return bun.SafeQuery(`(SELECT `+l.key+` ? LIMIT 1) IS NOT NULL`, side)
}

// readPage reads a page of records, and makes of each what the list shows.
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
	return s.people(ctx, listing{partner: partner, values: []int64{int64(directory.Reader)}, at: at}, ref)
}

// Teachers implements directory.Store.
func (s *Store) Teachers(ctx context.Context, partner directory.PartnerID, ref directory.Ref, at directory.Cursor) (directory.Page[directory.AccountRecord], error) {
	return s.people(ctx, listing{partner: partner, values: []int64{int64(directory.Teacher)}, at: at}, ref)
}

// people lists the accounts of a kind that are attached to an entity.
func (s *Store) people(ctx context.Context, l listing, ref directory.Ref) (directory.Page[directory.AccountRecord], error) {
	e, err := s.Entity(ctx, l.partner, ref)
	if err != nil {
		return directory.Page[directory.AccountRecord]{}, err
	}
	l.db, l.table, l.key, l.of = s.DB, "accounts", "user_id", []string{"entity_id", "kind"}
	l.values = append([]int64{int64(e.ID)}, l.values...)
	return readPage(ctx, l, accounts.fields, func(a directory.Account) directory.AccountRecord {
		return directory.AccountRecord{Account: a, EntityRef: ref}
	})
}
