package snapshot

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"iter"

	"github.com/lectern-dev/lectern/auth"
)

// Open is the until of a row that no load has replaced. First is below the number of every load. Every number between
// the two takes six bytes in SQLite, so that a row keeps its size when it is replaced.
const (
	First int64 = 1 << 32
	Open  int64 = 1<<47 - 1
)

// Step bounds the random step by which numbers grow, so that a number lost in a failover is not given again.
const Step int64 = 1 << 20

// Kind names a kind of blocks. Number is stored, and unique over all domains. Name is for messages.
type Kind struct {
	Number int16
	Name   string
	// LoadsOnly says that no report reads the blocks. A superseded one is removed at once.
	LoadsOnly bool
}

// BlockKey is the place of a block among those of its kind.
type BlockKey struct{ A, B int64 }

// Block is a piece of a tenant's facts. Lo and Hi are the first and last day, or other number, that it spans, for
// [Range].Extent.
type Block struct {
	BlockKey
	Lo, Hi int32
	Data   []byte
}

// Span is the numbers from From up to, but not including, End. The zero Span is all numbers.
type Span struct{ From, End int64 }

// Between returns the span from first to last, both included.
func Between[T ~int | ~int32 | ~int64](first, last T) Span {
	return Span{int64(first), int64(last) + 1}
}

// Numbers returns numbers, such as days, for [Range].Among. It never returns nil.
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
	// Among are the allowed values of A, ascending. Nil allows any, and an empty list none.
	Among []int64
	A, B  Span
	// Extent must overlap the span from Lo to Hi.
	Extent Span
}

// Blocks reads the blocks of a snapshot.
type Blocks interface {
	// Scan calls visit with the blocks of a kind in a range, as the load of the number at left them, by A, then B. Lo
	// and Hi are not set. The data are valid until visit returns. An error of visit ends the scan and is returned.
	Scan(ctx context.Context, t auth.Tenant, at int64, k Kind, r Range, visit func(Block) error) error
	// Replaced calls visit with the keys of the blocks of a kind that loads replaced or removed, by A, then B. A key
	// may come twice. With the loads between two snapshots it names every block of the earlier one that the later one
	// lacks or has with other data.
	Replaced(ctx context.Context, t auth.Tenant, k Kind, loads Span, visit func(BlockKey) error) error
}

// Writer writes the rows and blocks of one load. None of them can be read before the load is published.
type Writer interface {
	Blocks
	// Tenant returns the owner of the rows.
	Tenant() auth.Tenant
	// Base returns the number of the facts that the load builds on, 0 before the first load.
	Base() int64
	// Write makes changes. A load may change each key once.
	Write(ctx context.Context, changes ...Change) error
}

// Verifier checks the stored blocks of a tenant.
type Verifier interface {
	// Block opens a block, and returns an error if it is corrupt. Blocks of the latest snapshot are also added up.
	Block(k Kind, b Block, latest bool) error
	// Faults returns a sentence for each sum on which blocks disagree.
	Faults() []string
}

// BlocksTable is the table of all blocks.
var BlocksTable = &Table{Name: "blocks", Key: []string{"kind", "a", "b"}, Columns: []string{"lo", "hi", "data"}}

// BlockChange returns the change that removes blocks of one kind and puts others in. The iterator may reuse the data of
// a block.
func BlockChange(t auth.Tenant, k Kind, deleted []BlockKey, put iter.Seq[Block]) Change {
	c := Change{Table: BlocksTable}
	for _, key := range deleted {
		c.Deleted = append(c.Deleted, []int64{int64(k.Number), key.A, key.B})
	}
	if put != nil {
		c.Put = func(yield func([]any) bool) {
			for b := range put {
				if !yield([]any{int64(k.Number), b.A, b.B, b.Lo, b.Hi, Seal(t, k, b)}) {
					return
				}
			}
		}
	}
	return c
}

// Puts collects the blocks of one kind that a load puts in, some of them in place of stored ones.
type Puts struct {
	Kind    Kind
	deleted []BlockKey
	put     []Block
	bytes   int
}

// Add puts a block in, in place of the stored one if stored says that there is one. A block without data is only
// removed.
func (p *Puts) Add(k BlockKey, stored bool, data []byte) {
	p.AddBlock(Block{BlockKey: k, Data: data}, stored)
}

// AddBlock is Add for a block with Lo and Hi.
func (p *Puts) AddBlock(b Block, stored bool) {
	if stored {
		p.deleted = append(p.deleted, b.BlockKey)
	}
	if len(b.Data) > 0 {
		p.put = append(p.put, b)
		p.bytes += 64 + len(b.Data)
	}
}

// ErrLost says that a load cannot write, since another has taken over.
var ErrLost = errors.New("another load has taken over; nothing of this one was kept: run it again")

// ErrCorrupt says that a stored block differs from what was written.
var ErrCorrupt = errors.New("corrupt block")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sumBytes is the length of the checksum that Seal appends.
const sumBytes = 4

// Seal appends a CRC-32C of a block's place and data to the data, in the same array if it has room.
func Seal(t auth.Tenant, k Kind, b Block) []byte {
	return binary.LittleEndian.AppendUint32(b.Data, sum(t, k, b.BlockKey, b.Data))
}

// Unseal returns the data of a sealed block. If a bit differs the error is ErrCorrupt, with the tenant, the kind and
// the key.
func Unseal(t auth.Tenant, k Kind, b Block) ([]byte, error) {
	n := len(b.Data) - sumBytes
	if n < 0 || binary.LittleEndian.Uint32(b.Data[n:]) != sum(t, k, b.BlockKey, b.Data[:n]) {
		return nil, fmt.Errorf("tenant %d, %s %d/%d: %w", t, k.Name, b.A, b.B, ErrCorrupt)
	}
	return b.Data[:n:n], nil
}

// sum returns the checksum of a block's place and data.
func sum(t auth.Tenant, k Kind, at BlockKey, data []byte) uint32 {
	var place [26]byte
	p := binary.LittleEndian.AppendUint64(place[:0], uint64(t))
	p = binary.LittleEndian.AppendUint16(p, uint16(k.Number))
	p = binary.LittleEndian.AppendUint64(p, uint64(at.A))
	p = binary.LittleEndian.AppendUint64(p, uint64(at.B))
	return crc32.Update(crc32.Checksum(p, castagnoli), castagnoli, data)
}
