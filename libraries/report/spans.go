package report

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// spanDays is the number of days whose sheets are read and kept together: few reads for a month, and not much more than
// needed for one day. It is a power of two.
const spanDays = 8

// spanOf returns the span that a day belongs to.
func spanOf(d calendar.Date) calendar.Period {
	first := d &^ (spanDays - 1) // down, also before 1970
	return calendar.Period{Start: first, End: first + spanDays - 1}
}

// span returns the sheets of one kind of a span.
func (r *Reports) span(ctx context.Context, a Access, kind state.Kind, p calendar.Period) (Sheets, error) {
	return state.Load(ctx, r.Cache, key(a, "sheets", kind.Number, p.Start), func(ctx context.Context) (Sheets, error) {
		return Folded{r.Store}.Sheets(ctx, a, kind, p)
	})
}

// sheets returns the sheets of one kind of a period: a function of the day, nil for a day without one. It holds them all,
// so it is for periods of a few weeks; visitSheets goes through longer ones.
func (r *Reports) sheets(
	ctx context.Context, a Access, kind state.Kind, period calendar.Period,
) (func(calendar.Date) []byte, error) {
	var mu sync.Mutex
	all := Sheets{}
	err := r.visitSheets(ctx, a, kind, period, func(_ int, day calendar.Date, data []byte) error {
		mu.Lock()
		defer mu.Unlock()
		all[day] = data
		return nil
	})
	return func(d calendar.Date) []byte { return all[d] }, err
}

// visitors is the number of goroutines that go through sheets, and so of the spans that are read at once.
const visitors = 2

// visitSheets calls visit with each stored sheet of one kind of a period, in no order, on several goroutines at once, of
// which visit is told the number, below visitors. Each holds one span at a time, however long the period.
func (r *Reports) visitSheets(
	ctx context.Context, a Access, kind state.Kind, period calendar.Period,
	visit func(visitor int, day calendar.Date, data []byte) error,
) error {
	days, err := r.daysIn(ctx, a, period)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	spans := bySpan(days.Dates)
	var next atomic.Int64
	work := make([]func() error, visitors)
	for i := range work {
		work[i] = func() error {
			for at := next.Add(1); at <= int64(len(spans)) && ctx.Err() == nil; at = next.Add(1) {
				err := r.visitSpan(ctx, a, kind, spans[at-1], func(day calendar.Date, data []byte) error { return visit(i, day, data) })
				if err != nil {
					cancel(err) // the others need not go on
				}
			}
			return nil
		}
	}
	_ = state.Together(work...) // the cause is the error
	return context.Cause(ctx)
}

// visitSpan visits the sheets of days of one span.
func (r *Reports) visitSpan(ctx context.Context, a Access, kind state.Kind, days []calendar.Date, visit func(calendar.Date, []byte) error) error {
	sheets, err := r.span(ctx, a, kind, spanOf(days[0]))
	for _, day := range days {
		if data := sheets[day]; err == nil && data != nil && ctx.Err() == nil {
			err = visit(day, data)
		}
	}
	return err
}

// bySpan cuts ascending days into those of each span.
func bySpan(days []calendar.Date) (spans [][]calendar.Date) {
	for from, d := range days {
		if from == 0 || spanOf(d) != spanOf(days[from-1]) {
			spans = append(spans, nil)
		}
		last := len(spans) - 1
		spans[last] = append(spans[last], d)
	}
	return spans
}
