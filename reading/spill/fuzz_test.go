package spill_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/lectern-dev/lectern/reading/packed"
	"github.com/lectern-dev/lectern/reading/spill"
)

// FuzzRead sets any bytes aside, in pieces, in memory and in a file: they are read as the numbers that they are, or as corrupt.
func FuzzRead(f *testing.F) {
	f.Add([]byte{1, 0x80, 1, 3}, uint8(2))
	f.Add([]byte{0x80}, uint8(0))
	f.Add(bytes.Repeat([]byte{5}, 200), uint8(7))
	f.Fuzz(func(t *testing.T, data []byte, size uint8) {
		for _, limit := range []int{1, 1 << 20} {
			p := &spill.Of[uint64]{Pile: spill.Pile{Dir: t.TempDir(), Limit: limit}, Read: (*packed.Decoder).Uvarint}
			defer p.Close()
			for rest := data; len(rest) > 0; {
				n := min(len(rest), 1+int(size))
				if err := p.Pile.Add(int(size), rest[:n]); err != nil {
					t.Fatal(err)
				}
				rest = rest[n:]
			}
			list, err := p.Part(int(size))
			if err != nil && !errors.Is(err, packed.ErrCorrupt) {
				t.Fatal(err)
			}
			var again []byte
			for _, n := range list {
				again = binary.AppendUvarint(again, n)
			}
			if err == nil && !bytes.Equal(again, data) {
				t.Errorf("limit %d: %x is read as %x", limit, data, again)
			}
		}
	})
}
