package libraries_test

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/spill"
)

// foldStore keeps the stored forms of all that is folded, and loads as a store does.
type foldStore struct {
	seen          map[libraries.SeenKey][]byte
	shelves       map[int64][]byte
	days          map[calendar.Date]libraries.DayForms
	holdings      []byte
	loans, active map[int64]int64
	requests      map[int64]libraries.Request
}

func newFoldStore() *foldStore {
	return &foldStore{
		seen: map[libraries.SeenKey][]byte{}, shelves: map[int64][]byte{}, days: map[calendar.Date]libraries.DayForms{},
		loans: map[int64]int64{}, active: map[int64]int64{}, requests: map[int64]libraries.Request{},
	}
}

// load folds what is on the pile, and returns how many events and requests were new and repeated.
func (s *foldStore) load(pile *libraries.Pile) (fresh, repeated int, err error) {
	deltas := map[calendar.Date][]byte{}
	var held []libraries.Holding
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
				deltas[delta.Day] = libraries.AppendDayDelta(deltas[delta.Day], delta)
			}
			held = append(held, change.Holdings...)
			fresh, repeated = fresh+change.New, repeated+change.Repeated
		}
	}
	for day, packed := range deltas {
		if err := s.add(day, packed); err != nil {
			return 0, 0, err
		}
	}
	holdings, err := libraries.ParseHoldings(s.holdings)
	if err == nil {
		holdings, err = holdings.Add(held)
	}
	s.holdings = holdings.AppendBinary(nil)
	return fresh, repeated, err
}

// seenOf reads the rows of seen events that the deliveries need, and no others.
func (s *foldStore) seenOf(deliveries []libraries.Delivery) (map[libraries.SeenKey]*libraries.Seen, error) {
	rows := map[libraries.SeenKey]*libraries.Seen{}
	for _, d := range deliveries {
		for _, key := range d.SeenKeys() {
			if data, found := s.seen[key]; found && rows[key] == nil {
				rows[key] = &libraries.Seen{}
				if err := rows[key].UnmarshalBinary(data); err != nil {
					return nil, err
				}
			}
		}
	}
	return rows, nil
}

// fold folds one delivery, and writes what is the reader's own.
func (s *foldStore) fold(seen map[libraries.SeenKey]*libraries.Seen, d libraries.Delivery) (libraries.Change, error) {
	past := libraries.Past{Seen: seen}
	if data, found := s.shelves[d.Reader]; found {
		shelf, err := libraries.ParseShelf(data)
		if err != nil {
			return libraries.Change{}, err
		}
		past.Shelf = shelf
	}
	c, err := past.Fold(d)
	if err != nil {
		return c, err
	}
	if c.Reader != d.Reader {
		return c, fmt.Errorf("folding reader %d changed reader %d", d.Reader, c.Reader)
	}
	for i, key := range c.Seen {
		if slices.Contains(c.Seen[:i], key) {
			return c, fmt.Errorf("reader %d: row %v of seen events is named twice", d.Reader, key)
		}
	}
	if c.Shelf != nil {
		s.shelves[c.Reader] = c.Shelf.AppendBinary(nil)
	}
	for _, key := range c.Seen {
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
	deltas, err := libraries.DecodeDayDeltas(packed)
	if err != nil {
		return err
	}
	d, err := libraries.ParseDay(s.days[day])
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
		shelf, err := libraries.ParseShelf(data)
		noError(t, err)
		v.shelves[reader] = *shelf
	}
	holdings, err := libraries.ParseHoldings(s.holdings)
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

func (s *foldStore) viewDay(t *testing.T, v foldView, day calendar.Date, forms libraries.DayForms) {
	t.Helper()
	totals, err := libraries.ParseDayTotals(forms.Totals)
	noError(t, err)
	v.totals[day] = totals
	noError(t, libraries.VisitTitles(forms.Titles, func(title libraries.TitleDay) { v.titles[titleOn{day, title.Book}] = title.Sums }))
	logins, err := libraries.ParseLogins(forms.Logins)
	noError(t, err)
	for row := range logins {
		v.logins[readerOn{day, row.Reader}] = row.Presence
	}
	sheet, err := libraries.OpenReaderSheet(forms.Readers)
	noError(t, err)
	ids, err := sheet.AppendReaders(nil)
	noError(t, err)
	if len(ids) != sheet.Len() {
		t.Errorf("%s: %d readers, want Len, %d", day, len(ids), sheet.Len())
	}
	for m := range libraries.Metrics {
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
	equalForms := func(a, b libraries.DayForms) bool {
		return bytes.Equal(a.Totals, b.Totals) && bytes.Equal(a.Readers, b.Readers) && bytes.Equal(a.Titles, b.Titles) && bytes.Equal(a.Logins, b.Logins)
	}
	return maps.EqualFunc(s.seen, o.seen, slices.Equal[[]byte]) && maps.EqualFunc(s.shelves, o.shelves, slices.Equal[[]byte]) &&
		maps.EqualFunc(s.days, o.days, equalForms) && bytes.Equal(s.holdings, o.holdings)
}
