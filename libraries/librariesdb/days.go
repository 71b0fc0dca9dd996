package librariesdb

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// Days implements libraries.Store.
func (s *Store) Days(ctx context.Context, a libraries.Access) (*libraries.Days, error) {
	days := &libraries.Days{}
	err := s.steady(ctx, a, func() error {
		rows, err := s.DB.QueryContext(ctx, `SELECT day, totals FROM libraries_days WHERE tenant_id = ? ORDER BY day`, a.Network)
		return authdb.Visit(rows, err, "days", func(rows *sql.Rows) error {
			var day calendar.Date
			var data sql.RawBytes
			if err := rows.Scan(into(&day), &data); err != nil {
				return err
			}
			totals, err := libraries.ParseDayTotals(data)
			if err != nil {
				return fmt.Errorf("day %s: %w", day, err)
			}
			days.Dates, days.Totals = append(days.Dates, day), append(days.Totals, totals)
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	return days, nil
}

// sheetColumns are the columns of libraries_days that have the sheets.
var sheetColumns = [...]string{libraries.ReaderSheets: "readers", libraries.TitleSheets: "titles", libraries.LoginSheets: "logins"}

// Sheets implements libraries.Store.
func (s *Store) Sheets(ctx context.Context, a libraries.Access, kind libraries.SheetKind, period calendar.Period) (libraries.Sheets, error) {
	sheets := libraries.Sheets{}
	err := s.steady(ctx, a, func() error {
		rows, err := s.DB.QueryContext(ctx, `SELECT day, ? FROM libraries_days WHERE tenant_id = ? AND day BETWEEN ? AND ? ORDER BY day`,
			bun.Ident(sheetColumns[kind]), a.Network, int32(period.Start), int32(period.End))
		return authdb.Visit(rows, err, "sheets", func(rows *sql.Rows) error {
			var day calendar.Date
			var data []byte
			if err := rows.Scan(into(&day), &data); err != nil {
				return err
			}
			if len(data) > 0 {
				sheets[day] = data
			}
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	return sheets, nil
}

// Requests implements libraries.Store. By day first, as they stand: later instants have no earlier day.
func (s *Store) Requests(ctx context.Context, a libraries.Access, period calendar.Period) (requests []libraries.Request, err error) {
	err = s.steady(ctx, a, func() error {
		rows, err := s.DB.QueryContext(ctx, `
			SELECT `+requestFields+`
			  FROM libraries_requests
			 WHERE tenant_id = ? AND day BETWEEN ? AND ?
			 ORDER BY day, requested, request_id, user_id`, a.Network, int32(period.Start), int32(period.End))
		return each(rows, err, "requests", scanRequest, func(r libraries.Request) { requests = append(requests, r) })
	})
	return requests, err
}

// Channels implements libraries.Store.
func (s *Store) Channels(ctx context.Context, a libraries.Access, period calendar.Period) (days []libraries.ChannelDay, err error) {
	err = s.steady(ctx, a, func() error {
		days, err = s.channels(ctx, a.Network, period)
		return err
	})
	return days, err
}

func (s *Store) channels(ctx context.Context, n libraries.NetworkID, period calendar.Period) (days []libraries.ChannelDay, err error) {
	rows, err := s.DB.QueryContext(ctx, `
		SELECT `+channelFields+`
		  FROM libraries_channels
		 WHERE tenant_id = ? AND day BETWEEN ? AND ?
		 ORDER BY day, channel`, n, int32(period.Start), int32(period.End))
	return days, each(rows, err, "channels", scanChannel, func(c libraries.ChannelDay) { days = append(days, c) })
}
