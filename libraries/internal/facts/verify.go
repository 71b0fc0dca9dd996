package facts

import (
	"fmt"

	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/paging/state"
)

// Verifier opens stored blocks of a network, and compares what summaries count with what readers have read: the seconds of
// all days with those of all readers' titles. The zero Verifier is ready.
type Verifier struct{ days, titles int64 }

// Block opens an unsealed block and returns an error if it is not of its kind's form. Blocks of the latest snapshot are compared.
func (v *Verifier) Block(k state.Kind, b state.Block, latest bool) (err error) {
	switch k {
	case AttributesKind:
		_, err = ParseAttributes(b.Data)
	case ReaderTitlesKind:
		err = v.readerTitles(b, latest)
	case EventSetKind:
		err = new(EventSet).UnmarshalBinary(b.Data)
	case TotalsKind:
		err = v.totals(b, latest)
	case ReaderSheetKind:
		_, err = OpenReaderSheet(b.Data)
	case TitleSheetKind:
		err = VisitTitles(b.Data, func(TitleDay) {})
	case LoginSheetKind:
		_, err = ParseLogins(b.Data)
	case TitleCountsKind:
		_, err = ParseCountsByTitle(b.Data)
	case LoanReadingsKind:
		_, err = ParseLoanReadings(b.Data)
	}
	return err
}

func (v *Verifier) readerTitles(b state.Block, latest bool) error {
	titles, err := ParseReaderTitles(b.Data)
	if err != nil || !latest {
		return err
	}
	for _, t := range titles.Books {
		v.titles += t.Pair.Seconds
	}
	return nil
}

func (v *Verifier) totals(b state.Block, latest bool) error {
	t, err := ParseDayTotals(b.Data)
	if err == nil && latest {
		v.days += t.Sums[metric.ReadingSeconds]
	}
	return err
}

// Faults returns a sentence if the seconds differ.
func (v *Verifier) Faults() []string {
	if v.days == v.titles {
		return nil
	}
	return []string{fmt.Sprintf("days have %d seconds of reading, and readers' titles %d", v.days, v.titles)}
}
