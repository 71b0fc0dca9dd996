package librariesdb

import (
	"context"
	"fmt"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/paging/state"
)

// past is what was folded before of the readers of a part, and the rows of those whom the feed has a row of.
type past struct {
	shelves map[int64]*libraries.Shelf
	seen    map[libraries.SeenKey]*libraries.Seen
	stored  map[libraries.SeenKey]bool // which of seen the store has
	blocks  blocks
	readers map[int64]libraries.Reader
}

// past reads what was folded before, as far as the deliveries need it.
func (l *load) past(ctx context.Context, deliveries []libraries.Delivery) (*past, error) {
	p := &past{
		shelves: map[int64]*libraries.Shelf{},
		seen:    map[libraries.SeenKey]*libraries.Seen{},
		stored:  map[libraries.SeenKey]bool{},
		blocks:  blocks{},
		readers: map[int64]libraries.Reader{},
	}
	for i := range deliveries {
		for _, k := range deliveries[i].SeenKeys() {
			if p.seen[k] == nil {
				p.seen[k] = &libraries.Seen{}
			}
		}
	}
	if l.empty() {
		return p, nil
	}
	if err := l.pastReaders(ctx, p, deliveries); err != nil {
		return nil, err
	}
	return p, l.pastSeen(ctx, p)
}

// pastReaders reads the shelves, the attributes and the rows of readers.
func (l *load) pastReaders(ctx context.Context, p *past, deliveries []libraries.Delivery) error {
	var all, registered, numbers []int64
	for i := range deliveries {
		d := &deliveries[i]
		all = append(all, d.Reader)
		if d.Register != nil {
			registered = append(registered, d.Reader)
		}
		if b := libraries.Block(d.Reader); len(numbers) == 0 || numbers[len(numbers)-1] != b {
			numbers = append(numbers, b)
		}
	}
	if err := l.pastBlocks(ctx, p, numbers); err != nil {
		return err
	}
	people, err := l.People(ctx, l.base, registered)
	if err != nil {
		return err
	}
	for _, r := range people {
		p.readers[r.ID] = r
	}
	return l.Shelves(ctx, l.base, all, func(reader int64, data []byte) error {
		shelf, err := libraries.ParseShelf(data)
		p.shelves[reader] = shelf
		return err
	})
}

func (l *load) pastBlocks(ctx context.Context, p *past, numbers []int64) error {
	return l.scan(ctx, l.base, libraries.AttributesKind, state.Range{Among: numbers}, func(b state.Block) error {
		readers, err := libraries.ParseAttributes(b.Data)
		if err != nil {
			return fmt.Errorf("block %d: %w", b.A, err)
		}
		p.blocks[b.A] = &block{readers: readers, stored: true}
		return nil
	})
}

// pastSeen reads the seen events of the keys that stand in p.seen.
func (l *load) pastSeen(ctx context.Context, p *past) error {
	var groups []int64
	var first, last int32
	for k := range p.seen {
		if len(groups) == 0 {
			first, last = k.Block, k.Block
		}
		groups = append(groups, k.Group)
		first, last = min(first, k.Block), max(last, k.Block)
	}
	slices.Sort(groups)
	r := state.Range{Among: slices.Compact(groups), B: state.Between(first, last)}
	if len(groups) == 0 {
		return nil
	}
	return l.scan(ctx, l.base, libraries.SeenKind, r, func(b state.Block) error {
		k := libraries.SeenKey{Block: int32(b.B), Group: b.A}
		seen := p.seen[k]
		if seen == nil {
			return nil
		}
		p.stored[k] = true
		return seen.UnmarshalBinary(b.Data)
	})
}
