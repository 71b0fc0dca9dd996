package intake

import (
	"context"

	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// What the piles of a Feed are tested by.
var (
	NewLoanPile        = loans.pile
	NewReservationPile = reservations.pile
)

// Together is how many deltas of a day are added at once.
const Together = together

// MergeDay returns what deltas of a day make of it, each added by itself to what a load merges.
func MergeDay(day calendar.Date, deltas []facts.DayDelta) (facts.DayForms, error) {
	m := merging{&load{Folding: state.Folding{Writer: state.Unwritten(nil, 1, 0)}}, map[calendar.Date]*mergedDay{}}
	for _, d := range deltas {
		if err := m.add(context.Background(), d); err != nil {
			return facts.DayForms{}, err
		}
	}
	return m.days[day].forms()
}
