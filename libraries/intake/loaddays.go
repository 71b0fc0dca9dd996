package intake

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/extsort"
	"github.com/lectern-dev/lectern/reading/packed"
)

// The changes of a day wait until all readers are aggregated. The day is then written once.

// The kinds of what is set aside, each in front of its records.
const (
	dayDelta byte = iota
	dayRequest
	dayReading
	// Of records that are new, and behind each of those that take the place of another.
	dayNewLoan
	dayLoan
	dayNewReservation
	dayReservation
)

// setAside sets aside what a reader's delivery and its fold say of days.
func (p *runChanges) addDays(d *libraries.ReaderFeed, c *facts.Change) {
	addDayRows(p, loans, d.Loans, dayNewLoan)
	addDayRows(p, reservations, d.Reservations, dayNewReservation)
	for i := range c.Days {
		p.addDay(c.Days[i].Day, facts.AppendDayDelta(p.begin(dayDelta), c.Days[i]))
	}
	for _, r := range c.Read {
		p.addDay(r.Day, facts.AppendDayReading(p.begin(dayReading), r))
	}
	for i := range c.Requests {
		p.addDay(c.Requests[i].Day(), Requests.Append(p.begin(dayRequest), &c.Requests[i]))
	}
}

// asideLasting sets aside the rows of records: the table is written day by day, for a million loans written by reader would touch every
// page of it in every part.
func addDayRows[T libraries.LoanOrReservation](p *runChanges, of recordTable[T], list []libraries.Changed[T], isNew byte) {
	for i := range list {
		kind := isNew
		if list[i].Was != nil {
			kind++
		}
		p.addDay(list[i].Now.Origin().Day(), of.table.Append(p.begin(kind), &list[i].Now))
	}
}

// begin begins a record of a kind.
func (p *runChanges) begin(kind byte) []byte { return append(p.record[:0], kind) }

// aside sets a record of a day aside.
func (p *runChanges) addDay(day calendar.Date, record []byte) {
	p.record = record
	p.days.Add(int64(day), record)
}

// rowsAside are the rows of days, and what was read of loans by their day.
type dayRows struct {
	loans        snapshot.Rows[libraries.Loan]
	reservations snapshot.Rows[libraries.Reservation]
	requests     snapshot.Rows[libraries.Request]
	readings     map[calendar.Date][]facts.LoanReading
}

// merge merges what was set aside of days into them.
func (l *libraryLoad) merge(ctx context.Context, run *extsort.Run) (snapshot.Written, error) {
	m := dayMerge{l, map[calendar.Date]*mergedDay{}}
	rows, err := unpack(run, func(d facts.DayDelta) error { return m.add(ctx, d) })
	if err != nil {
		return snapshot.Written{}, err
	}
	readers, titles := snapshot.Puts{Kind: facts.DayOfReadersKind}, snapshot.Puts{Kind: facts.DayOfTitlesKind}
	totals := map[calendar.Date]facts.DayTotals{}
	for _, date := range slices.Sorted(maps.Keys(m.days)) {
		d := m.days[date]
		if err := d.flush(); err != nil {
			return snapshot.Written{}, fmt.Errorf("day %s: %w", date, err)
		}
		forms := d.Forms()
		totals[date] = d.Totals()
		if _, read := rows.readings[date]; !read && !d.lent && d.HasLoans() {
			rows.readings[date] = nil // the day's first loans: nothing was read of them
		}
		delete(m.days, date)
		readers.Add(snapshot.BlockKey{A: int64(date)}, d.had.Readers != nil, forms.Readers)
		titles.Add(snapshot.BlockKey{A: int64(date)}, d.had.Titles != nil, forms.Titles)
	}
	readings, err := l.readings(ctx, rows.readings)
	if err != nil {
		return snapshot.Written{}, err
	}
	w := snapshot.WrittenOf(l.Tenant(), &readers, &titles, readings)
	w.Counted = func() { maps.Copy(l.days, totals) }
	w.Changes = append(w.Changes, Loans.Change(rows.loans), Reservations.Change(rows.reservations), Requests.Change(rows.requests))
	w.Bytes += (rows.loans.Len() + rows.reservations.Len() + rows.requests.Len()) * rowBytes
	return w, nil
}

// unpack unpacks what was set aside of days: the rows in the order of their table. The deltas it gives to add.
func unpack(run *extsort.Run, add func(facts.DayDelta) error) (rows dayRows, err error) {
	rows.readings = map[calendar.Date][]facts.LoanReading{}
	for _, record := range run.All() {
		r := packed.Bare(record)
		switch kind := r.Byte(); kind {
		case dayDelta:
			if d := facts.ReadDayDelta(&r); !r.Bad() {
				if err := add(d); err != nil {
					return rows, err
				}
			}
		case dayRequest:
			rows.requests.Add(read(&r, Requests), false)
		case dayNewLoan, dayLoan:
			rows.loans.Add(read(&r, Loans), kind == dayLoan)
		case dayNewReservation, dayReservation:
			rows.reservations.Add(read(&r, Reservations), kind == dayReservation)
		case dayReading:
			v := facts.ReadDayReading(&r)
			rows.readings[v.Day] = append(rows.readings[v.Day], v.LoanReading)
		default:
			r.Check(false)
		}
		if err := r.End(); err != nil {
			return rows, fmt.Errorf("what was set aside of a day: %w", err)
		}
	}
	rows.loans.Sort(loans.order)
	rows.reservations.Sort(reservations.order)
	rows.requests.Sort(func(a, b *libraries.Request) int {
		return cmp.Or(a.Requested.Compare(b.Requested), cmp.Compare(a.ID, b.ID))
	})
	return rows, nil
}

// merging are days while they are merged.
type dayMerge struct {
	*libraryLoad
	days map[calendar.Date]*mergedDay
}

// mergedDay is a day of which some deltas are added, and others wait: they take ten times the room of what they make of the day.
type mergedDay struct {
	*facts.Day
	had    facts.DayForms // what the store has
	deltas []facts.DayDelta
	lent   bool // there were loans on it before
}

// together is how many deltas of a day are added at once.
const deltasAtOnce = 4096

// add adds a delta. Those of a reader on a day are one, so that nothing is below zero on the way that is not so in the end.
func (m *dayMerge) add(ctx context.Context, delta facts.DayDelta) error {
	d := m.days[delta.Day]
	if d == nil {
		had, err := m.dayForms(ctx, delta.Day)
		if err != nil {
			return err
		}
		d = &mergedDay{had: had}
		if d.Day, err = facts.ParseDay(had); err != nil {
			return fmt.Errorf("day %s: %w", delta.Day, err)
		}
		d.lent = d.HasLoans()
		m.days[delta.Day] = d
	}
	if d.deltas = append(d.deltas, delta); len(d.deltas) < deltasAtOnce {
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

// dayForms reads a day.
func (l *libraryLoad) dayForms(ctx context.Context, date calendar.Date) (f facts.DayForms, err error) {
	day := snapshot.Range{Among: []int64{int64(date)}}
	err = cmp.Or(
		l.Past(ctx, facts.DayOfReadersKind, day, func(b snapshot.Block) error { f.Readers = slices.Clone(b.Data); return nil }),
		l.Past(ctx, facts.DayOfTitlesKind, day, func(b snapshot.Block) error { f.Titles = slices.Clone(b.Data); return nil }))
	return f, err
}

// readings puts what was read of the loans of days in place of what was known. A day has a block from its first loan on.
func (l *libraryLoad) readings(ctx context.Context, later map[calendar.Date][]facts.LoanReading) (*snapshot.Puts, error) {
	known := map[calendar.Date]facts.LoanReadings{}
	dates := slices.Sorted(maps.Keys(later))
	err := l.Past(ctx, facts.LoanReadingsKind, snapshot.Range{Among: snapshot.Numbers(dates)}, func(b snapshot.Block) error {
		var was facts.LoanReadings
		err := packed.Open(b.Data, &was)
		known[calendar.Date(b.A)] = was
		return err
	})
	put := &snapshot.Puts{Kind: facts.LoanReadingsKind}
	for _, date := range dates {
		was, stored := known[date]
		now := was.With(later[date])
		put.Add(snapshot.BlockKey{A: int64(date)}, stored, packed.Append(nil, &now))
	}
	return put, err
}
