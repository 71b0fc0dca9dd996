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

// The kinds of records of a day, each in front of its record.
const (
	deltaOfDay byte = iota
	requestOfDay
	readingOfDay
	// Each new row has one kind, and each changed row the next.
	loanOfDay
	changedLoanOfDay
	reservationOfDay
	changedReservationOfDay
)

// addDays adds what a reader's feed changes of days to the records of the second pass. The rows of loans and reservations are
// among them, because their tables are ordered by day: writing them reader by reader would touch every page in every batch.
func (p *runChanges) addDays(d *libraries.ReaderFeed, c *facts.Change) {
	addRowsOfDays(p, Loans, d.Loans, loanOfDay)
	addRowsOfDays(p, Reservations, d.Reservations, reservationOfDay)
	for i := range c.Days {
		p.addDay(c.Days[i].Day, facts.AppendDayDelta(p.begin(deltaOfDay), &c.Days[i]))
	}
	for _, r := range c.Read {
		p.addDay(r.Day, facts.AppendLoanReading(p.begin(readingOfDay), r.LoanReading))
	}
	for i := range c.Requests {
		p.addDay(c.Requests[i].Day(), Requests.Append(p.begin(requestOfDay), &c.Requests[i]))
	}
}

func addRowsOfDays[T libraries.LoanOrReservation](p *runChanges, of *snapshot.Records[T], list []libraries.Changed[T], kind byte) {
	for i := range list {
		c, kind := &list[i], kind
		if c.Was != nil {
			kind++
		}
		p.addDay(c.Now.Origin().Day(), of.Append(p.begin(kind), &c.Now))
	}
}

// begin begins a record of a kind.
func (p *runChanges) begin(kind byte) []byte { return append(p.record[:0], kind) }

// addDay adds a record of a day.
func (p *runChanges) addDay(day calendar.Date, record []byte) {
	p.record = record
	p.days.Add(int64(day), record)
}

// merge merges the records of days into what is stored of the days. A run has all records of its days.
func (l *libraryLoad) merge(ctx context.Context, run *extsort.Run) (all snapshot.Written, err error) {
	totals := map[calendar.Date]facts.DayTotals{}
	for day, records := range run.ByKey() {
		date := calendar.Date(day)
		w, of, err := l.mergeDay(ctx, date, records)
		if err != nil {
			return all, fmt.Errorf("day %s: %w", date, err)
		}
		totals[date] = of
		all.Changes, all.Bytes = append(all.Changes, w.Changes...), all.Bytes+w.Bytes
	}
	all.Counted = func() { maps.Copy(l.days, totals) }
	return all, nil
}

// mergedDay is a day with its changes.
type mergedDay struct {
	*facts.Day
	loans        snapshot.Rows[libraries.Loan]
	reservations snapshot.Rows[libraries.Reservation]
	requests     snapshot.Rows[libraries.Request]
	readings     []facts.LoanReading
}

// mergeDay merges the records of one day into what is stored of it.
func (l *libraryLoad) mergeDay(ctx context.Context, date calendar.Date, records *extsort.Run) (w snapshot.Written, t facts.DayTotals, err error) {
	had, hadReadings, err := l.pastDay(ctx, date)
	if err != nil {
		return w, t, err
	}
	var d mergedDay
	if d.Day, err = facts.ParseDay(had); err != nil {
		return w, t, err
	}
	hadLoans := d.HasLoans()
	for _, record := range records.All() {
		if err := d.add(date, record); err != nil {
			return w, t, err
		}
	}
	d.loans.Sort(func(a, b *libraries.Loan) int { return cmp.Compare(a.ID, b.ID) })
	d.reservations.Sort(func(a, b *libraries.Reservation) int { return cmp.Compare(a.ID, b.ID) })
	d.requests.Sort(func(a, b *libraries.Request) int {
		return cmp.Or(a.Requested.Compare(b.Requested), cmp.Compare(a.ID, b.ID))
	})
	key, forms := snapshot.BlockKey{A: int64(date)}, d.Forms()
	readers, titles, readings := snapshot.Puts{Kind: facts.DayOfReadersKind}, snapshot.Puts{Kind: facts.DayOfTitlesKind}, snapshot.Puts{Kind: facts.LoanReadingsKind}
	readers.Add(key, had.Readers != nil, forms.Readers)
	titles.Add(key, had.Titles != nil, forms.Titles)
	if firstLoans := !hadLoans && d.HasLoans(); firstLoans || len(d.readings) > 0 { // see facts.LoanReadings
		var was facts.LoanReadings
		if hadReadings != nil {
			was = *hadReadings
		}
		now := was.With(d.readings)
		readings.Add(key, hadReadings != nil, packed.Append(nil, &now))
	}
	w = snapshot.WrittenOf(l.Tenant(), &readers, &titles, &readings)
	w.Changes = append(w.Changes, Loans.Change(d.loans), Reservations.Change(d.reservations), Requests.Change(d.requests))
	w.Bytes += (d.loans.Len() + d.reservations.Len() + d.requests.Len()) * rowBytes
	return w, d.Totals(), nil
}

// add adds a record.
func (d *mergedDay) add(date calendar.Date, record []byte) error {
	r := packed.Bare(record)
	switch kind := r.Byte(); kind {
	case deltaOfDay:
		if delta := facts.ReadDayDelta(date, &r); !r.Bad() {
			if err := d.Add(delta); err != nil {
				return err
			}
		}
	case requestOfDay:
		d.requests.Add(read(&r, Requests), false)
	case readingOfDay:
		d.readings = append(d.readings, facts.ReadLoanReading(&r))
	case loanOfDay, changedLoanOfDay:
		d.loans.Add(read(&r, Loans), kind == changedLoanOfDay)
	case reservationOfDay, changedReservationOfDay:
		d.reservations.Add(read(&r, Reservations), kind == changedReservationOfDay)
	default:
		r.Check(false)
	}
	if err := r.End(); err != nil {
		return fmt.Errorf("spilled record: %w", err)
	}
	return nil
}

// pastDay reads what is stored of a day. If it has no readings of loans, they are nil.
func (l *libraryLoad) pastDay(ctx context.Context, date calendar.Date) (f facts.DayForms, readings *facts.LoanReadings, err error) {
	day := snapshot.Range{Among: []int64{int64(date)}}
	err = cmp.Or(
		l.ScanBase(ctx, facts.DayOfReadersKind, day, func(b snapshot.Block) error { f.Readers = slices.Clone(b.Data); return nil }),
		l.ScanBase(ctx, facts.DayOfTitlesKind, day, func(b snapshot.Block) error { f.Titles = slices.Clone(b.Data); return nil }),
		l.ScanBase(ctx, facts.LoanReadingsKind, day, func(b snapshot.Block) error {
			readings = &facts.LoanReadings{}
			return packed.Open(b.Data, readings)
		}))
	return f, readings, err
}
