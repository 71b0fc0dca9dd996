package librariesdb

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// keep stores an answer and checks which one is returned to serve.
func (f *fixture) keep(n libraries.NetworkID, hour libraries.Hour, p calendar.Period, data, want string) {
	f.Helper()
	if got, err := f.KeepChannelAnswer(f.Context(), report.ChannelQuestion{Network: n, Hour: hour, Period: p}, []byte(data)); err != nil || string(got) != want {
		f.Errorf("KeepChannelAnswer(%d, %d, %v, %s) = %q, %v, want %s", n, hour, p, data, got, err, want)
	}
}

// answer checks the stored answer. If want is "", there must be none.
func (f *fixture) answer(n libraries.NetworkID, hour libraries.Hour, p calendar.Period, want string) {
	f.Helper()
	got, found, err := f.ChannelAnswer(f.Context(), report.ChannelQuestion{Network: n, Hour: hour, Period: p})
	if err != nil || string(got) != want || found != (want != "") {
		f.Errorf("ChannelAnswer(%d, %d, %v) = %q, %t, %v, want %q", n, hour, p, got, found, err, want)
	}
}

// TestChannelAnswers tests that the first answer for a network, an hour and a period is kept for a day (L13). A later
// hour has an answer of its own.
func TestChannelAnswers(t *testing.T) {
	eachEngine(t, func(t *testing.T, f *fixture) {
		one, other := f.a.Network, f.other
		p, q := calendar.Period{Start: firstDay, End: firstDay + 30}, calendar.Period{Start: firstDay, End: firstDay + 29}
		f.answer(one, 10, p, "")
		f.keep(one, 10, p, "first", "first")
		f.keep(one, 10, p, "second", "first")
		f.answer(one, 10, q, "")
		f.keep(one, 10, q, "other period", "other period")
		f.keep(other, 10, p, "other network", "other network")
		f.answer(one, 10, p, "first")
		f.answer(one, 11, p, "")
		f.keep(one, 11, p, "next hour", "next hour")
		f.answer(one, 10, p, "first")
		f.answer(one, 10, q, "other period")
		f.answer(one, 11, p, "next hour")
		f.keep(one, 34, p, "a day after", "a day after")
		f.answer(one, 10, p, "first")
		f.keep(one, 35, p, "later", "later")
		f.answer(one, 10, p, "")
		f.answer(one, 10, q, "")
		f.answer(one, 11, p, "next hour")
		f.answer(other, 10, p, "other network")
	})
}

// TestChannelAnswersAtOnce tests that several servers that store an answer at once all get the same one to serve.
func TestChannelAnswersAtOnce(t *testing.T) {
	eachEngine(t, func(t *testing.T, f *fixture) {
		p := calendar.Period{Start: firstDay, End: firstDay}
		got := make([]string, 8)
		var wg sync.WaitGroup
		for i := range got {
			wg.Go(func() {
				data, err := f.KeepChannelAnswer(t.Context(), report.ChannelQuestion{Network: f.a.Network, Hour: 10, Period: p}, fmt.Append(nil, "answer ", i))
				if err != nil {
					t.Error(err)
				}
				got[i] = string(data)
			})
		}
		wg.Wait()
		for _, g := range got {
			if g != got[0] || g == "" {
				t.Errorf("answers to serve = %q, want all the same", got)
				break
			}
		}
	})
}

// TestChannelAnswerBesideLoad tests that storing an answer on SQLite fails while a load writes, and does not wait for its end.
func TestChannelAnswerBesideLoad(t *testing.T) {
	f := newFixture(t, dbtest.SQLite(t))
	period := calendar.Period{Start: firstDay, End: firstDay}
	tx, err := f.db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if data, err := f.KeepChannelAnswer(t.Context(), report.ChannelQuestion{Network: f.a.Network, Hour: 10, Period: period}, []byte("a")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("KeepChannelAnswer during a load = %q, %v, want DeadlineExceeded", data, err)
	}
	f.answer(f.a.Network, 10, period, "")
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	f.keep(f.a.Network, 10, period, "a", "a")
}
