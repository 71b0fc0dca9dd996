package report

import (
	"context"

	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// Logins answers one page of the days with activity, by date, then reader. The rows are shared and must not be changed.
func (r *Reports) Logins(ctx context.Context, a Access, q DayQuery, p paging.Page) (List[LoginRow], error) {
	return logins.list(ctx, r, a, q, p)
}

// logins has a row for each login of the engagements (L3).
var logins = daily[LoginRow]{
	name:  "logins",
	kind:  LoginSheets,
	count: func(t *facts.DayTotals) int64 { return t.Sums[metric.Logins] },
	cut:   cutLogins,
	find:  findLogin,
}

func cutLogins(day calendar.Date, data []byte, from, to int) ([]LoginRow, error) {
	sheet, err := facts.ParseLogins(data)
	if err != nil {
		return nil, err
	}
	rows := make([]LoginRow, 0, to-from)
	place := 0
	for l := range sheet {
		if place >= from {
			rows = append(rows, LoginRow{day, l.Reader, l.Presence})
		}
		if place++; place == to {
			break
		}
	}
	return rows, nil
}

func findLogin(day calendar.Date, data []byte, reader int64) ([]LoginRow, error) {
	sheet, err := facts.ParseLogins(data)
	if err != nil {
		return nil, err
	}
	for l := range sheet {
		if l.Reader == reader {
			return []LoginRow{{day, l.Reader, l.Presence}}, nil
		}
		if l.Reader > reader {
			break
		}
	}
	return nil, nil
}
