package intake

import (
	"context"
	"sync"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/spill"
)

// Writer is where a load writes: blocks, and the rows of registers beside them.
type Writer interface {
	state.Writer
	// People returns the readers of the given identifiers, which ascend, as the state that the load builds on has them.
	People(ctx context.Context, ids []int64) ([]libraries.Reader, error)
	// WriteAll makes changes together. None of them is visible before the load holds.
	WriteAll(ctx context.Context, changes ...Written) error
}

// Written is what a step of a load changes of what is stored.
type Written struct {
	Terms        map[libraries.Vocabulary]Puts[libraries.Term]
	Books        Puts[libraries.Book]
	Lines        Puts[stock.BookLine]
	Channels     Puts[libraries.ChannelDay]
	Readers      Puts[libraries.Reader]
	Loans        Puts[libraries.Loan]
	Reservations Puts[libraries.Reservation]
	Requests     Puts[libraries.Request]
	// Erased are readers whose e-mail goes from every state when the load holds (L18).
	Erased []int64
	Blocks []state.Change
}

// Puts are rows of a register that are put in. In place of rows with their keys, where there are such, come those of Again: all
// others are new.
type Puts[T any] struct{ New, Again []T }

// add adds a row.
func (p *Puts[T]) add(v T, again bool) {
	if again {
		p.Again = append(p.Again, v)
	} else {
		p.New = append(p.New, v)
	}
}

func (p Puts[T]) len() int { return len(p.New) + len(p.Again) }

// Loaded counts what a load does.
type Loaded struct {
	New, Repeated int // events and requests; a repeated one was loaded before (F1)
	Requests      int // those of the new ones that are suggestion requests
	Readers       ReaderCounts
}

// ReaderCounts counts the readers who have a row in the feed, by what that row did. One that the store has a later row of
// is Superseded (F1).
type ReaderCounts struct{ New, Changed, Unchanged, Superseded int }

// add adds what a part of the pile counts.
func (l *Loaded) add(part Loaded) {
	l.New += part.New
	l.Repeated += part.Repeated
	l.Requests += part.Requests
	l.Readers.New += part.Readers.New
	l.Readers.Changed += part.Readers.Changed
	l.Readers.Unchanged += part.Readers.Unchanged
	l.Readers.Superseded += part.Readers.Superseded
}

// LoadOptions say how a load goes about it.
type LoadOptions struct {
	// Progress, if not nil, is told the steps that are done, one after the other, from 0 on.
	Progress func(done, total int)
	// Days has what the parts of the pile say of days, until all parts are folded. Its Dir and Limit may be set.
	Days spill.Pile
}

// Load writes a settled feed, which builds on the state of the writer's Base: the registers, the pile part by part, then the days,
// which all parts share, and the titles' counts. The pile is used up, and is the caller's to close.
func Load(ctx context.Context, w Writer, in *Intake, pile *Pile, o LoadOptions) (Loaded, error) {
	l := &load{w: w, pile: pile, days: &o.Days, counts: map[int64]facts.TitleCounts{}}
	defer l.days.Close()
	l.out.Write, l.out.Limit = w.WriteAll, pile.Spill.Batch()
	l.steps = steps{tell: o.Progress, total: 2 * spill.Parts}
	l.steps.begin()
	if err := l.out.Add(ctx, l.out.Limit, registers(in)); err != nil {
		return l.loaded, err
	}
	if err := spill.Each(ctx, spill.Parts, l.fold, func(p *part) error { return l.write(ctx, p) }); err != nil {
		return l.loaded, err
	}
	if err := spill.Each(ctx, spill.Parts, l.merge, func(d *days) error { return l.writeDays(ctx, d) }); err != nil {
		return l.loaded, err
	}
	if err := l.writeHoldings(ctx); err != nil {
		return l.loaded, err
	}
	return l.loaded, l.out.Flush(ctx)
}

// Count counts what Load would do of a pile, and writes nothing: days are not folded, which count nothing. progress may be nil.
func Count(ctx context.Context, w Writer, pile *Pile, progress func(done, total int)) (Loaded, error) {
	l := &load{w: w, pile: pile, steps: steps{tell: progress, total: spill.Parts}}
	err := spill.Each(ctx, spill.Parts, l.fold, func(p *part) error {
		l.loaded.add(p.loaded)
		l.steps.next()
		return nil
	})
	return l.loaded, err
}

// load is one load, or count, under way. What was folded before is read at the state that it builds on, which what it writes
// does not change.
type load struct {
	w     Writer
	piles sync.Mutex // of both: they are not for several goroutines at once
	pile  *Pile
	days  *spill.Pile

	sheaves spill.Sheaves
	out     spill.Batch[Written]
	counts  map[int64]facts.TitleCounts // changes, summed by title: readers have many, titles are few
	loaded  Loaded
	steps   steps
}

// first reports whether nothing was loaded before: there is nothing to read and nothing to replace.
func (l *load) first() bool { return l.w.Base() == 0 }

// scan reads blocks of the state that the load builds on.
func (l *load) scan(ctx context.Context, k state.Kind, r state.Range, visit func(state.Block) error) error {
	if l.first() {
		return nil
	}
	return l.w.Scan(ctx, l.w.Tenant(), l.w.Base(), k, r, visit)
}

// steps tells the progress: a step is a part of the pile or of the days.
type steps struct {
	tell        func(done, total int)
	done, total int
}

func (s *steps) begin() {
	if s.tell != nil {
		s.tell(s.done, s.total)
	}
}

func (s *steps) next() {
	s.done++
	s.begin()
}

// registers are what is new or changed in the registers that an Intake settles in memory.
func registers(in *Intake) Written {
	all := Written{
		Terms: map[libraries.Vocabulary]Puts[libraries.Term]{}, Books: Puts[libraries.Book]{Again: in.PutBooks}, Lines: Puts[stock.BookLine]{Again: in.PutLines},
		Channels: Puts[libraries.ChannelDay]{Again: in.PutChannels},
	}
	for v, terms := range in.PutTerms {
		all.Terms[v] = Puts[libraries.Term]{Again: terms}
	}
	return all
}

// rowBytes is about what a row of a register takes in memory.
const rowBytes = 256

// write writes a part, but for what it sets aside, and counts.
func (l *load) write(ctx context.Context, p *part) error {
	l.loaded.add(p.loaded)
	if err := l.sheaves.Take(l.days, p.aside); err != nil {
		return err
	}
	for _, c := range p.counts {
		h := l.counts[c.Book]
		h.Book = c.Book
		h.Add(c)
		l.counts[c.Book] = h
	}
	l.steps.next()
	var bytes int
	p.Blocks, bytes = state.Changes(&p.attributes, &p.titles, &p.events)
	return l.out.Add(ctx, bytes+p.Readers.len()*rowBytes, p.Written)
}

// writeHoldings writes what is counted now of every title.
func (l *load) writeHoldings(ctx context.Context) error {
	var had facts.CountsByTitle
	err := l.scan(ctx, facts.TitleCountsKind, state.Range{}, func(b state.Block) (err error) {
		had, err = facts.ParseCountsByTitle(b.Data)
		return err
	})
	if err != nil {
		return err
	}
	changes := make([]facts.TitleCounts, 0, len(l.counts))
	for _, c := range l.counts {
		changes = append(changes, c)
	}
	now, err := had.Add(changes)
	if err != nil {
		return err
	}
	put := state.Puts{Kind: facts.TitleCountsKind}
	put.Add(state.BlockKey{}, !l.first(), now.AppendBinary(nil))
	blocks, bytes := state.Changes(&put)
	return l.out.Add(ctx, bytes, Written{Blocks: blocks})
}
