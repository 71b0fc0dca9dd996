package facts

import (
	"encoding/binary"
	"slices"

	"github.com/lectern-dev/lectern/libraries/metric"
)

// DayForms are the stored forms of a day. Totals holds DayTotals; the others are the sheets.
type DayForms struct {
	Totals, Readers, Titles, Logins []byte
}

// Forms returns the stored forms, or false where nothing is left of the day. A day has one form, however it came about.
func (d *Day) Forms() (DayForms, bool) {
	d.settle()
	if len(d.readers) == 0 && len(d.titles) == 0 && d.counts == (metric.DayCounts{}) {
		return DayForms{}, false
	}
	totals := d.totals()
	return DayForms{
		Totals:  totals.AppendBinary(nil),
		Readers: d.readerSheet(),
		Titles:  appendTitleSheet(nil, d.titles),
		Logins:  d.loginSheet(int(totals.Sums[metric.Logins])),
	}, true
}

// settle sets the measures that follow from others, and drops readers of whom nothing is left.
func (d *Day) settle() {
	kept := 0
	for i := range d.readers {
		r := &d.readers[i]
		r.measures[metric.Logins] = withReturns(r.presence, r.returned).Logins()
		r.measures[metric.DistinctBooks] = int64(len(r.books))
		if r.measures == (metric.Measures{}) {
			continue
		}
		if kept != i {
			d.readers[kept] = *r
		}
		kept++
	}
	clear(d.readers[kept:])
	d.readers = d.readers[:kept]
}

// totals returns the totals of a day that is settled.
func (d *Day) totals() DayTotals {
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

// readerSheet returns the sheet of the readers of a day that is settled: see ReaderSheet.
func (d *Day) readerSheet() []byte {
	ids := make([]byte, 0, 2*len(d.readers))
	var columns [metric.Metrics][]byte
	var next [metric.Metrics]int // the row behind the last that the column has
	titles, index := d.titleList()
	width := indexWidth(len(index))
	former := int64(0)
	for i := range d.readers {
		r := &d.readers[i]
		ids = appendStep(ids, r.reader, former, i == 0)
		former = r.reader
		for m, v := range r.measures {
			if (v != 0) == (metric.Metric(m) == metric.Logins) {
				continue
			}
			b := binary.AppendUvarint(columns[m], uint64(i-next[m]))
			if metric.Metric(m) != metric.Logins {
				b = binary.AppendUvarint(b, uint64(v))
			}
			columns[m], next[m] = b, i+1
		}
		for _, book := range r.books {
			for k, at := 0, index[book]; k < width; k++ {
				titles = append(titles, byte(at>>(8*k)))
			}
		}
	}
	return joinColumns(len(d.readers), ids, append(columns[:metric.ConvertedThatDay], titles))
}

// joinColumns returns a sheet of so many readers.
func joinColumns(n int, ids []byte, columns [][]byte) []byte {
	size := len(ids)
	for _, c := range columns {
		size += len(c)
	}
	b := make([]byte, 0, size+(len(columns)+2)*binary.MaxVarintLen32+1)
	b = append(b, sheetVersion)
	b = binary.AppendUvarint(b, uint64(n))
	b = binary.AppendUvarint(b, uint64(len(ids)))
	b = append(b, ids...)
	for _, c := range columns {
		b = binary.AppendUvarint(b, uint64(len(c)))
		b = append(b, c...)
	}
	return b
}

// titleList returns the list with which the titles of a sheet begin, and where each title stands in it.
func (d *Day) titleList() ([]byte, map[int64]int) {
	index := map[int64]int{}
	var titles []int64
	for i := range d.readers {
		for _, book := range d.readers[i].books {
			if _, found := index[book]; !found {
				index[book] = 0
				titles = append(titles, book)
			}
		}
	}
	if len(titles) == 0 {
		return nil, nil
	}
	slices.Sort(titles)
	b := binary.AppendUvarint(nil, uint64(len(titles)))
	former := int64(0)
	for i, book := range titles {
		b = appendStep(b, book, former, i == 0)
		former, index[book] = book, i
	}
	return b, index
}

// loginSheet returns the sheet of the logins of a day that is settled: see appendLogin.
func (d *Day) loginSheet(n int) []byte {
	b := make([]byte, 0, 16+10*n)
	b = append(b, sheetVersion)
	b = binary.AppendUvarint(b, uint64(n))
	former, first := int64(0), true
	for i := range d.readers {
		if r := &d.readers[i]; r.measures[metric.Logins] > 0 {
			b = appendStep(b, r.reader, former, first)
			b = appendLogin(b, r.presence, r.returned)
			former, first = r.reader, false
		}
	}
	return b
}
