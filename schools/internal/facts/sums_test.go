package facts

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/state"
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

// TestVerifySums: sums that are not those of the user's records are found, and their absence is nothing wrong.
func TestVerifySums(t *testing.T) {
	record := func(ms int64) []byte {
		d := reading.Day{Date: 20000, MS: ms, Minutes: reading.Minutes(ms / 6000)}
		return AppendRecord(nil, reading.Record{Days: []reading.Day{d}})
	}
	sums := func(books map[int64][]byte) []byte {
		s := &Sums{}
		for _, book := range slices.Sorted(maps.Keys(books)) {
			if err := s.Put(book, books[book]); err != nil {
				t.Fatal(err)
			}
		}
		return s.AppendBinary(nil)
	}
	right := map[int64][]byte{1: record(6000), 2: record(12000)}
	for name, tt := range map[string]struct {
		user  int64
		sums  []byte
		found bool
	}{
		"right":             {7, sums(right), false},
		"none":              {7, nil, true},
		"of other minutes":  {7, sums(map[int64][]byte{1: record(12000), 2: record(12000)}), true},
		"without a book":    {7, sums(map[int64][]byte{1: record(6000)}), true},
		"of another user":   {8, sums(right), true},
		"of a distant user": {8000, sums(right), true},
	} {
		m := &state.Memory{}
		l := m.Load(1)
		records, stored, ledgers := &state.Puts{Kind: RecordKind}, &state.Puts{Kind: SumsKind}, &state.Puts{Kind: LedgerKind}
		for _, book := range slices.Sorted(maps.Keys(right)) {
			records.AddBlock(state.Block{BlockKey: state.BlockKey{A: 7, B: book}, Lo: 20000, Hi: 20000, Data: right[book]}, false)
		}
		ledger := NewLedger([]BookDays{{1, []calendar.Date{20000}}, {2, []calendar.Date{20000}}})
		(&Ledgers{}).Put(ledgers, 0, map[directory.UserID]Ledger{7: ledger})
		stored.Add(state.BlockKey{A: tt.user}, false, tt.sums)
		changes, _ := state.Changes(1, records, stored, ledgers)
		if err := l.Write(t.Context(), changes...); err != nil {
			t.Fatal(err)
		}
		at, err := l.Hold()
		if err != nil {
			t.Fatal(err)
		}
		found := false
		all := Known{User: func(directory.UserID) bool { return true }, Book: func(int64) bool { return true }}
		err = Facts{Blocks: m, Partner: 1, At: at}.Verify(t.Context(), all, func(what string) {
			if strings.HasPrefix(what, "sums ") {
				found = found || what == fmt.Sprintf("sums of user %d: they are not those of the records", tt.user)
			} else if strings.HasPrefix(what, "record ") {
				t.Errorf("%s: %s", name, what)
			}
		})
		if err != nil || found != tt.found {
			t.Errorf("%s: found = %t, %v, want %t", name, found, err, tt.found)
		}
	}
}
