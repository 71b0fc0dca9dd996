package facts

import (
	"fmt"
	"maps"
	"slices"

	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// Verifier opens stored blocks of a partner, and compares what engagements count with what readings count: the minutes of each
// day's sheet with those of the records (S3). The zero Verifier is ready.
type Verifier struct{ sheets, records map[calendar.Date]int64 }

// Block opens an unsealed block and returns an error if it is not of its kind's form. Blocks of the latest snapshot are compared.
func (v *Verifier) Block(k state.Kind, b state.Block, latest bool) (err error) {
	switch k {
	case RecordKind:
		err = v.record(b, latest)
	case LedgerKind:
		err = (&Ledgers{}).AddBlock(state.BlockKey{B: b.B}, b.Data)
	case PresenceKind:
		_, err = ParsePresence(b.Data)
	case MinutesKind:
		err = v.sheet(b, latest)
	case SeenKind:
		err = (&Seen{}).UnmarshalBinary(b.Data)
	case SumsKind:
		_, err = ParseSums(b.Data)
	}
	return err
}

func (v *Verifier) record(b state.Block, latest bool) error {
	r, err := ParseRecord(b.Data)
	if err != nil || !latest {
		return err
	}
	if v.records == nil {
		v.records = map[calendar.Date]int64{}
	}
	for _, day := range r.Days {
		v.records[day.Date] += int64(day.Minutes)
	}
	return nil
}

func (v *Verifier) sheet(b state.Block, latest bool) error {
	m := Minutes(b.Data)
	users := m.users()
	if err := m.Check(users); err != nil || !latest {
		return err
	}
	if v.sheets == nil {
		v.sheets = map[calendar.Date]int64{}
	}
	sum := int64(0)
	for rank := range users {
		sum += int64(m.At(rank))
	}
	if sum > 0 {
		v.sheets[calendar.Date(b.A)] = sum
	}
	return nil
}

// Faults returns a sentence for each day whose minutes differ.
func (v *Verifier) Faults() (all []string) {
	days := maps.Clone(v.records)
	if days == nil {
		days = map[calendar.Date]int64{}
	}
	maps.Copy(days, v.sheets)
	for _, day := range slices.Sorted(maps.Keys(days)) {
		if sheet, records := v.sheets[day], v.records[day]; sheet != records {
			all = append(all, fmt.Sprintf("day %v has %d tenths of a minute in its sheet, and %d in the records", day, sheet, records))
		}
	}
	return all
}
