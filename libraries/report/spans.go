package report

import (
	"context"
	"slices"
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
func (r *Reports) span(ctx context.Context, a Access, kind SheetKind, p calendar.Period) (Sheets, error) {
	return state.Load(ctx, r.Cache, key(a, "sheets", uint8(kind), p.Start), func(ctx context.Context) (Sheets, error) {
		return Folded{r.Store}.Sheets(ctx, a, kind, p)
	})
}

// sheets returns the sheets of one kind of a period: a function of the day, nil for a day without one. It holds them all,
// so it is for periods of a few weeks; visitSheets goes through longer ones.
func (r *Reports) sheets(
	ctx context.Context, a Access, kind SheetKind, period calendar.Period,
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
// which visit is told the number, below visitors. No more spans than those are held at a time, however long the period.
func (r *Reports) visitSheets(
	ctx context.Context, a Access, kind SheetKind, period calendar.Period,
	visit func(visitor int, day calendar.Date, data []byte) error,
) error {
	days, err := r.daysIn(ctx, a, period)
	if err != nil {
		return err
	}
	queue := sheetQueue{
		days: queueSpans(days.Dates),
		read: func(p calendar.Period) (Sheets, error) { return r.span(ctx, a, kind, p) },
	}
	work := make([]func() error, visitors)
	for i := range work {
		work[i] = func() error {
			return queue.work(ctx, func(day calendar.Date, data []byte) error { return visit(i, day, data) })
		}
	}
	return state.Together(work...)
}

// sheetQueue hands out the days of a period to those who visit their sheets.
type sheetQueue struct {
	days []queuedDay
	next atomic.Int64
	read func(span calendar.Period) (Sheets, error)
}

// queuedDay is a day whose sheet is to be visited.
type queuedDay struct {
	day  calendar.Date
	span *openSpan
}

// work visits one day after the other until there is none left, or an error.
func (q *sheetQueue) work(ctx context.Context, visit func(day calendar.Date, data []byte) error) error {
	for ctx.Err() == nil {
		at := q.next.Add(1) - 1
		if at >= int64(len(q.days)) {
			return nil
		}
		d := q.days[at]
		sheets, err := d.span.open(q.read)
		if data := sheets[d.day]; err == nil && data != nil {
			err = visit(d.day, data)
		}
		d.span.close()
		if err != nil {
			q.next.Store(int64(len(q.days))) // the others need not go on
			return err
		}
	}
	return ctx.Err()
}

// openSpan is a span that is read when the first of its days is visited, and let go after the last.
type openSpan struct {
	period calendar.Period
	mu     sync.Mutex
	sheets Sheets
	read   bool
	left   int // days not yet visited
}

// open returns the sheets; the first call reads them.
func (s *openSpan) open(read func(calendar.Period) (Sheets, error)) (Sheets, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.read {
		return s.sheets, nil
	}
	sheets, err := read(s.period)
	s.sheets, s.read = sheets, err == nil
	return sheets, err
}

// close is called after the visit of each day.
func (s *openSpan) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left--; s.left == 0 {
		s.sheets = nil
	}
}

// queueSpans puts ascending days in the order in which they are visited: those of as many spans as there are visitors by
// turns, so that at the start each visitor reads a span of its own.
func queueSpans(days []calendar.Date) []queuedDay {
	var spans [][]queuedDay
	for _, d := range days {
		last := len(spans) - 1
		if last < 0 || !spans[last][0].span.period.Contains(d) {
			spans = append(spans, []queuedDay{{d, &openSpan{period: spanOf(d)}}})
			last++
		} else {
			spans[last] = append(spans[last], queuedDay{d, spans[last][0].span})
		}
		spans[last][0].span.left++
	}
	queue := make([]queuedDay, 0, len(days))
	for group := range slices.Chunk(spans, visitors) {
		for i := range spanDays {
			for _, span := range group {
				if i < len(span) {
					queue = append(queue, span[i])
				}
			}
		}
	}
	return queue
}
