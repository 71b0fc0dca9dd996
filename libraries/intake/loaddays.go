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

// What the parts of a pile say of a day is set aside until all are folded: the day is then written once, whole.

// The kinds of what is set aside, each in front of its records.
const (
	deltaAside byte = iota
	requestAside
	readingAside
	// Of records that are new, and behind each of those that take the place of another.
	newLoanAside
	loanAside
	newReservationAside
	reservationAside
)

// setAside sets aside what a reader's delivery and its fold say of days.
func setAside(s *spill.Sheaf, d *facts.Delivery, c *facts.Change) {
	asideLasting(s, loans, d.Loans, newLoanAside)
	asideLasting(s, reservations, d.Reservations, newReservationAside)
	for i := range c.Days {
		b := aside(s, c.Days[i].Day, deltaAside)
		*b = facts.AppendDayDelta(*b, c.Days[i])
	}
	for _, r := range c.Read {
		b := aside(s, r.Day, readingAside)
		*b = facts.AppendDayReading(*b, r)
	}
	for i := range c.Requests {
		b := aside(s, c.Requests[i].Day(), requestAside)
		*b = Requests.Append(*b, &c.Requests[i])
	}
}

// asideLasting sets aside the rows of records: the table is written day by day, for a million loans written by reader would touch every
// page of it in every part.
func asideLasting[T any](s *spill.Sheaf, of lasting[T], list []facts.Changed[T], isNew byte) {
	for i := range list {
		kind := isNew
		if list[i].Was != nil {
			kind++
		}
		b := aside(s, of.of(list[i].Now).day(), kind)
		*b = of.table.Append(*b, &list[i].Now)
	}
}

// aside returns the records of a day's slot, with the kind of the next one.
func aside(s *spill.Sheaf, day calendar.Date, kind byte) *[]byte {
	b := s.Of(state.Slot(day, libraries.HistoryStart))
	*b = append(*b, kind)
	return b
}

// rowsAside are the rows of a slot, and what was read of loans by their day.
type rowsAside struct {
	loans        state.Rows[libraries.Loan]
	reservations state.Rows[libraries.Reservation]
	requests     state.Rows[libraries.Request]
	readings     map[calendar.Date][]facts.LoanReading
}

// dayKinds are the kinds of the forms of a day.
var dayKinds = [...]state.Kind{facts.TotalsKind, facts.ReaderSheetKind, facts.TitleSheetKind, facts.LoginSheetKind}

// formsOf are a day's forms, by the places of their kinds.
func formsOf(f *facts.DayForms) [len(dayKinds)]*[]byte {
	return [...]*[]byte{&f.Totals, &f.Readers, &f.Titles, &f.Logins}
}

// merge merges what was set aside of a slot's days into them.
func (l *load) merge(ctx context.Context, aside []byte) (state.Written, error) {
	m := merging{l, map[calendar.Date]*mergedDay{}}
	rows, err := unpack(aside, func(d facts.DayDelta) error { return m.add(ctx, d) })
	if err != nil {
		return state.Written{}, err
	}
	var puts [len(dayKinds)]state.Puts
	for i, k := range dayKinds {
		puts[i].Kind = k
	}
	for _, date := range slices.Sorted(maps.Keys(m.days)) {
		d := m.days[date]
		forms, err := d.forms()
		if err != nil {
			return state.Written{}, fmt.Errorf("day %s: %w", date, err)
		}
		if _, read := rows.readings[date]; !read && !d.lent && d.Lent() {
			rows.readings[date] = nil // the day's first loans: nothing was read of them
		}
		delete(m.days, date)
		for i, data := range formsOf(&forms) { // of an empty one there is no block
			puts[i].Add(state.BlockKey{A: int64(date)}, d.stored[i], *data)
		}
	}
	readings, err := l.readings(ctx, rows.readings)
	if err != nil {
		return state.Written{}, err
	}
	w := state.WrittenOf(l.Tenant(), &puts[0], &puts[1], &puts[2], &puts[3], readings)
	w.Changes = append(w.Changes, Loans.Change(rows.loans), Reservations.Change(rows.reservations), Requests.Change(rows.requests))
	w.Bytes += (rows.loans.Len() + rows.reservations.Len() + rows.requests.Len()) * rowBytes
	return w, nil
}

// unpack unpacks what was set aside of a slot: the rows in the order of their table. The deltas it gives to add.
func unpack(data []byte, add func(facts.DayDelta) error) (rows rowsAside, err error) {
	rows.readings = map[calendar.Date][]facts.LoanReading{}
	r := facts.DeltaReader{Decoder: packed.Bare(data)}
	for r.Len() > 0 && !r.Bad() {
		switch kind := r.Byte(); kind {
		case deltaAside:
			if d := r.Delta(); !r.Bad() {
				err = add(d)
			}
		case requestAside:
			rows.requests.Add(read(&r.Decoder, Requests), false)
		case newLoanAside, loanAside:
			rows.loans.Add(read(&r.Decoder, Loans), kind == loanAside)
		case newReservationAside, reservationAside:
			rows.reservations.Add(read(&r.Decoder, Reservations), kind == reservationAside)
		case readingAside:
			v := facts.ReadDayReading(&r.Decoder)
			rows.readings[v.Day] = append(rows.readings[v.Day], v.LoanReading)
		default:
			r.Check(false)
		}
		if err != nil {
			return rows, err
		}
	}
	rows.loans.Sort(loans.order)
	rows.reservations.Sort(reservations.order)
	rows.requests.Sort(func(a, b *libraries.Request) int {
		return cmp.Or(a.Requested.Compare(b.Requested), cmp.Compare(a.ID, b.ID))
	})
	if err := r.End(); err != nil {
		return rows, fmt.Errorf("what was set aside: %w", err)
	}
	return rows, nil
}

// merging are the days of a slot while they are merged.
type merging struct {
	*load
	days map[calendar.Date]*mergedDay
}

// mergedDay is a day of which some deltas are added, and others wait: they take ten times the room of what they make of the day.
type mergedDay struct {
	*facts.Day
	stored [len(dayKinds)]bool // which of its forms the store has
	deltas []facts.DayDelta
	lent   bool // there were loans on it before
}

// together is how many deltas of a day are added at once.
const together = 4096

// add adds a delta. Those of a reader on a day are one, so that nothing is below zero on the way that is not so in the end.
func (m *merging) add(ctx context.Context, delta facts.DayDelta) error {
	d := m.days[delta.Day]
	if d == nil {
		had, err := m.dayForms(ctx, delta.Day)
		if err != nil {
			return err
		}
		d = &mergedDay{}
		for i, data := range formsOf(&had) {
			d.stored[i] = len(*data) > 0
		}
		if d.Day, err = facts.ParseDay(had); err != nil {
			return fmt.Errorf("day %s: %w", delta.Day, err)
		}
		d.lent = d.Lent()
		m.days[delta.Day] = d
	}
	if d.deltas = append(d.deltas, delta); len(d.deltas) < together {
		return nil
	}
	return d.flush()
}

// flush adds the deltas that wait.
func (d *mergedDay) flush() error {
	err := d.Add(d.deltas)
	clear(d.deltas)
	d.deltas = d.deltas[:0]
	return err
}

// forms is what is to be stored: of a day of which nothing is left there is none.
func (d *mergedDay) forms() (facts.DayForms, error) {
	if err := d.flush(); err != nil {
		return facts.DayForms{}, err
	}
	forms, _ := d.Forms()
	return forms, nil
}

// dayForms reads a day.
func (l *load) dayForms(ctx context.Context, date calendar.Date) (f facts.DayForms, err error) {
	for i, k := range dayKinds {
		err := l.Past(ctx, k, state.Range{Among: []int64{int64(date)}}, func(b state.Block) error {
			*formsOf(&f)[i] = slices.Clone(b.Data)
			return nil
		})
		if err != nil {
			return f, err
		}
	}
	return f, nil
}

// readings puts what was read of the loans of days in place of what was known. A day has a block from its first loan on.
func (l *load) readings(ctx context.Context, later map[calendar.Date][]facts.LoanReading) (*state.Puts, error) {
	known := map[calendar.Date]facts.LoanReadings{}
	dates := slices.Sorted(maps.Keys(later))
	err := l.Past(ctx, facts.LoanReadingsKind, state.Range{Among: state.Numbers(dates)}, func(b state.Block) (err error) {
		known[calendar.Date(b.A)], err = facts.ParseLoanReadings(b.Data)
		return err
	})
	put := &state.Puts{Kind: facts.LoanReadingsKind}
	for _, date := range dates {
		was, stored := known[date]
		put.Add(state.BlockKey{A: int64(date)}, stored, was.With(later[date]).AppendBinary(nil))
	}
	return put, err
}
