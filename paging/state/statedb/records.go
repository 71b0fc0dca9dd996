package statedb

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/paging/row"
)

// Records is a Table whose rows are records of a type that declares its fields.
type Records[T any] struct {
	*Table
	derive func(T) []any
	record func(*T) row.Row
	schema row.Schema
	fields string // the columns that are the record's, in the order of its fields
	order  []int  // the place among the fields, behind what is derived, of each column of the table
}

// RecordsOf says what a table of records is.
type RecordsOf[T any] struct {
	Name string
	// Key names the columns of the key, with commas. See [Table].
	Key string
	// Derived names those of them that are no field of the record, and Derive returns their values.
	Derived []string
	Derive  func(T) []any
	// Columns are those of fields that have another name than the field's, by the field's.
	Columns map[string]string
	Unread  bool
}

// NewRecords returns a table of records.
func NewRecords[T any, R interface {
	*T
	row.Row
}](of RecordsOf[T]) *Records[T] {
	r := &Records[T]{
		Table:  &Table{Name: of.Name, Key: strings.Split(of.Key, ", "), Unread: of.Unread},
		derive: of.Derive, record: func(v *T) row.Row { return R(v) }, schema: row.Of(R(new(T))),
	}
	all := slices.Clone(of.Derived)
	for _, f := range r.schema {
		column, ok := of.Columns[f.Name]
		if !ok {
			column = f.Column()
		}
		all = append(all, column)
		if !slices.Contains(r.Key, column) {
			r.Columns = append(r.Columns, column)
		}
	}
	r.fields = list(all[len(of.Derived):])
	for _, column := range slices.Concat(r.Key, r.Columns) {
		r.order = append(r.order, slices.Index(all, column))
	}
	return r
}

// Values returns a record's values of the key's columns and of the others, in their order.
func (r *Records[T]) Values(v T) []any {
	all := make([]any, 0, len(r.order))
	if r.derive != nil {
		all = append(all, r.derive(v)...)
	}
	all = r.schema.Values(all, r.record(&v))
	if slices.IsSorted(r.order) { // they are in that order already
		return all
	}
	values := make([]any, len(r.order))
	for i, place := range r.order {
		values[i] = all[place]
	}
	return values
}

// Replace is the change that puts a row for each record of a list, in place of those of the keys gone, which it sorts.
func (r *Records[T]) Replace(gone [][]int64, list []T) RowChange {
	slices.SortFunc(gone, slices.Compare)
	if len(list) == 0 {
		return RowChange{Table: r.Table, Gone: gone}
	}
	return RowChange{Table: r.Table, Gone: gone, Put: func(yield func([]any) bool) {
		for _, v := range list {
			if !yield(r.Values(v)) {
				return
			}
		}
	}}
}

// Keys returns the keys of records.
func (r *Records[T]) Keys(list []T) [][]int64 {
	keys := make([][]int64, len(list))
	for i, v := range list {
		for _, n := range r.Values(v)[:len(r.Key)] {
			keys[i] = append(keys[i], n.(int64))
		}
	}
	return keys
}

// Read calls f with the records that a query finds, of which from is what stands behind SELECT and the columns:
// `FROM libraries_books WHERE …`.
func (r *Records[T]) Read(ctx context.Context, idb bun.IDB, f func(T), from string, args ...any) error {
	rows, err := idb.QueryContext(ctx, `SELECT `+r.fields+` `+from, args...)
	scanner := r.schema.Scanner()
	return authdb.Visit(rows, err, r.Name, func(rows *sql.Rows) error {
		var v T
		err := scanner.Scan(rows.Scan, r.record(&v))
		if err == nil {
			f(v)
		}
		return err
	})
}
