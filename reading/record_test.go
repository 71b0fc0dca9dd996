package reading_test

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
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
		{"an earlier segment", 400, 2_000, reading.Interval{20, 30},
			reading.Day{Date: 20_000, Read: true, First: 400, Last: 500, MS: 3_000, Coverage: reading.Coverage{{0, 10}, {20, 30}}}},
		{"a later segment, which overlaps", 86_399, 3_000, reading.Interval{5, 15},
			reading.Day{Date: 20_000, Read: true, First: 400, Last: 86_399, MS: 6_000, Coverage: reading.Coverage{{0, 15}, {20, 30}}}},
		{"a segment without extent adds only time", 450, 4_000, reading.Interval{17, 17},
			reading.Day{Date: 20_000, Read: true, First: 400, Last: 86_399, MS: 10_000, Coverage: reading.Coverage{{0, 15}, {20, 30}}}},
		{"a segment without time at midnight", 0, 0, reading.Interval{-10, 0},
			reading.Day{Date: 20_000, Read: true, First: 0, Last: 86_399, MS: 10_000, Coverage: reading.Coverage{{0, 15}, {20, 30}}}},
		{"positions below 0 are left out", 1, 0, reading.Interval{-10, 17},
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
		t.Errorf("Merge of an empty day makes %+v, want no day", r.Days)
	}
	if r.Merge(d); len(r.Days) != 1 {
		t.Errorf("Merge of a day with a segment of 0 ms at midnight makes %+v, want a day", r.Days)
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
		t.Errorf("merging into an empty day = %+v, want the first segment of %+v", empty, late)
	}
}

func TestMergeSharesNothing(t *testing.T) {
	d := reading.Day{Date: 20_000}
	d.Add(1, 1, reading.Interval{From: 10, To: 20})
	var r reading.Record
	r.Merge(d)
	r.Days[0].Add(1, 1, reading.Interval{From: 15, To: 90})
	if want := (reading.Coverage{{10, 20}}); !slices.Equal(d.Coverage, want) {
		t.Errorf("changing the record changed the merged day to %v, want %v", d.Coverage, want)
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

// TestRecordInAnyOrder merges days of one segment each in several orders, at once and as two records.
func TestRecordInAnyOrder(t *testing.T) {
	day := func(date calendar.Date, at int32, ms int64, from, to int64) reading.Day {
		d := reading.Day{Date: date, Minutes: 1}
		d.Add(at, ms, reading.Interval{From: from, To: to})
		return d
	}
	days := []reading.Day{day(-1, 500, 10, 0, 10), day(-1, 400, 20, 20, 30), day(2, 7, 30, 5, 5), day(-1, 600, 40, 10, 15)}
	want := reading.Record{Days: []reading.Day{
		{Date: -1, Read: true, First: 400, Last: 600, MS: 70, Minutes: 3, Coverage: reading.Coverage{{0, 15}, {20, 30}}},
		{Date: 2, Read: true, First: 7, Last: 7, MS: 30, Minutes: 1},
	}}
	for _, order := range []string{"0123", "3210", "1302", "2031"} {
		for cut := range len(order) {
			var r, other reading.Record
			for i, n := range order {
				if d := days[n-'0']; i < cut {
					other.Merge(d)
				} else {
					r.Merge(d)
				}
			}
			for _, d := range other.Days {
				r.Merge(d)
			}
			if !reflect.DeepEqual(r, want) {
				t.Errorf("days in the order %s, split at %d = %+v, want %+v", order, cut, r, want)
			}
		}
	}
}
