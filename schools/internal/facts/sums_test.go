package facts

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// TestSums puts in records, some of them again, through the stored form: a total of sums is that of the record itself, or there is none
// since the record has a day outside the period or ends behind the book.
func TestSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, records := &Sums{}, map[int64]reading.Record{}
		for range rapid.IntRange(1, 5).Draw(t, "records") {
			book, r := rapid.Int64Range(0, 6).Draw(t, "book"), someRecord(t)
			records[book] = r
			if err := s.Put(book, AppendRecord(nil, r)); err != nil {
				t.Fatal(err)
			}
			again, err := ParseSums(s.AppendBinary(nil))
			if err != nil || !reflect.DeepEqual(again, s) {
				t.Fatalf("%+v is read back as %+v, %v", s, again, err)
			}
			s = again
		}
		start := calendar.Date(rapid.Int32Range(-4, 10).Draw(t, "start"))
		p := calendar.Period{Start: start, End: start + calendar.Date(rapid.Int32Range(0, 14).Draw(t, "days asked for"))}
		length := rapid.Int64Range(1, 60).Draw(t, "length")
		for book := range int64(7) {
			r, had := records[book]
			whole := had && p.Contains(r.Days[0].Date) && p.Contains(r.Days[len(r.Days)-1].Date)
			for _, d := range r.Days {
				for _, read := range d.Coverage {
					whole = whole && read.To <= length
				}
			}
			got, ok := s.Total(book, p, length)
			want, _ := r.Total(p, length)
			if ok != whole || ok && got != want {
				t.Fatalf("total of book %d, %+v in %v, length %d = %+v, %t, want %+v, %t", book, r, p, length, got, ok, want, whole)
			}
		}
	})
}

// FuzzSums: bad bytes are packed.ErrCorrupt and never a panic, and what is read has its books in their order, each once.
func FuzzSums(f *testing.F) {
	s := &Sums{}
	for book := range int64(3) {
		_ = s.Put(7*book, AppendRecord(nil, reading.Record{Days: []reading.Day{{Date: 20000, MS: 6000}}}))
	}
	f.Add(s.AppendBinary(nil))
	f.Add([]byte{1})
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ParseSums(data)
		switch {
		case err != nil && !errors.Is(err, packed.ErrCorrupt):
			t.Errorf("ParseSums(%x) = %v", data, err)
		case err == nil && (len(s.books) == 0 || len(s.of) != len(s.books) || !slices.IsSorted(s.books) || len(slices.Compact(slices.Clone(s.books))) != len(s.books)):
			t.Errorf("ParseSums(%x) = %+v", data, s)
		}
	})
}
