package row

import (
	"strings"
	"time"
)

// None is what stands for null in an integer that is an identifier, a year or a position: those that are given are not
// negative.
const None = -1

// Int declares an integer, which is 0 where it is null.
func Int[N ~int64](w *Walk, name string, p *N, options ...Option) {
	n, _ := w.visitor.Number(w.next(name, Integer, options), int64(*p), false)
	if w.fills {
		*p = N(n)
	}
}

// IntOrNone declares an integer that is [None] where it is null.
func IntOrNone[N ~int64](w *Walk, name string, p *N, options ...Option) {
	f := w.next(name, Integer, options)
	if w.making {
		f.Null = None
	}
	n, null := w.visitor.Number(f, int64(*p), *p == None)
	if null {
		n = None
	}
	if w.fills {
		*p = N(n)
	}
}

// OptionalInt declares an integer that is nil where it is null.
func OptionalInt(w *Walk, name string, p **int64, options ...Option) {
	optional(w, w.next(name, Integer, options), p)
}

// Bool declares a truth, which is false where it is null.
func Bool(w *Walk, name string, p *bool, options ...Option) {
	truth(w, w.next(name, Truth, options), p, false)
}

// BoolOr declares a truth that a feed may leave out: then it is the other.
func BoolOr(w *Walk, name string, p *bool, other bool) { truth(w, w.next(name, Truth, nil), p, other) }

func truth(w *Walk, f *Field, p *bool, other bool) {
	n := int64(0)
	if *p {
		n = 1
	}
	n, null := w.visitor.Number(f, n, false)
	if w.fills {
		*p = n != 0 || null && other
	}
}

// Enum declares a name, which is required, by its place among those given; an empty one is no name, and its number is null. What
// no feed has needs no names.
func Enum[E ~uint8](w *Walk, name string, p *E, names []string) {
	f := w.next(name, Name, nil)
	if w.making {
		f.Required = true
	}
	enum(w, f, p, names)
}

// Names are names that can be written in other ways too, which Parse knows.
type Names[E ~uint8] struct {
	List  []string
	Parse func(text string) (E, bool)
}

// EnumBy declares a name as Enum does, which is not required.
func EnumBy[E ~uint8](w *Walk, name string, p *E, names Names[E]) {
	f := w.next(name, Name, nil)
	if w.making {
		f.Parse = func(text []byte) (int64, error) {
			e, ok := names.Parse(string(text))
			if !ok {
				return 0, OneOf(names.List)
			}
			return int64(e), nil
		}
	}
	enum(w, f, p, names.List)
}

func enum[E ~uint8](w *Walk, f *Field, p *E, names []string) {
	if w.making {
		f.Names = names
	}
	n, _ := w.visitor.Number(f, int64(*p), *p == 0 && len(names) > 0 && names[0] == "")
	if w.fills {
		*p = E(n)
		w.fits(f, n, int64(*p))
	}
}

// OneOf is the error for a text that is none of the names.
type OneOf []string

// Error returns `must be one of a, b, c`.
func (names OneOf) Error() string {
	for len(names) > 0 && names[0] == "" {
		names = names[1:]
	}
	return "must be one of " + strings.Join(names, ", ")
}

// Amounted is an amount in units of its form's last decimal place.
type Amounted interface {
	~int64
	String() string
}

// Decimal declares an amount, 0 where it is null, that parse reads.
func Decimal[N Amounted](w *Walk, name string, p *N, parse func(text []byte) (N, error)) {
	f := w.next(name, Amount, nil)
	if w.making {
		f.Parse = func(text []byte) (int64, error) {
			n, err := parse(text)
			return int64(n), err
		}
		f.Format = func(n int64) string { return N(n).String() }
	}
	n, _ := w.visitor.Number(f, int64(*p), false)
	if w.fills {
		*p = N(n)
	}
}

// Day declares a day, which is 0 where it is null.
func Day[D ~int32](w *Walk, name string, p *D, options ...Option) {
	f := w.next(name, Date, options)
	n, _ := w.visitor.Number(f, int64(*p), false)
	if w.fills {
		*p = D(n)
		w.fits(f, n, int64(*p))
	}
}

// OptionalDay declares a day that is nil where it is null.
func OptionalDay[D ~int32](w *Walk, name string, p **D, options ...Option) {
	optional(w, w.next(name, Date, options), p)
}

// Where says whether a day is given, by the fields before it, and in words when it is not: `the reader is active`.
type Where struct {
	Given  bool
	Unless string
}

// DayWhere declares a day that is given where, and only where, the fields before it say so; elsewhere it is null, and 0.
func DayWhere[D ~int32](w *Walk, name string, p *D, where Where) {
	f := w.next(name, Date, nil)
	if w.making {
		f.Unless = where.Unless
	}
	n := int64(*p)
	if !where.Given {
		n = 0
	}
	n, null := w.visitor.Number(f, n, !where.Given)
	if !w.fills {
		return
	}
	switch {
	case null && where.Given:
		w.visitor.Fail(f, "is required unless "+where.Unless)
	case !null && !where.Given:
		w.visitor.Fail(f, "must be empty while "+where.Unless)
	}
	*p = D(n)
	w.fits(f, n, int64(*p))
}

// Instant declares an instant in UTC, of whole microseconds: more precise ones are cut. Null is the zero time, as is 1970
// unless the field is required.
func Instant(w *Walk, name string, p *time.Time, options ...Option) {
	instant(w, w.next(name, Moment, options), p)
}

// OptionalInstant is Instant for one that is NULL in a store where it is null, so that it may be any.
func OptionalInstant(w *Walk, name string, p *time.Time, options ...Option) {
	f := w.next(name, Moment, options)
	f.optional(w)
	instant(w, f, p)
}

func instant(w *Walk, f *Field, p *time.Time) {
	n, null := int64(0), p.IsZero()
	if !null {
		n = p.UnixMicro()
	}
	n, null = w.visitor.Number(f, n, null)
	if !w.fills {
		return
	}
	if *p = (time.Time{}); !null && (n != 0 || f.Required || f.Nullable) {
		*p = time.UnixMicro(n).UTC()
	}
}

// Text declares a text, which is empty where it is null.
func Text[S ~string](w *Walk, name string, p *S, options ...Option) {
	text, _ := w.visitor.Text(w.next(name, String, options), string(*p), *p == "")
	if w.fills {
		*p = S(text)
	}
}

// OptionalText declares a text that is nil where it is null.
func OptionalText(w *Walk, name string, p **string, options ...Option) {
	f := w.next(name, String, options)
	f.optional(w)
	was, null := "", *p == nil
	if !null {
		was = **p
	}
	switch now, null := w.visitor.Text(f, was, null); {
	case !w.fills:
	case null:
		*p = nil
	default:
		*p = &now
	}
}

// maxID is the most characters of an identifier (F5).
const maxID = 64

// ID declares the identifier of an event: a text of at most 64 characters or, in a feed, the digits of a number.
func ID(w *Walk, name string, p *[]byte, options ...Option) {
	f := w.next(name, Identifier, options)
	if w.making {
		f.AtMost = maxID
	}
	raw(w, f, p)
}

// Bytes declares a text that is not copied.
func Bytes(w *Walk, name string, p *[]byte, options ...Option) {
	raw(w, w.next(name, Word, options), p)
}

// Number declares a number that is kept as it is written, for a rule that reads it.
func Number(w *Walk, name string, p *[]byte, options ...Option) {
	raw(w, w.next(name, Numeral, options), p)
}

func raw(w *Walk, f *Field, p *[]byte) {
	if text := w.visitor.Bytes(f, *p); w.fills {
		*p = text
	}
}

// Ints declares a list of integers, nil where it is null or empty.
func Ints(w *Walk, name string, p *[]int64, options ...Option) {
	if list := w.visitor.List(w.next(name, Integers, options), *p); w.fills {
		*p = list
	}
}

// optional notes that null is nothing but null.
func (f *Field) optional(w *Walk) {
	if w.making {
		f.Nullable = true
	}
}

// optional visits a number behind a pointer.
func optional[N ~int32 | ~int64](w *Walk, f *Field, p **N) {
	f.optional(w)
	was, null := int64(0), *p == nil
	if !null {
		was = int64(**p)
	}
	switch n, null := w.visitor.Number(f, was, null); {
	case !w.fills:
	case null:
		*p = nil
	default:
		v := N(n)
		*p = &v
		w.fits(f, n, int64(v))
	}
}
