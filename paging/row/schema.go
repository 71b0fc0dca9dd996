package row

import "fmt"

// Row is a record that declares its fields. Fields calls one function of this package for each field, always in the
// same order, whatever the values are.
type Row interface{ Fields(*Walk) }

// Kind is the kind of a field's values.
type Kind uint8

// The kinds of fields, with what a [Visitor] is handed of them.
const (
	Integer    Kind = iota // a Number from 0 to 2^53-1 in a feed
	Truth                  // a Number: 0 or 1
	Name                   // a Number: the index of the name in Names
	Amount                 // a Number, in units of its form's last decimal place
	Date                   // a Number: days since 1970-01-01
	Moment                 // a Number: microseconds since 1970
	String                 // a Text
	Identifier             // Bytes: a text of 64 characters, or the digits of a number
	Word                   // Bytes: a text
	Numeral                // Bytes: a number as it is written
	Integers               // a List
)

// Field is what is known of a field without a record.
type Field struct {
	Name  string
	Kind  Kind
	Index int // among the fields, from 0
	// Required says that the field is never null.
	Required bool
	// Nullable says that null is stored apart from the values. Otherwise Null is the value for null.
	Nullable bool
	Null     int64
	AtMost   int      // characters of a text in a feed; 0 is any number
	Names    []string // of a Name, by index; an empty one belongs to no value
	// Parse parses what a feed writes: a text that is not one of the Names, or an Amount. The error says what is wrong,
	// such as `must be a number from 0 to 100`. It may be nil for a Name.
	Parse func(text []byte) (int64, error)
	// Format formats an Amount.
	Format func(n int64) string
	// Unless says in words when a day is forbidden. See [DayWhere].
	Unless string
}

// Schema describes the fields of a record, in their order.
type Schema []Field

// Of returns the schema of a record, which may be zero.
func Of(r Row) Schema {
	w := &Walk{visitor: NoOp{}, making: true}
	r.Fields(w)
	return w.schema
}

// Field returns the field with a name, or nil.
func (s Schema) Field(name string) *Field {
	for i := range s {
		if s[i].Name == name {
			return &s[i]
		}
	}
	return nil
}

// Names returns the names of the fields.
func (s Schema) Names() []string {
	names := make([]string, len(s))
	for i := range s {
		names[i] = s[i].Name
	}
	return names
}

// Option is a property of a field. See [AtMost].
type Option uint32

// Required says that a field is never null.
const Required Option = 1

// atMost is the number of bits below those of [AtMost] in an option.
const atMost = 1

// AtMost limits the length of a text in a feed, in characters.
func AtMost(characters int) Option { return Option(characters) << atMost }

// NameOf returns the name of a value of an enum. A value without a name is shown as a number.
func NameOf[E ~uint8](names []string, what string, e E) string {
	if int(e) < len(names) && names[e] != "" {
		return names[e]
	}
	return fmt.Sprintf("%s %d", what, uint8(e))
}

// ValueOf returns the value of an enum with a name, and whether there is one.
func ValueOf[E ~uint8](names []string, name string) (E, bool) {
	for e, n := range names {
		if n == name && n != "" {
			return E(e), true
		}
	}
	return 0, false
}

// Visitor does something with each field of a record. A method gets the field's value, and returns the value to store
// if records are being filled.
type Visitor interface {
	// Number visits a number. If it is null, n is the field's Null, or 0 for a Nullable field.
	Number(f *Field, n int64, null bool) (int64, bool)
	// Text visits a text. An empty one is null, unless the field is Nullable.
	Text(f *Field, text string, null bool) (string, bool)
	// Bytes visits a text that is not copied. The returned bytes are valid until the next record is visited.
	Bytes(f *Field, text []byte) []byte
	List(f *Field, list []int64) []int64
	// Fail is called if the returned value breaks a rule.
	Fail(f *Field, reason string)
}

// NoOp is a Visitor that does nothing, to be embedded in others.
type NoOp struct{}

// Number implements Visitor.
func (NoOp) Number(_ *Field, n int64, null bool) (int64, bool) { return n, null }

// Text implements Visitor.
func (NoOp) Text(_ *Field, text string, null bool) (string, bool) { return text, null }

// Bytes implements Visitor.
func (NoOp) Bytes(_ *Field, text []byte) []byte { return text }

// List implements Visitor.
func (NoOp) List(_ *Field, list []int64) []int64 { return list }

// Fail implements Visitor.
func (NoOp) Fail(*Field, string) {}

// Walk leads a visitor through the fields of records of one type, one record at a time.
type Walk struct {
	visitor Visitor
	schema  Schema
	at      int
	fills   bool // stores what the visitor returns in the records
	making  bool // makes the schema
	err     error
}

// Fill returns a walk that fills records with what the visitor returns. It must not be used by several goroutines at
// once.
func (s Schema) Fill(v Visitor) *Walk { return &Walk{visitor: v, schema: s, fills: true} }

// Over visits all fields of a record. The error says that the visitor returned a number that a field cannot hold.
func (w *Walk) Over(r Row) error {
	w.at, w.err = 0, nil
	r.Fields(w)
	return w.err
}

// fits notes a number that a field could not hold.
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
	var all Option
	for _, o := range options {
		all |= o
	}
	w.schema = append(w.schema, Field{
		Name: name, Kind: k, Index: len(w.schema), Required: all&Required != 0, AtMost: int(all >> atMost),
	})
	return &w.schema[len(w.schema)-1]
}
