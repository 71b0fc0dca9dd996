package facts_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/reading/packed"
)

// fuzzForm holds a parser to its form: what it takes is written again alike, and all else is ErrCorrupt.
func fuzzForm(f *testing.F, again func(data []byte) ([]byte, error)) {
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := again(data)
		if err != nil {
			if !errors.Is(err, packed.ErrCorrupt) {
				t.Errorf("error %v, want ErrCorrupt", err)
			}
			return
		}
		if !bytes.Equal(got, data) {
			t.Errorf("written again: %x, want %x", got, data)
		}
	})
}

// formsOf returns the forms of a day of these deltas.
func formsOf(t testing.TB, deltas ...facts.DayDelta) facts.DayForms {
	t.Helper()
	var d facts.Day
	noError(t, d.Add(deltas))
	forms, _ := d.Forms()
	return forms
}

// smallDay has a reader who read two titles, one whose loan expired, and one who returned two loans.
func smallDay() []facts.DayDelta {
	read := facts.DayDelta{Reader: 3, Presence: libraries.Presence{Events: 2, First: 10, Last: 200}, Previews: 1}
	read.Books = []facts.BookDelta{{Book: 7, Read: true}, {Book: 300, Read: true}}
	read.Books[1].Measures[metric.ReadingSeconds] = 300
	expired := facts.DayDelta{Reader: 4, Books: []facts.BookDelta{{Book: 7}}}
	expired.Books[0].Measures[metric.Returns] = 1
	returned := facts.DayDelta{Reader: 200, Returned: []int32{50, 40}, Books: []facts.BookDelta{{Book: 7}}}
	returned.Books[0].Measures[metric.Returns] = 2
	returned.Books[0].Measures[metric.ConvertedThatDay] = 1
	returned.Totals.Cancelled = 1
	return []facts.DayDelta{read, expired, returned}
}

// TestDayForms pins the layouts down.
func TestDayForms(t *testing.T) {
	forms := formsOf(t, smallDay()...)
	for _, test := range []struct {
		name      string
		got, want []byte
	}{
		{"totals", forms.Totals, []byte{1, 3, 2, 0, 3, 0, 0, 1, 0xac, 2, 0, 0, 0, 0, 0, 1 /* counts: */, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
		{"titles", forms.Titles, []byte{1, 2, 7, 0x84, 0x40, 3, 1, 0xa5, 2, 0x80, 1, 0xac, 2}},
		{"logins", forms.Logins, []byte{1, 2, 3, 2, 10, 0xbe, 1, 0, 0xc5, 1, 0, 2, 40, 10}},
		{"readers", forms.Readers, []byte{1, 3,
			4, 3, 1, 0xc4, 1, // readers
			1, 1, // without login: the second
			0,             // loans
			4, 1, 1, 0, 2, // returns: of the second and of the next
			0, 0, // readings10, readings50
			2, 0, 1, // previews
			2, 0, 2, // distinctBooks
			3, 0, 0xac, 2, // readingSeconds
			0, 0, 0, 0, 0, // renewals, reservations, reservationsConverted, listeningSeconds, listeningSessions
			6, 2, 7, 0xa5, 2, 0, 1, // titles: two, and the indexes of the first reader
		}},
	} {
		if !bytes.Equal(test.got, test.want) {
			t.Errorf("%s:\n got % x\nwant % x", test.name, test.got, test.want)
		}
	}
}

// TestDayOrder adds deltas in one piece and in several, in any order: the forms are the same bytes.
func TestDayOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	var deltas []facts.DayDelta
	for range 300 {
		deltas = append(deltas, someDelta(random, random.Int64N(100)))
	}
	want := formsOf(t, deltas...)
	for range 5 {
		random.Shuffle(len(deltas), func(i, j int) { deltas[i], deltas[j] = deltas[j], deltas[i] })
		forms := facts.DayForms{}
		for piece := range slices.Chunk(deltas, 1+random.IntN(120)) {
			d, err := facts.ParseDay(forms)
			noError(t, err)
			noError(t, d.Add(piece))
			forms, _ = d.Forms()
		}
		if !sameForms(forms, want) {
			t.Fatal("in several pieces the forms are others than in one")
		}
	}
}

func sameForms(a, b facts.DayForms) bool {
	return bytes.Equal(a.Totals, b.Totals) && bytes.Equal(a.Readers, b.Readers) && bytes.Equal(a.Titles, b.Titles) && bytes.Equal(a.Logins, b.Logins)
}

// TestDayTakenBack takes back all of a day but its activity, which nothing can take back.
func TestDayTakenBack(t *testing.T) {
	deltas := smallDay()[1:]
	d, err := facts.ParseDay(formsOf(t, deltas...))
	noError(t, err)
	for _, delta := range deltas {
		back := facts.DayDelta{Reader: delta.Reader, Unreturned: delta.Returned, Books: slices.Clone(delta.Books)}
		for m, v := range delta.Books[0].Measures {
			back.Books[0].Measures[m] = -v
		}
		back.Totals.Cancelled = -delta.Totals.Cancelled
		noError(t, d.Add([]facts.DayDelta{back}))
	}
	if forms, left := d.Forms(); left {
		t.Errorf("a day that was taken back has forms %x, want none", forms)
	}
}

// TestDayBelowZero takes back what is not there.
func TestDayBelowZero(t *testing.T) {
	book := func(book int64, m metric.Metric) []facts.BookDelta {
		b := []facts.BookDelta{{Book: book}}
		b[0].Measures[m] = -1
		return b
	}
	// Another title of the reader, or another reader of the title, has what is taken back.
	for name, delta := range map[string]facts.DayDelta{
		"a return of another second":         {Reader: 200, Unreturned: []int32{41}},
		"a return of a stranger":             {Reader: 9, Unreturned: []int32{40}},
		"a loan":                             {Reader: 200, Books: book(7, metric.Loans)},
		"a return of another title":          {Reader: 200, Books: book(8, metric.Returns)},
		"a return of another reader":         {Reader: 3, Books: book(7, metric.Returns)},
		"a conversion of another title":      {Reader: 200, Books: book(8, metric.ConvertedThatDay)},
		"previews":                           {Reader: 3, Previews: -2},
		"a cancelled reservation, twice":     {Reader: 3, Totals: metric.DayCounts{Cancelled: -2}},
		"a loan among the loans of a status": {Reader: 3, Totals: metric.DayCounts{LoansByStatus: [4]int64{libraries.LoanActive: -1}}},
	} {
		d, err := facts.ParseDay(formsOf(t, smallDay()...))
		noError(t, err)
		if err := d.Add([]facts.DayDelta{delta}); !errors.Is(err, facts.ErrBelowZero) {
			t.Errorf("taking back %s: %v, want ErrBelowZero", name, err)
		}
	}
}

// TestTornDays mixes forms of two days: they do not belong together.
func TestTornDays(t *testing.T) {
	other := smallDay()
	other[0].Books[1].Measures[metric.ReadingSeconds]++
	other[2].Reader = 201
	other[2].Books[0].Measures[metric.Returns]++
	a, b := formsOf(t, smallDay()...), formsOf(t, other...)
	for i := 1; i < 15; i++ {
		f := a
		for bit, swap := range []func(){func() { f.Totals = b.Totals }, func() { f.Readers = b.Readers }, func() { f.Titles = b.Titles }, func() { f.Logins = b.Logins }} {
			if i&(1<<bit) != 0 {
				swap()
			}
		}
		if _, err := facts.ParseDay(f); !errors.Is(err, packed.ErrCorrupt) {
			t.Errorf("mixture %04b of two days: %v, want ErrCorrupt", i, err)
		}
	}
}

// TestUnusedTitle has a title in a sheet of readers that nobody read.
func TestUnusedTitle(t *testing.T) {
	forms := formsOf(t, smallDay()...)
	n := len(forms.Readers)
	forms.Readers = append(slices.Clone(forms.Readers[:n-7]), 7, 3, 7, 0xa5, 2, 1, 0, 1)
	if sheet, err := facts.OpenReaderSheet(forms.Readers); err != nil {
		t.Error(err)
	} else if _, err := readWhole(sheet); err != nil {
		t.Error(err)
	}
	if _, err := facts.ParseDay(forms); !errors.Is(err, packed.ErrCorrupt) {
		t.Errorf("a title without a reader: %v, want ErrCorrupt", err)
	}
}

// TestListeningSessions has the sessions that were listened to in the sheet of readers, and in a sheet of titles never.
func TestListeningSessions(t *testing.T) {
	listened := facts.DayDelta{Reader: 3, Presence: libraries.Presence{Events: 1}, Books: []facts.BookDelta{{Book: 7, Read: true}}}
	listened.Books[0].Measures[metric.ListeningSessions] = 2
	forms := formsOf(t, listened)
	totals, err := facts.ParseDayTotals(forms.Totals)
	noError(t, err)
	if n := totals.Sums[metric.ListeningSessions]; n != 2 || !bytes.Equal(forms.Titles, []byte{1, 0}) {
		t.Errorf("%d sessions, titles % x, want 2, and no titles", n, forms.Titles)
	}
	_, err = facts.ParseDay(forms)
	noError(t, err)
	forms.Titles = []byte{1, 1, 7, 0x80, 1 << (metric.ListeningSessions - 7), 2} // title 7, with these sessions alone
	if _, err := facts.ParseDay(forms); !errors.Is(err, packed.ErrCorrupt) {
		t.Errorf("listening sessions of a title: %v, want ErrCorrupt", err)
	}
}

// TestReaderOfNothing has a row in a sheet of readers of which every metric is 0.
func TestReaderOfNothing(t *testing.T) {
	forms := formsOf(t, smallDay()[2])
	totals, err := facts.ParseDayTotals(forms.Totals)
	noError(t, err)
	totals.Readers++
	forms.Totals = totals.AppendBinary(nil)
	rest := forms.Readers[6:] // behind the version, the number, reader 200, and the column of logins
	forms.Readers = append([]byte{1, 2, 3, 0xc8, 1, 1, 1, 1}, rest...)
	if sheet, err := facts.OpenReaderSheet(forms.Readers); err != nil || sheet.Len() != 2 {
		t.Fatalf("%+v, %v, want a sheet of 2", sheet, err)
	}
	if _, err := facts.ParseDay(forms); !errors.Is(err, packed.ErrCorrupt) {
		t.Errorf("a reader of nothing: %v, want ErrCorrupt", err)
	}
}

func FuzzDay(f *testing.F) {
	random := rand.New(rand.NewPCG(5, 6))
	var some []facts.DayDelta
	for reader := range int64(20) {
		some = append(some, someDelta(random, 40*reader))
	}
	onlyTotals := facts.DayDelta{Totals: metric.DayCounts{Lost: 1}}
	for _, deltas := range [][]facts.DayDelta{smallDay(), some, {onlyTotals}, nil} {
		forms := formsOf(f, deltas...)
		f.Add(forms.Totals, forms.Readers, forms.Titles, forms.Logins)
	}
	f.Fuzz(func(t *testing.T, totals, readers, titles, logins []byte) {
		forms := facts.DayForms{Totals: totals, Readers: readers, Titles: titles, Logins: logins}
		d, err := facts.ParseDay(forms)
		if err != nil {
			if !errors.Is(err, packed.ErrCorrupt) {
				t.Errorf("error %v, want ErrCorrupt", err)
			}
			return
		}
		again, left := d.Forms()
		if !sameForms(again, forms) || left != (len(totals) > 0) {
			t.Errorf("written again: %x, want %x", again, forms)
		}
	})
}
