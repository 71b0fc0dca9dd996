package facts

import (
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
		d := reading.Day{Date: calendar.Date(rapid.Int32Range(-35, 40).Draw(t, "date")), Minutes: reading.Minutes(rapid.Int64Range(0, 99).Draw(t, "tenths"))}
		for range rapid.IntRange(1, 3).Draw(t, "segments") {
			from := rapid.Int64Range(0, 40).Draw(t, "from")
			d.Add(rapid.Int32Range(0, 86399).Draw(t, "at"), 7, reading.Interval{From: from, To: from + rapid.Int64Range(0, 9).Draw(t, "units")})
		}
		r.Merge(d)
	}
	return r
}

// TestSums adds records, some of them again, through the stored form. It tests that a total is that of the record, or is
// unknown if the record has a day outside the period or exceeds the book.
func TestSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, records := &Sums{}, map[int64]reading.Record{}
		for range rapid.IntRange(1, 5).Draw(t, "records") {
			book, r := rapid.Int64Range(0, 6).Draw(t, "book"), someRecord(t)
			records[book] = r
			data := packed.Append(nil, s.With(map[int64]*reading.Record{book: &r}))
			again := &Sums{}
			if err := packed.Open(data, again); err != nil || string(packed.Append(nil, again)) != string(data) {
				t.Fatalf("%x is read back as %+v, %v, want it unchanged", data, again, err)
			}
			s = again
		}
		start := calendar.Date(rapid.Int32Range(-40, 40).Draw(t, "start"))
		p := calendar.Period{Start: start, End: start + calendar.Date(rapid.Int32Range(0, 80).Draw(t, "days asked for"))}
		january := rapid.Bool().Draw(t, "january")
		if january {
			p = calendar.Period{Start: 0, End: 30} // of 1970
		}
		length := rapid.Int64Range(1, 60).Draw(t, "length")
		w := WindowOf(p)
		for book := range int64(7) {
			r, had := records[book]
			within := had
			whole := had && p.Contains(r.Days[0].Date) && p.Contains(r.Days[len(r.Days)-1].Date)
			for _, d := range r.Days {
				for _, read := range d.Coverage {
					within = within && read.To <= length
				}
			}
			whole = whole && within
			got, ok := s.Total(book, p, length)
			want, _ := r.Total(p, length)
			finished, known := s.Finished(book, &w, length)
			if known && finished != want.Finished || (whole || january && within) && !known {
				t.Fatalf("book %d, %+v in %v, length %d: finished %t, known %t, want %t", book, r, p, length, finished, known, want.Finished)
			}
			if ok != whole || ok && got != want {
				t.Fatalf("total of book %d, %+v in %v, length %d = %+v, %t, want %+v, %t", book, r, p, length, got, ok, want, whole)
			}
		}
	})
}

// TestFinishedInMonths tests that the coverage of two months is not added up, because it may be of the same part of the book.
func TestFinishedInMonths(t *testing.T) {
	var r reading.Record
	for date, read := range map[calendar.Date]reading.Interval{-20: {From: 0, To: 30}, 5: {From: 0, To: 30}, 40: {From: 50, To: 60}} {
		d := reading.Day{Date: date}
		d.Add(0, 7, read)
		r.Merge(d)
	}
	s := (&Sums{}).With(map[int64]*reading.Record{1: &r})
	for _, tt := range []struct {
		rule            string
		book            int64
		start, end      calendar.Date
		length          int64
		finished, known bool
	}{
		{"a month", 1, 0, 30, 60, true, true},
		{"a month of a longer book", 1, 0, 30, 61, false, true},
		{"a month, with days of other months in the period", 1, -5, 35, 60, true, true},
		{"two months that may add up", 1, -31, 30, 80, false, false},
		{"all months", 1, -31, 58, 80, true, true},
		{"a part of a month", 1, 6, 30, 60, false, false},
		{"a book shorter than the positions read", 1, 0, 30, 59, false, false},
		{"another book", 2, 0, 30, 60, false, false},
	} {
		w := WindowOf(calendar.Period{Start: tt.start, End: tt.end})
		if finished, known := s.Finished(tt.book, &w, tt.length); finished != tt.finished || known != tt.known {
			t.Errorf("%s: finished %t, known %t, want %t, %t", tt.rule, finished, known, tt.finished, tt.known)
		}
	}
}
