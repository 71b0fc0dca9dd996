package feed_test

import (
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/feed"
)

// when is a row of times and numbers.
type when struct {
	at  time.Time
	day calendar.Date
	n   int64
}

func (w *when) Fields(walk *row.Walk) {
	row.OptionalInstant(walk, "at", &w.at)
	row.Day(walk, "day", &w.day)
	row.Int(walk, "n", &w.n)
}

// FuzzWhen reads one text as a time, a day and a number, in both formats, which must agree. A time of RFC 3339 must
// equal that of package time, in microseconds. A time read as a day must be its day in Brasilia.
func FuzzWhen(f *testing.F) {
	for _, s := range []string{
		"2026-01-02T03:04:05Z", "2026-01-02t03:04z", "2026-01-02T03:04:05,123456789-03", "2026-02-30T00:00:00Z", "2026-01-02T24:00:00Z", "2016-12-31T23:59:60Z",
		"0001-01-01T00:00:00Z", "9999-12-31T23:59:59-23:59", "0000-12-31T23:59:59-01:00", "2026-01-02", "2026-02-29", "0000-01-01", "12", "1e3", "-0", "9007199254740993",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if text == "" || !utf8.ValidString(text) || strings.ContainsAny(text, "\r") {
			return // an empty text is null in CSV, and the other texts reach a file in another form
		}
		for _, field := range []string{"at", "day", "n"} {
			quoted, err := json.Marshal(text)
			if err != nil {
				t.Fatal(err)
			}
			line := `{"` + field + `":` + string(quoted) + `}`
			if field == "n" { // a number in JSON has no quotes
				if line = `{"n":` + text + `}`; strings.Trim(text, "+-.0123456789eE") != "" {
					continue
				}
			}
			var cells strings.Builder
			w := csv.NewWriter(&cells)
			w.WriteAll([][]string{{field, "none"}, {text, ""}})
			fromJSON, bad := one(t, "f.ndjson", line+"\n")
			fromCSV, badCell := one(t, "f.csv", strings.ReplaceAll(strings.ReplaceAll(cells.String(), ",none", ""), ",\n", "\n"))
			if fromJSON != fromCSV || bad != badCell {
				t.Errorf("%s %q = %+v, bad %t, in NDJSON and %+v, bad %t, in CSV", field, text, fromJSON, bad, fromCSV, badCell)
			}
			if at, err := time.Parse(time.RFC3339Nano, text); field == "at" && err == nil && !bad && !fromJSON.at.Equal(at.Truncate(time.Microsecond)) {
				t.Errorf("%q = %v, want %v", text, fromJSON.at, at)
			}
		}
		if at, bad := one(t, "f.csv", "at\n"+text+"\n"); !bad && !at.at.IsZero() && !strings.ContainsAny(text, ",\"\n") {
			if day, bad := one(t, "f.csv", "day\n"+text+"\n"); bad || day.day != calendar.Day(at.at) {
				t.Errorf("%q = %v, and as a day %v, bad %t", text, at.at, day.day, bad)
			}
		}
	})
}

// one returns the row of a file, and reports whether the file does not have exactly one good row.
func one(t *testing.T, name, content string) (read when, bad bool) {
	t.Helper()
	rows := 0
	err := readEach(t.Context(), write(t, name, []byte(content)), func(w when, _ int) error {
		read = w
		rows++
		return nil
	}, func(*feed.RowError) error { bad = true; return nil })
	return read, bad || err != nil || rows != 1
}
