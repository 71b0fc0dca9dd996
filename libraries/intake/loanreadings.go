package intake

import (
	"context"
	"maps"
	"slices"

	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// readings puts what was read of the loans of days in place of what was known; firsts are the days that have their first loans. A day
// that had loans before and has no readings is one of an earlier Lectern: it stays without, for what is known of it is not all.
func (l *load) readings(ctx context.Context, later map[calendar.Date][]facts.LoanReading, firsts map[calendar.Date]bool) (*state.Puts, error) {
	for date, first := range firsts {
		if first {
			later[date] = append([]facts.LoanReading{}, later[date]...)
		}
	}
	known := map[calendar.Date]facts.LoanReadings{}
	dates := slices.Sorted(maps.Keys(later))
	err := l.Past(ctx, facts.LoanReadingsKind, state.Range{Among: state.Numbers(dates)}, func(b state.Block) (err error) {
		known[calendar.Date(b.A)], err = facts.ParseLoanReadings(b.Data)
		return err
	})
	put := &state.Puts{Kind: facts.LoanReadingsKind}
	for _, date := range dates {
		if was, stored := known[date]; stored || firsts[date] {
			put.Add(state.BlockKey{A: int64(date)}, stored, was.With(later[date]).AppendBinary(nil))
		}
	}
	return put, err
}
