package facts

import (
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/reading/packed"
)

// ParseDay unpacks the stored forms of a day; empty forms are those of no day. The error is [packed.ErrCorrupt], also for
// forms that do not belong together.
func ParseDay(f DayForms) (*Day, error) {
	if len(f.Totals)+len(f.Readers)+len(f.Titles)+len(f.Logins) == 0 {
		return &Day{}, nil
	}
	totals, err := ParseDayTotals(f.Totals)
	if err != nil {
		return nil, err
	}
	sheet, err := OpenReaderSheet(f.Readers)
	if err != nil {
		return nil, err
	}
	d := &Day{counts: totals.Counts}
	if err := d.parseReaders(sheet); err != nil {
		return nil, err
	}
	if err := VisitTitles(f.Titles, func(t TitleDay) { d.titles = append(d.titles, t) }); err != nil {
		return nil, err
	}
	if err := d.parseLogins(f.Logins); err != nil {
		return nil, err
	}
	if d.totals() != totals || !d.coherent() {
		return nil, packed.ErrCorrupt
	}
	return d, nil
}

// parseReaders unpacks the sheet of the readers.
func (d *Day) parseReaders(sheet *ReaderSheet) error {
	ids, err := sheet.AppendReaders(make([]int64, 0, sheet.Len()))
	if err != nil {
		return err
	}
	d.readers = make([]readerDay, len(ids))
	for i, id := range ids {
		d.readers[i].reader = id
	}
	for m := range metric.ConvertedThatDay {
		if err := sheet.Column(m, func(place int, value int64) { d.readers[place].measures[m] = value }); err != nil {
			return err
		}
	}
	return d.parseBooks(sheet)
}

// parseBooks unpacks the titles of the readers, whose number they have as DistinctBooks.
func (d *Day) parseBooks(sheet *ReaderSheet) error {
	titles, err := sheet.Titles()
	if err != nil {
		return err
	}
	n := int64(0)
	for i := range d.readers {
		n += d.readers[i].measures[metric.DistinctBooks]
	}
	all, used := make([]int64, 0, n), make([]bool, len(titles))
	err = sheet.Books(func(place int, indexes []int32) {
		from := len(all)
		for _, i := range indexes {
			all, used[i] = append(all, titles[i]), true
		}
		d.readers[place].books = all[from:len(all):len(all)]
	})
	if err == nil && slices.Contains(used, false) {
		return packed.ErrCorrupt
	}
	return err
}

// parseLogins unpacks the sheet of the logins: those readers have one in the sheet of readers, and no others.
func (d *Day) parseLogins(data []byte) error {
	at, strangers := 0, false
	skip := func(until int64) {
		for ; at < len(d.readers) && d.readers[at].reader < until; at++ {
			strangers = strangers || d.readers[at].measures[metric.Logins] > 0
		}
	}
	err := visitLogins(data, func(int) {}, func(reader int64, p libraries.Presence, returned []int32) {
		skip(reader)
		if at == len(d.readers) || d.readers[at].reader != reader || d.readers[at].measures[metric.Logins] == 0 {
			strangers = true
			return
		}
		d.readers[at].presence, d.readers[at].returned = p, slices.Clone(returned)
		at++
	})
	for ; at < len(d.readers); at++ {
		strangers = strangers || d.readers[at].measures[metric.Logins] > 0
	}
	if err == nil && strangers {
		return packed.ErrCorrupt
	}
	return err
}

// coherent reports whether the parts belong together: something is left of each reader and of the day, and what both
// readers and titles have sums to the same.
func (d *Day) coherent() bool {
	var readers, titles metric.Measures
	for i := range d.readers {
		if d.readers[i].measures == (metric.Measures{}) {
			return false
		}
		readers.Add(&d.readers[i].measures)
	}
	for i := range d.titles {
		titles.Add(&d.titles[i].Sums)
	}
	for m := range metric.ConvertedThatDay {
		if inTitleSheet(m) && readers[m] != titles[m] || !inTitleSheet(m) && titles[m] != 0 {
			return false
		}
	}
	return len(d.readers) > 0 || len(d.titles) > 0 || d.counts != metric.DayCounts{}
}
