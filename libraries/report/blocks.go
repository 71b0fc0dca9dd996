package report

import (
	"context"
	"fmt"
	"slices"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// blocks calls visit with stored blocks of the snapshot.
func (r *Reports) blocks(ctx context.Context, a Access, k snapshot.Kind, in snapshot.Range, visit func(snapshot.Block) error) error {
	return r.Store.Scan(ctx, auth.Tenant(a.Network), a.At.Facts, k, in, visit)
}

// Readers returns the attributes of all readers.
func (r *Reports) Readers(ctx context.Context, a Access) (*Readers, error) {
	return snapshot.Load(ctx, r.Cache, key(a, "readers"), func(ctx context.Context) (*Readers, error) {
		return r.readersIn(ctx, a, snapshot.Range{})
	})
}

// readersIn reads the attributes of the readers of some blocks.
func (r *Reports) readersIn(ctx context.Context, a Access, in snapshot.Range) (*Readers, error) {
	var blocks [][]byte
	err := r.blocks(ctx, a, facts.AttributesKind, in, func(b snapshot.Block) error {
		blocks = append(blocks, slices.Clone(b.Data))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return ReadReaders(blocks)
}

// network returns what is counted of the network as a whole: its titles now, and its days.
func (r *Reports) network(ctx context.Context, a Access) (*facts.Network, error) {
	return snapshot.Load(ctx, r.Cache, key(a, "network"), func(ctx context.Context) (*facts.Network, error) {
		return facts.ReadNetwork(ctx, r.Store, auth.Tenant(a.Network), a.At.Facts)
	})
}

// dayBlocks has stored blocks of one kind by day. A day without a block is absent.
type dayBlocks map[calendar.Date][]byte

// Bytes returns about the memory that the blocks take.
func (s dayBlocks) Bytes() int {
	n := 0
	for _, data := range s {
		n += 64 + cap(data)
	}
	return n
}

// spanDays is the number of days whose blocks are read and cached together: few reads for a month, and not much more
// than one day needs. It is a power of two.
const spanDays = 8

// spanOf returns the span that has a day.
func spanOf(day calendar.Date) calendar.Period {
	return calendar.Period{Start: day &^ (spanDays - 1), End: day | (spanDays - 1)} // also before 1970
}

// span returns the blocks of one kind of a span.
func (r *Reports) span(ctx context.Context, a Access, kind snapshot.Kind, p calendar.Period) (dayBlocks, error) {
	return snapshot.Load(ctx, r.Cache, key(a, "blocks", kind.Number, p.Start), func(ctx context.Context) (dayBlocks, error) {
		blocks := dayBlocks{}
		return blocks, r.blocks(ctx, a, kind, snapshot.Range{A: snapshot.Between(p.Start, p.End)}, func(b snapshot.Block) error {
			blocks[calendar.Date(b.A)] = slices.Clone(b.Data)
			return nil
		})
	})
}

// scanWorkers is the number of goroutines that scan blocks, and so of the spans that are read at once.
const scanWorkers = 2

// scanDays calls scan with each stored block of one kind in a period, on scanWorkers goroutines, in any order. worker
// is the number of the goroutine, from 0. Each goroutine has the blocks of one span at a time, however long the period.
func (r *Reports) scanDays(
	ctx context.Context, a Access, kind snapshot.Kind, period calendar.Period,
	scan func(worker int, day calendar.Date, data []byte) error,
) error {
	counted, err := r.network(ctx, a)
	if err != nil {
		return err
	}
	days := counted.Days.In(period).Dates
	if len(days) == 0 {
		return nil
	}
	first, last := days[0], days[len(days)-1]
	var parts []func(context.Context) error
	for worker := range scanWorkers {
		parts = append(parts, func(ctx context.Context) error {
			visit := func(day calendar.Date, data []byte) error { return scan(worker, day, data) }
			for start := spanOf(first).Start + calendar.Date(worker)*spanDays; start <= last; start += scanWorkers * spanDays {
				part := calendar.Period{Start: max(start, first), End: min(start+spanDays-1, last)}
				if err := r.scanSpan(ctx, a, kind, part, visit); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return snapshot.Parallel(ctx, parts...)
}

// scanSpan calls visit with the stored blocks of some days of one span.
func (r *Reports) scanSpan(
	ctx context.Context, a Access, kind snapshot.Kind, days calendar.Period, visit func(calendar.Date, []byte) error,
) error {
	blocks, err := r.span(ctx, a, kind, spanOf(days.Start))
	for day := days.Start; err == nil && day <= days.End; day++ {
		if data, ok := blocks[day]; ok {
			if err = visit(day, data); err != nil {
				return fmt.Errorf("%s, %s: %w", kind.Name, day, err)
			}
			err = ctx.Err()
		}
	}
	return err
}
