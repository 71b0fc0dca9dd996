package facts

import (
	"fmt"

	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/packed"
)

// Verifier opens stored blocks of a network, and compares the seconds of reading of all days with those of all readers'
// titles. The zero Verifier is ready.
type Verifier struct{ days, titles int64 }

// forms are the empty forms of each kind.
var forms = map[snapshot.Kind]func() packed.Form{
	AttributesKind:   func() packed.Form { return &AttributeColumns{} },
	ReaderTitlesKind: func() packed.Form { return &ReaderTitles{} },
	EventSetKind:     func() packed.Form { return &EventSet{} },
	NetworkKind:      func() packed.Form { return &Network{} },
	DayOfReadersKind: func() packed.Form { return &DayOfReaders{} },
	DayOfTitlesKind:  func() packed.Form { return &DayOfTitles{} },
	LoanReadingsKind: func() packed.Form { return &LoanReadings{} },
}

// Block opens an unsealed block and returns an error if it is not of its kind's form. Blocks of the latest snapshot are compared.
func (v *Verifier) Block(k snapshot.Kind, b snapshot.Block, latest bool) error {
	form := forms[k]()
	if err := packed.Open(b.Data, form); err != nil || !latest {
		return err
	}
	switch f := form.(type) {
	case *ReaderTitles:
		for i := range f.Books {
			v.titles += f.Books[i].Pair.Seconds
		}
	case *Network:
		for i := range f.Days.Totals {
			v.days += f.Days.Totals[i].Sums[metric.ReadingSeconds]
		}
	}
	return nil
}

// Faults returns a sentence if the seconds differ.
func (v *Verifier) Faults() []string {
	if v.days == v.titles {
		return nil
	}
	return []string{fmt.Sprintf("days have %d seconds of reading, and readers' titles %d", v.days, v.titles)}
}
