package facts

import (
	"encoding/binary"

	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/reading/packed"
)

// TitleDay is one title on a day: Sums has its Loans, Returns, Readings10, Readings50, ReadingSeconds, Renewals,
// Reservations, ListeningSeconds, ReservationsConverted and ConvertedThatDay.
type TitleDay struct {
	Book int64
	Sums metric.Measures
}

// ofTitles reports whether the metric is one that titles have.
func ofTitles(m metric.Metric) bool {
	return m < metric.Metrics && m != metric.Logins && m != metric.DistinctBooks && m != metric.Previews
}

// minTitleDay is the number of bytes that a title takes at least: identifier, what it has, and one sum.
const minTitleDay = 3

// appendTitleSheet appends a sheet of titles, which ascend: a byte for the version, their number, then each: the distance
// of its identifier from the one before, a number whose bits are the metrics that it has any of, and their sums, which
// are above 0. All numbers are varints.
func appendTitleSheet(b []byte, titles []TitleDay) []byte {
	b = append(b, sheetVersion)
	b = binary.AppendUvarint(b, uint64(len(titles)))
	former := int64(0)
	for i := range titles {
		t := &titles[i]
		b = appendStep(b, t.Book, former, i == 0)
		former = t.Book
		b = binary.AppendUvarint(b, maskOf(t.Sums[:]))
		for _, sum := range t.Sums {
			if sum != 0 {
				b = binary.AppendUvarint(b, uint64(sum))
			}
		}
	}
	return b
}

// VisitTitles calls visit with each title of a stored sheet of titles that has any of its sums, ascending. The error is
// [packed.ErrCorrupt], perhaps after some visits.
func VisitTitles(data []byte, visit func(TitleDay)) error {
	d := packed.NewDecoder(data, sheetVersion)
	former := int64(0)
	for i := range d.Count(minTitleDay) {
		t := TitleDay{Book: step(d, former, i == 0)}
		former = t.Book
		mask := d.Uvarint()
		d.Check(mask > 0 && mask < 1<<metric.Metrics)
		for m := range metric.Metrics {
			if mask&(1<<m) != 0 {
				t.Sums[m] = d.Natural()
				d.Check(t.Sums[m] > 0 && inTitleSheet(m))
			}
		}
		if d.Bad() {
			break
		}
		visit(t)
	}
	return d.End()
}
