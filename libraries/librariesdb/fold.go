package librariesdb

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/paging/state"
)

// part is what one part of the pile changes, as it is written.
type part struct {
	readers    []libraries.Reader
	oldReaders [][]int64 // the keys of rows that these replace
	erased     []int64

	attributes, shelves, seen replaced

	aside    *sheaf
	holdings holdingChanges
	saved    Saved
}

// replaced are blocks of one kind, and the keys of those that go.
type replaced struct {
	gone []state.BlockKey
	put  []state.Block
}

// add puts a block in, in place of one where there is such.
func (r *replaced) add(k state.BlockKey, stored bool, data []byte) {
	if stored {
		r.gone = append(r.gone, k)
	}
	r.put = append(r.put, state.Block{BlockKey: k, Data: data})
}

// of is the change of the kind.
func (r *replaced) of(k state.Kind) state.Change {
	c := state.Change{Kind: k, Gone: r.gone}
	if len(r.put) > 0 {
		c.Put = slices.Values(r.put)
	}
	return c
}

// bytes is the memory that the blocks hold.
func (r *replaced) bytes() (n int) {
	for _, b := range r.put {
		n += 64 + len(b.Data)
	}
	return n
}

// fold folds a part of the pile.
func (l *load) fold(ctx context.Context, i int) (*part, error) {
	l.piles.Lock()
	deliveries, err := l.pile.Part(i)
	l.piles.Unlock()
	if err != nil {
		return nil, err
	}
	p := &part{aside: l.sheaf(), holdings: holdingChanges{}}
	if len(deliveries) == 0 {
		return p, nil
	}
	past, err := l.past(ctx, deliveries)
	if err != nil {
		return nil, err
	}
	changed := map[libraries.SeenKey]bool{}
	for i := range deliveries {
		d := &deliveries[i]
		if err := p.foldReader(past, d, changed); err != nil {
			return nil, fmt.Errorf("fold reader %d: %w", d.Reader, err)
		}
	}
	for _, k := range slices.SortedFunc(maps.Keys(changed), libraries.SeenKey.Compare) {
		p.seen.add(seenPlace(k), past.stored[k], past.seen[k].AppendBinary(nil))
	}
	for _, number := range slices.Sorted(maps.Keys(past.blocks)) {
		if b := past.blocks[number]; b.changed {
			p.attributes.add(state.BlockKey{A: number}, b.stored, b.pack())
		}
	}
	return p, nil
}

// seenPlace is where the seen events of a key stand.
func seenPlace(k libraries.SeenKey) state.BlockKey {
	return state.BlockKey{A: k.Group, B: int64(k.Block)}
}

// foldReader folds what the feed says of one reader.
func (p *part) foldReader(past *past, d *libraries.Delivery, changed map[libraries.SeenKey]bool) error {
	change, err := libraries.Past{Shelf: past.shelves[d.Reader], Seen: past.seen}.Fold(*d)
	if err != nil {
		return err
	}
	if err := p.register(past, d, &change); err != nil {
		return err
	}
	if change.Shelf != nil {
		p.shelves.add(state.BlockKey{A: d.Reader}, past.shelves[d.Reader] != nil, change.Shelf.AppendBinary(nil))
	}
	for _, k := range change.Seen {
		changed[k] = true
	}
	for _, day := range change.Days {
		p.aside.addDelta(day)
	}
	for _, c := range d.Loans {
		p.aside.addLoan(c)
	}
	for _, c := range d.Reservations {
		p.aside.addReservation(c)
	}
	for _, r := range change.Requests {
		p.aside.addRequest(r)
	}
	p.holdings.add(change.Holdings)
	p.saved.New += change.New
	p.saved.Repeated += change.Repeated
	p.saved.Requests += len(change.Requests)
	return nil
}

// register brings the reader's own row up to date, and the attributes, which count loans and reservations too.
func (p *part) register(past *past, d *libraries.Delivery, change *libraries.Change) error {
	if d.Register != nil && p.stands(past, *d.Register) {
		p.readers = append(p.readers, *d.Register)
		past.blocks.put(libraries.AttributesOf(*d.Register))
	}
	return past.blocks.count(d.Reader, change.Loans, change.ActiveReservations)
}

// stands reports whether a reader's row in the feed is to be written: it is not where the store has it already, or a later
// one (F1).
func (p *part) stands(past *past, r libraries.Reader) bool {
	was, known := past.readers[r.ID]
	switch {
	case !known:
		p.saved.Readers.New++
		return true
	case r.Updated.Before(was.Updated):
		p.saved.Readers.Superseded++
	case readersTable.Equal(r, was):
		p.saved.Readers.Unchanged++
	default:
		p.saved.Readers.Changed++
		p.oldReaders = append(p.oldReaders, []int64{r.ID})
		if r.Status == libraries.ReaderDeleted {
			p.erased = append(p.erased, r.ID)
		}
		return true
	}
	return false
}

// write writes a part, but for what it sets aside, and counts.
func (l *load) write(ctx context.Context, p *part) error {
	l.saved.count(p.saved)
	if err := l.setAside(p.aside); err != nil {
		return err
	}
	l.changes.add(p.holdings.list())
	l.erased = append(l.erased, p.erased...)
	l.step()
	return l.put(ctx, len(p.readers)*rowBytes+p.attributes.bytes()+p.shelves.bytes()+p.seen.bytes(),
		readersTable.Replace(p.oldReaders, p.readers), l.to.RowsOf(p.attributes.of(libraries.AttributesKind)),
		l.to.RowsOf(p.shelves.of(libraries.ShelfKind)), l.to.RowsOf(p.seen.of(libraries.SeenKind)))
}
