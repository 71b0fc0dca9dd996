package librariesdb

import (
	"context"
	"fmt"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// Days implements report.Store.
func (s *Store) Days(ctx context.Context, a report.Access) (*facts.Days, error) {
	days := &facts.Days{}
	err := s.scan(ctx, a, facts.TotalsKind, state.Range{}, func(b state.Block) error {
		day := calendar.Date(b.A)
		totals, err := facts.ParseDayTotals(b.Data)
		if err != nil {
			return fmt.Errorf("day %s: %w", day, err)
		}
		days.Dates, days.Totals = append(days.Dates, day), append(days.Totals, totals)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return days, nil
}

// Sheets implements report.Store.
func (s *Store) Sheets(ctx context.Context, a report.Access, kind report.SheetKind, period calendar.Period) (report.Sheets, error) {
	sheets := report.Sheets{}
	err := s.scan(ctx, a, kind.Blocks(), inPeriod(period), func(b state.Block) error {
		sheets[calendar.Date(b.A)] = slices.Clone(b.Data)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return sheets, nil
}

// Requests implements report.Store. By day first, as they stand: later instants have no earlier day.
func (s *Store) Requests(ctx context.Context, a report.Access, period calendar.Period) (requests []libraries.Request, err error) {
	return requests, requestsTable.Read(ctx, s.DB, func(r libraries.Request) { requests = append(requests, r) }, `
		  FROM libraries_requests
		 WHERE ? AND day BETWEEN ? AND ?
		 ORDER BY day, requested, request_id, user_id`, rowsOf(a), int32(period.Start), int32(period.End))
}

// Channels implements report.Store.
func (s *Store) Channels(ctx context.Context, a report.Access, period calendar.Period) (days []libraries.ChannelDay, err error) {
	return days, channelsTable.Read(ctx, s.DB, func(c libraries.ChannelDay) { days = append(days, c) }, `
		  FROM libraries_channels
		 WHERE ? AND day BETWEEN ? AND ?
		 ORDER BY day, channel`, rowsOf(a), int32(period.Start), int32(period.End))
}
