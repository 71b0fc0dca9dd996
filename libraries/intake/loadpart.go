package intake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/extsort"
	"github.com/lectern-dev/lectern/reading/packed"
)

// part is what a run of the sorted records changes, packed as it is written.
type runChanges struct {
	attributes, titles, events snapshot.Puts
	readers                    snapshot.Rows[libraries.Reader]

	buffers facts.Buffers
	days    extsort.Records // what it says of days
	record  []byte          // the last of them: its room is used again
	counts  []facts.TitleCounts
	loaded  Loaded
	erased  []int64
}

// aggregate aggregates a run of the sorted records.
func (l *libraryLoad) aggregate(ctx context.Context, run *extsort.Run) (snapshot.Written, error) {
	deliveries, err := ReaderFeeds(run)
	if err != nil {
		return snapshot.Written{}, err
	}
	p := &runChanges{
		attributes: snapshot.Puts{Kind: facts.AttributesKind}, titles: snapshot.Puts{Kind: facts.ReaderTitlesKind}, events: snapshot.Puts{Kind: facts.EventSetKind},
	}
	had, err := l.readPast(ctx, deliveries)
	if err != nil {
		return snapshot.Written{}, err
	}
	changed := map[facts.EventSetKey]bool{}
	for i := range deliveries {
		d := &deliveries[i]
		if err := p.aggregate(had, d, changed); err != nil {
			return snapshot.Written{}, fmt.Errorf("fold reader %d: %w", d.Reader, err)
		}
	}
	for _, k := range slices.SortedFunc(maps.Keys(changed), facts.EventSetKey.Compare) {
		p.events.Add(snapshot.BlockKey{A: k.Group, B: int64(k.Block)}, had.stored[k], packed.Append(nil, had.events[k]))
	}
	for _, number := range slices.Sorted(maps.Keys(had.blocks)) {
		if b := had.blocks[number]; b.changed {
			p.attributes.Add(snapshot.BlockKey{A: number}, b.stored, b.pack())
		}
	}
	w := snapshot.WrittenOf(l.Tenant(), &p.attributes, &p.titles, &p.events)
	w.Changes, w.Bytes = append(w.Changes, Readers.Change(p.readers)), w.Bytes+p.readers.Len()*rowBytes
	w.Days = p.days
	w.Counted = func() { l.count(p) }
	return w, nil
}

// count counts a part.
func (l *libraryLoad) count(p *runChanges) {
	l.loaded.add(p.loaded)
	l.erased = append(l.erased, p.erased...)
	for _, c := range p.counts {
		h := l.counts[c.Book]
		h.Book = c.Book
		h.Add(c)
		l.counts[c.Book] = h
	}
}

// fold folds what the feed says of one reader.
func (p *runChanges) aggregate(had *past, d *libraries.ReaderFeed, changed map[facts.EventSetKey]bool) error {
	change, err := facts.Past{Titles: had.titles[d.Reader], Events: had.events, Buffers: &p.buffers}.Aggregate(*d)
	if err != nil {
		return err
	}
	if d.Row != nil && p.putReader(had, *d.Row) {
		had.blocks.put(facts.AttributesOf(*d.Row))
	}
	if err := had.blocks.count(d.Reader, change.Loans, change.ActiveReservations); err != nil {
		return err
	}
	if change.Titles != nil {
		p.titles.Add(snapshot.BlockKey{A: d.Reader}, had.titles[d.Reader] != nil, packed.Append(nil, change.Titles))
	}
	for _, k := range change.Events {
		changed[k] = true
	}
	p.addDays(d, &change)
	p.counts = append(p.counts, change.Counts...)
	p.loaded.New += change.New
	p.loaded.Repeated += change.Repeated
	p.loaded.Requests += len(change.Requests)
	return nil
}

// stands reports whether a reader's row in the feed stands, and puts it in: it does not where the store has it already, or a
// later one (F1).
func (p *runChanges) putReader(had *past, r libraries.Reader) bool {
	n := &p.loaded.Readers
	was, known := had.readers[r.ID]
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

// before is what was folded before of the readers of a part, and the rows of those whom the feed has a row of.
type past struct {
	titles  map[int64]*facts.ReaderTitles
	events  map[facts.EventSetKey]*facts.EventSet
	stored  map[facts.EventSetKey]bool // which of events the store has
	blocks  attributeBlocks
	readers map[int64]libraries.Reader
}

// before reads what was folded before, as far as the deliveries need it.
func (l *libraryLoad) readPast(ctx context.Context, deliveries []libraries.ReaderFeed) (*past, error) {
	b := &past{map[int64]*facts.ReaderTitles{}, map[facts.EventSetKey]*facts.EventSet{}, map[facts.EventSetKey]bool{}, attributeBlocks{}, map[int64]libraries.Reader{}}
	var all, registered, numbers, groups []int64
	var last facts.EventSetKey
	first := facts.EventSetKey{Block: 1 << 30}
	for i := range deliveries {
		d := &deliveries[i]
		all = append(all, d.Reader)
		if d.Row != nil {
			registered = append(registered, d.Reader)
		}
		numbers = append(numbers, facts.AttributesBlock(d.Reader))
		for _, k := range facts.EventSetKeys(*d) {
			b.events[k] = &facts.EventSet{}
			groups = append(groups, k.Group)
			first.Block, last.Block = min(first.Block, k.Block), max(last.Block, k.Block)
		}
	}
	if l.Base() == 0 || len(deliveries) == 0 {
		return b, nil
	}
	people, err := l.people(ctx, registered)
	for _, r := range people {
		b.readers[r.ID] = r
	}
	return b, cmp.Or(err,
		l.Past(ctx, facts.AttributesKind, snapshot.Range{Among: slices.Compact(numbers)}, b.addAttributes),
		l.Past(ctx, facts.ReaderTitlesKind, snapshot.Range{Among: all}, func(block snapshot.Block) error {
			b.titles[block.A] = &facts.ReaderTitles{}
			return packed.Open(block.Data, b.titles[block.A])
		}),
		l.Past(ctx, facts.EventSetKind, snapshot.Range{Among: ascending(groups), B: snapshot.Between(first.Block, last.Block)}, b.addEvents))
}

func (b *past) addAttributes(block snapshot.Block) error {
	var columns facts.AttributeColumns
	if err := packed.Open(block.Data, &columns); err != nil {
		return fmt.Errorf("block %d: %w", block.A, err)
	}
	readers := columns.Rows()
	of := &attributeBlock{readers: map[int64]*facts.Attributes{}, stored: true}
	for i := range readers {
		of.readers[readers[i].ID] = &readers[i]
	}
	b.blocks[block.A] = of
	return nil
}

func (b *past) addEvents(block snapshot.Block) error {
	k := facts.EventSetKey{Block: int32(block.B), Group: block.A}
	set := b.events[k]
	if set == nil {
		return nil
	}
	b.stored[k] = true
	return packed.Open(block.Data, set)
}

// attributeBlocks are the attributes of readers by the number of their block.
type attributeBlocks map[int64]*attributeBlock

// attributeBlock is a block of attributes, by reader.
type attributeBlock struct {
	readers map[int64]*facts.Attributes
	stored  bool // whether the store has the block
	changed bool
}

// errNoReader says that a load has something of a reader who does not exist.
var errNoReader = errors.New("there is no such reader")

// put sets the attributes of a reader, who keeps the counters.
func (bs attributeBlocks) put(a facts.Attributes) {
	b := bs[facts.AttributesBlock(a.ID)]
	if b == nil {
		b = &attributeBlock{readers: map[int64]*facts.Attributes{}}
		bs[facts.AttributesBlock(a.ID)] = b
	}
	b.changed = true
	if was := b.readers[a.ID]; was != nil {
		a.Loans, a.ActiveReservations = was.Loans, was.ActiveReservations
	}
	b.readers[a.ID] = &a
}

// count adds to the counters of a reader.
func (bs attributeBlocks) count(reader, loans, activeReservations int64) error {
	b := bs[facts.AttributesBlock(reader)]
	if b == nil {
		return errNoReader
	}
	a := b.readers[reader]
	if a == nil {
		return errNoReader
	}
	if loans != 0 || activeReservations != 0 {
		a.Loans += loans
		a.ActiveReservations += activeReservations
		b.changed = true
	}
	return nil
}

// pack returns the stored form.
func (b *attributeBlock) pack() []byte {
	all := make([]facts.Attributes, 0, len(b.readers))
	for _, id := range slices.Sorted(maps.Keys(b.readers)) {
		all = append(all, *b.readers[id])
	}
	return packed.Append(nil, facts.PackAttributes(all))
}
