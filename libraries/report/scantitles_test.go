package report

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// TestTitleSets adds numbers to sets of both forms, joins them, and compares them with maps.
func TestTitleSets(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		titles := 1 + random.IntN(3000)
		want, asBitset := map[int32]bool{}, random.IntN(2) == 0
		make := func() *titleSet {
			if random.IntN(8) == 0 {
				return nil
			}
			s := newTitleSet(titles, asBitset)
			for range random.IntN(1 + random.IntN(400)) {
				rank := random.Int32N(int32(titles))
				s.add(rank)
				want[rank] = true
			}
			return s
		}
		a, b := make(), make()
		if a == nil {
			a, b = b, nil
		} else {
			a.join(b)
		}
		got := newBitset(titles)
		got.join(a)
		if n := int64(len(want)); a.count() != n || got.count() != n {
			t.Fatalf("%d titles: count %d, in a bitset %d, want %d", titles, a.count(), got.count(), n)
		}
		for rank := range want {
			if !got.has(int(rank)) {
				t.Fatalf("%d titles: %d is missing", titles, rank)
			}
		}
	}
}

// TestTitleSetForms holds who gets a bitset at once: the groups of a scan, as long as all of those have room.
func TestTitleSetForms(t *testing.T) {
	const titles = 1 << 14 // 2 KiB a group
	for groups, want := range map[int]bool{1: true, 8192: true, 8193: false} {
		if u := newUsage(groups, 1, titles); (u.titlesOf(0).bits != nil) != want {
			t.Errorf("%d groups have bitsets = %t, want %t", groups, !want, want)
		}
	}
}

// TestScansAtOnce begins as many scans as may be under way, and one more, which waits until one ends, or its context does.
func TestScansAtOnce(t *testing.T) {
	var limit scanLimit
	var ends []func()
	for range 2 {
		end, err := limit.begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, end)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 20 { // where there were room, either might come first
		if _, err := limit.begin(ctx); !errors.Is(err, context.Canceled) {
			t.Fatalf("a scan too many = %v, want it to wait until its context is done", err)
		}
	}
	begun := make(chan func())
	go func() {
		end, err := limit.begin(t.Context())
		if err != nil {
			t.Error(err)
		}
		begun <- end
	}()
	ends[0]()
	select {
	case ends[0] = <-begun:
	case <-time.After(time.Minute):
		t.Fatal("no scan begins after another has ended")
	}
	for _, end := range slices.Backward(ends) {
		end()
	}
	if len(limit.scans) != 0 {
		t.Errorf("%d scans are under way, want none", len(limit.scans))
	}
}
