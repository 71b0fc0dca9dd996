package schools_test

import (
	"testing"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools/report"
)

// versions returns the current versions of the partner's data.
func versions(t *testing.T, f *fixture) snapshot.Versions {
	t.Helper()
	v, err := snapshotdb.ReadCurrent(t.Context(), f.db, auth.Tenant(f.partner))
	if err != nil {
		t.Fatal(err)
	}
	return snapshot.Versions{Registers: v.Registers, Facts: v.Facts}
}

// period returns the period of the good feed.
func period() calendar.Period {
	return calendar.Period{Start: calendar.MustParse("2026-03-01"), End: calendar.MustParse("2026-03-02")}
}

// minutes returns the minutes of all users of the feed's network on each day of a period.
func (f *fixture) minutes(period calendar.Period) (map[calendar.Date]reading.Minutes, error) {
	reports := report.Reports{Store: f.store}
	a := report.Access{Partner: f.partner, Network: 1, At: versions(f.t, f)}
	list, err := reports.Engagements(f.t.Context(), a, period, report.Filter{}, paging.Page{Number: 1, Size: 1000})
	days := map[calendar.Date]reading.Minutes{}
	for _, e := range list.Rows {
		days[e.Date] += e.Minutes
	}
	return days, err
}
