package extsort_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/lectern-dev/lectern/reading/extsort"
)

// five returns a sorter of the records 0 to 4, each in the partition with its number.
func five(t *testing.T) *extsort.Sorter {
	s := &extsort.Sorter{}
	for key := range int64(5) {
		if err := s.Add(key, nil); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// keyOf returns the key of the only record of a run, or -1 if the run is empty.
func keyOf(run *extsort.Run) (key int64) {
	key = -1
	for k := range run.All() {
		key = k
	}
	return key
}

// TestProcess tests that partitions are taken in order even if a later one is ready earlier.
func TestProcess(t *testing.T) {
	ready := make(chan struct{})
	var taken []int64
	err := extsort.Process(t.Context(), five(t), func(_ context.Context, run *extsort.Run) (int64, error) {
		switch keyOf(run) {
		case 0:
			<-ready
		case 1:
			close(ready)
		}
		return keyOf(run), nil
	}, func(keys []int64) error {
		taken = append(taken, keys...)
		return nil
	})
	if err != nil || len(taken) != extsort.Partitions || !slices.Equal(taken[:6], []int64{0, 1, 2, 3, 4, -1}) {
		t.Errorf("keys taken = %v, %v, want 0 to 4, then -1 for each empty partition", taken, err)
	}
}

// TestProcessEnds tests that Process ends at the first partition that fails or cannot be taken, and if the context
// ends.
func TestProcessEnds(t *testing.T) {
	bad := errors.New("bad")
	for name, of := range map[string]struct{ work, take error }{"processed": {bad, nil}, "taken": {nil, bad}} {
		taken := 0
		err := extsort.Process(t.Context(), five(t), func(_ context.Context, run *extsort.Run) (int64, error) {
			if keyOf(run) == 2 {
				return 2, of.work
			}
			return keyOf(run), nil
		}, func(keys []int64) error {
			if keys[0] == 2 {
				return of.take
			}
			taken++
			return nil
		})
		if err != bad || taken != 2 {
			t.Errorf("Process with a partition that cannot be %s = %v after %d partitions, want its error after 2", name, err, taken)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	err := extsort.Process(ctx, five(t), func(context.Context, *extsort.Run) (int, error) { return 0, nil }, func([]int) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Process with a cancelled context = %v, want context.Canceled", err)
	}
}
