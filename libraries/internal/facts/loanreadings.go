package facts

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// LoanReadings are what the readers of the loans of one day read of the titles, by reader, then title: the same that
// [ReaderTitles] say, but side by side as loans are listed. A pair of whom nothing is shown is not among them. A day has such a
// block from its first loan on.
type LoanReadings []LoanReading

// LoanReading is what a reader read of a title, over all loans.
type LoanReading struct {
	Reader, Book, Seconds int64
	Highest               libraries.Progress
}

func (r LoanReading) compare(o LoanReading) int {
	return cmp.Or(cmp.Compare(r.Reader, o.Reader), cmp.Compare(r.Book, o.Book))
}

// With returns the readings with later ones, each of another pair and in any order, in place of those of the same pairs. It puts the
// later ones in order.
func (l LoanReadings) With(later []LoanReading) LoanReadings {
	slices.SortFunc(later, LoanReading.compare)
	all := make(LoanReadings, 0, len(l)+len(later))
	for _, r := range later {
		for len(l) > 0 && l[0].compare(r) < 0 {
			all, l = append(all, l[0]), l[1:]
		}
		if len(l) > 0 && l[0].compare(r) == 0 {
			l = l[1:]
		}
		all = append(all, r)
	}
	return append(all, l...)
}

const (
	loanReadingsVersion = 1
	minLoanReading      = 4 // bytes
)

// AppendBinary appends the stored form: a byte for the version, the number of readings, then each as varints: the distance of
// the reader from the one before; the title, of the same reader as the distance from the one before; the seconds; the highest share.
func (l LoanReadings) AppendBinary(b []byte) []byte {
	b = append(b, loanReadingsVersion)
	b = binary.AppendUvarint(b, uint64(len(l)))
	former := LoanReading{}
	for i, r := range l {
		book := r.Book
		if i > 0 && r.Reader == former.Reader {
			book -= former.Book
		}
		b = binary.AppendUvarint(b, uint64(r.Reader-former.Reader))
		b = binary.AppendUvarint(b, uint64(book))
		b = binary.AppendUvarint(b, uint64(r.Seconds))
		b = binary.AppendUvarint(b, uint64(r.Highest))
		former = r
	}
	return b
}

// ParseLoanReadings unpacks the stored readings of a day. The error is [packed.ErrCorrupt].
func ParseLoanReadings(data []byte) (list LoanReadings, err error) {
	return list, VisitLoanReadings(data, func(r LoanReading) { list = append(list, r) })
}

// VisitLoanReadings calls visit with each of the stored readings of a day, in their order, until it finds the error, which is
// [packed.ErrCorrupt].
func VisitLoanReadings(data []byte, visit func(LoanReading)) error {
	d := packed.NewDecoder(data, loanReadingsVersion)
	former := LoanReading{}
	for i := range d.Count(minLoanReading) {
		r := LoanReading{Reader: d.Natural(), Book: d.Natural()}
		if i > 0 {
			d.Check(r.Reader <= math.MaxInt64-former.Reader)
			r.Reader += former.Reader
		}
		if i > 0 && r.Reader == former.Reader {
			d.Check(r.Book > 0 && r.Book <= math.MaxInt64-former.Book)
			r.Book += former.Book
		}
		r.Seconds, r.Highest = d.Natural(), readProgress(d)
		if d.Check(r.Seconds > 0 || r.Highest > 0); d.Bad() {
			break
		}
		visit(r)
		former = r
	}
	return d.End()
}

// DayReading is a LoanReading of a loan of a day, as a fold tells it.
type DayReading struct {
	Day calendar.Date
	LoanReading
}

// AppendDayReading appends a reading in a form for setting it aside, which ReadDayReading reads: all numbers one after the other.
func AppendDayReading(b []byte, r DayReading) []byte {
	b = AppendDate(b, r.Day)
	for _, n := range [...]int64{r.Reader, r.Book, r.Seconds, int64(r.Highest)} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	return b
}

// ReadDayReading reads a reading that AppendDayReading has appended.
func ReadDayReading(d *packed.Decoder) DayReading {
	return DayReading{ReadDate(d), LoanReading{Reader: d.Natural(), Book: d.Natural(), Seconds: d.Natural(), Highest: readProgress(d)}}
}

// lent tells what the reader read of a title by the days of its loans, where that has changed or a loan is new. What is read never
// becomes nothing again.
func (f *folding) lent(was formerBook, now *ReaderTitle) {
	if now.Pair.Seconds == 0 && now.Pair.Highest == 0 ||
		now.Pair.Seconds == was.pair.Seconds && now.Pair.Highest == was.pair.Highest && int64(len(now.Loans)) == was.loans {
		return
	}
	for i, loan := range now.Loans {
		if i == 0 || now.Loans[i-1].Start != loan.Start {
			f.change.Read = append(f.change.Read, DayReading{loan.Start, LoanReading{f.reader, now.Book, now.Pair.Seconds, now.Pair.Highest}})
		}
	}
}
