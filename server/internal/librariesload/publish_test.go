package librariesload_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/internal/librariesload"
)

// TestPublished is L1: when a load takes effect, and as which hour.
func TestPublished(t *testing.T) {
	at := func(clock string) time.Time {
		t.Helper()
		v, err := time.Parse("2006-01-02 15:04:05 -0700", "2026-08-10 "+clock+" -0300")
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	tests := []struct {
		name      string
		first     string // when the first load was, if any
		now       string
		immediate bool
		waits     []string
		hour      string
	}{
		{"a first load does not wait", "", "12:20:00", false, nil, "12:00:00"},
		{"another waits for the full hour", "11:20:00", "12:20:00", false, []string{"12:59:50", "13:00:00"}, "13:00:00"},
		{"another in the hour of the first", "12:20:00", "12:30:00", false, []string{"12:59:50", "13:00:00"}, "13:00:00"},
		{"at the full hour the next is meant", "11:20:00", "12:00:00", false, []string{"12:59:50", "13:00:00"}, "13:00:00"},
		{"a second before the full hour", "11:20:00", "12:59:59", false, []string{"12:59:50", "13:00:00"}, "13:00:00"},
		{"at once", "11:20:00", "12:20:00", true, nil, "12:00:00"},
		{"at once, twice in an hour", "12:10:00", "12:20:00", true, nil, "12:00:00"},
		{"at once, though the clock went back", "12:10:00", "11:59:59", true, nil, "12:00:00"},
		{"the clock went back", "12:10:00", "11:20:00", false, []string{"12:59:50", "13:00:00"}, "13:00:00"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t, dbtest.SQLite(t))
			if tt.first != "" {
				f.now = at(tt.first)
				f.must(good)
			}
			f.now = at(tt.now)
			var told []string
			totals, err := f.load(good, func(o *librariesload.Options) {
				o.Immediately = tt.immediate
				o.Waiting = func(until time.Time) { told = append(told, libraries.FormatTime(until)) }
			})
			var waits []string
			for _, w := range f.waits {
				waits = append(waits, strings.TrimPrefix(libraries.FormatTime(w), "2026-08-10 "))
			}
			if want := "2026-08-10 " + tt.hour; err != nil || totals.Hour != want || f.hour() != want {
				t.Errorf("published as %q, the store says %q, %v, want %q", totals.Hour, f.hour(), err, want)
			}
			if strings.Join(waits, " ") != strings.Join(tt.waits, " ") {
				t.Errorf("waited until %v, want %v", waits, tt.waits)
			}
			if len(told) > 1 || (len(told) == 1) != (tt.waits != nil) || len(told) == 1 && told[0] != "2026-08-10 "+tt.hour {
				t.Errorf("told to wait until %v, want the hour once, where it waits", told)
			}
		})
	}
}

// TestInvisibleUntilTheHour serves the former state until the load is published.
func TestInvisibleUntilTheHour(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		f.must(withoutLoans())
		before := f.access()
		f.now = f.now.Add(time.Hour)
		seen := 0
		_, err := f.load(good, func(o *librariesload.Options) {
			o.Wait = func(ctx context.Context, until time.Time) error {
				seen++
				if f.access() != before || len(f.loans()) != 0 || f.hour() != "2026-08-10 12:00:00" {
					t.Errorf("before %v the store has %v and %d loans", until, f.access(), len(f.loans()))
				}
				return f.wait(ctx, until)
			}
		})
		if err != nil || seen != 2 || len(f.loans()) != 1 || f.hour() != "2026-08-10 14:00:00" {
			t.Errorf("load = %v after %d waits: %d loans at %s, want one after two", err, seen, len(f.loans()), f.hour())
		}
	})
}

// TestStoppedWhileWaiting ends a load that waits, before it writes and after: nothing of it is there, and it says so.
func TestStoppedWhileWaiting(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		f.must(withoutLoans())
		before := f.access()
		for stop := range 2 {
			ctx, cancel := context.WithCancel(t.Context())
			waits := 0
			_, err := librariesload.Load(ctx, f.store, folder(t, good), librariesload.Options{
				Network: f.network, TempDir: t.TempDir(), Now: func() time.Time { return f.now },
				Wait: func(ctx context.Context, _ time.Time) error {
					if waits++; waits > stop {
						cancel()
					}
					return ctx.Err()
				},
			})
			cancel()
			if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "stopped while waiting for 2026-08-10 13:00:00: nothing was loaded") {
				t.Errorf("stopped in wait %d: load = %v", stop+1, err)
			}
			if f.access() != before || len(f.loans()) != 0 {
				t.Errorf("stopped in wait %d: the store has %v and %d loans, want %v and none", stop+1, f.access(), len(f.loans()), before)
			}
		}
		f.must(good)
		f.stored()
	})
}

// TestClockStops ends a load that waits by the clock alone, with its context.
func TestClockStops(t *testing.T) {
	f := newFixture(t, dbtest.SQLite(t))
	f.must(good)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := librariesload.Load(ctx, f.store, folder(t, good), librariesload.Options{
		Network: f.network, TempDir: t.TempDir(), Now: func() time.Time { return f.now }, Waiting: func(time.Time) { cancel() },
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("load = %v, want it to be stopped", err)
	}
}

// TestClockReached waits by a clock that is at the hour when it is asked again.
func TestClockReached(t *testing.T) {
	f := newFixture(t, dbtest.SQLite(t))
	f.must(good)
	f.now = time.Date(2026, 8, 10, 15, 59, 59, 999e6, time.UTC)
	asked := 0
	totals, err := f.load(good, func(o *librariesload.Options) {
		o.Wait = nil
		o.Now = func() time.Time {
			asked++
			return f.now.Add(time.Duration(asked) * time.Microsecond * 100)
		}
	})
	if err != nil || totals.Hour != "2026-08-10 13:00:00" {
		t.Errorf("published as %q, %v, want the hour that was waited for", totals.Hour, err)
	}
}

// TestOvertakenWhileWaiting reads the feed anew against what another load published meanwhile, and waits for the next hour.
func TestOvertakenWhileWaiting(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		f.must(withoutLoans())
		overtaken := false
		totals, err := f.load(and("loans.ndjson", row("loans.ndjson", `"loanId":1`, `"loanId":2`)), func(o *librariesload.Options) {
			o.Wait = func(ctx context.Context, until time.Time) error {
				if !overtaken {
					overtaken = true
					f.now = f.now.Add(time.Hour) // 13:20
					f.must(good)
				}
				return f.wait(ctx, until)
			}
		})
		if err != nil || totals.Hour != "2026-08-10 14:00:00" || f.hour() != totals.Hour {
			t.Errorf("published as %q, %v, want the hour after that of the other load", totals.Hour, err)
		}
		if want := (libraries.Counts{Rows: 2, New: 1, Unchanged: 1}); totals.Loans != want || totals.NewEvents != 0 {
			t.Errorf("totals = %+v, want the loans %+v beside the other load's", totals, want)
		}
		if n := f.sum(libraries.Loans); n != 2 {
			t.Errorf("loans = %d, want each once", n)
		}
	})
}

// TestOvertakenForGood gives up after five loads that came first.
func TestOvertakenForGood(t *testing.T) {
	f := newFixture(t, dbtest.SQLite(t))
	f.must(good)
	others := 0
	_, err := f.load(good, func(o *librariesload.Options) {
		o.Wait = func(ctx context.Context, until time.Time) error {
			others++
			f.must(good)
			return f.wait(ctx, until)
		}
	})
	if !errors.Is(err, librariesdb.ErrOvertaken) || others != 5 || !strings.Contains(err.Error(), "each of 5 times; run it again") {
		t.Errorf("load = %v after %d others, want it to give up after five", err, others)
	}
}
