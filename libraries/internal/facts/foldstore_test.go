package facts_test

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/intake"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/spill"
)

// foldStore keeps the stored forms of all that is folded, and loads as a store does.
type foldStore struct {
	seen          map[facts.EventSetKey][]byte
	shelves       map[int64][]byte
	days          map[calendar.Date]facts.DayForms
	holdings      []byte
	loans, active map[int64]int64
	requests      map[int64]libraries.Request
}

func newFoldStore() *foldStore {
	return &foldStore{
		seen: map[facts.EventSetKey][]byte{}, shelves: map[int64][]byte{}, days: map[calendar.Date]facts.DayForms{},
		loans: map[int64]int64{}, active: map[int64]int64{}, requests: map[int64]libraries.Request{},
	}
}

// load folds what is on the pile, and returns how many events and requests were new and repeated.
func (s *foldStore) load(pile *intake.Pile) (fresh, repeated int, err error) {
	deltas := map[calendar.Date][]byte{}
	var held []facts.TitleCounts
	for i := range spill.Parts {
		deliveries, err := pile.Part(i)
		if err != nil {
			return 0, 0, err
		}
		seen, err := s.seenOf(deliveries)
		if err != nil {
			return 0, 0, err
		}
		for _, d := range deliveries {
			change, err := s.fold(seen, d)
			if err != nil {
				return 0, 0, err
			}
			for _, delta := range change.Days {
				deltas[delta.Day] = facts.AppendDayDelta(deltas[delta.Day], delta)
			}
			held = append(held, change.Counts...)
			fresh, repeated = fresh+change.New, repeated+change.Repeated
		}
	}
	for day, packed := range deltas {
		if err := s.add(day, packed); err != nil {
			return 0, 0, err
		}
	}
	holdings, err := facts.ParseCountsByTitle(s.holdings)
	if err == nil {
		holdings, err = holdings.Add(held)
	}
	s.holdings = holdings.AppendBinary(nil)
	return fresh, repeated, err
}

// seenOf reads the rows of seen events that the deliveries need, and no others.
func (s *foldStore) seenOf(deliveries []facts.Delivery) (map[facts.EventSetKey]*facts.EventSet, error) {
	rows := map[facts.EventSetKey]*facts.EventSet{}
	for _, d := range deliveries {
		for _, key := range d.EventSetKeys() {
			if data, found := s.seen[key]; found && rows[key] == nil {
				rows[key] = &facts.EventSet{}
				if err := rows[key].UnmarshalBinary(data); err != nil {
					return nil, err
				}
			}
		}
	}
	return rows, nil
}

// fold folds one delivery, and writes what is the reader's own.
func (s *foldStore) fold(seen map[facts.EventSetKey]*facts.EventSet, d facts.Delivery) (facts.Change, error) {
	past := facts.Past{Events: seen}
	if data, found := s.shelves[d.Reader]; found {
		shelf, err := facts.ParseReaderTitles(data)
		if err != nil {
			return facts.Change{}, err
		}
		past.Titles = shelf
	}
	c, err := past.Fold(d)
	if err != nil {
		return c, err
	}
	if c.Reader != d.Reader {
		return c, fmt.Errorf("folding reader %d changed reader %d", d.Reader, c.Reader)
	}
	for i, key := range c.Events {
		if slices.Contains(c.Events[:i], key) {
			return c, fmt.Errorf("reader %d: row %v of seen events is named twice", d.Reader, key)
		}
	}
	if c.Titles != nil {
		s.shelves[c.Reader] = c.Titles.AppendBinary(nil)
	}
	for _, key := range c.Events {
		s.seen[key] = seen[key].AppendBinary(nil)
	}
	for _, r := range c.Requests {
		s.requests[r.ID] = r
	}
	s.loans[c.Reader] += c.Loans
	s.active[c.Reader] += c.ActiveReservations
	return c, nil
}

// add adds deltas that were set aside to their day.
func (s *foldStore) add(day calendar.Date, packed []byte) error {
	deltas, err := facts.DecodeDayDeltas(packed)
	if err != nil {
		return err
	}
	d, err := facts.ParseDay(s.days[day])
	if err != nil {
		return err
	}
	if err := d.Add(deltas); err != nil {
		return err
	}
	forms, left := d.Forms()
	if s.days[day] = forms; !left {
		delete(s.days, day)
	}
	return nil
}

// view reads all that is stored.
func (s *foldStore) view(t *testing.T) foldView {
	t.Helper()
	v := newFoldView()
	for day, forms := range s.days {
		s.viewDay(t, v, day, forms)
	}
	for reader, data := range s.shelves {
		shelf, err := facts.ParseReaderTitles(data)
		noError(t, err)
		v.shelves[reader] = *shelf
	}
	holdings, err := facts.ParseCountsByTitle(s.holdings)
	noError(t, err)
	if len(holdings) > 0 {
		v.holdings = holdings
	}
	maps.Copy(v.loans, s.loans)
	maps.Copy(v.active, s.active)
	for _, m := range []map[int64]int64{v.loans, v.active} {
		maps.DeleteFunc(m, func(_, n int64) bool { return n == 0 })
	}
	maps.Copy(v.requests, s.requests)
	return v
}

func (s *foldStore) viewDay(t *testing.T, v foldView, day calendar.Date, forms facts.DayForms) {
	t.Helper()
	totals, err := facts.ParseDayTotals(forms.Totals)
	noError(t, err)
	v.totals[day] = totals
	noError(t, facts.VisitTitles(forms.Titles, func(title facts.TitleDay) { v.titles[titleOn{day, title.Book}] = title.Sums }))
	logins, err := facts.ParseLogins(forms.Logins)
	noError(t, err)
	for row := range logins {
		v.logins[readerOn{day, row.Reader}] = row.Presence
	}
	sheet, err := facts.OpenReaderSheet(forms.Readers)
	noError(t, err)
	ids, err := sheet.AppendReaders(nil)
	noError(t, err)
	if len(ids) != sheet.Len() {
		t.Errorf("%s: %d readers, want Len, %d", day, len(ids), sheet.Len())
	}
	for m := range metric.Metrics {
		noError(t, sheet.Column(m, func(place int, value int64) {
			row := v.rows[readerOn{day, ids[place]}]
			row[m] += value
			v.rows[readerOn{day, ids[place]}] = row
		}))
	}
	titles, err := sheet.Titles()
	noError(t, err)
	noError(t, sheet.Books(func(place int, indexes []int32) {
		for _, i := range indexes {
			v.books[readerOn{day, ids[place]}] = append(v.books[readerOn{day, ids[place]}], titles[i])
		}
	}))
}

// differ tells which part of two views differs first, or nothing.
func (v foldView) differ(want foldView) string {
	for _, part := range []struct {
		name      string
		got, want any
	}{
		{"engagement rows", v.rows, want.rows}, {"titles of readers", v.books, want.books}, {"logins", v.logins, want.logins},
		{"titles", v.titles, want.titles}, {"totals", v.totals, want.totals}, {"shelves", v.shelves, want.shelves},
		{"holdings", v.holdings, want.holdings}, {"loans", v.loans, want.loans}, {"active reservations", v.active, want.active},
		{"requests", v.requests, want.requests},
	} {
		if !reflect.DeepEqual(part.got, part.want) {
			return fmt.Sprintf("%s:\n got %v\nwant %v", part.name, part.got, part.want)
		}
	}
	return ""
}

// same reports whether two stores hold the same bytes.
func (s *foldStore) same(o *foldStore) bool {
	equalForms := func(a, b facts.DayForms) bool {
		return bytes.Equal(a.Totals, b.Totals) && bytes.Equal(a.Readers, b.Readers) && bytes.Equal(a.Titles, b.Titles) && bytes.Equal(a.Logins, b.Logins)
	}
	return maps.EqualFunc(s.seen, o.seen, slices.Equal[[]byte]) && maps.EqualFunc(s.shelves, o.shelves, slices.Equal[[]byte]) &&
		maps.EqualFunc(s.days, o.days, equalForms) && bytes.Equal(s.holdings, o.holdings)
}
