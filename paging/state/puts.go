package state

import "slices"

// Puts gathers blocks of one kind that a load puts in, some of them in place of others.
type Puts struct {
	Kind  Kind
	gone  []BlockKey
	put   []Block
	bytes int
}

// Add puts a block in, in place of the one that is stored, where one is. No data are no block.
func (p *Puts) Add(k BlockKey, stored bool, data []byte) {
	p.AddBlock(Block{BlockKey: k, Data: data}, stored)
}

// AddBlock is Add of a block that spans something.
func (p *Puts) AddBlock(b Block, stored bool) {
	if stored {
		p.gone = append(p.gone, b.BlockKey)
	}
	if len(b.Data) > 0 {
		p.put = append(p.put, b)
		p.bytes += 64 + len(b.Data)
	}
}

// Changes are the changes that were gathered, of each kind one, and about the bytes that they hold.
func Changes(of ...*Puts) (all []Change, bytes int) {
	for _, p := range of {
		bytes += p.bytes
		if len(p.gone)+len(p.put) > 0 {
			all = append(all, Change{p.Kind, p.gone, slices.Values(p.put)})
		}
	}
	return all, bytes
}
