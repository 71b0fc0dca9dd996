package libraries_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/lectern-dev/lectern/libraries"
)

func TestEventKindActivity(t *testing.T) {
	for _, test := range []struct {
		kind libraries.EventKind
		name string
		want bool
	}{
		{0, "event kind 0", false},
		{libraries.ActivityEvent, "activity", true},
		{libraries.SessionEvent, "session", true},
		{libraries.PreviewEvent, "preview", true},
		{libraries.LoanEvent, "loan", true},
		{libraries.RenewalEvent, "renewal", true},
		{libraries.ReservationEvent, "reservation", true},
		{libraries.ReturnEvent, "return", true},
		{libraries.ExpiryEvent, "expiry", false},
		{9, "event kind 9", false},
	} {
		if got := test.kind.Activity(); got != test.want || test.kind.String() != test.name {
			t.Errorf("%v: Activity() = %v, want %s, %v", test.kind, got, test.name, test.want)
		}
	}
}

func TestPresence(t *testing.T) {
	var p libraries.Presence
	if p.Add(libraries.ExpiryEvent, 50) || p != (libraries.Presence{}) || p.Logins() != 0 {
		t.Errorf("after an expiry: %+v, logins %d, want no activity", p, p.Logins())
	}
	p.Add(libraries.SessionEvent, 100)
	if want := (libraries.Presence{Events: 1, First: 100, Last: 100}); p != want || p.Logins() != 1 {
		t.Errorf("after a session: %+v, logins %d, want %+v, 1", p, p.Logins(), want)
	}
	p.Add(libraries.LoanEvent, 0)
	p.Add(libraries.ExpiryEvent, 86_399)
	p.Add(libraries.ReturnEvent, 99)
	if want := (libraries.Presence{Events: 3, First: 0, Last: 100}); p != want || p.Logins() != 1 {
		t.Errorf("after a loan, an expiry and a return: %+v, logins %d, want %+v, 1", p, p.Logins(), want)
	}
}

// TestPresenceLaws: however the events of a day are divided, ordered and merged, what they add up to is the same.
func TestPresenceLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type event struct {
			kind   libraries.EventKind
			second int32
			part   int
		}
		events := rapid.SliceOf(rapid.Custom(func(t *rapid.T) event {
			return event{
				libraries.EventKind(rapid.IntRange(1, 8).Draw(t, "kind")),
				rapid.Int32Range(0, 86_399).Draw(t, "second"),
				rapid.IntRange(0, 2).Draw(t, "part"),
			}
		})).Draw(t, "events")
		var parts [3]libraries.Presence
		want := libraries.Presence{First: 86_400, Last: -1}
		for _, e := range events {
			parts[e.part].Add(e.kind, e.second)
			if e.kind == libraries.ExpiryEvent {
				continue
			}
			want.Events++
			if e.second < want.First {
				want.First = e.second
			}
			if e.second > want.Last {
				want.Last = e.second
			}
		}
		if want.Events == 0 {
			want = libraries.Presence{}
		}
		for _, order := range [][3]int{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}} {
			got := parts[order[0]]
			got.Merge(parts[order[1]])
			got.Merge(parts[order[2]])
			if got != want {
				t.Errorf("%v merged as %v = %+v, want %+v", events, order, got, want)
			}
		}
	})
}

func TestSecond(t *testing.T) {
	for _, test := range []struct {
		at   string
		want int32
	}{
		{"2026-08-01T03:00:00Z", 0},
		{"2026-08-01T02:59:59Z", 86_399},
		{"2026-08-01T02:59:59.999Z", 86_399},
		{"2026-08-01T00:00:00-03:00", 0},
		{"2026-08-01T12:00:01+02:00", 7*3600 + 1},
		{"1969-12-31T23:59:59.5Z", 21*3600 - 1},
	} {
		at, err := time.Parse(time.RFC3339, test.at)
		if err != nil {
			t.Fatal(err)
		}
		if got := libraries.Second(at); got != test.want {
			t.Errorf("Second(%s) = %d, want %d", test.at, got, test.want)
		}
	}
}
