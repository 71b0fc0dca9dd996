package row

import (
	"strings"
	"time"
)

// None is the null of an integer that is an identifier, a year or a position, which are never negative.
const None = -1

// Int declares an integer. Its null is 0.
func Int[N ~int64](w *Walk, name string, p *N, options ...Option) {
	n, _ := w.visitor.Number(w.next(name, Integer, options), int64(*p), false)
	if w.fills {
		*p = N(n)
	}
}

// IntOrNone declares an integer. Its null is [None].
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

// OptionalInt declares an integer. Its null is nil.
func OptionalInt(w *Walk, name string, p **int64, options ...Option) {
	optional(w, w.next(name, Integer, options), p)
}

// Bool declares a bool. Its null is false.
func Bool(w *Walk, name string, p *bool) { BoolOr(w, name, p, false) }

// BoolOr declares a bool that a feed may leave out. Then it is the other.
func BoolOr(w *Walk, name string, p *bool, other bool) {
	n := int64(0)
	if *p {
		n = 1
	}
	n, null := w.visitor.Number(w.next(name, Truth, nil), n, false)
	if w.fills {
		*p = n != 0 || null && other
	}
}

// Enum declares a required value of an enum, by the index of its name. An empty name belongs to no value, and its index
// is null. An enum that is in no feed needs no names.
func Enum[E ~uint8](w *Walk, name string, p *E, names []string) {
	f := w.next(name, Name, nil)
	if w.making {
		f.Required = true
	}
	enum(w, f, p, names)
}

// EnumBy declares a value of an enum as Enum does, but not as required. parse knows other ways to write the names.
func EnumBy[E ~uint8](w *Walk, name string, p *E, names []string, parse func(text string) (E, bool)) {
	f := w.next(name, Name, nil)
	if w.making {
		f.Parse = func(text []byte) (int64, error) {
			e, ok := parse(string(text))
			if !ok {
				return 0, OneOf(names)
			}
			return int64(e), nil
		}
	}
	enum(w, f, p, names)
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

// OneOf is the error for a text that is not one of the names.
type OneOf []string

// Error returns `must be one of a, b, c`.
func (names OneOf) Error() string {
	for len(names) > 0 && names[0] == "" {
		names = names[1:]
	}
	return "must be one of " + strings.Join(names, ", ")
}

// Decimal declares an amount in units of its last decimal place, which parse reads. Its null is 0.
func Decimal[N interface {
	~int64
	String() string
}](w *Walk, name string, p *N, parse func(text []byte) (N, error)) {
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

// Day declares a day. Its null is 0.
func Day[D ~int32](w *Walk, name string, p *D, options ...Option) {
	f := w.next(name, Date, options)
	n, _ := w.visitor.Number(f, int64(*p), false)
	if w.fills {
		*p = D(n)
		w.fits(f, n, int64(*p))
	}
}

// OptionalDay declares a day. Its null is nil.
func OptionalDay[D ~int32](w *Walk, name string, p **D, options ...Option) {
	optional(w, w.next(name, Date, options), p)
}

// DayWhere declares a day that earlier fields require if given, and forbid otherwise. A forbidden one is null, which is
// 0. unless says in words when they forbid it: `the reader is active`.
func DayWhere[D ~int32](w *Walk, name string, p *D, given bool, unless string) {
	f := w.next(name, Date, nil)
	if w.making {
		f.Unless = unless
	}
	n := int64(*p)
	if !given {
		n = 0
	}
	n, null := w.visitor.Number(f, n, !given)
	if !w.fills {
		return
	}
	switch {
	case null && given:
		w.visitor.Fail(f, "is required unless "+unless)
	case !null && !given:
		w.visitor.Fail(f, "must be empty while "+unless)
	}
	*p = D(n)
	w.fits(f, n, int64(*p))
}

// Instant declares an instant in UTC. It is truncated to microseconds. Its null is the zero time. Unless the field is
// required, 1970-01-01 is null too.
func Instant(w *Walk, name string, p *time.Time, options ...Option) {
	instant(w, w.next(name, Moment, options), p)
}

// OptionalInstant declares an instant that is NULL in a store when it is null, so that any instant can be stored.
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

// Text declares a text. Its null is "".
func Text[S ~string](w *Walk, name string, p *S, options ...Option) {
	text, _ := w.visitor.Text(w.next(name, String, options), string(*p), *p == "")
	if w.fills {
		*p = S(text)
	}
}

// OptionalText declares a text. Its null is nil.
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

// maxID is the maximum length of an identifier, in characters (F5).
const maxID = 64

// ID declares the identifier of an event: a text of at most 64 characters. A feed may write the digits of a number.
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

// Number declares a number that is kept as it is written, for a rule that parses it.
func Number(w *Walk, name string, p *[]byte, options ...Option) {
	raw(w, w.next(name, Numeral, options), p)
}

func raw(w *Walk, f *Field, p *[]byte) {
	if text := w.visitor.Bytes(f, *p); w.fills {
		*p = text
	}
}

// Ints declares a list of integers, which is nil if it is null or empty.
func Ints(w *Walk, name string, p *[]int64, options ...Option) {
	if list := w.visitor.List(w.next(name, Integers, options), *p); w.fills {
		*p = list
	}
}

// optional declares that a field has no value for null, which is stored apart.
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
