package facts

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// VerifyBlock returns an error where a stored block of a kind is none.
func VerifyBlock(k state.Kind, b state.Block) (err error) {
	switch k {
	case AttributesKind:
		_, err = ParseAttributes(b.Data)
	case ReaderTitlesKind:
		_, err = ParseReaderTitles(b.Data)
	case EventSetKind:
		err = new(EventSet).UnmarshalBinary(b.Data)
	case TotalsKind:
		_, err = ParseDayTotals(b.Data)
	case ReaderSheetKind:
		_, err = OpenReaderSheet(b.Data)
	case TitleSheetKind:
		err = VisitTitles(b.Data, func(TitleDay) {})
	case LoginSheetKind:
		_, err = ParseLogins(b.Data)
	case TitleCountsKind:
		_, err = ParseCountsByTitle(b.Data)
	case LoanReadingsKind:
		_, err = ParseLoanReadings(b.Data)
	}
	return err
}

// Registers are the records of one state, in any order but the readers, who ascend.
type Registers interface {
	Readers(ctx context.Context, visit func(libraries.Reader)) error
	Loans(ctx context.Context, visit func(libraries.Loan)) error
	Reservations(ctx context.Context, visit func(libraries.Reservation)) error
	Requests(ctx context.Context, visit func(libraries.Request)) error
	Book(id int64) bool // reports whether there is such a title
}

// ScanFunc scans the blocks of one state of a network, as state.Blocks does.
type ScanFunc func(ctx context.Context, k state.Kind, r state.Range, visit func(state.Block) error) error

// Verify computes anew what the forms of one state say together, from the registers where they have it, and calls found with each
// thing that is wrong: readers' attributes and counters; the counts of titles; of each day the four forms among one another,
// what was read of its loans, its loans and reservations, and the shares that were first reached on it; and how many events are known. It holds some 60 bytes a
// reader and a title, and a few days. An error is one of reading, ErrCorrupt too.
func Verify(ctx context.Context, scan ScanFunc, r Registers, found func(string)) error {
	c := &verifying{
		scan: scan, registers: r, found: found, seed: maphash.MakeSeed(),
		days: map[calendar.Date]*countedDay{}, titles: map[int64]*TitleCounts{}, events: map[EventSetKey]int64{},
	}
	for _, step := range []func(context.Context) error{
		c.attributes, c.readers, c.loans, c.reservations, c.requests, c.readerTitles, c.loanReadings, c.forms, c.titleCounts, c.eventSets,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	c.end()
	return nil
}

// verifying is one Verify.
type verifying struct {
	scan      ScanFunc
	registers Registers
	found     func(string)
	seed      maphash.Seed

	people []countedReader // ascending
	days   map[calendar.Date]*countedDay
	titles map[int64]*TitleCounts
	events map[EventSetKey]int64 // that are to be known

	sessions, seconds       int64 // of readers' titles
	daySessions, daySeconds int64
}

// countedReader is what is counted of a reader.
type countedReader struct {
	id         int64
	attributes uint64 // a digest of all but the counters
	registered bool

	loans, active            int64 // as the attributes count
	hadLoans, had, readLoans int64 // in the register of loans, of reservations, and in the titles
}

// countedDay is what the registers and readers' titles say of a day.
type countedDay struct {
	sums   metric.Measures // those of the metrics below
	counts metric.DayCounts
	read   uint64 // the sum of the digests of what was read of its loans
}

// ofRegisters are the metrics of a day that follow from the registers and readers' titles.
var ofRegisters = []struct {
	metric metric.Metric
	name   string
}{
	{metric.Loans, "loans"}, {metric.Returns, "returns"}, {metric.Readings10, "readings of 10 percent"}, {metric.Readings50, "readings of 50 percent"},
	{metric.Reservations, "reservations"}, {metric.ReservationsConverted, "converted reservations"},
	{metric.ConvertedThatDay, "conversions"},
}

func (c *verifying) day(day calendar.Date) *countedDay {
	d := c.days[day]
	if d == nil {
		d = &countedDay{}
		c.days[day] = d
	}
	return d
}

func (c *verifying) title(book int64) *TitleCounts {
	t := c.titles[book]
	if t == nil {
		t = &TitleCounts{Book: book}
		c.titles[book] = t
	}
	return t
}

// reader returns what is counted of a reader, or nil.
func (c *verifying) reader(id int64) *countedReader {
	i, ok := slices.BinarySearchFunc(c.people, id, func(r countedReader, id int64) int { return cmp.Compare(r.id, id) })
	if !ok {
		return nil
	}
	return &c.people[i]
}

func (c *verifying) faultf(format string, args ...any) { c.found(fmt.Sprintf(format, args...)) }

// attributes reads the attributes, block by block.
func (c *verifying) attributes(ctx context.Context) error {
	return c.scan(ctx, AttributesKind, state.Range{}, func(b state.Block) error {
		readers, err := ParseAttributes(b.Data)
		for _, a := range readers {
			if Block(a.ID) != b.A {
				c.faultf("attributes of reader %d are in block %d", a.ID, b.A)
				continue
			}
			c.people = append(c.people, countedReader{id: a.ID, attributes: c.digest(a), loans: a.Loans, active: a.ActiveReservations})
		}
		return err
	})
}

// digest is that of attributes without their counters.
func (c *verifying) digest(a Attributes) uint64 {
	a.Loans, a.ActiveReservations = 0, 0
	return maphash.Comparable(c.seed, a)
}

// readers compares the register of readers with the attributes.
func (c *verifying) readers(ctx context.Context) error {
	return c.registers.Readers(ctx, func(r libraries.Reader) {
		p := c.reader(r.ID)
		if p == nil {
			c.faultf("attributes of reader %d are missing", r.ID)
			return
		}
		p.registered = true
		if p.attributes != c.digest(AttributesOf(r)) {
			c.faultf("attributes of reader %d are not those of the register", r.ID)
		}
	})
}

// loans counts the register of loans.
func (c *verifying) loans(ctx context.Context) error {
	return c.registers.Loans(ctx, func(l libraries.Loan) {
		if p := c.reader(l.Reader); p != nil {
			p.hadLoans++
		}
		if c.reader(l.Reader) == nil || !c.registers.Book(l.Book) {
			c.faultf("loan %d is of reader %d and title %d, of whom one does not exist", l.ID, l.Reader, l.Book)
		}
		d := c.day(l.Day())
		d.sums[metric.Loans]++
		d.counts.LoansByStatus[l.Status]++
		c.events[EventSetKeyOf(l.Reader, l.Day())]--
		if l.Status == libraries.LoanActive {
			c.title(l.Book).ActiveLoans++
		}
		if l.Status.Ended() {
			c.day(calendar.Day(l.Returned)).sums[metric.Returns]++
		}
	})
}

// reservations counts the register of reservations.
func (c *verifying) reservations(ctx context.Context) error {
	return c.registers.Reservations(ctx, func(r libraries.Reservation) {
		p := c.reader(r.Reader)
		if p == nil || !c.registers.Book(r.Book) {
			c.faultf("reservation %d is of reader %d and title %d, of whom one does not exist", r.ID, r.Reader, r.Book)
		}
		d := c.day(r.Day())
		d.sums[metric.Reservations]++
		d.counts.ReservationsByStatus[r.Status]++
		c.events[EventSetKeyOf(r.Reader, r.Day())]--
		if r.Status.Active() {
			c.title(r.Book).ActiveReservations++
			if p != nil {
				p.had++
			}
		}
		switch r.Status {
		case libraries.Converted:
			d.sums[metric.ReservationsConverted]++
			c.day(calendar.Day(r.Resolved)).sums[metric.ConvertedThatDay]++
		case libraries.Cancelled:
			c.day(calendar.Day(r.Resolved)).counts.Cancelled++
		case libraries.Lost:
			c.day(calendar.Day(r.Resolved)).counts.Lost++
		}
	})
}

// requests counts the requests among the events that are to be known.
func (c *verifying) requests(ctx context.Context) error {
	return c.registers.Requests(ctx, func(r libraries.Request) { c.events[EventSetKeyOf(r.Reader, r.Day())]++ })
}

// readerTitles counts what each reader did with each title.
func (c *verifying) readerTitles(ctx context.Context) error {
	return c.scan(ctx, ReaderTitlesKind, state.Range{}, func(b state.Block) error {
		titles, err := ParseReaderTitles(b.Data)
		if err != nil {
			return fmt.Errorf("titles of reader %d: %w", b.A, err)
		}
		p := c.reader(b.A)
		if p == nil {
			c.faultf("titles of reader %d, who does not exist", b.A)
			p = &countedReader{}
		}
		for i := range titles.Books {
			t := &titles.Books[i]
			p.readLoans += int64(len(t.Loans))
			c.sessions, c.seconds = c.sessions+t.Pair.Sessions, c.seconds+t.Pair.Seconds
			c.lent(b.A, t)
			if n := t.Confirmed(); n > 0 {
				c.title(t.Book).Confirmed += n
			}
			if t.Pair.StockReading(int64(len(t.Loans))) {
				c.title(t.Book).Readings++
			}
			if day, ok := t.Pair.Reached(libraries.Reading10); ok {
				c.day(day).sums[metric.Readings10]++
			}
			if day, ok := t.Pair.Reached(libraries.Reading50); ok {
				c.day(day).sums[metric.Readings50]++
			}
		}
		return nil
	})
}

// lent adds what was read of a title to the days of its loans.
func (c *verifying) lent(reader int64, t *ReaderTitle) {
	if t.Pair.Seconds == 0 && t.Pair.Highest == 0 {
		return
	}
	digest := maphash.Comparable(c.seed, LoanReading{reader, t.Book, t.Pair.Seconds, t.Pair.Highest})
	for i, loan := range t.Loans {
		if i == 0 || t.Loans[i-1].Start != loan.Start {
			c.day(loan.Start).read += digest
		}
	}
}

// end says what was found to be missing.
func (c *verifying) end() {
	for _, p := range c.people {
		switch {
		case !p.registered:
			c.faultf("attributes of reader %d, of whom there is no row", p.id)
		case p.loans != p.hadLoans || p.readLoans != p.hadLoans:
			c.faultf("reader %d has %d loans in the register, %d in the attributes and %d in the titles", p.id, p.hadLoans, p.loans, p.readLoans)
		case p.active != p.had:
			c.faultf("reader %d has %d active reservations in the register, and %d in the attributes", p.id, p.had, p.active)
		}
	}
	for _, day := range slices.Sorted(maps.Keys(c.days)) {
		if d := c.days[day]; d.sums != (metric.Measures{}) || d.counts != (metric.DayCounts{}) {
			c.faultf("day %v is missing: loans, reservations or readings are of it", day)
		}
	}
	for _, book := range slices.Sorted(maps.Keys(c.titles)) {
		if t := c.titles[book]; !t.empty() {
			c.faultf("counts of title %d are missing", book)
		}
	}
	if c.sessions != c.daySessions || c.seconds != c.daySeconds {
		c.faultf("days have %d sessions of %d seconds, and readers' titles %d of %d", c.daySessions, c.daySeconds, c.sessions, c.seconds)
	}
	for _, k := range slices.SortedFunc(maps.Keys(c.events), EventSetKey.Compare) {
		if n := c.events[k]; n != 0 {
			c.faultf("events of readers %d to %d on the eight days from %v: %+d are known than are counted",
				k.Group<<7, k.Group<<7|127, calendar.Date(k.Block)<<3, -n)
		}
	}
}
