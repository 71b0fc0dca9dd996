package report

import (
	"context"
	"slices"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// blocks calls visit with stored blocks of the snapshot that the access names.
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

// network returns the counts of the network as a whole.
func (r *Reports) network(ctx context.Context, a Access) (*facts.Network, error) {
	return snapshot.Load(ctx, r.Cache, key(a, "network"), func(ctx context.Context) (*facts.Network, error) {
		return facts.ReadNetwork(ctx, r.Store, auth.Tenant(a.Network), a.At.Facts)
	})
}

// dayBlocks are stored blocks of one kind by their days. A day without any is absent.
type dayBlocks map[calendar.Date][]byte

// Bytes returns about the memory that the blocks hold.
func (s dayBlocks) Bytes() int {
	n := 0
	for _, data := range s {
		n += 64 + cap(data)
	}
	return n
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
func (r *Reports) span(ctx context.Context, a Access, kind snapshot.Kind, p calendar.Period) (dayBlocks, error) {
	return snapshot.Load(ctx, r.Cache, key(a, "blocks", kind.Number, p.Start), func(ctx context.Context) (dayBlocks, error) {
		blocks := dayBlocks{}
		return blocks, r.blocks(ctx, a, kind, snapshot.Range{A: snapshot.Between(p.Start, p.End)}, func(b snapshot.Block) error {
			blocks[calendar.Date(b.A)] = slices.Clone(b.Data)
			return nil
		})
	})
}

// visitors is the number of goroutines that go through blocks, and so of the spans that are read at once.
const scanWorkers = 2

// visitDays calls visit with each stored block of one kind of a period, in no order, on several goroutines at once, of
// which visit is told the number, below visitors. Each holds one span at a time, however long the period.
func (r *Reports) visitDays(
	ctx context.Context, a Access, kind snapshot.Kind, period calendar.Period,
	visit func(visitor int, day calendar.Date, data []byte) error,
) error {
	days, err := r.daysIn(ctx, a, period)
	if err != nil {
		return err
	}
	spans := bySpan(days.Dates)
	var parts []func(context.Context) error
	for i := range scanWorkers {
		parts = append(parts, func(ctx context.Context) error {
			for at := i; at < len(spans); at += scanWorkers {
				err := r.visitSpan(ctx, a, kind, spans[at], func(day calendar.Date, data []byte) error { return visit(i, day, data) })
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	return snapshot.Parallel(ctx, parts...)
}

// visitSpan visits the blocks of days of one span.
func (r *Reports) visitSpan(
	ctx context.Context, a Access, kind snapshot.Kind, days []calendar.Date, visit func(calendar.Date, []byte) error,
) error {
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
