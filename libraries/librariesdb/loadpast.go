package librariesdb

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/libraries"
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
	if l.empty {
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
	people, err := l.people(ctx, l.network, registered)
	if err != nil {
		return err
	}
	for _, r := range people {
		p.readers[r.ID] = r
	}
	return l.shelves(ctx, l.network, all, func(reader int64, data []byte) error {
		shelf, err := libraries.ParseShelf(data)
		p.shelves[reader] = shelf
		return err
	})
}

func (l *load) pastBlocks(ctx context.Context, p *past, numbers []int64) error {
	for numbers := range slices.Chunk(numbers, chunk) {
		rows, err := l.DB.QueryContext(ctx, `SELECT block, data FROM libraries_attributes WHERE tenant_id = ? AND block IN (?)`, l.network, bun.List(numbers))
		err = authdb.Visit(rows, err, "attributes", func(rows *sql.Rows) error {
			var number int64
			var data []byte
			if err := rows.Scan(&number, &data); err != nil {
				return err
			}
			readers, err := libraries.ParseAttributes(data)
			if err != nil {
				return fmt.Errorf("block %d: %w", number, err)
			}
			p.blocks[number] = &block{readers: readers, stored: true}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// pastSeen reads the seen events of the keys that stand in p.seen.
func (l *load) pastSeen(ctx context.Context, p *past) error {
	keys := make([]key, 0, len(p.seen))
	for k := range p.seen {
		keys = append(keys, key{int64(k.Block), k.Group})
	}
	slices.SortFunc(keys, key.compare)
	return byGroup(keys, func(days int64, groups []int64) error {
		rows, err := l.DB.QueryContext(ctx, `SELECT block, readers, data FROM libraries_seen WHERE tenant_id = ? AND ?`, l.network, seenTable.of(days, groups))
		return authdb.Visit(rows, err, "seen events", func(rows *sql.Rows) error {
			var k libraries.SeenKey
			var data sql.RawBytes
			if err := rows.Scan(&k.Block, &k.Group, &data); err != nil {
				return err
			}
			p.stored[k] = true
			return p.seen[k].UnmarshalBinary(data)
		})
	})
}
