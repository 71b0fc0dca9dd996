package librariesdb

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"

	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// foldedDays is what is written of a slot's days. Old days are replaced, or go.
type foldedDays struct {
	slot
	days []foldedDay
	old  []key
}

// foldedDay is a day in its stored forms.
type foldedDay struct {
	date  calendar.Date
	forms libraries.DayForms
}

func dayValues(n libraries.NetworkID, d foldedDay) []any {
	return []any{int64(n), int64(d.date), d.forms.Totals, d.forms.Readers, d.forms.Titles, d.forms.Logins}
}

// merge merges what was set aside of a slot's days into them.
func (l *load) merge(ctx context.Context, i int) (*foldedDays, error) {
	l.piles.Lock()
	data, err := l.aside.slot(i)
	l.piles.Unlock()
	if err != nil {
		return nil, err
	}
	ds := &foldedDays{}
	if ds.slot, err = parseSlot(data); err != nil {
		return nil, err
	}
	ds.sort()
	return ds, l.mergeDays(ctx, ds)
}

// sort puts the slot's rows in the order of their tables.
func (s *slot) sort() {
	slices.SortFunc(s.loans, func(a, b libraries.Loan) int { return cmp.Or(cmp.Compare(a.Day(), b.Day()), cmp.Compare(a.ID, b.ID)) })
	slices.SortFunc(s.reservations, func(a, b libraries.Reservation) int {
		return cmp.Or(cmp.Compare(a.Day(), b.Day()), cmp.Compare(a.ID, b.ID))
	})
	slices.SortFunc(s.requests, func(a, b libraries.Request) int {
		return cmp.Or(a.Requested.Compare(b.Requested), cmp.Compare(a.ID, b.ID))
	})
}

// mergeDays adds the slot's deltas to its days.
func (l *load) mergeDays(ctx context.Context, ds *foldedDays) error {
	deltas := byDay(ds.deltas)
	ds.deltas = nil
	for _, date := range slices.Sorted(maps.Keys(deltas)) {
		had, stored, err := l.dayForms(ctx, date)
		if err != nil {
			return err
		}
		forms, left, err := mergeDay(had, deltas[date])
		if err != nil {
			return fmt.Errorf("day %s: %w", date, err)
		}
		delete(deltas, date)
		if stored {
			ds.old = append(ds.old, key{id: int64(date)})
		}
		if left {
			ds.days = append(ds.days, foldedDay{date, forms})
		}
	}
	return nil
}

// byDay sorts deltas by their day. They are many and large: each is moved once.
func byDay(lists [][]libraries.DayDelta) map[calendar.Date][]libraries.DayDelta {
	n := map[calendar.Date]int{}
	for _, list := range lists {
		for i := range list {
			n[list[i].Day]++
		}
	}
	days := make(map[calendar.Date][]libraries.DayDelta, len(n))
	for day, n := range n {
		days[day] = make([]libraries.DayDelta, 0, n)
	}
	for _, list := range lists {
		for i := range list {
			days[list[i].Day] = append(days[list[i].Day], list[i])
		}
	}
	return days
}

// mergeDay adds deltas to a day. It returns false where nothing is left of it.
func mergeDay(had libraries.DayForms, deltas []libraries.DayDelta) (libraries.DayForms, bool, error) {
	d, err := libraries.ParseDay(had)
	if err != nil {
		return libraries.DayForms{}, false, err
	}
	if err := d.Add(deltas); err != nil {
		return libraries.DayForms{}, false, err
	}
	forms, left := d.Forms()
	return forms, left, nil
}

// dayForms reads a day; stored is false where the store has none.
func (l *load) dayForms(ctx context.Context, date calendar.Date) (f libraries.DayForms, stored bool, err error) {
	if l.empty {
		return f, false, nil
	}
	rows, err := l.DB.QueryContext(ctx, `SELECT totals, readers, titles, logins FROM libraries_days WHERE tenant_id = ? AND day = ?`, l.network, int32(date))
	err = authdb.Visit(rows, err, "days", func(rows *sql.Rows) error {
		stored = true
		return rows.Scan(&f.Totals, &f.Readers, &f.Titles, &f.Logins)
	})
	return f, stored, err
}

// writeDays writes the days of a slot, with their loans, reservations and requests.
func (l *load) writeDays(ctx context.Context, ds *foldedDays) error {
	if err := l.forget(ctx, daysTable, ds.old); err != nil {
		return err
	}
	if err := put(ctx, l, daysTable, ds.days, dayValues); err != nil {
		return err
	}
	if err := l.forget(ctx, loansTable, ds.oldLoans); err != nil {
		return err
	}
	if err := put(ctx, l, loansTable, ds.loans, loanValues); err != nil {
		return err
	}
	if err := l.forget(ctx, reservationsTable, ds.oldReservations); err != nil {
		return err
	}
	if err := put(ctx, l, reservationsTable, ds.reservations, reservationValues); err != nil {
		return err
	}
	if err := put(ctx, l, requestsTable, ds.requests, requestValues); err != nil {
		return err
	}
	l.step()
	return nil
}
