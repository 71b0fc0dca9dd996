package facts

import (
	"maps"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/reading/packed"
)

// dayRows are the readers or the titles of a day, with a column for each metric. The columns stay packed, because a report
// visits few of them. The place of a row is its index.
type dayRows struct {
	IDs     []int64 // ascending
	metrics [metric.Metrics]packed.Sparse
}

// Columns implements [packed.Form].
func (r *dayRows) Columns(c *packed.Columns) {
	c.Version(1)
	packed.Ascending(packed.Rows(c, &r.IDs), 0, packed.Itself)
	for m := range r.metrics {
		c.Sparse(&r.metrics[m], len(r.IDs))
	}
}

// Column calls visit with the place and the value of each row in which the metric is not 0, places ascending. It takes a
// few nanoseconds a value. The error is [packed.ErrCorrupt], perhaps after some visits.
func (r *dayRows) Column(m metric.Metric, visit func(place int, value int64)) error {
	return r.metrics[m].Visit(visit)
}

// all is Column of every metric.
func (r *dayRows) all(visit func(place int, m metric.Metric, value int64)) error {
	for m := range metric.Metrics {
		if err := r.Column(m, func(place int, value int64) { visit(place, m, value) }); err != nil {
			return err
		}
	}
	return nil
}

// put appends a row.
func (r *dayRows) put(id int64, measures *metric.Measures) {
	for m, v := range measures {
		r.metrics[m].Put(len(r.IDs), v)
	}
	r.IDs = append(r.IDs, id)
}

// DayOfTitles has the titles of a day: Loans, Returns, Readings10, Readings50, ReadingSeconds, Renewals, Reservations,
// ListeningSeconds, ReservationsConverted and ConvertedThatDay.
type DayOfTitles struct{ dayRows }

// DayOfReaders has the readers of a day: the rows of engagements, with all metrics but ConvertedThatDay, and of logins.
// The titles that each has read are indexes into Titles.
type DayOfReaders struct {
	dayRows         // the column of Logins has the number of the reader's events
	Titles  []int64 // of the day's sessions, ascending
	indexes packed.Fixed
	logins  []byte // a form of its own: see loginColumns

	unpacked []int32 // the indexes of the last visit; its memory is used again
}

// Columns implements [packed.Form].
func (d *DayOfReaders) Columns(c *packed.Columns) {
	d.dayRows.Columns(c)
	packed.Ascending(packed.Rows(c, &d.Titles), 0, packed.Itself)
	n := int64(d.indexes.Len())
	packed.Natural(c, int64(len(d.IDs)*len(d.Titles)), &n)
	c.Fixed(&d.indexes, int(n), 0, int64(len(d.Titles))-1)
	c.Bytes(&d.logins)
}

// Column is that of each metric; of Logins the value is 1.
func (d *DayOfReaders) Column(m metric.Metric, visit func(place int, value int64)) error {
	if m == metric.Logins {
		return d.metrics[m].Visit(func(place int, _ int64) { visit(place, 1) })
	}
	return d.metrics[m].Visit(visit)
}

// Books calls visit with each place that has a session and the indexes of its titles, ascending, valid until visit
// returns. The error is [packed.ErrCorrupt], perhaps after some visits.
func (d *DayOfReaders) Books(visit func(place int, titles []int32)) error {
	d.unpacked = packed.Unpack(d.unpacked, &d.indexes)
	rest, short := d.unpacked, false
	err := d.metrics[metric.DistinctBooks].Visit(func(place int, n int64) {
		if short = short || n > int64(len(rest)); !short {
			visit(place, rest[:n:n])
			rest = rest[n:]
		}
	})
	if err == nil && (short || len(rest) > 0) {
		err = packed.ErrCorrupt
	}
	return err
}

// loginColumns are the columns of a day's activity besides the number of events. Returns by the reader are apart from other
// events, because they may be corrected.
type loginColumns struct {
	rows    []activity // by place
	returns []returned // by place, then second
}

// activity are the second of the first event that is not a return, and the seconds from it to the last; 0 without any.
type activity struct{ first, span int32 }

// returned is a return by the reader of a place.
type returned struct{ place, second int32 }

// daySeconds is how many seconds a day has.
const daySeconds = 24 * 60 * 60

// Columns implements [packed.Form].
func (l *loginColumns) Columns(c *packed.Columns) {
	rows := packed.Rows(c, &l.rows)
	packed.Naturals(rows, daySeconds-1, func(a *activity) *int32 { return &a.first })
	packed.Naturals(rows, daySeconds-1, func(a *activity) *int32 { return &a.span })
	returns := packed.Rows(c, &l.returns)
	packed.Rising(returns, 0, func(r *returned) *int32 { return &r.place })
	packed.Naturals(returns, daySeconds-1, func(r *returned) *int32 { return &r.second })
}

// visitLogins calls visit with each place that has activity, ascending: the events other than returns, and the seconds of
// the returns, which are valid until visit returns.
func (d *DayOfReaders) visitLogins(visit func(place int, p libraries.Presence, returns []int32)) error {
	var l loginColumns
	if err := packed.Open(d.logins, &l); err != nil {
		return err
	}
	if len(l.rows) != len(d.IDs) {
		return packed.ErrCorrupt
	}
	var seconds []int32
	rest := l.returns
	err := d.metrics[metric.Logins].Visit(func(place int, events int64) {
		seconds = seconds[:0]
		for ; len(rest) > 0 && int(rest[0].place) == place; rest = rest[1:] {
			seconds = append(seconds, rest[0].second)
		}
		var p libraries.Presence
		if events -= int64(len(seconds)); events > 0 {
			a := &l.rows[place]
			p = libraries.Presence{Events: int32(events), First: a.first, Last: a.first + a.span}
		}
		visit(place, p, seconds)
	})
	if err == nil && len(rest) > 0 {
		err = packed.ErrCorrupt
	}
	return err
}

// VisitLogins calls visit with each place that has activity, ascending, and the activity. The error is
// [packed.ErrCorrupt], perhaps after some visits.
func (d *DayOfReaders) VisitLogins(visit func(place int, p libraries.Presence)) error {
	return d.visitLogins(func(place int, p libraries.Presence, returns []int32) { visit(place, withReturns(p, returns)) })
}

// withReturns returns the presence with the returns among its events.
func withReturns(p libraries.Presence, returns []int32) libraries.Presence {
	if n := len(returns); n > 0 {
		p.Merge(libraries.Presence{Events: int32(n), First: returns[0], Last: returns[n-1]})
	}
	return p
}

// DayForms are the stored forms of a day: a DayOfReaders and a DayOfTitles. A form without rows is empty.
type DayForms struct{ Readers, Titles []byte }

// Forms returns the stored forms. They depend only on what was added, in whatever order.
func (d *Day) Forms() (f DayForms) {
	d.derive()
	if len(d.readers) > 0 {
		f.Readers = packed.Append(nil, d.packReaders())
	}
	if len(d.titles) > 0 {
		var titles DayOfTitles
		for _, book := range slices.Sorted(maps.Keys(d.titles)) {
			titles.put(book, d.titles[book])
		}
		f.Titles = packed.Append(nil, &titles)
	}
	return f
}

// derive sets the measures that follow from others, and drops readers and titles without any.
func (d *Day) derive() {
	for id, r := range d.readers {
		r.measures[metric.Logins] = withReturns(r.presence, r.returned).Logins()
		r.measures[metric.DistinctBooks] = int64(len(r.books))
		if r.measures == (metric.Measures{}) {
			delete(d.readers, id)
		}
	}
	maps.DeleteFunc(d.titles, func(_ int64, sums *metric.Measures) bool { return *sums == metric.Measures{} })
}

// packReaders returns the columns of the readers, after derive.
func (d *Day) packReaders() *DayOfReaders {
	var f DayOfReaders
	index := map[int64]int32{} // of each title among Titles
	for _, r := range d.readers {
		for _, book := range r.books {
			index[book] = 0
		}
	}
	f.Titles = slices.Sorted(maps.Keys(index))
	for i, book := range f.Titles {
		index[book] = int32(i)
	}
	logins := loginColumns{rows: make([]activity, len(d.readers))}
	var indexes []int32
	for place, id := range slices.Sorted(maps.Keys(d.readers)) {
		r := d.readers[id]
		measures := r.measures
		measures[metric.Logins] = int64(r.presence.Events) + int64(len(r.returned))
		f.put(id, &measures)
		for _, book := range r.books {
			indexes = append(indexes, index[book])
		}
		if r.presence.Events > 0 {
			logins.rows[place] = activity{r.presence.First, r.presence.Last - r.presence.First}
		}
		for _, second := range r.returned {
			logins.returns = append(logins.returns, returned{int32(place), second})
		}
	}
	f.indexes, f.logins = packed.FixedOf(indexes), packed.Append(nil, &logins)
	return &f
}

// ParseDay opens the stored forms of a day. The error is [packed.ErrCorrupt].
func ParseDay(f DayForms) (*Day, error) {
	d := &Day{readers: map[int64]*readerDay{}, titles: map[int64]*metric.Measures{}}
	if len(f.Readers) > 0 {
		if err := d.parseReaders(f.Readers); err != nil {
			return nil, err
		}
	}
	if len(f.Titles) == 0 {
		return d, nil
	}
	var titles DayOfTitles
	if err := packed.Open(f.Titles, &titles); err != nil {
		return nil, err
	}
	sums := make([]metric.Measures, len(titles.IDs))
	for i, book := range titles.IDs {
		d.titles[book] = &sums[i]
	}
	return d, titles.all(func(place int, m metric.Metric, value int64) { sums[place][m] = value })
}

func (d *Day) parseReaders(data []byte) error {
	var f DayOfReaders
	if err := packed.Open(data, &f); err != nil {
		return err
	}
	readers := make([]readerDay, len(f.IDs))
	for i, id := range f.IDs {
		d.readers[id] = &readers[i]
	}
	err := f.all(func(place int, m metric.Metric, value int64) { readers[place].measures[m] = value })
	if err != nil {
		return err
	}
	err = f.Books(func(place int, titles []int32) {
		for _, i := range titles {
			readers[place].books = append(readers[place].books, f.Titles[i])
		}
	})
	if err != nil {
		return err
	}
	return f.visitLogins(func(place int, p libraries.Presence, returns []int32) {
		readers[place].presence, readers[place].returned = p, slices.Clone(returns)
	})
}
