package directorydb

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
)

// fields are the columns that a record declares.
type fields[R any] struct {
	schema  row.Schema
	columns string // with commas
	record  func(*R) row.Row
}

func fieldsOf[R any, P interface {
	*R
	row.Row
}]() fields[R] {
	s := row.Of(P(new(R)))
	names := make([]string, len(s))
	for i := range s {
		names[i] = s[i].Column()
	}
	return fields[R]{s, strings.Join(names, ", "), func(r *R) row.Row { return P(r) }}
}

// read calls visit with each record that a query found. more are the destinations of the columns after those of the
// record.
func (f fields[R]) read(rows *sql.Rows, err error, visit func(R) error, more ...any) error {
	if err != nil {
		return err
	}
	defer rows.Close()
	var r R
	next, scan := f.schema.Scanner(), func(dest ...any) error { return rows.Scan(append(dest, more...)...) }
	for rows.Next() {
		if err := next(scan, f.record(&r)); err != nil {
			return err
		}
		if err := visit(r); err != nil {
			return err
		}
	}
	return rows.Err()
}

// one returns the record that a query found, or directory.ErrNotFound.
func (f fields[R]) one(rows *sql.Rows, err error, more ...any) (found R, _ error) {
	missing := directory.ErrNotFound
	err = f.read(rows, err, func(r R) error {
		found, missing = r, nil
		return nil
	}, more...)
	return found, cmp.Or(err, missing)
}

// table is a table of records. Each row has the partner and a record. If superseded rows are kept it also has the
// version that wrote it.
type table[R any] struct {
	fields[R]
	name, key  string
	superseded string // the columns that are kept of a superseded row, for the reports of earlier snapshots (G8)
	kept       string // a column that never changes
	id         func(R) (number int64, ref directory.Ref, deleted bool)
}

// entityRow is an entity as it is stored.
type entityRow struct {
	directory.Entity
	network directory.EntityID // above; 0 for a network
}

func (r *entityRow) Fields(w *row.Walk) {
	r.Entity.Fields(w)
	row.Int(w, "networkId", &r.network)
}

var (
	entityFields = fieldsOf[directory.Entity]()
	entities     = table[entityRow]{
		fields: fieldsOf[entityRow](), name: "entities", key: "entity_id", superseded: entityFields.columns,
		id: func(r entityRow) (int64, directory.Ref, bool) { return int64(r.ID), r.Ref, r.Deleted },
	}
	accounts = table[directory.Account]{
		fields: fieldsOf[directory.Account](), name: "accounts", key: "user_id", superseded: `user_id, kind, name, email, entity_id, active, deleted`,
		kept: "access_token", // (P7)
		id:   func(a directory.Account) (int64, directory.Ref, bool) { return int64(a.ID), a.Ref, a.Deleted },
	}
	evaluations = table[directory.Evaluation]{
		fields: fieldsOf[directory.Evaluation](), name: "evaluations", key: "evaluation_id",
		id: func(v directory.Evaluation) (int64, directory.Ref, bool) { return v.ID, "", true },
	}
)

// SupersededTables returns the tables of superseded rows.
func SupersededTables() []snapshotdb.Rows {
	return []snapshotdb.Rows{
		{Table: "superseded_entities", Key: []string{"until", "entity_id"}}, {Table: "superseded_accounts", Key: []string{"until", "user_id"}},
		{Table: "superseded_degrees", Key: []string{"until", "position"}},
	}
}

// chunk is the number of rows of one statement, since bun writes the values into its text.
const chunk = 2000

// insert adds rows. If again is true they may replace stored ones. The statement is raw, since bun inserts only models,
// which would declare the fields once more.
func (t *table[R]) insert(ctx context.Context, w *Write, again bool, rows []R) error {
	head, first := `tenant_id, `, []any{int64(w.Partner)}
	if t.superseded != "" {
		head, first = head+`version, `, append(first, w.Version)
	}
	columns, conflict := head+t.columns, bun.SafeQuery("")
	if again {
		conflict = bun.SafeQuery(`ON CONFLICT (tenant_id, ?) DO UPDATE SET `+t.excluded(columns), bun.Ident(t.key))
	}
	for part := range slices.Chunk(rows, chunk) {
		values := make([]bun.TupleValues, len(part))
		for i := range part {
			all := t.schema.Values(slices.Clone(first), t.record(&part[i]))
			if err := storable(all); err != nil {
				return fmt.Errorf("number %d: %w", t.number(part[i]), err)
			}
			values[i] = bun.Tuple(all)
		}
		w.changed = true
		if _, err := w.NewRaw(`INSERT INTO ? (`+columns+`) VALUES ? ?`, bun.Ident(t.name), bun.List(values), conflict).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// excluded returns the assignments that replace a stored row.
func (t *table[R]) excluded(columns string) string {
	var set []string
	for c := range strings.SplitSeq(columns, ", ") {
		if c != "tenant_id" && c != t.key && c != t.kept {
			set = append(set, c+" = EXCLUDED."+c)
		}
	}
	return strings.Join(set, ", ")
}

// storable converts values to those that bun can write. The error is directory.ErrText if a text cannot be stored.
func storable(values []any) error {
	for i, v := range values {
		switch v := v.(type) {
		case string:
			if err := directory.CheckText(v); err != nil {
				return err
			}
		case nil:
			values[i] = bun.Safe("NULL") // bun writes no nil within a tuple
		}
	}
	return nil
}

// keepSuperseded copies rows to the table of superseded ones before this version replaces them. A row that this
// version wrote is there already.
func (t *table[R]) keepSuperseded(ctx context.Context, w *Write, which schema.QueryWithArgs) error {
	if t.superseded == "" {
		return nil
	}
	_, err := w.NewRaw(`
		INSERT INTO ? (tenant_id, until, version, `+t.superseded+`)
		SELECT tenant_id, ?, version, `+t.superseded+`
		  FROM ?
		 WHERE tenant_id = ? AND version < ? AND ?`,
		bun.Ident("superseded_"+t.name), w.Version, bun.Ident(t.name), w.Partner, w.Version, which).Exec(ctx)
	if err != nil {
		return fmt.Errorf("keep superseded %s: %w", t.name, err)
	}
	return nil
}

// put writes sorted rows, and replaces stored ones with the same numbers.
func (t *table[R]) put(ctx context.Context, w *Write, rows []R) error {
	var numbers []int64
	for _, r := range rows {
		numbers = append(numbers, t.number(r))
	}
	for part := range slices.Chunk(numbers, chunk) {
		if err := t.keepSuperseded(ctx, w, t.among(part)); err != nil {
			return err
		}
	}
	if err := t.freeReferences(ctx, w, rows); err != nil {
		return err
	}
	return t.insert(ctx, w, true, rows)
}

func (t *table[R]) number(r R) int64 {
	number, _, _ := t.id(r)
	return number
}

// lastOfEach sorts rows by number and keeps the last of each, since an engine refuses to replace a row twice in one
// statement. It overwrites the slice.
func (t *table[R]) lastOfEach(rows []R) []R {
	slices.SortStableFunc(rows, func(a, b R) int { return cmp.Compare(t.number(a), t.number(b)) })
	kept := rows[:0]
	for i, r := range rows {
		if i+1 == len(rows) || t.number(r) != t.number(rows[i+1]) {
			kept = append(kept, r)
		}
	}
	return kept
}

// among returns the condition for rows with ascending numbers. The bounds make PostgreSQL use the key while it has no
// statistics, as after the first load.
func (t *table[R]) among(numbers []int64) schema.QueryWithArgs {
	return bun.SafeQuery("?0 BETWEEN ?1 AND ?2 AND ?0 IN (?3)", bun.Ident(t.key), numbers[0], numbers[len(numbers)-1], bun.List(numbers))
}

// freeReferences marks stored rows that give up their reference as deleted, until they are written again. That takes
// them out of the unique index.
//
// It compares the live rows between the first and the last number in Go. Joined in SQL, one of the engines would
// compare all pairs.
func (t *table[R]) freeReferences(ctx context.Context, w *Write, rows []R) error {
	if len(rows) == 0 || t.superseded == "" {
		return nil
	}
	stored, err := w.NewSelect().Table(t.name).Column(t.key, "reference_id").
		Where("tenant_id = ? AND NOT deleted", w.Partner).
		Where("? BETWEEN ? AND ?", bun.Ident(t.key), t.number(rows[0]), t.number(rows[len(rows)-1])).
		OrderExpr("?", bun.Ident(t.key)).Rows(ctx)
	var givers []int64
	err = snapshotdb.Visit(stored, err, "references", func(stored *sql.Rows) error {
		var number int64
		var ref directory.Ref
		if err := stored.Scan(&number, &ref); err != nil {
			return err
		}
		if i, ok := slices.BinarySearchFunc(rows, number, func(r R, n int64) int { return cmp.Compare(t.number(r), n) }); ok {
			if _, will, deleted := t.id(rows[i]); deleted || will != ref {
				givers = append(givers, number)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for part := range slices.Chunk(givers, chunk) {
		_, err := w.NewUpdate().Table(t.name).Set("deleted = TRUE").Where("tenant_id = ? AND ?", w.Partner, t.among(part)).Exec(ctx)
		if err != nil {
			return fmt.Errorf("free references: %w", err)
		}
	}
	return nil
}
