package intake

import (
	"context"
	"maps"
	"slices"

	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
)

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
