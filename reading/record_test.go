package reading_test

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
	"pgregory.net/rapid"
)

func TestDayAdd(t *testing.T) {
	d := reading.Day{Date: 20_000}
	for _, step := range []struct {
		rule   string
		at     int32
		ms     int64
		extent reading.Interval
		want   reading.Day
	}{
		{"the first segment", 500, 1_000, reading.Interval{0, 10},
			reading.Day{Date: 20_000, Read: true, First: 500, Last: 500, MS: 1_000, Coverage: reading.Coverage{{0, 10}}}},
		{"an earlier one", 400, 2_000, reading.Interval{20, 30},
			reading.Day{Date: 20_000, Read: true, First: 400, Last: 500, MS: 3_000, Coverage: reading.Coverage{{0, 10}, {20, 30}}}},
		{"a later one, which reads again", 86_399, 3_000, reading.Interval{5, 15},
			reading.Day{Date: 20_000, Read: true, First: 400, Last: 86_399, MS: 6_000, Coverage: reading.Coverage{{0, 15}, {20, 30}}}},
		{"one without extent counts in time only", 450, 4_000, reading.Interval{17, 17},
			reading.Day{Date: 20_000, Read: true, First: 400, Last: 86_399, MS: 10_000, Coverage: reading.Coverage{{0, 15}, {20, 30}}}},
		{"one without time at midnight", 0, 0, reading.Interval{-10, 0},
			reading.Day{Date: 20_000, Read: true, First: 0, Last: 86_399, MS: 10_000, Coverage: reading.Coverage{{0, 15}, {20, 30}}}},
		{"what is before position 0 is left out", 1, 0, reading.Interval{-10, 17},
			reading.Day{Date: 20_000, Read: true, First: 0, Last: 86_399, MS: 10_000, Coverage: reading.Coverage{{0, 17}, {20, 30}}}},
	} {
		d.Add(step.at, step.ms, step.extent)
		if !reflect.DeepEqual(d, step.want) {
			t.Errorf("%s: Add(%d, %d, %v) = %+v, want %+v", step.rule, step.at, step.ms, step.extent, d, step.want)
		}
	}
}

func TestDayOfNothingButASegment(t *testing.T) {
	d, empty := reading.Day{Date: 20_000}, reading.Day{Date: 20_000}
	d.Add(0, 0, reading.Interval{})
	var r reading.Record
	if r.Merge(empty); len(r.Days) != 0 {
		t.Errorf("a day that nothing was added to makes %+v, want no day", r.Days)
	}
	if r.Merge(d); len(r.Days) != 1 {
		t.Errorf("a segment of 0 ms at midnight makes %+v, want a day", r.Days)
	}
	if _, ok := r.Total(calendar.Period{Start: 20_000, End: 20_000}, 10); !ok {
		t.Error("a segment of 0 ms at midnight has no total, want one")
	}
	late := reading.Day{Date: 20_000}
	late.Add(900, 10, reading.Interval{})
	if late.Merge(empty); late.First != 900 {
		t.Errorf("merging an empty day moves the first segment to %d, want 900", late.First)
	}
	if empty.Merge(late); empty.First != 900 || !empty.Read {
		t.Errorf("merging into an empty day = %+v, want that of %+v", empty, late)
	}
}

func TestMergeSharesNothing(t *testing.T) {
	d := reading.Day{Date: 20_000}
	d.Add(1, 1, reading.Interval{From: 10, To: 20})
	var r reading.Record
	r.Merge(d)
	r.Days[0].Add(1, 1, reading.Interval{From: 15, To: 90})
	if want := (reading.Coverage{{10, 20}}); !slices.Equal(d.Coverage, want) {
		t.Errorf("a change of the record shows in the day merged: %v, want %v", d.Coverage, want)
	}
}

func TestRecordIn(t *testing.T) {
	r := reading.Record{Days: []reading.Day{{Date: 10}, {Date: 12}, {Date: 15}}}
	for _, test := range []struct {
		start, end calendar.Date
		want       []calendar.Date
	}{
		{10, 15, []calendar.Date{10, 12, 15}}, {9, 16, []calendar.Date{10, 12, 15}}, {11, 14, []calendar.Date{12}},
		{12, 12, []calendar.Date{12}}, {13, 14, nil}, {16, 20, nil}, {1, 9, nil}, {15, 10, nil}, {12, 11, nil},
		{math.MinInt32, math.MaxInt32, []calendar.Date{10, 12, 15}},
	} {
		var got []calendar.Date
		for _, d := range r.In(calendar.Period{Start: test.start, End: test.end}) {
			got = append(got, d.Date)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("In(%d to %d) = %v, want %v", test.start, test.end, got, test.want)
		}
	}
}

// bit is one effective segment of one reader and book.
type bit struct {
	day    calendar.Date
	at     int32
	ms     int64
	extent reading.Interval
}

var bits = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) bit {
	return bit{
		day:    calendar.Date(rapid.Int32Range(-3, 6).Draw(t, "day")),
		at:     rapid.OneOf(rapid.Int32Range(0, 86_399), rapid.SampledFrom([]int32{0, 86_399})).Draw(t, "at"),
		ms:     rapid.OneOf(rapid.Int64Range(0, 20_000), rapid.Just[int64](0)).Draw(t, "ms"),
		extent: interval.Draw(t, "extent"),
	}
}), 0, 30)

// one is the part of a day that has one segment alone.
func one(b bit) reading.Day {
	d := reading.Day{Date: b.day}
	d.Add(b.at, b.ms, b.extent)
	d.Minutes = reading.Minutes(b.ms % 7) // any numbers: merging sums them
	return d
}

// fold puts segments into a record in their order.
func fold(bs []bit) (r reading.Record) {
	for _, b := range bs {
		r.Merge(one(b))
	}
	return r
}

// slowRecord makes the record from the segments, day by day and position by position.
func slowRecord(bs []bit) (r reading.Record) {
	for date := calendar.Date(-3); date <= 6; date++ {
		d := reading.Day{Date: date}
		var p pages
		for _, b := range bs {
			if b.day != date {
				continue
			}
			if !d.Read || b.at < d.First {
				d.First = b.at
			}
			if !d.Read || b.at > d.Last {
				d.Last = b.at
			}
			d.Read, d.MS, d.Minutes = true, d.MS+b.ms, d.Minutes+reading.Minutes(b.ms%7)
			p.mark(b.extent)
		}
		if d.Coverage = p.coverage(); d.Read {
			r.Days = append(r.Days, d)
		}
	}
	return r
}

func TestRecordInAnyOrderAndPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bs := bits.Draw(t, "segments")
		want := slowRecord(bs)
		if got := fold(bs); !reflect.DeepEqual(got, want) {
			t.Fatalf("record of %v = %+v, want %+v", bs, got, want)
		}
		shuffled := rapid.Permutation(bs).Draw(t, "shuffled")
		if got := fold(shuffled); !reflect.DeepEqual(got, want) {
			t.Errorf("record of %v = %+v, want %+v", shuffled, got, want)
		}
		cut := rapid.IntRange(0, len(bs)).Draw(t, "cut")
		whole, piece := fold(shuffled[:cut]), fold(shuffled[cut:])
		for _, d := range piece.Days {
			whole.Merge(d)
		}
		if !reflect.DeepEqual(whole, want) {
			t.Errorf("record of %v, in pieces cut at %d = %+v, want %+v", shuffled, cut, whole, want)
		}
	})
}
