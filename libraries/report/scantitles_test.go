package report

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/lectern-dev/lectern/reading/calendar"
)

// TestSets compares sets of ranks and their union with maps.
func TestSets(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		titles := 1 + random.IntN(5000)
		want := map[int]bool{}
		some := func() (s set) {
			for range random.IntN(1 + random.IntN(400)) {
				rank := random.IntN(titles)
				s.add(rank)
				want[rank] = true
			}
			return s
		}
		a, b := some(), some()
		alone := b.count()
		a.join(b)
		if a.count() != int64(len(want)) || b.count() != alone {
			t.Fatalf("%d titles: count of the union = %d, want %d; count of the other set = %d, want %d", titles, a.count(), len(want), b.count(), alone)
		}
		for rank := range titles + 2000 {
			if a.has(rank) != want[rank] {
				t.Fatalf("%d titles: has %d = %t, want %t", titles, rank, a.has(rank), want[rank])
			}
		}
	}
}

// TestScansAtOnce tests that a scan beyond the limit waits until another one or its own context ends.
func TestScansAtOnce(t *testing.T) {
	for range cap(scans) {
		scans <- struct{}{}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := Reports{Store: newBlockStore(), History: -50}
	scan := func(ctx context.Context) error {
		_, err := r.scan(ctx, Access{}, tables{}, calendar.Period{Start: 5, End: 4}, nil, 0, nil)
		return err
	}
	for range 20 { // with a free slot, a scan might succeed
		if err := scan(ctx); !errors.Is(err, context.Canceled) {
			t.Fatalf("scan above the limit = %v, want it to wait until its context ends", err)
		}
	}
	begun := make(chan error)
	go func() { begun <- scan(t.Context()) }()
	<-scans
	if err := <-begun; err != nil {
		t.Errorf("scan after another one ended = %v, want nil", err)
	}
	<-scans
	if len(scans) != 0 {
		t.Errorf("%d scans are under way, want none", len(scans))
	}
}
