package report

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// TestTitleSets adds numbers to sets that begin as lists and as bitsets, joins them, and compares them with maps.
func TestTitleSets(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		titles := 1 + random.IntN(3000)
		want := map[int32]bool{}
		make := func() *titleSet {
			if random.IntN(8) == 0 {
				return nil
			}
			s := newTitleSet(titles, random.IntN(3) == 0)
			for range random.IntN(1 + random.IntN(400)) {
				rank := random.Int32N(int32(titles))
				s.add(rank)
				want[rank] = true
			}
			if room := 8 * cap(s.list); s.bits == nil && room > max(64, titles) {
				t.Fatalf("a list has room for %d of %d titles: a bitset takes less", cap(s.list), titles)
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

// TestTitleSetRoom holds what a list does where its room is full, and not before: it is put in order, and has room for as many
// again, or becomes a bitset where that would take less.
func TestTitleSetRoom(t *testing.T) {
	full := func(titles int, list ...int32) *titleSet { return &titleSet{titles: titles, list: slices.Clip(list)} }
	for name, test := range map[string]struct {
		set  *titleSet
		add  []int32
		want []int32 // nil for a bitset
		room int
	}{
		"room is left":                   {&titleSet{titles: 128, list: append(make([]int32, 0, 4), 9, 8)}, []int32{7, 8}, []int32{9, 8, 7, 8}, 4},
		"no room is left":                {full(128, 9, 8), []int32{7, 1}, []int32{8, 9, 7, 1}, 4},
		"a bitset takes less":            {full(127, 9, 8), []int32{7}, nil, 0},
		"what was twice left room":       {full(192, 9, 9, 8, 8, 9, 9), []int32{7}, []int32{8, 9, 7}, 6},
		"what was twice left little":     {full(192, 9, 9, 7, 8), []int32{6}, []int32{7, 8, 9, 6}, 6},
		"and a bitset takes less":        {full(191, 9, 9, 7, 8), []int32{6}, nil, 0},
		"a bitset of the beginning":      {newTitleSet(128, true), []int32{7, 8}, nil, 0},
		"the first of an empty set":      {newTitleSet(128, false), []int32{7}, []int32{7}, 1},
		"of no titles there is no first": {newTitleSet(0, false), nil, []int32{}, 0},
	} {
		for _, rank := range test.add {
			test.set.add(rank)
		}
		if asBitset := test.want == nil; asBitset != (test.set.bits != nil) || !slices.Equal(test.set.list, test.want) {
			t.Errorf("%s: list %v, bitset %t, want %v, %t", name, test.set.list, test.set.bits != nil, test.want, asBitset)
		}
		if room := cap(test.set.list); room < test.room || room > 2*test.room {
			t.Errorf("%s: room for %d, want %d or little more", name, room, test.room)
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
