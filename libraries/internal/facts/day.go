package facts

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/metric"
)

// Day is one day, unpacked: what a load changes. The zero Day is one on which nothing happened.
type Day struct {
	counts  metric.DayCounts // what was added
	readers []readerDay      // ascending
	titles  []TitleDay       // ascending, each with sums
}

// TitleDay is one title on a day.
type TitleDay struct {
	Book int64
	Sums metric.Measures
}

// Lent reports whether there are loans of the day.
func (d *Day) HasLoans() bool {
	return slices.ContainsFunc(d.titles, func(t TitleDay) bool { return t.Sums[metric.Loans] > 0 })
}

// Totals returns the totals of a day whose Forms were made. Of the Counts they have what was added to the day only.
func (d *Day) Totals() DayTotals {
	t := DayTotals{Readers: int64(len(d.readers)), Counts: d.counts}
	for i := range d.readers {
		t.Sums.Add(&d.readers[i].measures)
	}
	for i := range d.titles {
		t.Sums[metric.ConvertedThatDay] += d.titles[i].Sums[metric.ConvertedThatDay]
	}
	t.Sums[metric.DistinctBooks] = 0
	return t
}

// readerDay is one reader on a day. Of the measures Logins and DistinctBooks are set when the day is packed;
// ConvertedThatDay is always 0.
type readerDay struct {
	reader   int64
	presence libraries.Presence // without returns
	returned []int32            // the seconds of returns by the reader, ascending
	measures metric.Measures
	books    []int64 // with a session, ascending
}

// Add adds deltas, in any order, all of one day. The error is [ErrBelowZero], and the day is of no use then.
func (d *Day) Add(deltas []DayDelta) error {
	if len(deltas) == 0 {
		return nil
	}
	order := byReader(deltas)
	d.makeRoom(deltas, order)
	at := 0
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && deltas[order[to]].Reader == deltas[order[from]].Reader {
			to++
		}
		for d.readers[at].reader != deltas[order[from]].Reader {
			at++
		}
		if err := d.readers[at].add(deltas, order[from:to]); err != nil {
			return fmt.Errorf("%s, reader %d: %w", deltas[0].Day, d.readers[at].reader, err)
		}
		from = to
	}
	if err := d.addTitles(deltas); err != nil {
		return fmt.Errorf("%s, %w", deltas[0].Day, err)
	}
	for i := range deltas {
		d.counts.Add(&deltas[i].Totals)
	}
	return nil
}

// byReader returns the places of the deltas in the order of their readers.
func byReader(deltas []DayDelta) []int32 {
	type place struct {
		reader int64
		at     int32
	}
	places := make([]place, len(deltas))
	for i := range deltas {
		places[i] = place{deltas[i].Reader, int32(i)}
	}
	compare := func(a, b place) int { return cmp.Compare(a.reader, b.reader) }
	if !slices.IsSortedFunc(places, compare) {
		slices.SortFunc(places, compare)
	}
	order := make([]int32, len(places))
	for i, p := range places {
		order[i] = p.at
	}
	return order
}

// makeRoom gives each reader of the deltas an entry; order is that of the readers.
func (d *Day) makeRoom(deltas []DayDelta, order []int32) {
	missing := d.missing(deltas, order)
	if len(missing) == 0 {
		return
	}
	readers := make([]readerDay, 0, len(d.readers)+len(missing))
	rest := d.readers
	for _, reader := range missing {
		n := 0
		for n < len(rest) && rest[n].reader < reader {
			n++
		}
		readers = append(append(readers, rest[:n]...), readerDay{reader: reader})
		rest = rest[n:]
	}
	d.readers = append(readers, rest...)
}

// missing returns the readers of the deltas that have no entry, ascending.
func (d *Day) missing(deltas []DayDelta, order []int32) []int64 {
	var missing []int64
	at, last := 0, int64(-1)
	for _, i := range order {
		reader := deltas[i].Reader
		if reader == last {
			continue
		}
		last = reader
		for at < len(d.readers) && d.readers[at].reader < reader {
			at++
		}
		if at == len(d.readers) || d.readers[at].reader != reader {
			missing = append(missing, reader)
		}
	}
	return missing
}

// add adds those of the deltas that the places name: all are of this reader. What is added comes before what is taken
// back, so that their order does not matter.
func (r *readerDay) add(deltas []DayDelta, places []int32) error {
	for _, i := range places {
		delta := &deltas[i]
		r.presence.Merge(delta.Presence)
		r.measures[metric.Previews] += delta.Previews
		for j := range delta.Books {
			r.addBook(&delta.Books[j])
		}
		for _, second := range delta.Returned {
			at, _ := slices.BinarySearch(r.returned, second)
			r.returned = slices.Insert(r.returned, at, second)
		}
	}
	for _, i := range places {
		for _, second := range deltas[i].Unreturned {
			at, found := slices.BinarySearch(r.returned, second)
			if !found {
				return ErrBelowZero
			}
			r.returned = slices.Delete(r.returned, at, at+1)
		}
	}
	if slices.Min(r.measures[:]) < 0 {
		return ErrBelowZero
	}
	return nil
}

// addBook adds what the reader did with one title.
func (r *readerDay) addBook(b *BookDelta) {
	for m, v := range b.Measures {
		if v != 0 && ofTitles(metric.Metric(m)) && metric.Metric(m) != metric.ConvertedThatDay {
			r.measures[m] += v
		}
	}
	if !b.Read {
		return
	}
	if at, found := slices.BinarySearch(r.books, b.Book); !found {
		r.books = slices.Insert(r.books, at, b.Book)
	}
}

// addTitles adds the deltas to the sums of the titles. A title of which nothing is left is dropped.
func (d *Day) addTitles(deltas []DayDelta) error {
	index := make(map[int64]int32, len(d.titles))
	for i := range d.titles {
		index[d.titles[i].Book] = int32(i)
	}
	for i := range deltas {
		for j := range deltas[i].Books {
			b := &deltas[i].Books[j]
			at, found := index[b.Book]
			if !found {
				at = int32(len(d.titles))
				index[b.Book] = at
				d.titles = append(d.titles, TitleDay{Book: b.Book})
			}
			d.titles[at].add(&b.Measures)
		}
	}
	d.titles = slices.DeleteFunc(d.titles, func(t TitleDay) bool { return t.Sums == metric.Measures{} })
	slices.SortFunc(d.titles, func(a, b TitleDay) int { return cmp.Compare(a.Book, b.Book) })
	for i := range d.titles {
		if slices.Min(d.titles[i].Sums[:]) < 0 {
			return fmt.Errorf("title %d: %w", d.titles[i].Book, ErrBelowZero)
		}
	}
	return nil
}

// add adds the sums that a title has.
func (t *TitleDay) add(n *metric.Measures) {
	for m, v := range n {
		if v != 0 && ofTitleDays(metric.Metric(m)) {
			t.Sums[m] += v
		}
	}
}

// ofTitles reports whether the metric is one that titles have.
func ofTitles(m metric.Metric) bool {
	return m != metric.Logins && m != metric.DistinctBooks && m != metric.Previews
}

// ofTitleDays reports whether the sums of titles are kept of the metric.
func ofTitleDays(m metric.Metric) bool { return ofTitles(m) && m != metric.ListeningSessions }
