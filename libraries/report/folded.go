package report

import (
	"context"
	"fmt"
	"slices"

	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// Folded reads the folded facts of the state that an access names, wherever the blocks are.
type Folded struct{ state.Blocks }

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

// Days reads the totals of every day that has any.
func (f Folded) Days(ctx context.Context, a Access) (*facts.Days, error) {
	days := &facts.Days{}
	err := f.scan(ctx, a, facts.TotalsKind, state.Range{}, func(b state.Block) error {
		day := calendar.Date(b.A)
		totals, err := facts.ParseDayTotals(b.Data)
		if err != nil {
			return fmt.Errorf("day %s: %w", day, err)
		}
		days.Dates, days.Totals = append(days.Dates, day), append(days.Totals, totals)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return days, nil
}

// TitleCounts reads what is counted now of every title.
func (f Folded) TitleCounts(ctx context.Context, a Access) (h facts.CountsByTitle, err error) {
	err = f.scan(ctx, a, facts.TitleCountsKind, state.Range{}, func(b state.Block) error {
		h, err = facts.ParseCountsByTitle(b.Data)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("title counts of network %d: %w", a.Network, err)
	}
	return h, nil
}

// Sheets reads the sheets of one kind, such as facts.ReaderSheetKind, of the period's days, in their packed form. A day without any is absent.
func (f Folded) Sheets(ctx context.Context, a Access, kind state.Kind, period calendar.Period) (Sheets, error) {
	sheets := Sheets{}
	if period.Start > period.End {
		return sheets, nil
	}
	err := f.scan(ctx, a, kind, state.Range{A: state.Between(period.Start, period.End)}, func(b state.Block) error {
		sheets[calendar.Date(b.A)] = slices.Clone(b.Data)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return sheets, nil
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
