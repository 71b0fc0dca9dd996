package snapshot

import (
	"context"
	"errors"
	"slices"
	"testing"
)

// change returns a change that is identified by a number.
func change(n int64) Change { return Change{Deleted: [][]int64{{n}}} }

// newBatch returns a batch with a limit of 1000. Each write is sent to begun, and returns the error that end receives.
func newBatch() (b *batch, begun chan []int64, end chan error) {
	begun, end = make(chan []int64), make(chan error)
	return &batch{limit: 1000, write: func(_ context.Context, changes ...Change) error {
		var numbers []int64
		for _, c := range changes {
			numbers = append(numbers, c.Deleted[0][0])
		}
		begun <- numbers
		return <-end
	}}, begun, end
}

// TestBatch tests that waiting changes are written together once they reach the limit, or a quarter of it while nothing
// is being written.
func TestBatch(t *testing.T) {
	b, begun, end := newBatch()
	add := func(n int64, bytes int) {
		t.Helper()
		if err := b.add(t.Context(), bytes, change(n)); err != nil {
			t.Fatal(err)
		}
	}
	writes := func(want ...int64) {
		t.Helper()
		if got := <-begun; !slices.Equal(got, want) {
			t.Errorf("written changes = %v, want %v", got, want)
		}
	}
	if err := b.flush(t.Context()); err != nil {
		t.Errorf("flush of an empty batch = %v, want nil", err)
	}
	add(0, 0)
	add(1, 249)
	add(2, 1)
	writes(0, 1, 2)
	add(3, 999) // a write is under way
	go func() { end <- nil }()
	add(4, 1) // waits for the write before
	writes(3, 4)
	add(5, 500)
	end <- nil
	if err := b.wait(); err != nil {
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
	if err := b.flush(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestBatchFails tests that the error of a failed write is returned from then on, and that nothing more is written.
func TestBatchFails(t *testing.T) {
	b, begun, end := newBatch()
	refused := errors.New("refused")
	if err := b.add(t.Context(), 1000, change(0)); err != nil {
		t.Fatal(err)
	}
	<-begun
	go func() { end <- refused }()
	if err := b.add(t.Context(), 1000, change(1)); !errors.Is(err, refused) {
		t.Errorf("add = %v, want the error of the earlier write", err)
	}
	for range 2 {
		if err := b.add(t.Context(), 1000, change(2)); !errors.Is(err, refused) {
			t.Errorf("add after a failed write = %v, want its error", err)
		}
		if err := b.flush(t.Context()); !errors.Is(err, refused) {
			t.Errorf("flush after a failed write = %v, want its error", err)
		}
	}
}
