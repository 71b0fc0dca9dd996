package intake

import (
	"context"
	"maps"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
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

// add adds what a run counts.
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
}

// Load writes a settled feed, which builds on the state of the writer's Base: the registers, what was sorted by reader, then the days,
// which all readers share, with the rows that are kept by day, and the counts of the
// network. It returns the readers whose e-mail is to go from every state when the load holds (L18).
func Load(ctx context.Context, w snapshot.Writer, in *Intake, sorter *Sorter, o LoadOptions) (n Loaded, erased []int64, err error) {
	l := newLoad(w, sorter, o)
	l.Begin = []snapshot.Change{
		Terms.Change(snapshot.Rows[Term]{Again: in.PutTerms}), Books.Change(snapshot.Rows[libraries.Book]{Again: in.PutBooks}),
		Lines.Change(snapshot.Rows[stock.BookLine]{Again: in.PutLines}), Channels.Change(snapshot.Rows[libraries.ChannelDay]{Again: in.PutChannels}),
	}
	err = l.Run(ctx)
	return l.loaded, l.erased, err
}

// Count counts what Load would do, and writes nothing: days, which count nothing, are left.
func Count(ctx context.Context, w snapshot.Writer, sorter *Sorter, o LoadOptions) (Loaded, error) {
	l := newLoad(w, sorter, o)
	l.Count = true
	err := l.Run(ctx)
	return l.loaded, err
}

// load is one load, or count, under way. What was folded before is read at the state that it builds on, which what it writes
// does not change.
type libraryLoad struct {
	snapshot.Pipeline
	people func(ctx context.Context, ids []int64) ([]libraries.Reader, error)

	counts map[int64]facts.TitleCounts // changes, summed by title: readers have many, titles are few
	days   map[calendar.Date]facts.DayTotals
	loaded Loaded
	erased []int64
}

func newLoad(w snapshot.Writer, sorter *Sorter, o LoadOptions) *libraryLoad {
	l := &libraryLoad{people: o.People, counts: map[int64]facts.TitleCounts{}, days: map[calendar.Date]facts.DayTotals{}}
	l.Pipeline = snapshot.Pipeline{
		Writer: w, Records: &sorter.Sorter, Aggregate: l.aggregate, Merge: l.merge, FirstDay: int64(libraries.HistoryStart), End: l.network,
		Progress: o.Progress,
	}
	return l
}

// rowBytes is about what a row of a register takes in memory.
const rowBytes = 256

// network is what is counted of the network as a whole, after the load.
func (l *libraryLoad) network(ctx context.Context) (snapshot.Written, error) {
	var had facts.Network
	err := l.Past(ctx, facts.NetworkKind, snapshot.Range{}, func(b snapshot.Block) error { return packed.Open(b.Data, &had) })
	if err != nil {
		return snapshot.Written{}, err
	}
	now, err := had.Add(slices.Collect(maps.Values(l.counts)), l.days)
	if err != nil {
		return snapshot.Written{}, err
	}
	put := snapshot.Puts{Kind: facts.NetworkKind}
	put.Add(snapshot.BlockKey{}, l.Base() > 0, packed.Append(nil, now))
	return snapshot.WrittenOf(l.Tenant(), &put), nil
}
