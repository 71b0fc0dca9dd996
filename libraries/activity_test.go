package libraries_test

import (
	"testing"
	"time"

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
	if p.Add(libraries.ExpiryEvent, 50); p != (libraries.Presence{}) || p.Logins() != 0 {
		t.Errorf("after an expiry: %+v, logins %d, want no activity", p, p.Logins())
	}
	p.Add(libraries.SessionEvent, 100)
	if want := (libraries.Presence{Events: 1, First: 100, Last: 100}); p != want || p.Logins() != 1 {
		t.Errorf("after a session: %+v, logins %d, want %+v, 1", p, p.Logins(), want)
	}
	p.Add(libraries.LoanEvent, 0)
	p.Add(libraries.ExpiryEvent, 86_399)
	p.Add(libraries.ReturnEvent, 99)
	all := libraries.Presence{Events: 3, First: 0, Last: 100}
	if p != all || p.Logins() != 1 {
		t.Errorf("after a loan, an expiry and a return: %+v, logins %d, want %+v, 1", p, p.Logins(), all)
	}
	for _, tt := range []struct{ into, from, want libraries.Presence }{
		{libraries.Presence{Events: 2, First: 8, Last: 9}, libraries.Presence{}, libraries.Presence{Events: 2, First: 8, Last: 9}}, {libraries.Presence{}, all, all},
		{libraries.Presence{Events: 1, First: 7, Last: 7}, libraries.Presence{Events: 2, First: 8, Last: 9}, libraries.Presence{Events: 3, First: 7, Last: 9}},
		{libraries.Presence{Events: 2, First: 8, Last: 9}, libraries.Presence{Events: 1, First: 7, Last: 7}, libraries.Presence{Events: 3, First: 7, Last: 9}},
	} {
		got := tt.into
		if got.Merge(tt.from); got != tt.want {
			t.Errorf("%+v merged into %+v is %+v, want %+v", tt.from, tt.into, got, tt.want)
		}
	}
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
