package analytics

import (
	"slices"
	"testing"

	"github.com/lectern-dev/lectern/reading/calendar"
)

// FuzzParse checks that parse refuses an answer, or returns unique rows of the period in order. They are the same after
// they have been stored and read.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`[]`, `null`, `[{"date":"2026-10-02","channel":"app","sessions":3},{"date":"2026-10-01","channel":"web","sessions":0}]`, `[{}]`, `[{"date":"2026-10-01","channel":"app","sessions":1e2}]`} {
		f.Add([]byte(s))
	}
	period := calendar.Period{Start: calendar.MustParse("2026-10-01"), End: calendar.MustParse("2026-10-31")}
	f.Fuzz(func(t *testing.T, data []byte) {
		rows, err := parse(data, period)
		if err != nil {
			return
		}
		for i, r := range rows {
			if !period.Contains(r.Day) || r.Sessions < 0 || r.Sessions > maxSessions || i > 0 && compare(rows[i-1], r) >= 0 {
				t.Errorf("parse(%s): row %d = %+v, want it valid and in order", data, i, r)
			}
		}
		if again, err := parse(stored(rows), period); err != nil || !slices.Equal(again, rows) {
			t.Errorf("parse(%s) = %+v, stored and parsed again = %+v, %v", data, rows, again, err)
		}
	})
}
