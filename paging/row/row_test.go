package row_test

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/reading/packed"
)

type colour uint8

var colours = []string{"", "red", "green"}

type day int32

type cents int64

// thing has a field of each kind.
type thing struct {
	id, other          int64
	name               string
	note               *string
	live               bool
	colour, shade      colour
	price              cents
	made               day
	due                *day
	goneOn             day
	at, seen, applied  time.Time
	uses               *int64
	parts              []int64
	code, word, figure []byte
}

func (t *thing) Fields(w *row.Walk) {
	row.Int(w, "thingId", &t.id, row.Required)
	row.IntOrNone(w, "otherId", &t.other)
	row.Text(w, "name", &t.name, row.AtMost(255), row.Required)
	row.OptionalText(w, "note", &t.note)
	row.BoolOr(w, "live", &t.live, true)
	row.Enum(w, "colour", &t.colour, colours)
	row.EnumBy(w, "shade", &t.shade, colours, parseColour)
	row.Decimal(w, "price", &t.price, func([]byte) (cents, error) { return 0, errors.New("must be an amount") })
	row.Day(w, "made", &t.made, row.Required)
	row.OptionalDay(w, "due", &t.due)
	row.DayWhere(w, "goneOn", &t.goneOn, !t.live, "the thing is live")
	row.Instant(w, "at", &t.at, row.Required)
	row.Instant(w, "seen", &t.seen)
	row.OptionalInstant(w, "applied", &t.applied)
	row.OptionalInt(w, "uses", &t.uses)
	row.Ints(w, "parts", &t.parts)
	row.ID(w, "code", &t.code)
	row.Bytes(w, "word", &t.word)
	row.Number(w, "figure", &t.figure)
}

func parseColour(text string) (colour, bool) {
	i := slices.Index(colours, strings.ToLower(text))
	return colour(max(i, 0)), i > 0
}

func (c cents) String() string { return "0.10" }

func ptr[T any](v T) *T { return &v }

var full = time.Date(2026, 8, 1, 2, 59, 59, 999_999_000, time.UTC)

func TestSchema(t *testing.T) {
	s := row.Of(&thing{})
	want := []string{"thingId", "otherId", "name", "note", "live", "colour", "shade", "price", "made", "due", "goneOn", "at", "seen", "applied",
		"uses", "parts", "code", "word", "figure"}
	if got := s.Names(); !slices.Equal(got, want) {
		t.Errorf("Names() = %v, want %v", got, want)
	}
	for i, f := range s {
		if f.Index != i || s.Field(f.Name) != &s[i] {
			t.Errorf("field %d has the index %d, or Field(name) does not return it", i, f.Index)
		}
	}
	if f := s.Field("thingId"); !f.Required || f.Kind != row.Integer {
		t.Errorf("Field(thingId) = %+v, want a required integer", f)
	}
	if f := s.Field("otherId"); f.Required || f.Null != row.None || f.Nullable {
		t.Errorf("Field(otherId) = %+v, want it optional, with None for null", f)
	}
	if f := s.Field("name"); f.AtMost != 255 || !f.Required {
		t.Errorf("Field(name) = %+v, want it required, with at most 255 characters", f)
	}
	for _, name := range []string{"note", "due", "uses", "applied"} {
		if !s.Field(name).Nullable {
			t.Errorf("%s is not nullable", name)
		}
	}
	if s.Field("none") != nil {
		t.Error("Field(none) != nil, want nil for a field that is not declared")
	}
	shade := s.Field("shade")
	if n, err := shade.Parse([]byte("GREEN")); n != 2 || err != nil {
		t.Errorf("shade: Parse(GREEN) = %d, %v, want 2", n, err)
	}
	if _, err := shade.Parse([]byte("blue")); err == nil || err.Error() != "must be one of red, green" {
		t.Errorf("shade: Parse(blue) = %v, want the list of names", err)
	}
	price := s.Field("price")
	if _, err := price.Parse(nil); err == nil || price.Format(10) != "0.10" {
		t.Errorf("price: Parse = %v, Format(10) = %s, want an error and 0.10", err, price.Format(10))
	}
}

// TestAppend tests that an appended record is read back unchanged, and equals no other record.
func TestAppend(t *testing.T) {
	s := row.Of(&thing{})
	rapid.Check(t, func(t *rapid.T) {
		want, other := drawThing(t), drawThing(t)
		b := s.Append(nil, &want)
		d := packed.Bare(b)
		var got thing
		if err := s.Read(&d, &got); err != nil || d.End() != nil {
			t.Fatalf("Read of an appended record = %v, End = %v, want nil, nil", err, d.End())
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("Read(Append(%+v)) = %+v, want the same record", want, got)
		}
		if !s.Equal(&want, &got) || s.Equal(&want, &other) != reflect.DeepEqual(want, other) {
			t.Errorf("Equal is wrong for %+v and %+v", want, other)
		}
		d = packed.Bare(b[:rapid.IntRange(0, len(b)-1).Draw(t, "cut")])
		if s.Read(&d, &got); d.End() == nil {
			t.Error("Read of a truncated record succeeds, want an error")
		}
	})
}

func drawThing(t *rapid.T) thing {
	number, text := rapid.Int64(), rapid.StringN(0, 3, -1)
	at := rapid.Map(rapid.Int64Range(-1<<53, 1<<53), func(n int64) time.Time { return time.UnixMicro(n).UTC() })
	bytes := rapid.SliceOfN(rapid.Byte(), 1, 9)
	v := thing{
		id: number.Draw(t, "id"), other: number.Draw(t, "other"), name: text.Draw(t, "name"), live: rapid.Bool().Draw(t, "live"),
		colour: colour(rapid.Byte().Draw(t, "colour")), price: cents(number.Draw(t, "price")), made: day(rapid.Int32().Draw(t, "made")),
		at: at.Draw(t, "at"), code: bytes.Draw(t, "code"), word: bytes.Draw(t, "word"), figure: bytes.Draw(t, "figure"),
		parts: rapid.SampledFrom([][]int64{nil, {0}, {3, math.MaxInt64}}).Draw(t, "parts"),
	}
	if !v.live {
		v.goneOn = day(rapid.Int32().Draw(t, "goneOn"))
	}
	if rapid.Bool().Draw(t, "optional") {
		v.note, v.due, v.uses, v.applied = ptr(text.Draw(t, "note")), ptr(day(0)), ptr(number.Draw(t, "uses")), time.Unix(0, 0).UTC()
		v.seen = full
	}
	return v
}

// given is a visitor that returns one number, or null, for every field.
type given struct {
	row.NoOp
	n      int64
	null   bool
	failed []string
}

func (g *given) Number(*row.Field, int64, bool) (int64, bool) { return g.n, g.null }
func (g *given) Text(*row.Field, string, bool) (string, bool) { return "", g.null }
func (g *given) Fail(f *row.Field, reason string)             { g.failed = append(g.failed, f.Name+" "+reason) }

// TestNull tests that a null becomes the field's value for null.
func TestNull(t *testing.T) {
	v := thing{id: 1, other: 1, name: "a", note: ptr("a"), colour: 1, made: 1, due: ptr(day(1)), goneOn: 1, at: full, seen: full, applied: full, uses: ptr(int64(1))}
	g := given{null: true}
	if err := row.Of(&v).Fill(&g).Over(&v); err != nil {
		t.Error(err)
	}
	if want := (thing{other: row.None, live: true}); !reflect.DeepEqual(v, want) {
		t.Errorf("record of nulls = %+v, want %+v", v, want)
	}
	if g.failed != nil {
		t.Errorf("a null goneOn of a live thing fails: %v, want no error", g.failed)
	}
}

// TestDayWhere tests that such a day must be given exactly if earlier fields require it.
func TestDayWhere(t *testing.T) {
	for _, test := range []struct {
		live, null bool
		want       []string
	}{
		{true, true, nil},
		{false, false, nil},
		{true, false, []string{"goneOn must be empty while the thing is live"}},
		{false, true, []string{"goneOn is required unless the thing is live"}},
	} {
		v := struct{ part }{part{live: test.live}}
		g := given{null: test.null}
		_ = row.Of(&v).Fill(&g).Over(&v)
		if !slices.Equal(g.failed, test.want) {
			t.Errorf("live %v, null %v: errors %v, want %v", test.live, test.null, g.failed, test.want)
		}
	}
}

type part struct {
	live bool
	gone day
}

func (p *part) Fields(w *row.Walk) {
	row.DayWhere(w, "goneOn", &p.gone, !p.live, "the thing is live")
}

// TestMicroseconds tests that an instant is truncated to microseconds, before 1970 too. 1970-01-01 itself is null
// unless the field is required or optional.
func TestMicroseconds(t *testing.T) {
	epoch := time.Unix(0, 0).UTC()
	v := thing{at: time.Unix(0, -1), seen: time.Unix(1, 1999), applied: epoch}
	s := row.Of(&v)
	if err := s.Fill(row.NoOp{}).Over(&v); err != nil {
		t.Error(err)
	}
	if want := time.UnixMicro(-1).UTC(); v.at != want {
		t.Errorf("at = %v, want %v", v.at, want)
	}
	if want := time.UnixMicro(1_000_001).UTC(); v.seen != want {
		t.Errorf("seen = %v, want %v", v.seen, want)
	}
	v.at, v.seen = epoch, epoch
	_ = s.Fill(row.NoOp{}).Over(&v)
	if v.at != epoch || !v.seen.IsZero() || v.applied != epoch {
		t.Errorf("1970-01-01 = %v in a required field, %v in an ordinary one, %v in an optional one, want only the second one zero", v.at, v.seen, v.applied)
	}
}

// TestTooLarge tests that a number that does not fit into a field is an error.
func TestTooLarge(t *testing.T) {
	s := row.Of(&thing{})
	for n, want := range map[int64]string{0: "", 255: "", 256: "colour: 256 is no such value", -1: "colour: -1 is no such value"} {
		got := ""
		if err := s.Fill(&given{n: n}).Over(&thing{}); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("Fill with %d: error %q, want %q", n, got, want)
		}
	}
	for _, n := range []int64{math.MinInt32, math.MaxInt32, math.MinInt32 - 1, math.MaxInt32 + 1} {
		v := part{}
		err := row.Of(&v).Fill(&given{n: n}).Over(&v)
		if fits := n == int64(int32(n)); fits != (err == nil) {
			t.Errorf("Fill of a day with %d = %v, want an error only for an overflow", n, err)
		}
	}
}
