package facts

import (
	"fmt"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/metric"
)

// Day is one day as a load changes it. The zero Day is one on which nothing happened.
type Day struct {
	counts  metric.DayCounts // those that were added
	readers map[int64]*readerDay
	titles  map[int64]*metric.Measures
}

// HasLoans reports whether there are loans of the day.
func (d *Day) HasLoans() bool {
	for _, sums := range d.titles {
		if sums[metric.Loans] > 0 {
			return true
		}
	}
	return false
}

// Totals returns the totals of a day after Forms. Its Counts are only those that were added to the day.
func (d *Day) Totals() DayTotals {
	t := DayTotals{Readers: int64(len(d.readers)), Counts: d.counts}
	for _, r := range d.readers {
		t.Sums.Add(&r.measures)
	}
	for _, sums := range d.titles {
		t.Sums[metric.ConvertedThatDay] += sums[metric.ConvertedThatDay]
	}
	t.Sums[metric.DistinctBooks] = 0
	return t
}

// readerDay is one reader on a day. The measures Logins and DistinctBooks are set by derive; ConvertedThatDay is always 0.
type readerDay struct {
	presence libraries.Presence // without returns
	returned []int32            // the seconds of returns by the reader, ascending
	measures metric.Measures
	books    []int64 // with a session, ascending
}

// Add adds deltas of the day, in any order. A load has one delta for each reader of a day, and takes back only what earlier
// loads added, so no number is below 0 on the way. The error is [ErrBelowZero]; the day must not be used after it.
func (d *Day) Add(deltas ...DayDelta) error {
	if d.readers == nil {
		d.readers, d.titles = map[int64]*readerDay{}, map[int64]*metric.Measures{}
	}
	for i := range deltas {
		delta := &deltas[i]
		r := d.readers[delta.Reader]
		if r == nil {
			r = &readerDay{}
			d.readers[delta.Reader] = r
		}
		if err := r.add(delta); err != nil {
			return fmt.Errorf("%s, reader %d: %w", delta.Day, delta.Reader, err)
		}
		for j := range delta.Books {
			if err := d.addTitle(&delta.Books[j]); err != nil {
				return fmt.Errorf("%s, title %d: %w", delta.Day, delta.Books[j].Book, err)
			}
		}
		d.counts.Add(&delta.Totals)
	}
	return nil
}

// add adds a delta of the reader.
func (r *readerDay) add(delta *DayDelta) error {
	r.presence.Merge(delta.Presence)
	r.measures[metric.Previews] += delta.Previews
	for i := range delta.Books {
		r.addBook(&delta.Books[i])
	}
	for _, second := range delta.Returned {
		at, _ := slices.BinarySearch(r.returned, second)
		r.returned = slices.Insert(r.returned, at, second)
	}
	for _, second := range delta.Unreturned {
		at, found := slices.BinarySearch(r.returned, second)
		if !found {
			return ErrBelowZero
		}
		r.returned = slices.Delete(r.returned, at, at+1)
	}
	return aboveZero(&r.measures)
}

// addBook adds the reader's part of a title.
func (r *readerDay) addBook(b *BookDelta) {
	measures := b.Measures
	measures[metric.ConvertedThatDay] = 0 // readers do not have it
	r.measures.Add(&measures)
	if at, found := slices.BinarySearch(r.books, b.Book); b.Read && !found {
		r.books = slices.Insert(r.books, at, b.Book)
	}
}

// addTitle adds to the sums of a title.
func (d *Day) addTitle(b *BookDelta) error {
	sums := d.titles[b.Book]
	if sums == nil {
		sums = &metric.Measures{}
		d.titles[b.Book] = sums
	}
	measures := b.Measures
	measures[metric.ListeningSessions] = 0 // days of titles do not have it
	sums.Add(&measures)
	return aboveZero(sums)
}

// aboveZero returns ErrBelowZero if a measure is below 0.
func aboveZero(m *metric.Measures) error {
	if slices.Min(m[:]) < 0 {
		return ErrBelowZero
	}
	return nil
}
