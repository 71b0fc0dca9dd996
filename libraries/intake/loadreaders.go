package intake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/extsort"
	"github.com/lectern-dev/lectern/reading/packed"
)

// runChanges has the changes of one run of records, already in their stored form but for event ids and attributes, which
// several readers share.
type runChanges struct {
	days    extsort.Records // for the second pass
	titles  snapshot.Puts
	readers snapshot.Rows[libraries.Reader]
	counts  []facts.TitleCounts
	loaded  Loaded
	erased  []int64

	had             *storedReaders
	attributeBlocks map[snapshot.BlockKey]bool // the keys of those that changed

	buffers facts.Buffers
	record  []byte // of a day; its memory is used again
}

// storedReaders is what is stored of the readers of a run. Aggregation changes events and attributes in place.
type storedReaders struct {
	titles     map[int64]*facts.ReaderTitles
	events     map[snapshot.BlockKey]*facts.EventSet
	attributes map[int64]*facts.Attributes // of all readers of the blocks
	readers    map[int64]libraries.Reader  // only those with a row in the feed

	storedEvents, storedBlocks map[snapshot.BlockKey]bool // the keys that are stored
}

// aggregate aggregates a run of records. Runs are aggregated on several goroutines, so only Counted touches l.
func (l *libraryLoad) aggregate(ctx context.Context, run *extsort.Run) (w snapshot.Written, err error) {
	feeds, err := ReaderFeeds(run)
	if err != nil {
		return w, err
	}
	p := &runChanges{titles: snapshot.Puts{Kind: facts.ReaderTitlesKind}, attributeBlocks: map[snapshot.BlockKey]bool{}}
	if p.had, err = l.readStored(ctx, feeds); err != nil {
		return w, err
	}
	for i := range feeds {
		if err := p.aggregate(&feeds[i]); err != nil {
			return w, fmt.Errorf("aggregate reader %d: %w", feeds[i].Reader, err)
		}
	}
	events, attributes := p.packEvents(), p.packAttributes()
	w = snapshot.WrittenOf(l.Tenant(), &attributes, &p.titles, &events)
	w.Changes, w.Bytes = append(w.Changes, Readers.Change(p.readers)), w.Bytes+p.readers.Len()*rowBytes
	w.Days = p.days
	w.Counted = func() { l.count(p) }
	return w, nil
}

// count adds what a run counted.
func (l *libraryLoad) count(p *runChanges) {
	l.loaded.New += p.loaded.New
	l.loaded.Repeated += p.loaded.Repeated
	l.loaded.Requests += p.loaded.Requests
	l.loaded.Readers.Add(p.loaded.Readers)
	l.erased = append(l.erased, p.erased...)
	for _, c := range p.counts {
		sum := l.counts[c.Book]
		sum.Book = c.Book
		sum.Add(c)
		l.counts[c.Book] = sum
	}
}

// errNoReader is the error of a feed that has something of a reader who does not exist.
var errNoReader = errors.New("there is no such reader")

// aggregate aggregates what the feed says of one reader.
func (p *runChanges) aggregate(f *libraries.ReaderFeed) error {
	had := p.had
	change, err := facts.Stored{Titles: had.titles[f.Reader], Events: had.events, Buffers: &p.buffers}.Aggregate(*f)
	if err != nil {
		return err
	}
	block := snapshot.BlockKey{A: facts.AttributesBlock(f.Reader)}
	if f.Row != nil && p.putReader(*f.Row) {
		a := facts.AttributesOf(*f.Row)
		if was := had.attributes[f.Reader]; was != nil {
			a.Loans, a.ActiveReservations = was.Loans, was.ActiveReservations
		}
		had.attributes[f.Reader] = &a
		p.attributeBlocks[block] = true
	}
	a := had.attributes[f.Reader]
	if a == nil {
		return errNoReader
	}
	if change.Loans != 0 || change.ActiveReservations != 0 {
		a.Loans += change.Loans
		a.ActiveReservations += change.ActiveReservations
		p.attributeBlocks[block] = true
	}
	if change.Titles != nil {
		p.titles.Add(snapshot.BlockKey{A: f.Reader}, had.titles[f.Reader] != nil, packed.Append(nil, change.Titles))
	}
	p.addDays(f, &change)
	p.counts = append(p.counts, change.Counts...)
	p.loaded.New += change.New
	p.loaded.Repeated += change.Repeated
	p.loaded.Requests += len(change.Requests)
	return nil
}

// putReader adds a reader's row to those to write, and reports whether it did. A row that the store already has, or has a
// later one of, is left out (F1).
func (p *runChanges) putReader(r libraries.Reader) bool {
	n := &p.loaded.Readers
	was, known := p.had.readers[r.ID]
	switch {
	case !known:
		n.New++
	case r.Updated.Before(was.Updated):
		n.Superseded++
		return false
	case Readers.Same(r, was):
		n.Unchanged++
		return false
	default:
		n.Changed++
		if r.Status == libraries.ReaderDeleted {
			p.erased = append(p.erased, r.ID)
		}
	}
	p.readers.Add(r, known)
	return true
}

// packEvents returns the event ids that changed.
func (p *runChanges) packEvents() snapshot.Puts {
	put := snapshot.Puts{Kind: facts.EventSetKind}
	byKey := func(a, b snapshot.BlockKey) int { return cmp.Or(cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B)) }
	for _, k := range slices.SortedFunc(maps.Keys(p.had.events), byKey) {
		if ids := p.had.events[k]; ids.Changed() {
			put.Add(k, p.had.storedEvents[k], packed.Append(nil, ids))
		}
	}
	return put
}

// packAttributes returns the blocks of attributes that changed.
func (p *runChanges) packAttributes() snapshot.Puts {
	put := snapshot.Puts{Kind: facts.AttributesKind}
	ids := slices.Sorted(maps.Keys(p.had.attributes))
	for len(ids) > 0 {
		key := snapshot.BlockKey{A: facts.AttributesBlock(ids[0])}
		var rows []facts.Attributes
		for ; len(ids) > 0 && facts.AttributesBlock(ids[0]) == key.A; ids = ids[1:] {
			rows = append(rows, *p.had.attributes[ids[0]])
		}
		if p.attributeBlocks[key] {
			put.Add(key, p.had.storedBlocks[key], packed.Append(nil, facts.PackAttributes(rows)))
		}
	}
	return put
}

// readStored reads what is stored of the readers of feeds: their attributes, their titles, the event ids of the days from the
// first to the last, and the rows of those who have a row in the feed.
func (l *libraryLoad) readStored(ctx context.Context, feeds []libraries.ReaderFeed) (*storedReaders, error) {
	b := &storedReaders{
		titles: map[int64]*facts.ReaderTitles{}, events: map[snapshot.BlockKey]*facts.EventSet{}, attributes: map[int64]*facts.Attributes{},
		readers: map[int64]libraries.Reader{}, storedEvents: map[snapshot.BlockKey]bool{}, storedBlocks: map[snapshot.BlockKey]bool{},
	}
	var all, withRow, blocks []int64
	groups, days := []int64{}, snapshot.Span{From: math.MaxInt64, End: math.MinInt64} // of the event ids
	for i := range feeds {
		f := &feeds[i]
		if all = append(all, f.Reader); f.Row != nil {
			withRow = append(withRow, f.Reader)
		}
		blocks = append(blocks, facts.AttributesBlock(f.Reader))
		for _, k := range facts.EventSetKeys(*f) {
			b.events[k] = &facts.EventSet{}
			groups = append(groups, k.A)
			days = snapshot.Span{From: min(days.From, k.B), End: max(days.End, k.B+1)}
		}
	}
	if l.Base() == 0 || len(feeds) == 0 {
		return b, nil
	}
	slices.Sort(groups)
	readers, err := l.readers(ctx, withRow)
	for _, r := range readers {
		b.readers[r.ID] = r
	}
	return b, cmp.Or(err,
		l.ScanBase(ctx, facts.AttributesKind, snapshot.Range{Among: slices.Compact(blocks)}, b.addAttributes),
		l.ScanBase(ctx, facts.ReaderTitlesKind, snapshot.Range{Among: all}, func(block snapshot.Block) error {
			b.titles[block.A] = &facts.ReaderTitles{}
			return packed.Open(block.Data, b.titles[block.A])
		}),
		l.ScanBase(ctx, facts.EventSetKind, snapshot.Range{Among: slices.Compact(groups), B: days}, b.addEvents))
}

func (b *storedReaders) addAttributes(block snapshot.Block) error {
	var columns facts.AttributeColumns
	if err := packed.Open(block.Data, &columns); err != nil {
		return fmt.Errorf("block %d: %w", block.A, err)
	}
	rows := columns.Rows()
	for i := range rows {
		b.attributes[rows[i].ID] = &rows[i]
	}
	b.storedBlocks[block.BlockKey] = true
	return nil
}

func (b *storedReaders) addEvents(block snapshot.Block) error {
	ids := b.events[block.BlockKey]
	if ids == nil {
		return nil
	}
	b.storedEvents[block.BlockKey] = true
	return packed.Open(block.Data, ids)
}
