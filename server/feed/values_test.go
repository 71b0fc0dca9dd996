package feed_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/decimal"
	"github.com/lectern-dev/lectern/server/feed"
)

// every is a row with a field of each kind. Each field is named after its kind.
type every struct {
	text       string
	id, number []byte
	integer    int64
	boolean    bool
	amount     cents
	colour     colour
	moment     time.Time
	day        calendar.Date
	ints       []int64
	maybeText  *string
	maybeInt   *int64
	short      string
}

type (
	cents  int64
	colour uint8
)

func (c cents) String() string { return fmt.Sprint(int64(c)) }

func (e *every) Fields(w *row.Walk) {
	row.Text(w, "text", &e.text)
	row.ID(w, "id", &e.id)
	row.Int(w, "integer", &e.integer)
	row.Number(w, "number", &e.number)
	row.Decimal(w, "amount", &e.amount, func(text []byte) (cents, error) {
		n, _ := decimal.Parse(text, 2, 1e15)
		return cents(n.Units), nil
	})
	row.Bool(w, "boolean", &e.boolean)
	row.EnumBy(w, "colour", &e.colour, []string{"", "red", "green"}, func(text string) (colour, bool) { return 2, text == "verde" })
	row.OptionalInstant(w, "moment", &e.moment)
	row.Day(w, "day", &e.day)
	row.Ints(w, "ints", &e.ints)
	row.OptionalText(w, "maybeText", &e.maybeText)
	row.OptionalInt(w, "maybeInt", &e.maybeInt)
	row.Text(w, "short", &e.short, row.AtMost(3))
}

// show returns the text of the field with a name.
func (e *every) show(name string) string {
	return fmt.Sprint(map[string]any{
		"text": e.text, "id": string(e.id), "integer": e.integer, "number": string(e.number), "amount": e.amount, "boolean": e.boolean,
		"colour": e.colour, "moment": e.moment.Format(time.RFC3339Nano), "day": e.day, "ints": e.ints,
		"maybeText": e.maybeText == nil, "maybeInt": e.maybeInt == nil, "short": e.short,
	}[name])
}

// value reads one value, from JSON or from a CSV cell, and returns its text, or the reason why it is bad.
func value(t *testing.T, field, file, text string) (got string) {
	t.Helper()
	if strings.HasSuffix(file, "csv") {
		text = field + ",stray\n" + text + ",\n"
	} else {
		text = `{"` + field + `":` + text + "}\n"
	}
	err := feed.Records(context.Background(), write(t, file, []byte(text)), row.File[every, string]{
		Check: func(e every) (string, error) { return e.show(field), nil },
		Take:  func(s string, _ int) error { got = s; return nil },
	}, func(e *feed.RowError) error {
		got = "bad: " + e.Reason
		if e.Field != field || e.Line == 0 {
			t.Errorf("error of %q = %v, want one of field %s with a line", text, e, field)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestValues tests each value in both formats. csv is empty if the cell is the JSON without its quotes, and "-" if CSV
// cannot have the value.
func TestValues(t *testing.T) {
	const text, id, integer, number, amount, boolean, ints = "text", "id", "integer", "number", "amount", "boolean", "ints"
	nine := strings.Repeat("9", 64)
	for _, tt := range []struct {
		name, field string
		json, csv   string
		want        string
	}{
		{"text", text, `"a b"`, "", "a b"},
		{"text escaped", text, `"a\tbA\ud83d\ude00"`, "a\tbA😀", "a\tbA😀"},
		{"text true", text, `true`, "-", "bad: must be a string"},
		{"text of 3 characters", "short", `"éüß"`, "", "éüß"},
		{"text of 4 characters", "short", `"abcd"`, "", "bad: must have at most 3 characters"},
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
		{"amount", amount, `12.50`, "", "1250"},
		{"amount as a string", amount, `"12.50"`, "", "1250"},
		{"amount with a comma", amount, `"12,50"`, "-", "bad: must be a number"},
		{"amount null", amount, `""`, "", "0"},
		{"name", "colour", `"green"`, "", "2"},
		{"name in another spelling", "colour", `"verde"`, "", "2"},
		{"unknown name", "colour", `"blue"`, "", "bad: must be one of red, green"},
		{"number for a name", "colour", `2`, "-", "bad: must be a string"},
		{"true", boolean, `true`, "", "true"},
		{"false", boolean, `false`, "", "false"},
		{"not a boolean", boolean, `1`, "", "bad: must be true or false"},
		{"true in capitals", boolean, `"TRUE"`, "", "bad: must be true or false"},
		{"null", "maybeText", `null`, `""`, "true"},
		{"empty text", "maybeText", `""`, `""`, "true"},
		{"blank", "maybeText", `" "`, "", "false"},
		{"zero is not null", "maybeInt", `0`, "", "false"},
		{"list of one", ints, `[7]`, "7", `[7]`},
		{"empty list", ints, `[ ]`, `""`, `[]`},
		{"list with a gap", ints, `[1,null]`, "1;", "bad: each of the list must be an integer"},
		{"list of a list", ints, `[[1,2],3]`, "-", "bad: each of the list must be an integer"},
		{"list of texts", ints, `["1,2"]`, `1; 2`, "bad: each of the list must be an integer"},
		{"not a list", ints, `"a"`, "-", "bad: must be a list"},
		{"integers", ints, `[1, 20]`, "1;20", "[1 20]"},
		{"integers with a fraction", ints, `[1,2.5]`, "1;2.5", "bad: each of the list must be an integer"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := value(t, tt.field, "f.ndjson", tt.json); got != tt.want {
				t.Errorf("JSON %s = %q, want %q", tt.json, got, tt.want)
			}
			cell := tt.csv
			if cell == "" {
				cell = strings.Trim(tt.json, `"`)
			}
			if cell == "-" {
				return
			}
			if got := value(t, tt.field, "f.csv", cell); got != tt.want {
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
		"2026-01-02T03:04:05.123456789Z":  "2026-01-02T03:04:05.123456Z",
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
		"9999-12-31T23:59:59.999999999Z":      "9999-12-31T23:59:59.999999Z",
		"9999-12-31T20:59:59.999999999-03:00": "9999-12-31T23:59:59.999999Z",
		"9999-12-31T21:00:00-03:00":           badYear, // in UTC it is the year 10000
		"9998-12-31T23:59:59-23:59":           "9999-01-01T23:58:59Z",
		"1970-01-01T00:00:00Z":                "1970-01-01T00:00:00Z",
	} {
		if got := value(t, "moment", "f.ndjson", `"`+in+`"`); got != want {
			t.Errorf("time %q = %q, want %q", in, got, want)
		}
	}
	if got := value(t, "moment", "f.ndjson", "1767323045"); got != badTime {
		t.Errorf("time of a number = %q, want %q", got, badTime)
	}
	if got, want := value(t, "moment", "f.ndjson", "null"), (time.Time{}).Format(time.RFC3339); got != want {
		t.Errorf("time of a null = %q, want %q", got, want)
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
		if got := value(t, "day", "f.csv", in); got != want {
			t.Errorf("day %q = %q, want %q", in, got, want)
		}
	}
}

// TestEveryDay compares the dates of times with package time over four centuries.
func TestEveryDay(t *testing.T) {
	var b strings.Builder
	b.WriteString("moment\n")
	day := time.Date(1899, 12, 31, 0, 0, 0, 0, time.UTC)
	last := time.Date(2301, 1, 1, 0, 0, 0, 0, time.UTC)
	for d := day; d.Before(last); d = d.AddDate(0, 0, 1) {
		b.WriteString(d.Format(time.RFC3339) + "\n")
	}
	err := readEach(context.Background(), write(t, "f.csv", []byte(b.String())), func(e every, _ int) error {
		if e.moment != day {
			return row.Fault("moment", "is "+e.moment.String()+", want "+day.String())
		}
		day = day.AddDate(0, 0, 1)
		return nil
	}, nil)
	if err != nil || day != last {
		t.Errorf("Read = %v, reached %v, want %v", err, day, last)
	}
}

func TestFirstFaultWins(t *testing.T) {
	file := write(t, "f.ndjson", []byte(`{"ints":"x","integer":-1,"id":{}}`))
	want := "f.ndjson line 1: field id: must be a string or a whole number"
	if err := readEach[every](context.Background(), file, nil, nil); err == nil || err.Error() != want {
		t.Errorf("Records = %v, want %s", err, want)
	}
}

// TestCheck tests that Check can name a bad field, whose value is then shown, or skip a row.
func TestCheck(t *testing.T) {
	file := write(t, "f.csv", []byte("text,integer\na,1\nb,2\nc,3\n"))
	over := errors.New("passed over")
	var got []string
	err := feed.Records(context.Background(), file, row.File[every, int64]{
		Check: func(e every) (int64, error) {
			switch e.text {
			case "a":
				return 0, row.Fault("integer", "is not for a")
			case "b":
				return 0, over
			}
			return e.integer, nil
		},
		Take: func(n int64, line int) error { got = append(got, fmt.Sprint(n, " at ", line)); return nil },
		Skip: func(why error) { got = append(got, why.Error()) },
	}, func(e *feed.RowError) error { got = append(got, e.Error()+": "+e.Value); return nil })
	if want := []string{`f.csv line 2: field integer: is not for a: "1"`, "passed over", "3 at 4"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("Records = %q, %v, want %q", got, err, want)
	}
}

// three is a row of texts that are not copied.
type three struct{ a, b, c []byte }

func (t *three) Fields(w *row.Walk) {
	row.Bytes(w, "a", &t.a)
	row.Bytes(w, "b", &t.b)
	row.Bytes(w, "c", &t.c)
}

// TestRowHoldsItsBytes tests that several escaped texts in one row do not overwrite each other.
func TestRowHoldsItsBytes(t *testing.T) {
	for name, content := range map[string]string{
		"f.ndjson": strings.Repeat(`{"a":"1\t1","b":"2\t2","c":"`+strings.Repeat(`\t`, 300)+`"}`+"\n", 50),
		"f.csv":    "a,b,c\n" + strings.Repeat("1\t1,2\t2,\""+strings.Repeat("\t", 300)+"\"\n", 50),
	} {
		want, rows := "1\t1|2\t2|"+strings.Repeat("\t", 300), 0
		err := feed.Records(context.Background(), write(t, name, []byte(content)), row.File[three, string]{
			Check: func(r three) (string, error) { return fmt.Sprintf("%s|%s|%s", r.a, r.b, r.c), nil },
			Take: func(got string, line int) error {
				if rows++; got != want {
					t.Errorf("row at line %d of %s = %q, want %q", line, name, got, want)
				}
				return nil
			},
		}, nil)
		if err != nil || rows != 50 {
			t.Errorf("Records(%s) = %d rows, %v, want 50", name, rows, err)
		}
	}
}
