package facts

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// someRecord draws a record of a few days near each other.
func someRecord(t *rapid.T) reading.Record {
	r := reading.Record{}
	for range rapid.IntRange(1, 5).Draw(t, "days") {
		d := reading.Day{Date: calendar.Date(rapid.Int32Range(-2, 9).Draw(t, "date")), Minutes: reading.Minutes(rapid.Int64Range(0, 99).Draw(t, "tenths"))}
		for range rapid.IntRange(1, 3).Draw(t, "segments") {
			from := rapid.Int64Range(0, 40).Draw(t, "from")
			d.Add(rapid.Int32Range(0, 86399).Draw(t, "at"), 7, reading.Interval{From: from, To: from + rapid.Int64Range(0, 9).Draw(t, "units")})
		}
		r.Merge(d)
	}
	return r
}

// TestStoredTotal holds the total of a stored record, from its summary or its days, to that of the record itself, for
// periods around it and lengths on both sides of where it ends.
func TestStoredTotal(t *testing.T) {
	var sum Totaller
	rapid.Check(t, func(t *rapid.T) {
		r := someRecord(t)
		start := calendar.Date(rapid.Int32Range(-4, 10).Draw(t, "start"))
		p := calendar.Period{Start: start, End: start + calendar.Date(rapid.Int32Range(0, 14).Draw(t, "days asked for"))}
		length := rapid.Int64Range(1, 60).Draw(t, "length")
		want, wantOK := r.Total(p, length)
		got, ok, err := sum.Total(AppendRecord(nil, r), p, length)
		if err != nil || ok != wantOK || ok && got != want {
			t.Fatalf("total of %+v in %v, length %d = %+v, %t, %v, want %+v, %t", r, p, length, got, ok, err, want, wantOK)
		}
	})
}

// TestStoredRecordIsChecked changes each byte of a stored record: it is refused, or it is the form of another record.
func TestStoredRecordIsChecked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := AppendRecord(nil, someRecord(t))
		if _, err := ParseRecord(data); err != nil {
			t.Fatalf("ParseRecord(%x) = %v", data, err)
		}
		i := rapid.IntRange(0, len(data)-1).Draw(t, "byte")
		data[i] ^= byte(rapid.IntRange(1, 255).Draw(t, "change"))
		if r, err := ParseRecord(data); err == nil {
			if string(AppendRecord(nil, *r)) != string(data) {
				t.Fatalf("ParseRecord(%x) takes a form that is not its record's", data)
			}
		} else if !errors.Is(err, packed.ErrCorrupt) {
			t.Fatalf("ParseRecord(%x) = %v, want packed.ErrCorrupt", data, err)
		}
	})
}
