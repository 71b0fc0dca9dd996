package intake

import (
	"context"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/spill"
)

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
	// People returns the readers of the given identifiers, which ascend, as the state that the load builds on has them.
	People func(ctx context.Context, ids []int64) ([]libraries.Reader, error)
	// Progress, if not nil, is told the steps that are done, one after the other, from 0 on.
	Progress func(done, total int)
	// Days has what the parts of the pile say of days, until all parts are folded. Its Dir and Limit may be set.
	Days spill.Pile
}

// Load writes a settled feed, which builds on the state of the writer's Base: the registers, the pile part by part, then the days,
// which all parts share, with the rows that are kept by day, and the titles' counts. The pile is used up, and is the caller's to
// close. It returns the readers whose e-mail is to go from every state when the load holds (L18).
func Load(ctx context.Context, w state.Writer, in *Intake, pile *Pile, o LoadOptions) (n Loaded, erased []int64, err error) {
	l := newLoad(w, pile, o)
	l.Begin = []state.Change{
		Terms.Change(state.Rows[Term]{Again: in.PutTerms}), Books.Change(state.Rows[libraries.Book]{Again: in.PutBooks}),
		Lines.Change(state.Rows[stock.BookLine]{Again: in.PutLines}), Channels.Change(state.Rows[libraries.ChannelDay]{Again: in.PutChannels}),
	}
	err = l.Run(ctx)
	return l.loaded, l.erased, err
}

// Count counts what Load would do of a pile, and writes nothing: days are not folded, which count nothing.
func Count(ctx context.Context, w state.Writer, pile *Pile, o LoadOptions) (Loaded, error) {
	l := newLoad(w, pile, o)
	l.Count = true
	err := l.Run(ctx)
	return l.loaded, err
}

// load is one load, or count, under way. What was folded before is read at the state that it builds on, which what it writes
// does not change.
type load struct {
	state.Folding
	pile   *Pile
	people func(ctx context.Context, ids []int64) ([]libraries.Reader, error)

	counts map[int64]facts.TitleCounts // changes, summed by title: readers have many, titles are few
	loaded Loaded
	erased []int64
}

func newLoad(w state.Writer, pile *Pile, o LoadOptions) *load {
	l := &load{pile: pile, people: o.People, counts: map[int64]facts.TitleCounts{}}
	l.Folding = state.Folding{
		Writer: w, Pile: &pile.Spill, Fold: l.fold, Merge: l.merge, End: l.titleCounts, Aside: o.Days, Batch: pile.Spill.Batch(), Progress: o.Progress,
	}
	return l
}

// rowBytes is about what a row of a register takes in memory.
const rowBytes = 256

// titleCounts is what is counted now of every title.
func (l *load) titleCounts(ctx context.Context) (state.Written, error) {
	var had facts.CountsByTitle
	err := l.Past(ctx, facts.TitleCountsKind, state.Range{}, func(b state.Block) (err error) {
		had, err = facts.ParseCountsByTitle(b.Data)
		return err
	})
	if err != nil {
		return state.Written{}, err
	}
	changes := make([]facts.TitleCounts, 0, len(l.counts))
	for _, c := range l.counts {
		changes = append(changes, c)
	}
	now, err := had.Add(changes)
	if err != nil {
		return state.Written{}, err
	}
	put := state.Puts{Kind: facts.TitleCountsKind}
	put.Add(state.BlockKey{}, l.Base() > 0, now.AppendBinary(nil))
	return state.WrittenOf(l.Tenant(), &put), nil
}
