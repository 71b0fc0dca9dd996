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

// slotOf returns the slot that a day's things wait in. The first slots are those of the history's first days, so that rows are
// mostly written in the order of their tables.
func slotOf(day calendar.Date) int { return int(uint32(day-libraries.HistoryStart) % spill.Parts) }

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
	kind := func(day calendar.Date, k byte) *[]byte {
		b := s.Of(slotOf(day))
		*b = append(*b, k)
		return b
	}
	for i := range c.Days {
		b := kind(c.Days[i].Day, deltaAside)
		*b = facts.AppendDayDelta(*b, c.Days[i])
	}
	for i := range d.Loans {
		loan, k := &d.Loans[i].Loan, newLoanAside
		if d.Loans[i].Was != nil {
			k = loanAside
		}
		b := kind(loan.Day(), k)
		*b = loanFields.Append(*b, loan)
	}
	for i := range d.Reservations {
		r, k := &d.Reservations[i].Reservation, newReservationAside
		if d.Reservations[i].Was != nil {
			k = reservationAside
		}
		b := kind(r.Day(), k)
		*b = reservationFields.Append(*b, r)
	}
	for i := range c.Requests {
		b := kind(c.Requests[i].Day(), requestAside)
		*b = requestFields.Append(*b, &c.Requests[i])
	}
}

// days is what is written of a slot: the blocks of each form of its days, and their rows.
type days struct {
	Written
	forms [len(dayKinds)]state.Puts
}

// dayKinds are the kinds of the forms of a day.
var dayKinds = [...]state.Kind{facts.TotalsKind, facts.ReaderSheetKind, facts.TitleSheetKind, facts.LoginSheetKind}

// formsOf are a day's forms, by the places of their kinds.
func formsOf(f *facts.DayForms) [len(dayKinds)]*[]byte {
	return [...]*[]byte{&f.Totals, &f.Readers, &f.Titles, &f.Logins}
}

// merge merges what was set aside of a slot's days into them.
func (l *load) merge(ctx context.Context, slot int) (*days, error) {
	l.piles.Lock()
	data, err := l.days.Part(slot)
	l.piles.Unlock()
	if err != nil {
		return nil, err
	}
	d := &days{}
	deltas, err := d.unpack(data)
	if err != nil {
		return nil, fmt.Errorf("what was set aside: %w", err)
	}
	dates := slices.Sorted(maps.Keys(deltas))
	had, err := l.dayForms(ctx, dates)
	if err != nil {
		return nil, err
	}
	for i, k := range dayKinds {
		d.forms[i].Kind = k
	}
	for _, date := range dates {
		forms, err := mergeDay(had[date], deltas[date])
		if err != nil {
			return nil, fmt.Errorf("day %s: %w", date, err)
		}
		delete(deltas, date)
		was := had[date]
		for i, data := range formsOf(&forms) { // of an empty one there is no block
			d.forms[i].Add(state.BlockKey{A: int64(date)}, len(*formsOf(&was)[i]) > 0, *data)
		}
	}
	return d, nil
}

// unpack unpacks what was set aside of a slot, rows in the order of their tables, and returns the deltas by day.
func (d *days) unpack(data []byte) (map[calendar.Date][]facts.DayDelta, error) {
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
			d.Loans.add(readPiledLoan(&r.Decoder), k == loanAside)
		case newReservationAside, reservationAside:
			d.Reservations.add(readPiledReservation(&r.Decoder), k == reservationAside)
		case requestAside:
			d.Requests.add(readPiledRequest(&r.Decoder, 0), false)
		default:
			r.Check(false)
		}
	}
	byLoan := func(a, b libraries.Loan) int { return cmp.Or(cmp.Compare(a.Day(), b.Day()), cmp.Compare(a.ID, b.ID)) }
	slices.SortFunc(d.Loans.New, byLoan)
	slices.SortFunc(d.Loans.Again, byLoan)
	byReservation := func(a, b libraries.Reservation) int {
		return cmp.Or(cmp.Compare(a.Day(), b.Day()), cmp.Compare(a.ID, b.ID))
	}
	slices.SortFunc(d.Reservations.New, byReservation)
	slices.SortFunc(d.Reservations.Again, byReservation)
	slices.SortFunc(d.Requests.New, func(a, b libraries.Request) int {
		return cmp.Or(a.Requested.Compare(b.Requested), cmp.Compare(a.ID, b.ID))
	})
	return byDay(lists), r.End()
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
	among := make([]int64, len(dates))
	for i, d := range dates {
		among[i] = int64(d)
	}
	for i, k := range dayKinds {
		err := l.scan(ctx, k, state.Range{Among: among}, func(b state.Block) error {
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
func (l *load) writeDays(ctx context.Context, d *days) error {
	l.steps.next()
	var bytes int
	d.Blocks, bytes = state.Changes(&d.forms[0], &d.forms[1], &d.forms[2], &d.forms[3])
	return l.out.Add(ctx, bytes+(d.Loans.len()+d.Reservations.len()+d.Requests.len())*rowBytes, d.Written)
}
