package row_test

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/lectern-dev/lectern/paging/row"
)

// stored is a thing without the fields that are never stored.
type stored struct{ thing }

func (s *stored) Fields(w *row.Walk) {
	row.Int(w, "thingId", &s.id, row.Required)
	row.IntOrNone(w, "otherId", &s.other)
	row.Text(w, "name", &s.name)
	row.OptionalText(w, "note", &s.note)
	row.BoolOr(w, "live", &s.live, true)
	row.Enum(w, "colour", &s.colour, colours)
	row.DayWhere(w, "goneOn", &s.goneOn, !s.live, "the thing is live")
	row.Instant(w, "seenAt", &s.seen)
	row.OptionalInt(w, "uses", &s.uses)
	row.Ints(w, "partIds", &s.parts)
}

// rowOf returns a database row with the values.
func rowOf(values []any) func(dest ...any) error {
	return func(dest ...any) error {
		for i, d := range dest {
			*d.(*any) = values[i]
		}
		return nil
	}
}

func TestColumns(t *testing.T) {
	var got []string
	for _, f := range row.Of(&stored{}) {
		got = append(got, f.Column())
	}
	want := []string{"thing_id", "other_id", "name", "note", "live", "colour", "gone_on", "seen_at", "uses", "part_ids"}
	if !slices.Equal(got, want) {
		t.Errorf("columns = %v, want %v", got, want)
	}
}

// TestValues tests that a null is stored as the value for it, and only an optional field as NULL.
func TestValues(t *testing.T) {
	s := row.Of(&stored{})
	for _, test := range []struct {
		of   stored
		want []any
	}{
		{stored{thing{other: row.None, live: true, goneOn: 7}},
			[]any{int64(0), int64(-1), "", nil, true, int64(0), int64(0), int64(0), nil, ""}},
		{stored{thing{id: 3, other: 4, name: "a", note: ptr(""), colour: 2, goneOn: -7, seen: full, uses: ptr[int64](0), parts: []int64{0, 3, math.MaxInt64}}},
			[]any{int64(3), int64(4), "a", "", false, int64(2), int64(-7), full.UnixMicro(), int64(0), "0;3;9223372036854775807"}},
	} {
		values := s.Values(nil, &test.of)
		if !reflect.DeepEqual(values, test.want) {
			t.Errorf("Values(%+v) = %v, want %v", test.of, values, test.want)
		}
		got := stored{}
		if err := s.Scanner()(rowOf(values), &got); err != nil {
			t.Error(err)
		}
		if test.of.live {
			test.of.goneOn = 0
		}
		if !reflect.DeepEqual(got, test.of) {
			t.Errorf("scanning the values of %+v returned %+v, want it unchanged", test.of, got)
		}
	}
}

// TestScan tests that Scanner reads the other types that an engine returns, and refuses a value that a field cannot
// have.
func TestScan(t *testing.T) {
	s := row.Of(&stored{})
	c := s.Scanner()
	values := s.Values(nil, &stored{})
	for _, test := range []struct {
		field int
		value any
		want  string
	}{
		{4, int64(1), ""}, // SQLite has no booleans
		{2, []byte("a"), ""},
		{3, nil, ""},
		{2, nil, `name: "<nil>" is no such value`},
		{0, nil, `thingId: "<nil>" is no such value`},
		{0, "7", `thingId: "7" is no such value`},
		{0, 7.0, `thingId: "7" is no such value`},
		{2, int64(7), `name: "7" is no such value`},
		{5, int64(256), `colour: 256 is no such value`},
		{9, "1;x", `partIds: "1;x" is no such value`},
	} {
		changed := slices.Clone(values)
		changed[test.field] = test.value
		got := ""
		if err := c(rowOf(changed), &stored{}); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("scanning %v in column %d: error %q, want %q", test.value, test.field, got, test.want)
		}
	}
	broken := errors.New("broken")
	if err := c(func(...any) error { return broken }, &stored{}); !errors.Is(err, broken) {
		t.Errorf("scanning an unreadable row = %v, want its error", err)
	}
}

func TestInts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOf(rapid.Int64()).Draw(t, "list")
		if got, ok := row.ParseInts(row.FormatInts(want)); !ok || !slices.Equal(got, want) {
			t.Errorf("ParseInts(FormatInts(%v)) = %v, %v, want the same list", want, got, ok)
		}
	})
	for _, list := range []string{";", "1;", ";1", "1;;2", "a", "1,2", " 1", "9223372036854775808"} {
		if ids, ok := row.ParseInts(list); ok {
			t.Errorf("ParseInts(%q) = %v, want false", list, ids)
		}
	}
}

// TestScanSome tests that Scanner does not change fields that it does not read.
func TestScanSome(t *testing.T) {
	s := row.Of(&stored{})
	want := stored{thing{id: 3, other: 4, name: "b", note: ptr("x"), colour: 2, goneOn: 9, seen: full, uses: ptr[int64](5), parts: []int64{1}}}
	got := want
	got.id, got.name = 0, "a"
	if err := s.Scanner("thingId", "name")(rowOf([]any{int64(3), "b"}), &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("scanning two fields returned %+v, %v, want %+v", got, err, want)
	}
}
