package facts_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// someTotals has another number everywhere but in DistinctBooks.
func someTotals() facts.DayTotals {
	t := facts.DayTotals{Readers: 1_000}
	for m := range t.Sums {
		if metric.Metric(m) != metric.DistinctBooks {
			t.Sums[m] = int64(100 + m)
		}
	}
	c := &t.Counts
	c.OnlineSessions, c.OfflineSessions, c.OnlineSeconds, c.OfflineSeconds, c.Cancelled, c.Lost = 1, 2, 3, 4, 5, 6
	for s := libraries.LoanActive; s <= libraries.LoanExpired; s++ {
		c.LoansByStatus[s] = 10 + int64(s)
	}
	for s := libraries.Waiting; s <= libraries.Lost; s++ {
		c.ReservationsByStatus[s] = 20 + int64(s)
	}
	return t
}

func TestDayTotalsForm(t *testing.T) {
	totals := someTotals()
	if got, err := facts.ParseDayTotals(totals.AppendBinary(nil)); err != nil || got != totals {
		t.Errorf("read back: %+v, %v, want %+v", got, err, totals)
	}
}

// TestCorruptDayTotals has the largest number, and one above.
func TestCorruptDayTotals(t *testing.T) {
	form := (&facts.DayTotals{}).AppendBinary(nil)
	large := func(last ...byte) []byte {
		b := append([]byte{form[0], 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, last...)
		return append(b, form[2:]...)
	}
	if got, err := facts.ParseDayTotals(large(0x7f)); err != nil || got.Readers != math.MaxInt64 {
		t.Errorf("the largest number of readers: %d, %v", got.Readers, err)
	}
	for name, data := range map[string][]byte{"one more": large(0xff, 1), "a byte less": form[:len(form)-1], "a byte more": append(slices.Clone(form), 0)} {
		if _, err := facts.ParseDayTotals(data); !errors.Is(err, packed.ErrCorrupt) {
			t.Errorf("%s: %v, want ErrCorrupt", name, err)
		}
	}
}

func FuzzDayTotals(f *testing.F) {
	totals := someTotals()
	f.Add(totals.AppendBinary(nil))
	fuzzForm(f, func(data []byte) ([]byte, error) {
		t, err := facts.ParseDayTotals(data)
		if err != nil {
			return nil, err
		}
		return t.AppendBinary(nil), nil
	})
}

func TestDaysIn(t *testing.T) {
	days := facts.Days{Dates: []calendar.Date{3, 4, 7}, Totals: []facts.DayTotals{{Readers: 3}, {Readers: 4}, {Readers: 7}}}
	for _, test := range []struct {
		period calendar.Period
		want   []calendar.Date
	}{
		{calendar.Period{Start: 3, End: 7}, []calendar.Date{3, 4, 7}},
		{calendar.Period{Start: 0, End: 100}, []calendar.Date{3, 4, 7}},
		{calendar.Period{Start: 4, End: 6}, []calendar.Date{4}},
		{calendar.Period{Start: 5, End: 6}, nil},
		{calendar.Period{Start: 8, End: 9}, nil},
		{calendar.Period{Start: 7, End: 3}, nil},
	} {
		got := days.In(test.period)
		if !slices.Equal(got.Dates, test.want) || len(got.Totals) != len(test.want) {
			t.Errorf("In(%v) = %v, want %v", test.period, got, test.want)
		}
		for i, day := range got.Dates {
			if got.Totals[i].Readers != int64(day) {
				t.Errorf("In(%v) has totals of day %d with day %d", test.period, got.Totals[i].Readers, day)
			}
		}
	}
}
