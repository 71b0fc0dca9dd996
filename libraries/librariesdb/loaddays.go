package librariesdb

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/paging/state/statedb"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// foldedDays is what is written of a slot's days: the blocks of each form.
type foldedDays struct {
	slot
	forms [len(dayKinds)]replaced
}

// dayKinds are the kinds of the forms of a day.
var dayKinds = [...]state.Kind{libraries.TotalsKind, libraries.ReaderSheetKind, libraries.TitleSheetKind, libraries.LoginSheetKind}

// formsOf are a day's forms, by the places of their kinds.
func formsOf(f *libraries.DayForms) [len(dayKinds)]*[]byte {
	return [...]*[]byte{&f.Totals, &f.Readers, &f.Titles, &f.Logins}
}

// add puts the forms of a day in the place of those that it had. Of an empty one there is no block.
func (ds *foldedDays) add(date calendar.Date, had, forms libraries.DayForms) {
	at := state.BlockKey{A: int64(date)}
	was := formsOf(&had)
	for i, data := range formsOf(&forms) {
		stored := len(*was[i]) > 0
		if len(*data) > 0 {
			ds.forms[i].add(at, stored, *data)
		} else if stored {
			ds.forms[i].gone = append(ds.forms[i].gone, at)
		}
	}
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
	dates := slices.Sorted(maps.Keys(deltas))
	had, err := l.dayForms(ctx, dates)
	if err != nil {
		return err
	}
	for _, date := range dates {
		forms, err := mergeDay(had[date], deltas[date])
		if err != nil {
			return fmt.Errorf("day %s: %w", date, err)
		}
		delete(deltas, date)
		ds.add(date, had[date], forms)
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

// mergeDay adds deltas to a day. It returns no forms where nothing is left of it.
func mergeDay(had libraries.DayForms, deltas []libraries.DayDelta) (libraries.DayForms, error) {
	d, err := libraries.ParseDay(had)
	if err != nil {
		return libraries.DayForms{}, err
	}
	if err := d.Add(deltas); err != nil {
		return libraries.DayForms{}, err
	}
	forms, _ := d.Forms()
	return forms, nil
}

// dayForms reads some days, which ascend.
func (l *load) dayForms(ctx context.Context, dates []calendar.Date) (map[calendar.Date]libraries.DayForms, error) {
	had := map[calendar.Date]libraries.DayForms{}
	if l.empty() {
		return had, nil
	}
	among := make([]int64, len(dates))
	for i, d := range dates {
		among[i] = int64(d)
	}
	for i, k := range dayKinds {
		err := l.scan(ctx, l.base, k, state.Range{Among: among}, func(b state.Block) error {
			f := had[calendar.Date(b.A)]
			*formsOf(&f)[i] = slices.Clone(b.Data)
			had[calendar.Date(b.A)] = f
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return had, nil
}

// writeDays writes the days of a slot, with their loans, reservations and requests.
func (l *load) writeDays(ctx context.Context, ds *foldedDays) error {
	changes := []statedb.RowChange{
		loansTable.Replace(ds.oldLoans, ds.loans),
		reservationsTable.Replace(ds.oldReservations, ds.reservations),
		requestsTable.Replace(nil, ds.requests),
	}
	bytes := (len(ds.loans) + len(ds.reservations) + len(ds.requests)) * rowBytes
	for i, k := range dayKinds {
		changes = append(changes, l.to.RowsOf(ds.forms[i].of(k)))
		bytes += ds.forms[i].bytes()
	}
	l.step()
	return l.put(ctx, bytes, changes...)
}
