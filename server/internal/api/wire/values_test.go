package wire_test

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/api/wire"
)

func TestJSONForms(t *testing.T) {
	late := time.Date(2026, 1, 1, 23, 30, 59, 999_999_999, time.FixedZone("", -3*3600))
	tests := []struct {
		rule  string
		write func(*wire.Writer)
		want  string
	}{
		{"minutes of 0", func(j *wire.Writer) { j.Minutes("m", 0, "") }, `{"m":0.0}`},
		{"minutes below 1", func(j *wire.Writer) { j.Minutes("m", 9, "") }, `{"m":0.9}`},
		{"minutes", func(j *wire.Writer) { j.Minutes("m", 123, "") }, `{"m":12.3}`},
		{"whole minutes", func(j *wire.Writer) { j.Minutes("m", 120, "") }, `{"m":12.0}`},
		{"percent of 0", func(j *wire.Writer) { j.Percent("p", 0, "") }, `{"p":0.00}`},
		{"percent below 0.1", func(j *wire.Writer) { j.Percent("p", 5, "") }, `{"p":0.05}`},
		{"percent", func(j *wire.Writer) { j.Percent("p", 4999, "") }, `{"p":49.99}`},
		{"percent of 100", func(j *wire.Writer) { j.Percent("p", 10000, "") }, `{"p":100.00}`},
		{"time is cut, in UTC", func(j *wire.Writer) { j.Time("t", late, "") }, `{"t":"2026-01-02T02:30:59Z"}`},
		{"date", func(j *wire.Writer) { j.Date("d", calendar.MustParse("2026-02-28"), "") }, `{"d":"2026-02-28"}`},
		{"no HTML escaping", func(j *wire.Writer) { j.Text("s", "<a&b>'\u2028\u2029", "") }, "{\"s\":\"<a&b>'\u2028\u2029\"}"},
		{"texts in an array", func(j *wire.Writer) { j.Texts("a", []string{"x", "\"<"}, wire.Text, ""); j.Int("n", 1, "") }, `{"a":["x","\"<"],"n":1}`},
		{"quotes and controls", func(j *wire.Writer) { j.Text("s", "\"\\\n\x01", "") }, `{"s":"\"\\\n\u0001"}`},
		{"bytes that are no UTF-8", func(j *wire.Writer) { j.Text("s", "a\xffb", "") }, "{\"s\":\"a\ufffdb\"}"},
		{"empty text is null", func(j *wire.Writer) { j.TextOrNull("s", "", "") }, `{"s":null}`},
		{"unknown is null", func(j *wire.Writer) { j.IntIf("n", 0, false, ""); j.IntIf("m", 1, true, "") }, `{"n":null,"m":1}`},
		{"fraction of 0", func(j *wire.Writer) { j.Fraction("f", 0, "") }, `{"f":0.0000}`},
		{"fraction below 0.001", func(j *wire.Writer) { j.Fraction("f", 5, "") }, `{"f":0.0005}`},
		{"fraction", func(j *wire.Writer) { j.Fraction("f", 2500, "") }, `{"f":0.2500}`},
		{"fraction above 1", func(j *wire.Writer) { j.Fraction("f", 123_456, "") }, `{"f":12.3456}`},
		{"largest fraction", func(j *wire.Writer) { j.Fraction("f", math.MaxInt64, "") }, `{"f":922337203685477.5807}`},
		{"datetime is cut, in Brasilia", func(j *wire.Writer) { j.Datetime("t", late.UTC(), "") }, `{"t":"2026-01-01 23:30:59"}`},
		{"zero datetime is null", func(j *wire.Writer) { j.DatetimeOrNull("t", time.Time{}, ""); j.DatetimeOrNull("u", late, "") }, `{"t":null,"u":"2026-01-01 23:30:59"}`},
		{"optional values", func(j *wire.Writer) {
			n, s, d := int64(0), "", calendar.Date(0)
			j.OptionalInt("n", nil, "")
			j.OptionalInt("m", &n, "")
			j.OptionalText("s", nil, "")
			j.OptionalText("r", &s, "")
			j.OptionalDate("d", nil, "")
			j.OptionalDate("c", &d, "")
		}, `{"n":null,"m":0,"s":null,"r":"","d":null,"c":"1970-01-01"}`},
		{"amount", func(j *wire.Writer) { j.Amount("a", "12.50", "") }, `{"a":"12.50"}`},
		{"numbers in an array", func(j *wire.Writer) { j.Ints("a", []int64{1, -2}, "") }, `{"a":[1,-2]}`},
		{"booleans", func(j *wire.Writer) { j.Bool("a", true, ""); j.Bool("b", false, "") }, `{"a":true,"b":false}`},
		{"nested", func(j *wire.Writer) {
			none := func(*wire.Writer, *int) {}
			j.Object("o", "", "", func() { j.Int("a", 1, "") })
			wire.List(j, "l", "", []int{0, 1}, func(j *wire.Writer, n *int) {
				if *n == 1 {
					j.Null("x")
					j.Object("y", "", "", func() {})
				}
			}, "")
			wire.List(j, "e", "", nil, none, "")
			wire.Maybe(j, "n", "", nil, none, "")
			wire.Maybe(j, "m", "", new(int), none, "")
			j.Int("z", -1, "")
		}, `{"o":{"a":1},"l":[{},{"x":null,"y":{}}],"e":[],"n":null,"m":{},"z":-1}`},
	}
	for _, tt := range tests {
		if got := string(wire.AppendJSON(nil, tt.write)); got != tt.want {
			t.Errorf("%s = %s, want %s", tt.rule, got, tt.want)
		}
	}
}

// TestDatetimeIsThatOfTime checks that Datetime writes instants of many years like the layout of package time.
func TestDatetimeIsThatOfTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := time.Unix(rapid.Int64Range(-70_000_000_000, 300_000_000_000).Draw(t, "seconds"), rapid.Int64Range(0, 999_999_999).Draw(t, "nanoseconds"))
		got := string(wire.AppendJSON(nil, func(j *wire.Writer) { j.Datetime("t", at, "") }))
		if want := `{"t":"` + at.In(calendar.Brasilia()).Format(time.DateTime) + `"}`; got != want {
			t.Fatalf("%v = %s, want %s", at, got, want)
		}
	})
}
