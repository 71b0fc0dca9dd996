package intake_test

import (
	"fmt"
	"testing"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/intake"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/metric"
)

// TestMergeDay has a day whose deltas are added in several bundles: it is what they make of it at once.
func TestMergeDay(t *testing.T) {
	day := libraries.HistoryStart + 9
	for _, n := range []int{1, intake.Together - 1, intake.Together, intake.Together + 1, 3*intake.Together + 7} {
		deltas := make([]facts.DayDelta, n)
		for i := range deltas {
			d := &deltas[i]
			d.Day, d.Reader = day, int64(i*7919%n) // each once, in no order
			d.Books = []facts.BookDelta{{Book: int64(i % 50), Read: true}}
			d.Books[0].Measures[metric.ReadingSeconds] = int64(1 + i%600)
		}
		got, err := intake.MergeDay(day, deltas)
		if err != nil {
			t.Fatal(err)
		}
		var whole facts.Day
		if err := whole.Add(deltas); err != nil {
			t.Fatal(err)
		}
		if want := whole.Forms(); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("the forms of a day of %d deltas are others than those of all at once", n)
		}
	}
}

// TestReadersRefer has readers who are neighbours, and some who are not: rows may refer to those who are there.
func TestReadersRefer(t *testing.T) {
	in := intake.NewIntake(intake.Stored{Readers: []int64{0, 63, 1 << 52}}, lastInstant, libraries.HistoryStart)
	in.AddReader(64)
	in.AddReader(9007199254740991)
	for id, want := range map[int64]bool{
		0: true, 1: false, 62: false, 63: true, 64: true, 65: false, 127: false, 1 << 52: true, 1<<52 + 1: false, 9007199254740991: true, 9007199254740990: false,
	} {
		_, err := in.Activity(intake.ActivityRow{ID: []byte("a"), Reader: id, At: libraries.HistoryStart.Start()})
		if (err == nil) != want {
			t.Errorf("a row of reader %d is %v, want one that is taken: %t", id, err, want)
		}
	}
}
