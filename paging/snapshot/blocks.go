package snapshot

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"iter"
	"slices"

	"github.com/lectern-dev/lectern/auth"
)

// Open is the until of a row that no load has replaced, and First is below the number of every load: between the two, every
// number takes six bytes in SQLite, so that a row keeps its size when it is replaced.
const (
	First int64 = 1 << 32
	Open  int64 = 1<<47 - 1
)

// Step bounds the random step by which numbers grow: one that a failover lost is not given again, so that nothing which
// was made of the lost state can be taken for the new one.
const Step int64 = 1 << 20

// Kind names one kind of blocks of a domain. Number is what is stored, unique over all domains; Name is for messages.
type Kind struct {
	Number int16
	Name   string
}

// BlockKey is the place of a block among those of its kind.
type BlockKey struct{ A, B int64 }

// Block is one packed form. Lo and Hi are the first and last of what it spans, such as days, where a range asks for it.
type Block struct {
	BlockKey
	Lo, Hi int32
	Data   []byte
}

// Span is from From to before End. The zero Span is everything.
type Span struct{ From, End int64 }

// Between is the span of both bounds and what lies between them.
func Between[T ~int | ~int32 | ~int64](first, last T) Span {
	return Span{int64(first), int64(last) + 1}
}

// Numbers are values of A, such as days, for [Range.Among]: none of them are no nil.
func Numbers[T ~int32 | ~int64](of []T) []int64 {
	numbers := make([]int64, len(of))
	for i, n := range of {
		numbers[i] = int64(n)
	}
	return numbers
}

// Contains reports whether a number is in the span.
func (s Span) Contains(n int64) bool { return s == Span{} || s.From <= n && n < s.End }

// Range says which blocks of a kind are read. The zero Range is all of them.
type Range struct {
	// Among are the only values of A, ascending; nil is any, empty is none.
	Among []int64
	A, B  Span
	// Extent is what Lo to Hi must overlap.
	Extent Span
}

// Blocks reads packed forms as they were at a state.
type Blocks interface {
	// Scan calls visit with the blocks of a kind in a range, as the load of the number at left them, by A, then B: all of
	// them but Lo and Hi. The data are valid until visit returns; an error of visit ends the scan and is returned.
	Scan(ctx context.Context, t auth.Tenant, at int64, k Kind, r Range, visit func(Block) error) error
	// Replaced calls visit with the keys of the blocks of a kind that loads have taken out, by A, then B, some perhaps twice:
	// with those of the span between two states, it names every block of the earlier one that the later one has not, or has
	// otherwise.
	Replaced(ctx context.Context, t auth.Tenant, k Kind, loads Span, visit func(BlockKey) error) error
}

// Writer writes the rows of one load, of which blocks are some: it builds on a state. Nothing of it can be read before the load is
// made to hold.
type Writer interface {
	Blocks
	// Tenant is whose rows are written, and Base the number of the facts that the load builds on; 0 is none.
	Tenant() auth.Tenant
	Base() int64
	// Write makes changes, which are not visible before the load holds. A load changes a key once.
	Write(ctx context.Context, changes ...Change) error
}

// BlocksTable is where all blocks stand.
var BlocksTable = &Table{Name: "blocks", Key: []string{"kind", "a", "b"}, Columns: []string{"lo", "hi", "data"}}

// BlockChange is what a load does to the blocks of one kind. The data may be used again by the iterator for the next block.
func BlockChange(t auth.Tenant, k Kind, gone []BlockKey, put iter.Seq[Block]) Change {
	c := Change{Table: BlocksTable}
	for _, key := range gone {
		c.Gone = append(c.Gone, []int64{int64(k.Number), key.A, key.B})
	}
	if put != nil {
		c.Put = func(yield func([]any) bool) {
			for b := range put {
				if !yield(b.Row(t, k)) {
					return
				}
			}
		}
	}
	return c
}

// Row returns a block's values of the columns of BlocksTable.
func (b Block) Row(t auth.Tenant, k Kind) []any {
	return []any{int64(k.Number), b.A, b.B, b.Lo, b.Hi, Seal(t, k, b)}
}

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

// Empty reports whether nothing was gathered.
func (p *Puts) Empty() bool { return len(p.gone)+len(p.put) == 0 }

// Changes are the changes of a tenant's blocks that were gathered, of each kind one, and about the bytes that they hold.
func Changes(t auth.Tenant, of ...*Puts) (all []Change, bytes int) {
	for _, p := range of {
		bytes += p.bytes
		if !p.Empty() {
			all = append(all, BlockChange(t, p.Kind, p.gone, slices.Values(p.put)))
		}
	}
	return all, bytes
}

// ErrLost says that a load may write no more: another has taken over.
var ErrLost = errors.New("another load has taken over; nothing of this one was kept: run it again")

// ErrCorrupt says that a stored block is not what was written.
var ErrCorrupt = errors.New("corrupt block")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sumBytes is the length of what Seal appends.
const sumBytes = 4

// Seal appends a CRC-32C of a block's place and data to the data, in place where there is room.
func Seal(t auth.Tenant, k Kind, b Block) []byte {
	return binary.LittleEndian.AppendUint32(b.Data, sum(t, k, b.BlockKey, b.Data))
}

// Unseal returns the data of a sealed block. The error is ErrCorrupt, with the tenant, the kind and the key, where a bit of
// it is another one.
func Unseal(t auth.Tenant, k Kind, b Block) ([]byte, error) {
	n := len(b.Data) - sumBytes
	if n < 0 || binary.LittleEndian.Uint32(b.Data[n:]) != sum(t, k, b.BlockKey, b.Data[:n]) {
		return nil, fmt.Errorf("tenant %d, %s %d/%d: %w", t, k.Name, b.A, b.B, ErrCorrupt)
	}
	return b.Data[:n:n], nil
}

// sum covers the place too: a block that is found in another place is as wrong as one with another bit.
func sum(t auth.Tenant, k Kind, at BlockKey, data []byte) uint32 {
	var place [26]byte
	p := binary.LittleEndian.AppendUint64(place[:0], uint64(t))
	p = binary.LittleEndian.AppendUint16(p, uint16(k.Number))
	p = binary.LittleEndian.AppendUint64(p, uint64(at.A))
	p = binary.LittleEndian.AppendUint64(p, uint64(at.B))
	return crc32.Update(crc32.Checksum(p, castagnoli), castagnoli, data)
}
