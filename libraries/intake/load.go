package intake

import (
	"context"
	"maps"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// Loaded counts what a load does.
type Loaded struct {
	// New and Repeated count events and requests. A repeated one has the identifier, reader and day of an earlier one (F1).
	New, Repeated int
	Requests      int // the new suggestion requests
	// Readers counts the readers with a row in the feed by what the row did. A row is superseded if the stored one is later (F1).
	Readers row.Counts
}

// LoadOptions are the options of [Load].
type LoadOptions struct {
	// Begin is written before everything else.
	Begin []snapshot.Change
	// Readers returns the stored readers of the given identifiers, which ascend.
	Readers func(ctx context.Context, ids []int64) ([]libraries.Reader, error)
	// Count counts what the feed does and writes nothing.
	Count bool
	// Progress, if not nil, is called with the number of finished steps, from 0 on.
	Progress func(done, total int)
}

// Load aggregates what was sorted by reader onto the snapshot that the writer builds on, and writes what changes: reader by
// reader, partition by partition, then day by day, and last the counts of the network. It also returns the readers whose
// e-mail must be erased from every snapshot when the load is published (L18).
func Load(ctx context.Context, w snapshot.Writer, sorter *Sorter, o LoadOptions) (n Loaded, erased []int64, err error) {
	l := &libraryLoad{readers: o.Readers, counts: map[int64]facts.TitleCounts{}, days: map[calendar.Date]facts.DayTotals{}}
	l.Pipeline = snapshot.Pipeline{
		Writer: w, Begin: o.Begin, Records: &sorter.Sorter, Aggregate: l.aggregate, Merge: l.merge, End: l.network,
		FirstDay: int64(libraries.HistoryStart), Count: o.Count, Progress: o.Progress,
	}
	err = l.Run(ctx)
	return l.loaded, l.erased, err
}

// libraryLoad is the state of one call of Load.
type libraryLoad struct {
	snapshot.Pipeline
	readers func(ctx context.Context, ids []int64) ([]libraries.Reader, error)

	counts map[int64]facts.TitleCounts // the changes of each title
	days   map[calendar.Date]facts.DayTotals
	loaded Loaded
	erased []int64
}

// rowBytes is about how many bytes of memory a row of a table takes.
const rowBytes = 256

// network returns the changed counts of the network.
func (l *libraryLoad) network(ctx context.Context) (snapshot.Written, error) {
	var had facts.Network
	err := l.ScanBase(ctx, facts.NetworkKind, snapshot.Range{}, func(b snapshot.Block) error { return packed.Open(b.Data, &had) })
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
