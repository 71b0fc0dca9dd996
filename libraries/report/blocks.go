package report

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// Folded reads the folded facts of the state that an access names, wherever the blocks are.
type Folded struct{ state.Blocks }

// DayBlocks are packed blocks of one kind by their days.
type DayBlocks map[calendar.Date][]byte

// Bytes returns about the memory that the blocks hold.
func (s DayBlocks) Bytes() int {
	n := 0
	for _, data := range s {
		n += 64 + cap(data)
	}
	return n
}

func (f Folded) scan(ctx context.Context, a Access, k state.Kind, r state.Range, visit func(state.Block) error) error {
	return f.Scan(ctx, state.Tenant(a.Network), a.At.Facts, k, r, visit)
}

// Readers reads the attributes of all readers.
func (f Folded) Readers(ctx context.Context, a Access) (*Readers, error) {
	return f.readers(ctx, a, state.Range{})
}

// ReadersOf reads the attributes of the readers of blocks, which ascend.
func (f Folded) ReadersOf(ctx context.Context, a Access, blocks []int64) (*Readers, error) {
	return f.readers(ctx, a, state.Range{Among: slices.Concat([]int64{}, blocks)}) // nil would be all
}

func (f Folded) readers(ctx context.Context, a Access, in state.Range) (*Readers, error) {
	var blocks [][]byte
	err := f.scan(ctx, a, facts.AttributesKind, in, func(b state.Block) error {
		blocks = append(blocks, slices.Clone(b.Data))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return ReadReaders(blocks)
}

// Network reads what is counted of the network as a whole.
func (f Folded) Network(ctx context.Context, a Access) (*facts.Network, error) {
	n := &facts.Network{}
	err := f.scan(ctx, a, facts.NetworkKind, state.Range{}, func(b state.Block) error { return packed.Open(b.Data, n) })
	if err != nil {
		return nil, fmt.Errorf("counts of network %d: %w", a.Network, err)
	}
	return n, nil
}

// DayBlocks reads the blocks of one kind, such as facts.DayOfReadersKind, of the period's days, in their packed form. A day without any is absent.
func (f Folded) DayBlocks(ctx context.Context, a Access, kind state.Kind, period calendar.Period) (DayBlocks, error) {
	blocks := DayBlocks{}
	if period.Start > period.End {
		return blocks, nil
	}
	err := f.scan(ctx, a, kind, state.Range{A: state.Between(period.Start, period.End)}, func(b state.Block) error {
		blocks[calendar.Date(b.A)] = slices.Clone(b.Data)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return blocks, nil
}

// loanReadings calls visit with what was read of the loans of days, which ascend; those without such a block are left out. data is
// valid until visit returns.
func (f Folded) loanReadings(ctx context.Context, a Access, days []calendar.Date, visit func(day calendar.Date, data []byte) error) error {
	for part := range slices.Chunk(state.Numbers(days), atOnce) {
		err := f.scan(ctx, a, facts.LoanReadingsKind, state.Range{Among: part}, func(b state.Block) error {
			day := calendar.Date(b.A)
			if err := visit(day, b.Data); err != nil {
				return fmt.Errorf("readings of loans of %s: %w", day, err)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// atOnce is how many readers, or days, one scan names.
const atOnce = 2000

// ReaderTitles calls visit with the packed ReaderTitles of each of the given readers, which ascend, in their order; readers
// without one are left out. data is valid until visit returns.
func (f Folded) ReaderTitles(ctx context.Context, a Access, ids []int64, visit func(reader int64, data []byte) error) error {
	for part := range slices.Chunk(ids, atOnce) {
		err := f.scan(ctx, a, facts.ReaderTitlesKind, state.Range{Among: part}, func(b state.Block) error { return visit(b.A, b.Data) })
		if err != nil {
			return err
		}
	}
	return nil
}

// spanDays is the number of days whose blocks are read and kept together: few reads for a month, and not much more than
// needed for one day. It is a power of two.
const spanDays = 8

// spanOf returns the span that a day belongs to.
func spanOf(d calendar.Date) calendar.Period {
	first := d &^ (spanDays - 1) // down, also before 1970
	return calendar.Period{Start: first, End: first + spanDays - 1}
}

// span returns the blocks of one kind of a span.
func (r *Reports) span(ctx context.Context, a Access, kind state.Kind, p calendar.Period) (DayBlocks, error) {
	return state.Load(ctx, r.Cache, key(a, "blocks", kind.Number, p.Start), func(ctx context.Context) (DayBlocks, error) {
		return Folded{r.Store}.DayBlocks(ctx, a, kind, p)
	})
}

// dayBlocks returns the blocks of one kind of a period: a function of the day, nil for a day without one. It holds them all,
// so it is for periods of a few weeks; visitDays goes through longer ones.
func (r *Reports) dayBlocks(
	ctx context.Context, a Access, kind state.Kind, period calendar.Period,
) (func(calendar.Date) []byte, error) {
	var mu sync.Mutex
	all := DayBlocks{}
	err := r.visitDays(ctx, a, kind, period, func(_ int, day calendar.Date, data []byte) error {
		mu.Lock()
		defer mu.Unlock()
		all[day] = data
		return nil
	})
	return func(d calendar.Date) []byte { return all[d] }, err
}

// visitors is the number of goroutines that go through blocks, and so of the spans that are read at once.
const visitors = 2

// visitDays calls visit with each stored block of one kind of a period, in no order, on several goroutines at once, of
// which visit is told the number, below visitors. Each holds one span at a time, however long the period.
func (r *Reports) visitDays(
	ctx context.Context, a Access, kind state.Kind, period calendar.Period,
	visit func(visitor int, day calendar.Date, data []byte) error,
) error {
	days, err := r.daysIn(ctx, a, period)
	if err != nil {
		return err
	}
	spans := bySpan(days.Dates)
	group, ctx := errgroup.WithContext(ctx)
	for i := range visitors {
		group.Go(func() error {
			for at := i; at < len(spans); at += visitors {
				err := r.visitSpan(ctx, a, kind, spans[at], func(day calendar.Date, data []byte) error { return visit(i, day, data) })
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// visitSpan visits the blocks of days of one span. It turns a panic of visit into an error: on a goroutine of its own it would end
// the process instead of one request.
func (r *Reports) visitSpan(
	ctx context.Context, a Access, kind state.Kind, days []calendar.Date, visit func(calendar.Date, []byte) error,
) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	blocks, err := r.span(ctx, a, kind, spanOf(days[0]))
	for _, day := range days {
		if data := blocks[day]; err == nil && data != nil {
			if err = ctx.Err(); err == nil {
				err = visit(day, data)
			}
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
