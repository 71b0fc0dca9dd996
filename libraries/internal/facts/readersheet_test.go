package facts_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/reading/packed"
)

// TestReaderSheetWidths has days with as many titles as indexes of one byte, two and three take, on both sides.
func TestReaderSheetWidths(t *testing.T) {
	for _, titles := range []int64{1, 2, 255, 256, 257, 65_535, 65_536, 65_537} {
		d := facts.DayDelta{Reader: 1, Presence: libraries.Presence{Events: 1}}
		for book := range titles {
			d.Books = append(d.Books, facts.BookDelta{Book: 3 * book, Read: true})
		}
		last := facts.DayDelta{Reader: 9, Presence: libraries.Presence{Events: 1}, Books: []facts.BookDelta{d.Books[titles-1]}}
		sheet, err := facts.OpenReaderSheet(formsOf(t, d, last).Readers)
		noError(t, err)
		got, err := sheet.Titles()
		if noError(t, err); len(got) != int(titles) || got[titles-1] != 3*(titles-1) {
			t.Errorf("%d titles: Titles has %d, of which the last is %d", titles, len(got), got[len(got)-1])
		}
		rows := [][]int32{}
		noError(t, sheet.Books(func(place int, indexes []int32) { rows = append(rows, slices.Clone(indexes)) }))
		if len(rows) != 2 || len(rows[0]) != int(titles) || rows[0][titles-1] != int32(titles-1) || !slices.Equal(rows[1], []int32{int32(titles - 1)}) {
			t.Errorf("%d titles: Books = %d rows, of which the last is %v", titles, len(rows), rows[len(rows)-1])
		}
	}
}

// TestReaderSheetOfNobody is that of a day on which reservations were lost.
func TestReaderSheetOfNobody(t *testing.T) {
	sheet, err := facts.OpenReaderSheet(formsOf(t, facts.DayDelta{Totals: metric.DayCounts{Lost: 1}}).Readers)
	noError(t, err)
	if n, err := readWhole(sheet); n != 0 || err != nil || sheet.Len() != 0 {
		t.Errorf("%d values, %v, Len %d, want none", n, err, sheet.Len())
	}
}

// readWhole reads all that is in a sheet. It returns the number of values, or the first error.
func readWhole(s *facts.ReaderSheet) (values int, err error) {
	ids, err := s.AppendReaders(nil)
	if err == nil && (len(ids) != s.Len() || !slices.IsSorted(ids)) {
		return 0, errors.New("readers that are too few or do not ascend")
	}
	titles, err2 := s.Titles()
	if err = errors.Join(err, err2); err == nil && !slices.IsSorted(titles) {
		return 0, errors.New("titles that do not ascend")
	}
	last, wrong := -1, false
	check := func(place int, ok bool) {
		values++
		wrong = wrong || !ok || place <= last || place >= s.Len()
		last = place
	}
	for m := range metric.Metrics {
		last = -1
		err = errors.Join(err, s.Column(m, func(place int, value int64) { check(place, value > 0) }))
	}
	last = -1
	err = errors.Join(err, s.Books(func(place int, row []int32) {
		check(place, len(row) > 0 && slices.IsSorted(row) && row[0] >= 0)
		for _, i := range row {
			wrong = wrong || err == nil && int(i) >= len(titles)
		}
	}))
	if wrong {
		return 0, errors.New("a place or a value that cannot be")
	}
	return values, err
}

// FuzzReaderSheet reads whatever can be opened: corrupt columns are errors, and visits that went before are of places and
// values that can be.
func FuzzReaderSheet(f *testing.F) {
	random := rand.New(rand.NewPCG(5, 6))
	var some []facts.DayDelta
	for reader := range int64(300) {
		some = append(some, someDelta(random, 40*reader))
	}
	f.Add(formsOf(f, smallDay()...).Readers)
	f.Add(formsOf(f, some...).Readers)
	f.Fuzz(func(t *testing.T, data []byte) {
		sheet, err := facts.OpenReaderSheet(data)
		if err == nil {
			_, err = readWhole(sheet)
		}
		if err != nil && !errors.Is(err, packed.ErrCorrupt) {
			t.Error(err)
		}
	})
}

// TestCorruptReaderSheets breaks the columns of the sheet of smallDay.
func TestCorruptReaderSheets(t *testing.T) {
	form := formsOf(t, smallDay()...).Readers
	change := func(at int, to ...byte) []byte {
		b := slices.Clone(form)
		copy(b[at:], to)
		return b
	}
	for name, data := range map[string][]byte{
		"nothing":                      {},
		"another version":              change(0, 2),
		"more readers than there are":  change(1, 4),
		"fewer readers than there are": change(1, 2),
		"a reader twice":               change(4, 0),
		"a login past the end":         change(8, 3),
		"a place past the end":         change(11, 3),
		"a value of 0":                 change(12, 0),
		"half a pair":                  change(10, 3, 1, 1, 0x82, 0x01),
		"a number that is too long":    change(11, 0x81, 0, 1, 1),
		"an index past the end":        change(len(form)-2, 0, 2),
		"an index twice":               change(len(form)-2, 0, 0),
		"an index too many":            append(change(len(form)-7, 7), 1),
		"a byte more":                  append(slices.Clone(form), 0),
		"a byte less":                  form[:len(form)-1],
	} {
		sheet, err := facts.OpenReaderSheet(data)
		if err == nil {
			_, err = readWhole(sheet)
		}
		if !errors.Is(err, packed.ErrCorrupt) {
			t.Errorf("%s: %v, want ErrCorrupt", name, err)
		}
	}
}
