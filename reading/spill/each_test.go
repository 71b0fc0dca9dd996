package spill_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/lectern-dev/lectern/reading/spill"
)

// TestInOrder has a part that is ready before the one in front of it: parts are taken in their order all the same.
func TestInOrder(t *testing.T) {
	ready := make(chan struct{})
	var taken []int
	err := spill.InOrder(t.Context(), 5, func(_ context.Context, part int) (int, error) {
		switch part {
		case 0:
			<-ready
		case 1:
			close(ready)
		}
		return part, nil
	}, func(part int) error {
		taken = append(taken, part)
		return nil
	})
	if err != nil || !slices.Equal(taken, []int{0, 1, 2, 3, 4}) {
		t.Errorf("taken are %v, %v", taken, err)
	}
}

// TestInOrderEnds ends at the first part that fails, or is not taken, and when the context does.
func TestInOrderEnds(t *testing.T) {
	bad := errors.New("bad")
	for name, of := range map[string]struct{ fold, take error }{"folded": {bad, nil}, "taken": {nil, bad}} {
		taken := 0
		err := spill.InOrder(t.Context(), 5, func(_ context.Context, part int) (int, error) {
			if part == 2 {
				return part, of.fold
			}
			return part, nil
		}, func(part int) error {
			if part == 2 {
				return of.take
			}
			taken++
			return nil
		})
		if err != bad || taken != 2 {
			t.Errorf("a part that cannot be %s: %v, %d before it were taken", name, err, taken)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	err := spill.InOrder(ctx, 5, func(context.Context, int) (int, error) { return 0, nil }, func(int) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a context that ends: %v", err)
	}
}
