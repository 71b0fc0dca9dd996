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
	"github.com/lectern-dev/lectern/reading/extsort"
	"github.com/lectern-dev/lectern/reading/packed"
)

// foldStore keeps the stored forms of all that is folded, and loads as a store does.
type foldStore struct {
	seen          map[facts.EventSetKey][]byte
	shelves       map[int64][]byte
	days          map[calendar.Date]facts.DayForms
	network       []byte
	totals        map[calendar.Date]facts.DayTotals // of the days that the load has changed
	loans, active map[int64]int64
	requests      map[int64]libraries.Request
}

func newFoldStore() *foldStore {
	return &foldStore{
		seen: map[facts.EventSetKey][]byte{}, shelves: map[int64][]byte{}, days: map[calendar.Date]facts.DayForms{}, totals: map[calendar.Date]facts.DayTotals{},
		loans: map[int64]int64{}, active: map[int64]int64{}, requests: map[int64]libraries.Request{},
	}
}

// load folds what is on the sorter, and returns how many events and requests were new and repeated.
func (s *foldStore) load(sorter *intake.Sorter) (fresh, repeated int, err error) {
	deltas := map[calendar.Date][]byte{}
	var held []facts.TitleCounts
	for i := range extsort.Partitions {
		var deliveries []facts.ReaderFeed
		err := sorter.Each(i, func(run *extsort.Run) (err error) {
			some, err := intake.ReaderFeeds(run)
			deliveries = append(deliveries, some...)
			return err
		})
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
	return fresh, repeated, s.count(held)
}

// seenOf reads the rows of seen events that the deliveries need, and no others.
func (s *foldStore) seenOf(deliveries []facts.ReaderFeed) (map[facts.EventSetKey]*facts.EventSet, error) {
	rows := map[facts.EventSetKey]*facts.EventSet{}
	for _, d := range deliveries {
		for _, key := range d.EventSetKeys() {
			if data, found := s.seen[key]; found && rows[key] == nil {
				rows[key] = &facts.EventSet{}
				if err := packed.Open(data, rows[key]); err != nil {
					return nil, err
				}
			}
		}
	}
	return rows, nil
}

// fold folds one delivery, and writes what is the reader's own.
func (s *foldStore) fold(seen map[facts.EventSetKey]*facts.EventSet, d facts.ReaderFeed) (facts.Change, error) {
	past := facts.Past{Events: seen}
	if data, found := s.shelves[d.Reader]; found {
		past.Titles = &facts.ReaderTitles{}
		if err := packed.Open(data, past.Titles); err != nil {
			return facts.Change{}, err
		}
	}
	c, err := past.Aggregate(d)
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
		s.shelves[c.Reader] = packed.Append(nil, c.Titles)
	}
	for _, key := range c.Events {
		s.seen[key] = packed.Append(nil, seen[key])
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
	forms := d.Forms()
	if s.days[day] = forms; len(forms.Readers)+len(forms.Titles) == 0 {
		delete(s.days, day)
	}
	s.totals[day] = d.Totals()
	return nil
}

// count writes what is counted of the network: what the last load said of titles and of days.
func (s *foldStore) count(titles []facts.TitleCounts) error {
	var had facts.Network
	if len(s.network) > 0 {
		if err := packed.Open(s.network, &had); err != nil {
			return err
		}
	}
	now, err := had.Add(titles, s.totals)
	if err == nil {
		s.network, s.totals = packed.Append(nil, now), map[calendar.Date]facts.DayTotals{}
	}
	return err
}

// view reads all that is stored.
func (s *foldStore) view(t *testing.T) foldView {
	t.Helper()
	v := newFoldView()
	for day, forms := range s.days {
		s.viewDay(t, v, day, forms)
	}
	for reader, data := range s.shelves {
		var titles facts.ReaderTitles
		noError(t, packed.Open(data, &titles))
		v.shelves[reader] = titles
	}
	var n facts.Network
	noError(t, packed.Open(s.network, &n))
	if len(n.Titles) > 0 {
		v.holdings = n.Titles
	}
	for i, day := range n.Days.Dates {
		v.totals[day] = n.Days.Totals[i]
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
	var titles facts.DayOfTitles
	var readers facts.DayOfReaders
	if len(forms.Titles) > 0 {
		noError(t, packed.Open(forms.Titles, &titles))
	}
	if len(forms.Readers) > 0 {
		noError(t, packed.Open(forms.Readers, &readers))
	}
	for m := range metric.Metrics {
		noError(t, titles.Column(m, func(place int, value int64) {
			sums := v.titles[titleOn{day, titles.IDs[place]}]
			sums[m] = value
			v.titles[titleOn{day, titles.IDs[place]}] = sums
		}))
		noError(t, readers.Column(m, func(place int, value int64) {
			row := v.rows[readerOn{day, readers.IDs[place]}]
			row[m] = value
			v.rows[readerOn{day, readers.IDs[place]}] = row
		}))
	}
	if len(forms.Readers) == 0 {
		return
	}
	noError(t, readers.VisitLogins(func(place int, p libraries.Presence) { v.logins[readerOn{day, readers.IDs[place]}] = p }))
	noError(t, readers.Books(func(place int, indexes []int32) {
		for _, i := range indexes {
			on := readerOn{day, readers.IDs[place]}
			v.books[on] = append(v.books[on], readers.Titles[i])
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
		return bytes.Equal(a.Readers, b.Readers) && bytes.Equal(a.Titles, b.Titles)
	}
	return maps.EqualFunc(s.seen, o.seen, slices.Equal[[]byte]) && maps.EqualFunc(s.shelves, o.shelves, slices.Equal[[]byte]) &&
		maps.EqualFunc(s.days, o.days, equalForms) && bytes.Equal(s.network, o.network)
}
