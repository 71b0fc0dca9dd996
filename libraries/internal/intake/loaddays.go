package intake

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
	"github.com/lectern-dev/lectern/reading/spill"
)

// What the parts of a pile say of a day is set aside until all are folded: the day is then written once, whole, and its
// loans in the order in which they stand in their table. A million loans written by reader would touch every page of the
// table in every part.

// The kinds of what is set aside, each in front of its records.
const (
	deltaAside byte = iota
	newLoanAside
	loanAside
	newReservationAside
	reservationAside
	requestAside
)

// setAside sets aside what a delivery and its fold say of days.
func setAside(s *spill.Sheaf, d *facts.Delivery, c *facts.Change) {
	for i := range c.Days {
		b := aside(s, c.Days[i].Day, deltaAside)
		*b = facts.AppendDayDelta(*b, c.Days[i])
	}
	setAsideAll(s, d.Loans, loans, newLoanAside)
	setAsideAll(s, d.Reservations, reservations, newReservationAside)
	for i := range c.Requests {
		b := aside(s, c.Requests[i].Day(), requestAside)
		*b = Requests.Append(*b, &c.Requests[i])
	}
}

// setAsideAll sets aside records: of a new one the kind is that of new ones, of another the next.
func setAsideAll[T any](s *spill.Sheaf, changes []facts.Changed[T], of lasting[T], isNew byte) {
	for i := range changes {
		c, kind := &changes[i], isNew
		if c.Was != nil {
			kind++
		}
		b := aside(s, of.of(c.Now).day(), kind)
		*b = of.table.Append(*b, &c.Now)
	}
}

// aside returns the records of a day's slot, with the kind of the next one.
func aside(s *spill.Sheaf, day calendar.Date, kind byte) *[]byte {
	b := s.Of(state.Slot(day, libraries.HistoryStart))
	*b = append(*b, kind)
	return b
}

// days is what is said of the days of a slot: rows, and deltas by day.
type days struct {
	loans        state.Rows[libraries.Loan]
	reservations state.Rows[libraries.Reservation]
	requests     state.Rows[libraries.Request]
	deltas       map[calendar.Date][]facts.DayDelta
}

// dayKinds are the kinds of the forms of a day.
var dayKinds = [...]state.Kind{facts.TotalsKind, facts.ReaderSheetKind, facts.TitleSheetKind, facts.LoginSheetKind}

// formsOf are a day's forms, by the places of their kinds.
func formsOf(f *facts.DayForms) [len(dayKinds)]*[]byte {
	return [...]*[]byte{&f.Totals, &f.Readers, &f.Titles, &f.Logins}
}

// merge merges what was set aside of a slot's days into them.
func (l *load) merge(ctx context.Context, aside []byte) (state.Written, error) {
	d, err := unpack(aside)
	if err != nil {
		return state.Written{}, fmt.Errorf("what was set aside: %w", err)
	}
	dates := slices.Sorted(maps.Keys(d.deltas))
	had, err := l.dayForms(ctx, dates)
	if err != nil {
		return state.Written{}, err
	}
	var puts [len(dayKinds)]state.Puts
	for i, k := range dayKinds {
		puts[i].Kind = k
	}
	for _, date := range dates {
		forms, err := mergeDay(had[date], d.deltas[date])
		if err != nil {
			return state.Written{}, fmt.Errorf("day %s: %w", date, err)
		}
		delete(d.deltas, date)
		was := had[date]
		for i, data := range formsOf(&forms) { // of an empty one there is no block
			puts[i].Add(state.BlockKey{A: int64(date)}, len(*formsOf(&was)[i]) > 0, *data)
		}
	}
	w := state.WrittenOf(l.Tenant(), &puts[0], &puts[1], &puts[2], &puts[3])
	w.Changes = append(w.Changes, Loans.Change(d.loans), Reservations.Change(d.reservations), Requests.Change(d.requests))
	w.Bytes += (d.loans.Len() + d.reservations.Len() + d.requests.Len()) * rowBytes
	return w, nil
}

// unpack unpacks what was set aside of a slot, rows in the order of their tables.
func unpack(data []byte) (d days, err error) {
	var lists [][]facts.DayDelta // they are large: each is moved once
	r := facts.DeltaReader{Decoder: packed.Bare(data)}
	for r.Len() > 0 && !r.Bad() {
		switch k := r.Byte(); k {
		case deltaAside:
			n := len(lists) - 1
			if n < 0 || len(lists[n]) == cap(lists[n]) {
				n, lists = n+1, append(lists, make([]facts.DayDelta, 0, 256))
			}
			lists[n] = append(lists[n], r.Delta())
		case newLoanAside, loanAside:
			d.loans.Add(read(&r.Decoder, Loans), k == loanAside)
		case newReservationAside, reservationAside:
			d.reservations.Add(read(&r.Decoder, Reservations), k == reservationAside)
		case requestAside:
			d.requests.Add(read(&r.Decoder, Requests), false)
		default:
			r.Check(false)
		}
	}
	d.loans.Sort(loans.order)
	d.reservations.Sort(reservations.order)
	d.requests.Sort(func(a, b libraries.Request) int {
		return cmp.Or(a.Requested.Compare(b.Requested), cmp.Compare(a.ID, b.ID))
	})
	d.deltas = byDay(lists)
	return d, r.End()
}

// byDay sorts deltas by their day.
func byDay(lists [][]facts.DayDelta) map[calendar.Date][]facts.DayDelta {
	n := map[calendar.Date]int{}
	for _, list := range lists {
		for i := range list {
			n[list[i].Day]++
		}
	}
	days := make(map[calendar.Date][]facts.DayDelta, len(n))
	for day, n := range n {
		days[day] = make([]facts.DayDelta, 0, n)
	}
	for _, list := range lists {
		for i := range list {
			days[list[i].Day] = append(days[list[i].Day], list[i])
		}
	}
	return days
}

// mergeDay adds deltas to a day. It returns no forms where nothing is left of it.
func mergeDay(had facts.DayForms, deltas []facts.DayDelta) (facts.DayForms, error) {
	d, err := facts.ParseDay(had)
	if err != nil {
		return facts.DayForms{}, err
	}
	if err := d.Add(deltas); err != nil {
		return facts.DayForms{}, err
	}
	forms, _ := d.Forms()
	return forms, nil
}

// dayForms reads some days, which ascend.
func (l *load) dayForms(ctx context.Context, dates []calendar.Date) (map[calendar.Date]facts.DayForms, error) {
	had := map[calendar.Date]facts.DayForms{}
	for i, k := range dayKinds {
		err := l.Past(ctx, k, state.Range{Among: state.Numbers(dates)}, func(b state.Block) error {
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
