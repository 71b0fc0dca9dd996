package facts

import (
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/packed"
	"github.com/lectern-dev/lectern/schools"
)

// TestForms tests that one form of each kind is written and read as before. Stored bytes change only with the version.
func TestForms(t *testing.T) {
	record := reading.Record{Days: []reading.Day{
		{Date: 20543, Read: true, First: 72000, Last: 72030, MS: 62_000, Minutes: 10, Coverage: reading.Coverage{{From: 5, To: 25}}},
		{Date: 20545, Read: true, First: 60, Last: 60, MS: 6000, Minutes: 1, Coverage: reading.Coverage{{From: 20, To: 30}}},
	}}
	sums := (&Sums{}).With(map[int64]*reading.Record{1: &record}).With(map[int64]*reading.Record{9: &record})
	eventSet := &EventSet{}
	event := func(series uint64, number int64) schools.Event {
		return schools.Event{ID: schools.EventID{Series: series, Number: number}}
	}
	eventSet.Add(20543, []schools.Event{{ID: schools.EventID{Hash: 3}}, event(9, 7), event(9, 300)})
	eventSet.Add(20541, []schools.Event{event(9, 5)})
	pages, last := map[int32]*[blockUsers][]pageEntry{}, PageOf(20545)
	UserIndex{{1, last - 1, dayOf(20543)}, {1, last, dayOf(20544) | dayOf(20545)}, {9, last, dayOf(20545)}}.spread(7, pages)
	for name, tt := range map[string]struct {
		form, empty packed.Form
		stored      string
	}{
		"day":       {(&Day{}).With([]DayRow{{7, 17}, {300, Keep}, {8, 300}}), &Day{}, "0200030801a402" + "000211002c010000"},
		"page":      {newPage(pages[last]), &page{}, "02" + "0001" + strings.Repeat("00", 7) + strings.Repeat("02", 121) + "02010008" + "00010100" + "04010100"},
		"event set": {eventSet, &EventSet{}, "02" + "013e010300000000000000" + "010900000000000000" + "02" + "3a02" + "0102" + "0a" + "04a502"},
		"sums":      {sums, &Sums{}, "02" + "020208" + "fec00200" + "0400" + "80e50800" + "7800" + "1600" + "3200" + "3c00" + "04010002" + "000100010001" + "14010a000a00"},
	} {
		data := packed.Append(nil, tt.form)
		if got := hex.EncodeToString(data); got != tt.stored {
			t.Errorf("%s is stored as %s, want %s", name, got, tt.stored)
		}
		if err := packed.Open(data, tt.empty); err != nil || string(packed.Append(nil, tt.empty)) != string(data) {
			t.Errorf("%s is read back as %+v, %v, want it unchanged", name, tt.empty, err)
		}
	}
	if r, err := ParseRecord(record.AppendBinary(nil)); err != nil || len(r.Days) != 2 {
		t.Errorf("ParseRecord = %v, %v, want 2 days", r, err)
	}
	if _, err := ParseRecord(reading.Record{}.AppendBinary(nil)); !errors.Is(err, packed.ErrCorrupt) {
		t.Errorf("ParseRecord of no days = %v, want ErrCorrupt", err)
	}
}
