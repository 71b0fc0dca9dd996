package libraries_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/internal/load"
)

// clock returns a time on the tests' day, in Brasilia.
func clock(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse("2006-01-02 15:04:05.999999 -0700", "2026-08-10 "+text+" -0300")
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// TestTakesEffect tests from when a load is in effect (L1).
func TestTakesEffect(t *testing.T) {
	tests := []struct {
		name      string
		first     string // time of the first load, if any
		now       string
		immediate bool
		hour      string
	}{
		{"a first load is published at once", "", "12:20:00", false, "12:00:00"},
		{"a later load from the full hour", "11:20:00", "12:20:00", false, "13:00:00"},
		{"a later load in the hour of the first", "12:20:00", "12:30:00", false, "13:00:00"},
		{"a load at the full hour takes the next one", "11:20:00", "12:00:00", false, "13:00:00"},
		{"more than ten seconds before the full hour", "11:20:00", "12:59:49.999999", false, "13:00:00"},
		{"ten seconds before the full hour", "11:20:00", "12:59:50", false, "14:00:00"},
		{"a second before the full hour", "11:20:00", "12:59:59", false, "14:00:00"},
		{"at once", "11:20:00", "12:20:00", true, "12:00:00"},
		{"at once, twice in an hour", "12:10:00", "12:20:00", true, "12:00:00"},
		{"at once, though the clock went back", "12:10:00", "11:59:59", true, "12:00:00"},
		{"the clock went back", "14:10:00", "11:20:00", false, "14:00:00"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t, dbtest.SQLite(t))
			earlier := ""
			if tt.first != "" {
				f.now = clock(t, tt.first)
				earlier = f.must(good).Hour
			}
			f.now = clock(t, tt.now)
			totals, err := f.load(good, func(o *load.Options) { o.Immediately = tt.immediate })
			want := "2026-08-10 " + tt.hour
			if err != nil || totals.Hour != want {
				t.Errorf("takes effect at %q, %v, want %q", totals.Hour, err, want)
			}
			if atOnce := tt.immediate || earlier == ""; atOnce && f.hour() != want || !atOnce && f.hour() != earlier {
				t.Errorf("current hour = %q, want %q, or %q while the load waits", f.hour(), want, earlier)
			}
			if f.now = clock(t, tt.hour); f.hour() != want {
				t.Errorf("current hour when the load takes effect = %q, want %q", f.hour(), want)
			}
		})
	}
}

// TestEffectiveFromTheHour tests that the earlier snapshot is served until the hour, and from then on all loads for the hour.
func TestEffectiveFromTheHour(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		f.must(withoutLoans())
		before := f.access()
		f.now = clock(t, "13:20:00")
		for id := 1; id <= 3; id++ {
			loan := map[string]string{"loans.ndjson": rowOf("loans.ndjson", `"loanId":1`, fmt.Sprint(`"loanId":`, id))}
			totals, err := f.load(loan, nil)
			if err != nil || totals.Hour != "2026-08-10 14:00:00" || *totals.File("loans") != (row.Counts{Rows: 1, New: 1}) {
				t.Errorf("loan %d: %+v, %v, want a load that takes effect at 14:00", id, totals, err)
			}
		}
		for _, at := range []string{"13:20:00", "13:59:59.999999"} {
			if f.now = clock(t, at); f.access() != before || len(f.loans()) != 0 || f.sum(metric.Loans) != 0 {
				t.Errorf("at %s: snapshot %+v with %d loans, want %+v with none", at, f.access(), len(f.loans()), before)
			}
		}
		for _, at := range []string{"14:00:00", "13:00:00"} { // the snapshot does not go back with the clock
			if f.now = clock(t, at); f.hour() != "2026-08-10 14:00:00" || len(f.loans()) != 3 || f.sum(metric.Loans) != 3 {
				t.Errorf("at %s: snapshot %+v with %d loans, want all three", at, f.access(), len(f.loans()))
			}
		}
	})
}

// TestNowMovesWhatWaits tests that an immediate load builds on a waiting load, which then takes effect at once too.
func TestNowMovesWhatWaits(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		f.must(withoutLoans())
		if totals, err := f.load(good, nil); err != nil || totals.Hour != "2026-08-10 13:00:00" {
			t.Fatalf("load = %+v, %v, want it to wait for 13:00", totals, err)
		}
		f.must(map[string]string{"loans.ndjson": rowOf("loans.ndjson", `"loanId":1`, `"loanId":2`)})
		at := f.access()
		if f.hour() != "2026-08-10 12:00:00" || len(f.loans()) != 2 {
			t.Errorf("snapshot %+v with %d loans, want both published at once", at, len(f.loans()))
		}
		if f.now = clock(t, "13:00:00"); f.access() != at {
			t.Errorf("at the hour: snapshot %+v, want the same as before, %+v", f.access(), at)
		}
	})
}

// TestDrop tests that Drop withdraws all loads that wait for their hour, and nothing else.
func TestDrop(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		f.must(withoutLoans())
		before := f.access()
		drop := func(want string) {
			t.Helper()
			if was, err := f.store.Drop(t.Context(), f.network, nil); err != nil || was.Hour.String() != want {
				t.Errorf("Drop = %+v, %v, want %q", was, err, want)
			}
		}
		drop("")
		for range 2 {
			if _, err := f.load(good, nil); err != nil {
				t.Fatal(err)
			}
		}
		drop("2026-08-10 13:00:00")
		drop("")
		f.now = clock(t, "14:20:00")
		if after := f.access(); after != before || len(f.loans()) != 0 { // the loads have erased nobody
			t.Errorf("after the hour: snapshot %+v with %d loans, want %+v with none", after, len(f.loans()), before)
		}
		if totals, err := f.load(good, nil); err != nil || totals.File("loans").New != 1 || totals.Hour != "2026-08-10 15:00:00" {
			t.Errorf("the next load = %+v, %v, want the loan to be new again", totals, err)
		}
		f.now = clock(t, "15:00:00")
		drop("") // it is in effect
		f.stored()
	})
}

// TestLateStepIsTakenAgain tests that a last step that takes more than ten seconds chooses its hour again.
func TestLateStepIsTakenAgain(t *testing.T) {
	f := newFixture(t, dbtest.SQLite(t))
	f.must(withoutLoans())
	for name, tt := range map[string]struct {
		took time.Duration
		hour string
	}{
		"as long as allowed": {10 * time.Second, "2026-08-10 13:00:00"},
		"longer":             {10*time.Second + time.Microsecond, "2026-08-10 14:00:00"},
	} {
		f.now = clock(t, "12:59:49")
		saving, asked := false, 0
		f.store.Now = func() time.Time {
			if asked++; saving && asked == 2 { // the first call of the last step chooses the hour
				f.now = f.now.Add(tt.took)
			}
			return f.now
		}
		totals, err := f.load(good, func(o *load.Options) {
			o.Progress = func(stage string, done, total int64) {
				if stage == "aggregate" && done == total {
					saving, asked = true, 0
				}
			}
		})
		if err != nil || totals.Hour != tt.hour {
			t.Errorf("%s: takes effect at %q, %v, want %q", name, totals.Hour, err, tt.hour)
		}
		f.store.Now = func() time.Time { return f.now }
		if _, err := f.store.Drop(t.Context(), f.network, nil); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWaitsForAnother tests that a load reports that it waits while another load of the network is under way.
func TestWaitsForAnother(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		f.must(withoutLoans())
		other, err := f.store.Begin(t.Context(), f.network, nil)
		if err != nil {
			t.Fatal(err)
		}
		var stages []string
		totals, err := f.load(good, func(o *load.Options) {
			o.Immediately = true
			o.Progress = func(stage string, _, _ int64) {
				if len(stages) == 0 {
					if err := other.Close(t.Context()); err != nil {
						t.Error(err)
					}
				}
				stages = append(stages, stage)
			}
		})
		if err != nil || totals.File("loans").New != 1 || len(stages) < 2 || stages[0] != "wait" || stages[1] != "read" {
			t.Errorf("load = %+v, %v, with the stages %q, want a wait first", totals, err, stages)
		}
	})
}
