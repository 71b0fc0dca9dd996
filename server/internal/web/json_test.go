package web_test

import (
	"math"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/web"
)

func TestJSONForms(t *testing.T) {
	late := time.Date(2026, 1, 1, 23, 30, 59, 999_999_999, time.FixedZone("", -3*3600))
	tests := []struct {
		rule  string
		write func(*web.JSON)
		want  string
	}{
		{"minutes of 0", func(j *web.JSON) { j.Minutes("m", 0) }, `{"m":0.0}`},
		{"minutes below 1", func(j *web.JSON) { j.Minutes("m", 9) }, `{"m":0.9}`},
		{"minutes", func(j *web.JSON) { j.Minutes("m", 123) }, `{"m":12.3}`},
		{"whole minutes", func(j *web.JSON) { j.Minutes("m", 120) }, `{"m":12.0}`},
		{"percent of 0", func(j *web.JSON) { j.Percent("p", 0) }, `{"p":0.00}`},
		{"percent below 0.1", func(j *web.JSON) { j.Percent("p", 5) }, `{"p":0.05}`},
		{"percent", func(j *web.JSON) { j.Percent("p", 4999) }, `{"p":49.99}`},
		{"percent of 100", func(j *web.JSON) { j.Percent("p", 10000) }, `{"p":100.00}`},
		{"time is cut, in UTC", func(j *web.JSON) { j.Time("t", late) }, `{"t":"2026-01-02T02:30:59Z"}`},
		{"date", func(j *web.JSON) { j.Date("d", calendar.MustParse("2026-02-28")) }, `{"d":"2026-02-28"}`},
		{"no HTML escaping", func(j *web.JSON) { j.Text("s", "<a&b>'\u2028\u2029") }, "{\"s\":\"<a&b>'\u2028\u2029\"}"},
		{"texts in an array", func(j *web.JSON) { j.Array("a"); j.Item("x"); j.Item("\"<"); j.EndArray(); j.Int("n", 1) }, `{"a":["x","\"<"],"n":1}`},
		{"quotes and controls", func(j *web.JSON) { j.Text("s", "\"\\\n\x01") }, `{"s":"\"\\\n\u0001"}`},
		{"bytes that are no UTF-8", func(j *web.JSON) { j.Text("s", "a\xffb") }, "{\"s\":\"a\ufffdb\"}"},
		{"empty text is null", func(j *web.JSON) { j.TextOrNull("s", "") }, `{"s":null}`},
		{"zero is null", func(j *web.JSON) { j.IntOrNull("n", 0); j.IntOrNull("m", 1) }, `{"n":null,"m":1}`},
		{"fraction of 0", func(j *web.JSON) { j.Fraction("f", 0) }, `{"f":0.0000}`},
		{"fraction below 0.001", func(j *web.JSON) { j.Fraction("f", 5) }, `{"f":0.0005}`},
		{"fraction", func(j *web.JSON) { j.Fraction("f", 2500) }, `{"f":0.2500}`},
		{"fraction above 1", func(j *web.JSON) { j.Fraction("f", 123_456) }, `{"f":12.3456}`},
		{"largest fraction", func(j *web.JSON) { j.Fraction("f", math.MaxInt64) }, `{"f":922337203685477.5807}`},
		{"datetime is cut, in Brasilia", func(j *web.JSON) { j.Datetime("t", late.UTC()) }, `{"t":"2026-01-01 23:30:59"}`},
		{"zero datetime is null", func(j *web.JSON) { j.DatetimeOrNull("t", time.Time{}); j.DatetimeOrNull("u", late) }, `{"t":null,"u":"2026-01-01 23:30:59"}`},
		{"optional values", func(j *web.JSON) {
			n, s, d := int64(0), "", calendar.Date(0)
			j.OptionalInt("n", nil)
			j.OptionalInt("m", &n)
			j.OptionalText("s", nil)
			j.OptionalText("r", &s)
			j.OptionalDate("d", nil)
			j.OptionalDate("c", &d)
		}, `{"n":null,"m":0,"s":null,"r":"","d":null,"c":"1970-01-01"}`},
		{"amount", func(j *web.JSON) { j.Amount("a", "12.50") }, `{"a":"12.50"}`},
		{"numbers in an array", func(j *web.JSON) { j.Array("a"); j.ItemInt(1); j.ItemInt(-2); j.EndArray() }, `{"a":[1,-2]}`},
		{"booleans", func(j *web.JSON) { j.Bool("a", true); j.Bool("b", false) }, `{"a":true,"b":false}`},
		{"nested", func(j *web.JSON) {
			j.Object("o")
			j.Int("a", 1)
			j.End()
			j.Array("l")
			j.Begin()
			j.End()
			j.Begin()
			j.Null("x")
			j.Object("y")
			j.End()
			j.End()
			j.EndArray()
			j.Array("e")
			j.EndArray()
			j.Int("z", -1)
		}, `{"o":{"a":1},"l":[{},{"x":null,"y":{}}],"e":[],"z":-1}`},
	}
	for _, tt := range tests {
		var j web.JSON
		j.Begin()
		tt.write(&j)
		j.End()
		if got := string(j.Bytes()); got != tt.want {
			t.Errorf("%s = %s, want %s", tt.rule, got, tt.want)
		}
	}
}
