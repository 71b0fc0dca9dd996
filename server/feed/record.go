package feed

import (
	"context"
	"errors"
	"slices"

	"github.com/lectern-dev/lectern/paging/row"
)

// Record is a pointer to a row's type R, which declares its fields.
type Record[R any] interface {
	*R
	row.Row
}

// Sink takes what becomes of the rows of a file, on one goroutine and in the file's order.
type Sink[V any] struct {
	// Take takes what a good row is checked to be. The error is as that of sink for [Read].
	Take func(*V, Pos) error
	// Skip is told of a good row that is passed over, and why. Nil is for files that have none.
	Skip func(why error)
	// Bad is as for [Read].
	Bad func(*RowError) error
}

// Records reads a file whose rows are records. Each is filled, then checked, on several goroutines at once: a
// [row.FaultError] of check is a fault of the row, any other error says why the row is passed over. What a record has as
// []byte is valid until check returns.
func Records[R, V any, P Record[R]](ctx context.Context, file *File, check func(R) (V, error), to Sink[V]) error {
	type outcome struct {
		value V
		skip  error
	}
	return Read(ctx, file, row.Of(P(new(R))), func(r *Row, o *outcome) {
		record, ok := r.record.(P)
		if !ok {
			record = new(R) // once for each goroutine
			r.record, r.fill = record, row.Schema(r.fields).Fill(filling{r})
		}
		var zero R
		*record = zero
		_ = r.fill.Over(record) // what a field cannot hold is not read
		if r.Bad() {
			return
		}
		var err error
		o.value, err = check(*record)
		if wrong, ok := errors.AsType[*row.FaultError](err); ok {
			r.Fail(slices.IndexFunc(r.fields, func(f Field) bool { return f.Name == wrong.Field }), wrong.Reason)
			return
		}
		o.skip = err
	}, func(o *outcome, at Pos) error {
		if o.skip != nil {
			to.Skip(o.skip)
			return nil
		}
		return to.Take(&o.value, at)
	}, to.Bad)
}

// filling is a row as a visitor that fills records: of each field it reads what the field is declared to be.
type filling struct{ r *Row }

// Number implements row.Visitor.
func (v filling) Number(f *row.Field, _ int64, _ bool) (n int64, null bool) {
	r, i := v.r, f.Index
	if f.Kind == row.Integer { // as most are
		if n, wrong := parseInt(r.cells[i]); wrong == "" {
			return n, false
		}
	}
	if r.Null(i) {
		return 0, true
	}
	switch f.Kind {
	case row.Integer:
		n = r.Int(i)
	case row.Truth:
		if r.Bool(i) {
			n = 1
		}
	case row.Date:
		n = int64(r.Date(i))
	case row.Moment:
		t := r.Time(i)
		return t.UnixMicro(), t.IsZero()
	case row.Name:
		n = v.name(f, r.Bytes(i))
	case row.Amount:
		if text := r.Decimal(i); text != nil {
			n = v.parse(f, text)
		}
	}
	return n, false
}

// name returns the number of a name.
func (v filling) name(f *row.Field, text []byte) int64 {
	if text == nil {
		return 0 // it is wrong already
	}
	for n, name := range f.Names {
		if name == string(text) {
			return int64(n)
		}
	}
	if f.Parse != nil {
		return v.parse(f, text)
	}
	v.Fail(f, row.OneOf(f.Names).Error())
	return 0
}

// parse reads what the field itself knows to read.
func (v filling) parse(f *row.Field, text []byte) int64 {
	n, err := f.Parse(text)
	if err != nil {
		v.Fail(f, err.Error())
	}
	return n
}

// Text implements row.Visitor.
func (v filling) Text(f *row.Field, _ string, _ bool) (string, bool) {
	return v.r.Text(f.Index), v.r.Null(f.Index)
}

// Bytes implements row.Visitor.
func (v filling) Bytes(f *row.Field, _ []byte) []byte {
	switch f.Kind {
	case row.Identifier:
		return v.r.ID(f.Index)
	case row.Figure:
		return v.r.Number(f.Index)
	}
	return v.r.Bytes(f.Index)
}

// List implements row.Visitor.
func (v filling) List(f *row.Field, _ []int64) []int64 { return v.r.Ints(f.Index) }

// Fail implements row.Visitor.
func (v filling) Fail(f *row.Field, reason string) { v.r.Fail(f.Index, reason) }
