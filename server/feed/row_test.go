package feed_test

import (
	"context"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/server/feed"
)

// value reads one value of field v, as JSON or as a CSV cell, and returns it printed, or the reason why it is bad.
func value(t *testing.T, name, text string, get func(*feed.Row) any) string {
	t.Helper()
	var got string
	err := feed.Read(context.Background(), write(t, name, []byte(text)), []feed.Field{{Name: "v"}},
		func(r *feed.Row, s *string) { *s = fmt.Sprintf("%v", get(r)) },
		func(s *string, _ feed.Pos) error { got = *s; return nil },
		func(e *feed.RowError) error {
			got = "bad: " + e.Reason
			if e.Field != "v" || e.Line == 0 {
				t.Errorf("error of %q = %v, want one of field v with a line", text, e)
			}
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestValues gives each value in both forms; csv is "" where the cell is as the JSON, without its quotes, and "-"
// where CSV cannot say it.
func TestValues(t *testing.T) {
	text := func(r *feed.Row) any { return r.Text(0) }
	id := func(r *feed.Row) any { return string(r.ID(0)) }
	integer := func(r *feed.Row) any { return r.Int(0) }
	number := func(r *feed.Row) any { return string(r.Number(0)) }
	decimal := func(r *feed.Row) any { return string(r.Decimal(0)) }
	boolean := func(r *feed.Row) any { return r.Bool(0) }
	null := func(r *feed.Row) any { return r.Null(0) }
	list := func(r *feed.Row) any { return fmt.Sprintf("%q", r.List(0)) }
	ints := func(r *feed.Row) any { return r.Ints(0) }
	nine := strings.Repeat("9", 64)
	for _, tt := range []struct {
		name      string
		get       func(*feed.Row) any
		json, csv string
		want      string
	}{
		{"text", text, `"a b"`, "", "a b"},
		{"text escaped", text, `"a\tbA\ud83d\ude00"`, "a\tbA😀", "a\tbA😀"},
		{"text true", text, `true`, "-", "bad: must be a string"},
		{"ID text", id, `"s-1"`, "", "s-1"},
		{"ID number", id, `12`, "", "12"},
		{"ID null", id, `null`, `""`, ""},
		{"ID decimals", id, `1.5`, "-", "bad: must be a string or a whole number"},
		{"ID negative", id, `-1`, "-", "bad: must be a string or a whole number"},
		{"ID object", id, `{}`, "-", "bad: must be a string or a whole number"},
		{"ID of 64 characters", id, `"` + strings.Repeat("é", 64) + `"`, "", strings.Repeat("é", 64)},
		{"ID of 65 characters", id, `"` + strings.Repeat("é", 65) + `"`, "", "bad: must have at most 64 characters"},
		{"ID of 64 digits", id, nine, "", nine},
		{"ID of 65 digits", id, nine + "9", "", "bad: must have at most 64 characters"},
		{"integer", integer, `0`, "", "0"},
		{"largest integer", integer, `9007199254740991`, "", "9007199254740991"},
		{"integer too large", integer, `9007199254740992`, "", "bad: must be from 0 to 9007199254740991"},
		{"integer far too large", integer, `1e99999999999999999999`, "", "bad: must be from 0 to 9007199254740991"},
		{"integer far too small", integer, `1e-99999999999999999999`, "", "bad: must be an integer"},
		{"zero at any power", integer, `0.00e99999999999999999999`, "", "0"},
		{"integer negative", integer, `-1`, "", "bad: must not be negative"},
		{"zero negative", integer, `-0`, "", "0"},
		{"integer with a fraction of zero", integer, `5.0`, "", "5"},
		{"integer with an exponent", integer, `1.25E+3`, "", "1250"},
		{"integer with a negative exponent", integer, `500e-2`, "", "5"},
		{"integer with many zeros", integer, `60000.` + strings.Repeat("0", 120), "", "60000"},
		{"integer with a one behind many zeros", integer, `60000.` + strings.Repeat("0", 120) + `1`, "", "bad: must be an integer"},
		{"number with many zeros", number, `60000.` + strings.Repeat("0", 120), "", "60000." + strings.Repeat("0", 120)},
		{"fraction", integer, `5.5`, "", "bad: must be an integer"},
		{"fraction by exponent", integer, `5e-1`, "", "bad: must be an integer"},
		{"integer as a string", integer, `"5"`, "-", "bad: must be an integer"},
		{"integer as a word", integer, `"five"`, "", "bad: must be an integer"},
		{"number", number, `612.5`, "", "612.5"},
		{"number with exponent", number, `-8e2`, "", "-8e2"},
		{"NaN", number, `"NaN"`, "", "bad: must be a number"},
		{"Infinity", number, `"Infinity"`, "", "bad: must be a number"},
		{"number without digits before the point", number, `".5"`, "", "bad: must be a number"},
		{"number without digits after the point", number, `"5."`, "", "bad: must be a number"},
		{"number with a sign", number, `"+5"`, "", "bad: must be a number"},
		{"number with a leading zero", number, `"05"`, "", "bad: must be a number"},
		{"number without exponent", number, `"5e"`, "", "bad: must be a number"},
		{"number in hexadecimal", number, `"0x1p3"`, "", "bad: must be a number"},
		{"decimal", decimal, `12.50`, "", "12.50"},
		{"decimal as a string", decimal, `"12.50"`, "", "12.50"},
		{"decimal with a comma", decimal, `"12,50"`, "-", "bad: must be a number"},
		{"decimal null", decimal, `""`, "", ""},
		{"true", boolean, `true`, "", "true"},
		{"false", boolean, `false`, "", "false"},
		{"no boolean", boolean, `1`, "", "bad: must be true or false"},
		{"true in capitals", boolean, `"TRUE"`, "", "bad: must be true or false"},
		{"null", null, `null`, `""`, "true"},
		{"empty text", null, `""`, `""`, "true"},
		{"blank", null, `" "`, "", "false"},
		{"zero is not null", null, `0`, "", "false"},
		{"list", list, `["a", "b,;]","\u0063"]`, "-", `["a" "b,;]" "c"]`},
		{"list of cells", list, `["a","b"]`, "a;b", `["a" "b"]`},
		{"list of one", list, `["a"]`, "a", `["a"]`},
		{"empty list", list, `[ ]`, `""`, `[]`},
		{"list with a gap", list, `["a",""]`, "-", "bad: must be a list of strings"},
		{"list with a gap, CSV", list, `["a",{"b":[1,2]}]`, "a;", "bad: must be a list of strings"},
		{"no list", list, `"a"`, "-", "bad: must be a list"},
		{"integers", ints, `[1, 20]`, "1;20", "[1 20]"},
		{"integers with a fraction", ints, `[1,2.5]`, "1;2.5", "bad: each of the list must be an integer"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := value(t, "f.ndjson", `{"v":`+tt.json+"}\n", tt.get); got != tt.want {
				t.Errorf("JSON %s = %q, want %q", tt.json, got, tt.want)
			}
			cell := tt.csv
			if cell == "" {
				cell = strings.Trim(tt.json, `"`)
			}
			if cell == "-" {
				return
			}
			if got := value(t, "f.csv", "v,stray\n"+cell+",\n", tt.get); got != tt.want {
				t.Errorf("CSV %s = %q, want %q", cell, got, tt.want)
			}
		})
	}
}

const (
	badTime  = "bad: must be a time with an offset, such as 2026-01-02T03:04:05Z"
	badDay   = "bad: does not exist in the calendar"
	badClock = "bad: does not exist on the clock"
	badYear  = "bad: must be in the years 0001 to 9999, in UTC and in Brasilia"
	badZero  = "bad: must not be 0001-01-01T00:00:00Z: write the time itself, or null (in CSV nothing) where there is none"
)

func TestTime(t *testing.T) {
	for in, want := range map[string]string{
		"2026-01-02T03:04:05Z":            "2026-01-02T03:04:05Z",
		"2026-01-02t03:04:05z":            "2026-01-02T03:04:05Z",
		"2026-01-02T03:04Z":               "2026-01-02T03:04:00Z",
		"2026-01-02T03:04:05.123456789Z":  "2026-01-02T03:04:05.123456789Z",
		"2026-01-02T03:04:05,5Z":          "2026-01-02T03:04:05.5Z",
		"2026-01-02T22:04:05-03:00":       "2026-01-03T01:04:05Z",
		"2026-01-02T22:04-0330":           "2026-01-03T01:34:00Z",
		"2026-01-01T00:00:00+01":          "2025-12-31T23:00:00Z",
		"2028-02-29T23:59:59-23:59":       "2028-03-01T23:58:59Z",
		"2026-02-29T00:00:00Z":            badDay,
		"2100-02-29T00:00:00Z":            badDay,
		"2026-04-31T00:00:00Z":            badDay,
		"2026-13-01T00:00:00Z":            badDay,
		"2026-00-01T00:00:00Z":            badDay,
		"2026-01-00T00:00:00Z":            badDay,
		"2026-01-02T24:00:00Z":            badClock,
		"2026-01-02T23:60:00Z":            badClock,
		"2026-01-02T23:59:60Z":            badClock,
		"2026-01-02T03:04:05":             badTime,
		"2026-01-02T03:04:05.Z":           badTime,
		"2026-01-02T03:04:05.1234567890Z": badTime,
		"2026-01-02T03:04.5Z":             badTime,
		"2026-01-02T03:04:05+24:00":       badTime,
		"2026-01-02T03:04:05+03:60":       badTime,
		"2026-01-02T03:04:05+3":           badTime,
		"2026-01-02T03:04:05Z ":           badTime,
		"2026-01-02T03:04:":               badTime,
		"2026-01-02 03:04:05Z":            badTime,
		"2026-1-2T03:04:05Z":              badTime,
		"2026-01-02":                      badTime,
		"+2026-01-02T03:04:05Z":           badTime,

		"0001-01-01T03:00:00Z":                "0001-01-01T03:00:00Z", // the year begins in Brasilia
		"0001-01-01T02:59:59.999999999Z":      badYear,
		"0001-01-01T00:00:00.000000001Z":      badYear,
		"0001-01-01T00:00:00-03:00":           "0001-01-01T03:00:00Z",
		"0000-12-31T23:59:59Z":                badYear,
		"0000-12-31T23:59:59-03:00":           badYear, // in UTC it is the year 1
		"0000-12-31T23:59:59-23:59":           "0001-01-01T23:58:59Z",
		"0001-01-02T00:00:00+23:59":           badYear,
		"0001-01-01T00:00:00Z":                badZero,
		"0001-01-01T01:00:00+01:00":           badZero,
		"0000-12-31T21:00:00-03:00":           badZero,
		"0002-01-01T00:00:00+23:59":           "0001-12-31T00:01:00Z",
		"9999-12-31T23:59:59.999999999Z":      "9999-12-31T23:59:59.999999999Z",
		"9999-12-31T20:59:59.999999999-03:00": "9999-12-31T23:59:59.999999999Z",
		"9999-12-31T21:00:00-03:00":           badYear, // in UTC it is the year 10000
		"9998-12-31T23:59:59-23:59":           "9999-01-01T23:58:59Z",
		"1970-01-01T00:00:00Z":                "1970-01-01T00:00:00Z",
	} {
		get := func(r *feed.Row) any { return r.Time(0).Format(time.RFC3339Nano) }
		if got := value(t, "f.ndjson", `{"v":"`+in+`"}`, get); got != want {
			t.Errorf("Time(%q) = %q, want %q", in, got, want)
		}
	}
	if got := value(t, "f.ndjson", `{"v":1767323045}`, func(r *feed.Row) any { return r.Time(0) }); got != badTime {
		t.Errorf("Time of a number = %q, want %q", got, badTime)
	}
	if got := value(t, "f.ndjson", `{}`, func(r *feed.Row) any { return r.Time(0).IsZero() }); got != "true" {
		t.Errorf("Time of a null is zero = %s, want true", got)
	}
}

func TestDate(t *testing.T) {
	const badDate = "bad: must be a date, such as 2026-01-02"
	for in, want := range map[string]string{
		"2026-01-02":           "2026-01-02",
		"2026-01-02T02:59:59Z": "2026-01-01",
		"2026-01-02T03:00:00Z": "2026-01-02",
		"2026-02-30":           badDay,
		"2026/01/02":           badDate,
		"2026-01-0x":           badDate,
		"02.01.2026":           badDate,
		"2026-01-02T03":        badTime,
		"0001-01-01":           "0001-01-01",
		"0000-12-31":           badYear,
		"9999-12-31":           "9999-12-31",
		"0001-01-01T03:00:00Z": "0001-01-01",
		"0001-01-01T02:59:59Z": badYear,
		"9999-12-31T23:59:59Z": "9999-12-31",
	} {
		get := func(r *feed.Row) any { return r.Date(0) }
		if got := value(t, "f.csv", "v\n"+in+"\n", get); got != want {
			t.Errorf("Date(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestEveryDay holds the calendar of times against package time over four centuries.
func TestEveryDay(t *testing.T) {
	var b strings.Builder
	b.WriteString("v\n")
	day := time.Date(1899, 12, 31, 0, 0, 0, 0, time.UTC)
	last := time.Date(2301, 1, 1, 0, 0, 0, 0, time.UTC)
	for d := day; d.Before(last); d = d.AddDate(0, 0, 1) {
		b.WriteString(d.Format(time.RFC3339) + "\n")
	}
	err := feed.Read(context.Background(), write(t, "f.csv", []byte(b.String())), []feed.Field{{Name: "v"}},
		func(r *feed.Row, got *time.Time) { *got = r.Time(0) },
		func(got *time.Time, at feed.Pos) error {
			if *got != day {
				return feed.Bad("v", "is "+got.String()+", want "+day.String())
			}
			day = day.AddDate(0, 0, 1)
			return nil
		}, nil)
	if err != nil || day != last {
		t.Errorf("Read = %v, reached %v, want %v", err, day, last)
	}
}

func TestFirstFaultStands(t *testing.T) {
	fields := []feed.Field{{Name: "a"}, {Name: "b"}, {Name: "c"}}
	file := write(t, "f.ndjson", []byte(`{"a":1,"b":-1,"c":"x"}`))
	err := feed.Read(context.Background(), file, fields, func(r *feed.Row, _ *int) {
		if r.Int(0); r.Bad() {
			t.Error("Bad after a good value = true, want false")
		}
		r.Int(1)
		if !r.Bad() {
			t.Error("Bad after a bad value = false, want true")
		}
		r.Int(2)
		r.Fail(0, "is late")
	}, nil, nil)
	if want := "f.ndjson line 1: field b: must not be negative"; err == nil || err.Error() != want {
		t.Errorf("Read = %v, want %s", err, want)
	}
}

// TestRowHoldsItsBytes reads several escaped texts at once: none may overwrite another.
func TestRowHoldsItsBytes(t *testing.T) {
	fields := []feed.Field{{Name: "a"}, {Name: "b"}, {Name: "c"}}
	for name, content := range map[string]string{
		"f.ndjson": strings.Repeat(`{"a":"1\t1","b":"2\t2","c":"`+strings.Repeat(`\t`, 300)+`"}`+"\n", 50),
		"f.csv":    "a,b,c\n" + strings.Repeat("1\t1,2\t2,\""+strings.Repeat("\t", 300)+"\"\n", 50),
	} {
		want := []string{"1\t1", "2\t2", strings.Repeat("\t", 300)}
		err := feed.Read(context.Background(), write(t, name, []byte(content)), fields, func(r *feed.Row, _ *int) {
			a, b, c := r.Bytes(0), r.Bytes(1), r.Bytes(2)
			if got := []string{string(a), string(b), string(c)}; !reflect.DeepEqual(got, want) {
				r.Fail(0, strconv.Quote(strings.Join(got, "|")))
			}
		}, func(*int, feed.Pos) error { return nil }, nil)
		if err != nil {
			t.Errorf("Read(%s) = %v, want three texts", name, err)
		}
	}
}
