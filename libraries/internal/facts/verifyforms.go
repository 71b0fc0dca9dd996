package facts

import (
	"context"
	"fmt"
	"hash/maphash"
	"maps"
	"math"
	"slices"

	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// loanReadings compares what was read of the loans of the days that have it with readers' titles.
func (c *verifying) loanReadings(ctx context.Context) error {
	return c.scan(ctx, LoanReadingsKind, state.Range{}, func(b state.Block) error {
		readings, err := ParseLoanReadings(b.Data)
		if err != nil {
			return fmt.Errorf("readings of loans of %s: %w", calendar.Date(b.A), err)
		}
		have := uint64(0)
		for _, r := range readings {
			have += maphash.Comparable(c.seed, r)
		}
		if have != c.day(calendar.Date(b.A)).read {
			c.faultf("day %v: what was read of its loans is not what readers' titles say", calendar.Date(b.A))
		}
		return nil
	})
}

// daysAtOnce bounds the days whose forms are in memory.
const daysAtOnce = 8

// forms goes through the days, some at a time, and what lies before and behind all those that have totals.
func (c *verifying) forms(ctx context.Context) error {
	first, end := int64(math.MaxInt32), int64(math.MinInt32)
	err := c.scan(ctx, TotalsKind, state.Range{}, func(b state.Block) error {
		first, end = min(first, b.A), max(end, b.A+1)
		return nil
	})
	if err != nil {
		return err
	}
	if first > end {
		first, end = 0, 0
	}
	if err := c.formsOf(ctx, state.Span{From: math.MinInt32, End: first}); err != nil {
		return err
	}
	for ; first < end; first += daysAtOnce {
		if err := c.formsOf(ctx, state.Span{From: first, End: min(first+daysAtOnce, end)}); err != nil {
			return err
		}
	}
	return c.formsOf(ctx, state.Span{From: end, End: math.MaxInt32})
}

// formsOf checks the forms of some days.
func (c *verifying) formsOf(ctx context.Context, span state.Span) error {
	days := map[calendar.Date]*DayForms{}
	for _, k := range []state.Kind{TotalsKind, ReaderSheetKind, TitleSheetKind, LoginSheetKind} {
		err := c.scan(ctx, k, state.Range{A: span}, func(b state.Block) error {
			f := days[calendar.Date(b.A)]
			if f == nil {
				f = &DayForms{}
				days[calendar.Date(b.A)] = f
			}
			*f.of(k) = slices.Clone(b.Data)
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, day := range slices.Sorted(maps.Keys(days)) {
		c.form(day, *days[day])
	}
	return nil
}

// of is the form of a kind.
func (f *DayForms) of(k state.Kind) *[]byte {
	switch k {
	case TotalsKind:
		return &f.Totals
	case ReaderSheetKind:
		return &f.Readers
	case TitleSheetKind:
		return &f.Titles
	}
	return &f.Logins
}

// form checks the forms of a day.
func (c *verifying) form(day calendar.Date, f DayForms) {
	d, err := ParseDay(f)
	if err != nil {
		c.faultf("day %v: its totals and its sheets of readers, titles and logins do not belong together", day)
		return
	}
	t := d.totals()
	c.daySessions += t.Counts.OnlineSessions + t.Counts.OfflineSessions
	c.daySeconds += t.Sums[metric.ReadingSeconds]
	for i := range d.readers {
		if n := int64(d.readers[i].presence.Events); n > 0 {
			c.events[EventSetKeyOf(d.readers[i].reader, day)] += n
		}
	}
	want := c.day(day)
	for _, m := range ofRegisters {
		if t.Sums[m.metric] != want.sums[m.metric] {
			c.faultf("day %v has %d %s, where %d are due", day, t.Sums[m.metric], m.name, want.sums[m.metric])
		}
	}
	counts := t.Counts
	counts.OnlineSessions, counts.OfflineSessions, counts.OnlineSeconds, counts.OfflineSeconds = 0, 0, 0, 0
	if counts != want.counts {
		c.faultf("day %v counts loans and reservations by status as %v, where %v is due", day, counts, want.counts)
	}
	delete(c.days, day)
}

// titleCounts compares the counts of titles.
func (c *verifying) titleCounts(ctx context.Context) error {
	return c.scan(ctx, TitleCountsKind, state.Range{}, func(b state.Block) error {
		counts, err := ParseCountsByTitle(b.Data)
		for _, have := range counts {
			want := TitleCounts{Book: have.Book}
			if w := c.titles[have.Book]; w != nil {
				want = *w
			}
			if have != want {
				c.faultf("counts of title %d are %d readings, %d active loans, %d active reservations and %d confirmed loans, where %d, %d, %d and %d are due",
					have.Book, have.Readings, have.ActiveLoans, have.ActiveReservations, have.Confirmed,
					want.Readings, want.ActiveLoans, want.ActiveReservations, want.Confirmed)
			}
			delete(c.titles, have.Book)
		}
		return err
	})
}

// eventSets counts the events that are known.
func (c *verifying) eventSets(ctx context.Context) error {
	return c.scan(ctx, EventSetKind, state.Range{}, func(b state.Block) error {
		s := &EventSet{}
		if err := s.UnmarshalBinary(b.Data); err != nil {
			return fmt.Errorf("seen events of group %d, block %d: %w", b.A, b.B, err)
		}
		c.events[EventSetKey{Group: b.A, Block: int32(b.B)}] -= int64(s.Len())
		return nil
	})
}
