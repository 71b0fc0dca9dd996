package directory_test

import (
	"slices"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/directory"
)

// second returns an instant of a test's day.
func second(n float64) time.Time {
	return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).Add(time.Duration(n * float64(time.Second)))
}

// TestRefOwnersAt tests both sides of every change of owner (F4).
func TestRefOwnersAt(t *testing.T) {
	c := directory.RefOwners{"ana": {{second(0), 1}, {second(10), 2}, {second(20), 1}}, "bia": {{second(10), 3}}, "none": nil}
	for _, tt := range []struct {
		ref  directory.Ref
		at   time.Time
		want directory.UserID
	}{
		{"ana", second(-1), 1}, // before all
		{"ana", second(0), 1},
		{"ana", second(10).Add(-time.Microsecond), 1},
		{"ana", second(10), 2},
		{"ana", second(20).Add(-time.Microsecond), 2},
		{"ana", second(20), 1},
		{"ana", second(1e6), 1},
		{"bia", second(-1), 3},
		{"bia", second(11), 3},
		{"caio", second(0), 0},
		{"none", second(0), 0},
	} {
		if got := c.At(tt.ref, tt.at); got != tt.want {
			t.Errorf("At(%s, %v) = %d, want %d", tt.ref, tt.at, got, tt.want)
		}
	}
	for ref, want := range map[directory.Ref]directory.UserID{"ana": 1, "bia": 3, "caio": 0, "none": 0} {
		if got := c.Last(ref); got != want {
			t.Errorf("Last(%s) = %d, want %d", ref, got, want)
		}
	}
}

// TestRefOwnersTake tests what Take adds to a history.
func TestRefOwnersTake(t *testing.T) {
	beginning := time.Unix(0, 0).UTC()
	history := directory.RefOwners{"ana": {{beginning, 1}, {second(10), 2}}}
	for _, tt := range []struct {
		rule    string
		ref     directory.Ref
		was, by directory.UserID
		at      time.Time
		want    []directory.RefOwner
	}{
		{"the first has no history", "bia", 0, 7, second(1), nil},
		{"from a deleted account", "bia", 6, 7, second(1), []directory.RefOwner{{beginning, 6}, {second(1), 7}}},
		{"from the last owner", "ana", 0, 1, second(11), []directory.RefOwner{{second(11), 1}}},
		{"the history overrides the given owner", "ana", 6, 7, second(11), []directory.RefOwner{{second(11), 7}}},
		{"by the last owner itself", "ana", 0, 2, second(11), nil},
		{"to the microsecond", "ana", 0, 7, second(11).Add(1999), []directory.RefOwner{{second(11).Add(time.Microsecond), 7}}},
		{"at the instant of the last", "ana", 0, 7, second(10), []directory.RefOwner{{second(10).Add(time.Microsecond), 7}}},
		{"a microsecond after the last", "ana", 0, 7, second(10).Add(time.Microsecond), []directory.RefOwner{{second(10).Add(time.Microsecond), 7}}},
		{"by a clock that was set back", "ana", 0, 7, second(3), []directory.RefOwner{{second(10).Add(time.Microsecond), 7}}},
	} {
		got := history.Take(tt.ref, tt.was, tt.by, tt.at)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: Take(%s, %d, %d, %v) = %v, want %v", tt.rule, tt.ref, tt.was, tt.by, tt.at, got, tt.want)
		}
	}
	if len(history["ana"]) != 2 || len(history) != 1 {
		t.Errorf("Take changed the history to %v", history)
	}
}
