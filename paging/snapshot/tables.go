package snapshot

import (
	"iter"
	"slices"
	"strings"

	"github.com/lectern-dev/lectern/paging/row"
)

// Table is a table that loads write. A row has the tenant, the Key, since and until, and is never overwritten. The
// tenant, the Key and since name it.
type Table struct {
	Name string
	// Key are the integer columns that name a row in a snapshot. The one with the fewest values comes first.
	Key []string
	// Columns are all others but tenant_id, since and until.
	Columns []string
}

// Change is what a load does to a table: it takes the rows with the keys Deleted out of the snapshot and puts others in. A
// row that replaces another is in both. Put yields the values of Key and Columns, in their order, and may reuse the
// slice for the next row.
type Change struct {
	Table   *Table
	Deleted [][]int64
	Put     iter.Seq[[]any] // may be nil
}

// Records is a Table of records that declare their fields.
type Records[T any] struct {
	*Table
	// Fields are the columns of the record's fields, in the order of the fields.
	Fields []string

	schema row.Schema
	derive func(T) []any
	record func(*T) row.Row
	only   []string // fields
	order  []int    // for each column of the table, the index of its value: derived values come first, then the fields
}

// RecordsOf describes a table of records.
type RecordsOf[T any] struct {
	Name string
	// Key names the columns of the key, with commas. See [Table].
	Key string
	// Derived names the columns of the key that are not fields of the record. Derive returns their values.
	Derived []string
	Derive  func(T) []any
	// Columns are the columns that are not named as their field, by the field's name.
	Columns map[string]string
}

// NewRecords returns a table of records.
func NewRecords[T any, R interface {
	*T
	row.Row
}](of RecordsOf[T]) *Records[T] {
	r := &Records[T]{
		Table:  &Table{Name: of.Name, Key: strings.Split(of.Key, ", ")},
		schema: row.Of(R(new(T))), derive: of.Derive, record: func(v *T) row.Row { return R(v) },
	}
	for _, f := range r.schema {
		column, ok := of.Columns[f.Name]
		if !ok {
			column = f.Column()
		}
		r.Fields = append(r.Fields, column)
		if !slices.Contains(r.Key, column) {
			r.Columns = append(r.Columns, column)
		}
	}
	all := slices.Concat(of.Derived, r.Fields)
	for _, column := range slices.Concat(r.Key, r.Columns) {
		r.order = append(r.order, slices.Index(all, column))
	}
	return r
}

// Only returns the table with some fields of its records, to read no others.
func (r *Records[T]) Only(fields ...string) *Records[T] {
	some := *r
	some.Fields, some.only = nil, fields
	for i, column := range r.Fields {
		if slices.Contains(fields, r.schema[i].Name) {
			some.Fields = append(some.Fields, column)
		}
	}
	return &some
}

// Values returns a record's values of the key's columns and of the others, in their order.
func (r *Records[T]) Values(v T) []any {
	all := make([]any, 0, len(r.order))
	if r.derive != nil {
		all = append(all, r.derive(v)...)
	}
	all = r.schema.Values(all, r.record(&v))
	if slices.IsSorted(r.order) { // all is in that order already
		return all
	}
	values := make([]any, len(r.order))
	for i, place := range r.order {
		values[i] = all[place]
	}
	return values
}

// Same reports whether two records have the same stored values.
func (r *Records[T]) Same(a, b T) bool { return r.schema.Equal(r.record(&a), r.record(&b)) }

// Append appends a record as [row.Schema.Append] does, for Read.
func (r *Records[T]) Append(b []byte, v *T) []byte { return r.schema.Append(b, r.record(v)) }

// Read reads a record that Append has appended. Anything else is an error.
func (r *Records[T]) Read(from row.Source) (v T, err error) {
	err = r.schema.Read(from, r.record(&v))
	return v, err
}

// Scanner returns a function that reads a record, given a function that scans the values of Fields, such as
// sql.Rows.Scan. It must not be used by several goroutines at once.
func (r *Records[T]) Scanner() func(scan func(dest ...any) error) (T, error) {
	next := r.schema.Scanner(r.only...)
	return func(scan func(dest ...any) error) (v T, err error) {
		err = next(scan, r.record(&v))
		return v, err
	}
}

// Rows collects the records that a load puts in. Those of Again replace the rows with their keys.
type Rows[T any] struct{ New, Again []T }

// Add adds a record.
func (p *Rows[T]) Add(v T, again bool) {
	if again {
		p.Again = append(p.Again, v)
	} else {
		p.New = append(p.New, v)
	}
}

// Sort sorts New and Again.
func (p Rows[T]) Sort(order func(a, b *T) int) {
	for _, list := range [...][]T{p.New, p.Again} {
		places := make([]*T, len(list)) // records are large: each is moved once
		for i := range list {
			places[i] = &list[i]
		}
		slices.SortFunc(places, order)
		sorted := make([]T, len(list))
		for i, r := range places {
			sorted[i] = *r
		}
		copy(list, sorted)
	}
}

// Len returns the number of records.
func (p Rows[T]) Len() int { return len(p.New) + len(p.Again) }

// Change returns the change that puts the collected records in.
func (r *Records[T]) Change(p Rows[T]) Change {
	c := Change{Table: r.Table}
	for _, v := range p.Again {
		key := make([]int64, len(r.Key))
		for i, n := range r.Values(v)[:len(r.Key)] {
			key[i] = n.(int64)
		}
		c.Deleted = append(c.Deleted, key)
	}
	if p.Len() > 0 {
		c.Put = func(yield func([]any) bool) {
			for _, list := range [...][]T{p.New, p.Again} {
				for _, v := range list {
					if !yield(r.Values(v)) {
						return
					}
				}
			}
		}
	}
	return c
}
