package schoolsload_test

import (
	"testing"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/paging/state/statedb"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// versions reads the state of the partner's data.
func versions(t *testing.T, f *fixture) state.Versions {
	t.Helper()
	v, err := statedb.ReadCurrent(t.Context(), f.db, auth.Tenant(f.partner))
	if err != nil {
		t.Fatal(err)
	}
	return state.Versions{Registers: v.Registers, Facts: v.Facts}
}

// period is that of the good feed.
func period() calendar.Period {
	return calendar.Period{Start: calendar.MustParse("2026-03-01"), End: calendar.MustParse("2026-03-02")}
}
