package spill_test

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/lectern-dev/lectern/reading/packed"
	"github.com/lectern-dev/lectern/reading/spill"
)

// TestBatch writes together what waits, once it is enough, and nothing where nothing waits.
func TestBatch(t *testing.T) {
	var written [][]int
	refused := errors.New("refused")
	b := spill.Batch[int]{Limit: 1000, Write: func(_ context.Context, changes ...int) error {
		if written = append(written, changes); len(written) == 3 {
			return refused
		}
		return nil
	}}
	for i, bytes := range []int{0, b.Limit - 1, 1, b.Limit, 0, 1} {
		if err := b.Add(t.Context(), bytes, i); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Flush(t.Context()); !errors.Is(err, refused) {
		t.Errorf("Flush = %v, want what Write says", err)
	}
	if err := b.Flush(t.Context()); err != nil {
		t.Errorf("Flush of nothing: %v", err)
	}
	want := [][]int{{0, 1, 2}, {3}, {4, 5}}
	if !slices.EqualFunc(written, want, slices.Equal) {
		t.Errorf("written are %v, want %v", written, want)
	}
}

// numbers is a pile of numbers by their last digit.
func numbers(limit int) *spill.Of[uint64] {
	return &spill.Of[uint64]{
		Pile: spill.Pile{Limit: limit}, In: func(n uint64) int { return int(n % 10) },
		Append: binary.AppendUvarint, Read: func(d *packed.Decoder) uint64 { return d.Uvarint() },
	}
}

// TestOf gives things back as they came, and refuses what no codec has written.
func TestOf(t *testing.T) {
	for _, limit := range []int{0, 64} {
		p := numbers(limit)
		defer p.Close()
		var want []uint64
		for n := range uint64(5000) {
			if err := p.Add(n * n); err != nil {
				t.Fatal(err)
			}
			if n*n%10 == 4 {
				want = append(want, n*n)
			}
		}
		if got, err := p.Part(4); err != nil || !slices.Equal(got, want) {
			t.Errorf("limit %d: a part has %d numbers, %v, want %d", limit, len(got), err, len(want))
		}
		if err := p.Pile.Add(4, []byte{0x80}); err != nil { // a number without its end
			t.Fatal(err)
		}
		if got, err := p.Part(4); !errors.Is(err, packed.ErrCorrupt) {
			t.Errorf("limit %d: Part = %v, %v, want ErrCorrupt", limit, got, err)
		}
	}
}

// TestSheaves: what sheaves have comes to the pile's parts, and their room is empty afterwards.
func TestSheaves(t *testing.T) {
	var sheaves spill.Sheaves
	p := numbers(0)
	for n := range uint64(20) {
		s := sheaves.New()
		for part := range s {
			if len(*s.Of(part)) > 0 {
				t.Fatalf("a new sheaf has %v of part %d", *s.Of(part), part)
			}
		}
		b := s.Of(p.In(n))
		*b = p.Append(*b, n)
		if err := sheaves.Take(&p.Pile, s); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := p.Part(3); err != nil || !slices.Equal(got, []uint64{3, 13}) {
		t.Errorf("Part = %v, %v, want 3 and 13", got, err)
	}
}
