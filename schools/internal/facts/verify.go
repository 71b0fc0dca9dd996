package facts

import (
	"fmt"
	"maps"
	"slices"

	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// forms makes an empty form of each kind. Records are left out: package reading has their form.
var forms = map[snapshot.Kind]func() packed.Form{
	IndexKind:    func() packed.Form { return &page{} },
	DayKind:      func() packed.Form { return &Day{} },
	EventSetKind: func() packed.Form { return &EventSet{} },
	SumsKind:     func() packed.Form { return &Sums{} },
}

// Verifier checks that each stored block of a partner can be decoded, and compares two kinds that must agree:
// the minutes of each day and those of all records on that day (S3). The zero Verifier is ready.
type Verifier struct {
	tenths map[calendar.Date]tenths
}

// tenths are the tenths of a minute of one day, by both kinds.
type tenths struct{ day, records int64 }

// Block decodes a block and returns an error if it is not of its kind's form. Blocks of the latest snapshot
// are also compared.
func (v *Verifier) Block(k snapshot.Kind, b snapshot.Block, latest bool) error {
	if k == RecordKind {
		r, err := ParseRecord(b.Data)
		if err == nil && latest {
			for _, d := range r.Days {
				v.add(d.Date, tenths{records: int64(d.Minutes)})
			}
		}
		return err
	}
	form := forms[k]()
	if err := packed.Open(b.Data, form); err != nil {
		return err
	}
	if d, ok := form.(*Day); ok && latest {
		sum := int64(0)
		for rank := range d.Tenths.Len() {
			sum += d.Tenths.At(rank)
		}
		v.add(calendar.Date(b.A), tenths{day: sum})
	}
	return nil
}

func (v *Verifier) add(day calendar.Date, more tenths) {
	if v.tenths == nil {
		v.tenths = map[calendar.Date]tenths{}
	}
	t := v.tenths[day]
	v.tenths[day] = tenths{t.day + more.day, t.records + more.records}
}

// Faults returns a sentence for each day whose minutes differ.
func (v *Verifier) Faults() (all []string) {
	for _, day := range slices.Sorted(maps.Keys(v.tenths)) {
		if t := v.tenths[day]; t.day != t.records {
			all = append(all, fmt.Sprintf("day %v has %d tenths of a minute in its block, and %d in the records", day, t.day, t.records))
		}
	}
	return all
}
