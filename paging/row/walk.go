package row

import "fmt"

// Visitor is what is done with the fields of a record, one after the other. Each method is handed what the field has, and
// returns what it shall have where records are to be filled.
type Visitor interface {
	// Number visits a number. Where it is null, n is the field's Null, or for a Nullable one 0.
	Number(f *Field, n int64, null bool) (int64, bool)
	// Text visits a text. An empty one is null unless it is of a Nullable field.
	Text(f *Field, text string, null bool) (string, bool)
	// Bytes visits what is only ever read. What it returns is valid until the next record is visited.
	Bytes(f *Field, text []byte) []byte
	List(f *Field, list []int64) []int64
	// Fail is told that what was read is against a rule, and why.
	Fail(f *Field, reason string)
}

// Nothing is a Visitor that does nothing: the others may begin with it.
type Nothing struct{}

// Number implements Visitor.
func (Nothing) Number(_ *Field, n int64, null bool) (int64, bool) { return n, null }

// Text implements Visitor.
func (Nothing) Text(_ *Field, text string, null bool) (string, bool) { return text, null }

// Bytes implements Visitor.
func (Nothing) Bytes(_ *Field, text []byte) []byte { return text }

// List implements Visitor.
func (Nothing) List(_ *Field, list []int64) []int64 { return list }

// Fail implements Visitor.
func (Nothing) Fail(*Field, string) {}

// Walk leads a visitor along the fields of records of one type, one record at a time.
type Walk struct {
	visitor Visitor
	schema  Schema
	at      int
	fills   bool // the records with what the visitor returns
	making  bool // the schema, which is not known yet
	err     error
}

// Fill returns a walk of the visitor along records of the schema's type, which it fills. It is not for use by several goroutines at
// once.
func (s Schema) Fill(v Visitor) *Walk { return &Walk{visitor: v, schema: s, fills: true} }

// Over visits all fields of a record. The error says that the visitor returned a number which the field cannot hold.
func (w *Walk) Over(r Row) error {
	w.at, w.err = 0, nil
	r.Fields(w)
	return w.err
}

// fits takes note of a number that a field has not kept as it was.
func (w *Walk) fits(f *Field, n, kept int64) {
	if n != kept && w.err == nil {
		w.err = fmt.Errorf("%s: %d is no such value", f.Name, n)
	}
}

// next returns the next field.
func (w *Walk) next(name string, k Kind, options []Option) *Field {
	if w.making {
		return w.make(name, k, options)
	}
	w.at++
	return &w.schema[w.at-1]
}

// make makes the next field of the schema. It stays out of next, which is called for every field of every record.
//
//go:noinline
func (w *Walk) make(name string, k Kind, options []Option) *Field {
	w.schema = append(w.schema, Field{Name: name, Kind: k, Index: len(w.schema)})
	f := &w.schema[len(w.schema)-1]
	f.set(options)
	return f
}
