package librariesdb

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
)

// part is what one part of the pile changes, as it is written: the keys of rows that go, and the rows that come.
type part struct {
	oldReaders, oldBlocks, oldShelves, oldSeen []key

	readers                   []libraries.Reader
	attributes, shelves, seen []blob

	aside    *sheaf
	holdings holdingChanges
	saved    Saved
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
	p.packSeen(past, changed)
	p.packAttributes(past)
	return p, nil
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
		if past.shelves[d.Reader] != nil {
			p.oldShelves = append(p.oldShelves, key{id: d.Reader})
		}
		p.shelves = append(p.shelves, blob{key{id: d.Reader}, change.Shelf.AppendBinary(nil)})
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
	case same(r, was):
		p.saved.Readers.Unchanged++
	default:
		p.saved.Readers.Changed++
		p.oldReaders = append(p.oldReaders, key{id: r.ID})
		return true
	}
	return false
}

// same reports whether two rows of a reader are stored alike.
func same(a, b libraries.Reader) bool { return slices.Equal(readerValues(0, a), readerValues(0, b)) }

func (p *part) packSeen(past *past, changed map[libraries.SeenKey]bool) {
	for k := range changed {
		row := key{int64(k.Block), k.Group}
		if past.stored[k] {
			p.oldSeen = append(p.oldSeen, row)
		}
		p.seen = append(p.seen, blob{row, past.seen[k].AppendBinary(nil)})
	}
	slices.SortFunc(p.seen, func(a, b blob) int { return a.key.compare(b.key) })
}

func (p *part) packAttributes(past *past) {
	for _, number := range slices.Sorted(maps.Keys(past.blocks)) {
		b := past.blocks[number]
		if !b.changed {
			continue
		}
		if b.stored {
			p.oldBlocks = append(p.oldBlocks, key{id: number})
		}
		p.attributes = append(p.attributes, blob{key{id: number}, b.pack()})
	}
}
