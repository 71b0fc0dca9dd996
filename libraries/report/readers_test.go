package report_test

import (
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/reading/packed"
)

// packBlocks packs ascending attributes into blocks, as a store has them.
func packBlocks(all []facts.Attributes) [][]byte {
	var blocks [][]byte
	for len(all) > 0 {
		n := slices.IndexFunc(all, func(a facts.Attributes) bool { return facts.AttributesBlock(a.ID) != facts.AttributesBlock(all[0].ID) })
		if n < 0 {
			n = len(all)
		}
		blocks = append(blocks, packed.Append(nil, facts.PackAttributes(all[:n])))
		all = all[n:]
	}
	return blocks
}

// readersOf packs attributes and reads them back.
func readersOf(tb testing.TB, all []facts.Attributes) *report.Readers {
	tb.Helper()
	r, err := report.ReadReaders(packBlocks(all))
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

func TestReadersRank(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	spread := func(n int, most int64) []int64 {
		ids := make([]int64, n)
		for i := range ids {
			ids[i] = r.Int64N(most)
		}
		slices.Sort(ids)
		return slices.Compact(ids)
	}
	dense := make([]int64, 5000)
	for i := range dense {
		dense[i] = int64(i) + 17
	}
	for name, ids := range map[string][]int64{
		"none": {}, "one": {5}, "two ends": {0, math.MaxInt64}, "dense": dense, "half": spread(6000, 9000),
		"sparse": spread(3000, math.MaxInt64),
		"uneven": append(slices.Clone(dense), 1<<40, 1<<40+1, math.MaxInt64),
	} {
		t.Run(name, func(t *testing.T) {
			var all []facts.Attributes
			for _, id := range ids {
				all = append(all, attributesFor(r, id))
			}
			readers := readersOf(t, all)
			asked := append(spread(2000, 10_000), 0, math.MaxInt64, -1)
			for _, id := range ids {
				asked = append(asked, id, max(id-1, 0))
			}
			for _, id := range asked {
				want, found := slices.BinarySearch(ids, id)
				if got, ok := readers.Rank(id); ok != found || ok && got != want {
					t.Fatalf("Rank(%d) = %d, %t, want %d, %t", id, got, ok, want, found)
				}
			}
		})
	}
}

func TestReadReadersOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	blocks := packBlocks(append(blockOf(r, 0, 3), blockOf(r, 1, 3)...))
	one := packBlocks(append(blockOf(r, 0, 1), blockOf(r, 1, 1)...))
	for name, blocks := range map[string][][]byte{"descend": {blocks[1], blocks[0]}, "descend, of one reader each": {one[1], one[0]}, "repeat a reader": {one[0], one[0]}} {
		if _, err := report.ReadReaders(blocks); !errors.Is(err, packed.ErrCorrupt) {
			t.Errorf("ReadReaders of blocks that %s: error %v, want ErrCorrupt", name, err)
		}
	}
}

// TestReadReadersOfOneBlockTooLarge tests that a block that claims more readers than a block can have is corrupt.
func TestReadReadersOfOneBlockTooLarge(t *testing.T) {
	block := binary.AppendUvarint([]byte{1}, 1<<60)
	if _, err := report.ReadReaders([][]byte{block}); !errors.Is(err, packed.ErrCorrupt) {
		t.Errorf("ReadReaders: error %v, want ErrCorrupt", err)
	}
}
