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

// batch is a batch of a limit of 1000, whose writes are told to begun and end with what comes from end.
func batch() (b *spill.Batch[int], begun chan []int, end chan error) {
	begun, end = make(chan []int), make(chan error)
	return &spill.Batch[int]{Limit: 1000, Write: func(_ context.Context, changes ...int) error {
		begun <- changes
		return <-end
	}}, begun, end
}

// TestBatch writes together what waits, once it is enough, and less where nothing is being written; and nothing where nothing waits.
func TestBatch(t *testing.T) {
	b, begun, end := batch()
	add := func(change, bytes int) {
		t.Helper()
		if err := b.Add(t.Context(), bytes, change); err != nil {
			t.Fatal(err)
		}
	}
	writes := func(want ...int) {
		t.Helper()
		if got := <-begun; !slices.Equal(got, want) {
			t.Errorf("%v are written, want %v", got, want)
		}
	}
	if err := b.Flush(t.Context()); err != nil {
		t.Errorf("Flush of nothing: %v", err)
	}
	add(0, 0)
	add(1, 249)
	add(2, 1)
	writes(0, 1, 2)
	add(3, 999) // something is being written
	go func() { end <- nil }()
	add(4, 1) // which waits for the write before
	writes(3, 4)
	add(5, 500)
	end <- nil
	if err := b.Wait(); err != nil {
		t.Fatal(err)
	}
	add(6, 0)
	writes(5, 6)
	add(7, 1)
	go func() {
		end <- nil
		writes(7)
		end <- nil
	}()
	if err := b.Flush(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestBatchFails: a write that fails is told once it has, and nothing is written any more.
func TestBatchFails(t *testing.T) {
	b, begun, end := batch()
	refused := errors.New("refused")
	if err := b.Add(t.Context(), 1000, 0); err != nil {
		t.Fatal(err)
	}
	<-begun
	go func() { end <- refused }()
	if err := b.Add(t.Context(), 1000, 1); !errors.Is(err, refused) {
		t.Errorf("Add = %v, want what the write before says", err)
	}
	for range 2 {
		if err := b.Add(t.Context(), 1000, 2); !errors.Is(err, refused) {
			t.Errorf("Add = %v after a write that failed", err)
		}
		if err := b.Flush(t.Context()); !errors.Is(err, refused) {
			t.Errorf("Flush = %v after a write that failed", err)
		}
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

// TestAddSheaf: what sheaves have comes to the pile's parts.
func TestAddSheaf(t *testing.T) {
	p := numbers(0)
	for n := range uint64(20) {
		var s spill.Sheaf
		b := s.Of(p.In(n))
		*b = p.Append(*b, n)
		if err := p.AddSheaf(&s); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := p.Part(3); err != nil || !slices.Equal(got, []uint64{3, 13}) {
		t.Errorf("Part = %v, %v, want 3 and 13", got, err)
	}
}
