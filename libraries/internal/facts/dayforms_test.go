package facts_test

import (
	"bytes"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/reading/packed"
)

// formsOf returns the stored forms of a day with these deltas.
func formsOf(t testing.TB, deltas ...facts.DayDelta) facts.DayForms {
	t.Helper()
	var d facts.Day
	noError(t, d.Add(deltas...))
	return d.Forms()
}

// smallDay returns the deltas of a reader who read two titles, of one whose loan expired, and of one who returned two loans.
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

// someDelta returns a random ordinary day of a reader, with one or two titles that were mostly read.
func someDelta(random *rand.Rand, reader int64) facts.DayDelta {
	d := facts.DayDelta{Day: 20_700, Reader: reader}
	first := random.Int32N(80_000)
	d.Presence = libraries.Presence{Events: 1 + random.Int32N(8), First: first, Last: first + random.Int32N(6_000)}
	book := int64(0)
	for range 1 + random.IntN(2) {
		book += 1 + random.Int64N(7_000)
		b := facts.BookDelta{Book: book, Read: random.IntN(5) > 0}
		if b.Read {
			b.Measures[metric.ReadingSeconds] = random.Int64N(4_000)
			b.Measures[metric.ListeningSessions] = random.Int64N(6) / 5
			b.Measures[metric.ListeningSeconds] = b.Measures[metric.ReadingSeconds] * b.Measures[metric.ListeningSessions]
		}
		for m, each := range map[metric.Metric]int{
			metric.Loans: 6, metric.Returns: 7, metric.Readings10: 10, metric.Readings50: 15, metric.Renewals: 20,
			metric.Reservations: 12,
		} {
			if random.IntN(each) == 0 {
				b.Measures[m] = 1
			}
		}
		d.Books = append(d.Books, b)
	}
	d.Previews = random.Int64N(10) / 8
	return d
}

func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestDayForms compares the stored forms with bytes that were written by hand.
func TestDayForms(t *testing.T) {
	forms := formsOf(t, smallDay()...)
	titles := slices.Concat(
		[]byte{1, 2, 14, 165, 2},                     // version, number, titles: 7, signed, and 293 more
		[]byte{0, 0, 2, 0, 3, 0, 0, 0, 0},            // of each metric its bytes and its rows; returns: 3 of the first
		[]byte{3, 1, 172, 2, 0, 0, 0, 0, 0, 2, 0, 1}, // readingSeconds: 300 of the second; convertedThatDay
	)
	readers := slices.Concat(
		[]byte{1, 3, 6, 1, 196, 1},                             // version, number, readers
		[]byte{4, 0, 2, 1, 2},                                  // logins: two events of the first reader, and of the third
		[]byte{0, 4, 1, 1, 0, 2, 0, 0, 2, 0, 1, 2, 0, 2},       // loans, returns, readings10, readings50, previews, distinctBooks
		[]byte{3, 0, 172, 2, 0, 0, 0, 0, 0, 0},                 // readingSeconds and the rest
		[]byte{2, 14, 165, 2, 2, 0, 1, 0, 1},                   // titles, and two indexes of a byte each
		[]byte{13, 3, 10, 0, 0, 190, 1, 0, 0, 2, 4, 0, 40, 50}, // logins: first second, span; returns: the place 2, signed, 0 more
	)
	if !bytes.Equal(forms.Titles, titles) || !bytes.Equal(forms.Readers, readers) {
		t.Errorf("titles =\n%v, want\n%v; readers =\n%v, want\n%v", forms.Titles, titles, forms.Readers, readers)
	}
}

// TestDayOrder tests that deltas make the same bytes in any order, and whether they are added together or in several parts.
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
		for chunk := range slices.Chunk(deltas, 1+random.IntN(120)) {
			d, err := facts.ParseDay(forms)
			noError(t, err)
			noError(t, d.Add(chunk...))
			forms = d.Forms()
		}
		if !sameForms(forms, want) {
			t.Fatal("the forms of deltas added in chunks differ from those of deltas added together")
		}
	}
}

func sameForms(a, b facts.DayForms) bool {
	return bytes.Equal(a.Readers, b.Readers) && bytes.Equal(a.Titles, b.Titles)
}

// TestDayTakenBack tests that nothing is stored of a day of returns after all of them are taken back.
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
		noError(t, d.Add(back))
	}
	if forms := d.Forms(); len(forms.Readers)+len(forms.Titles) > 0 {
		t.Errorf("forms after all returns are reverted = %x, want none", forms)
	}
}

// TestDayBelowZero tests that taking back what was not counted is an error.
func TestDayBelowZero(t *testing.T) {
	book := func(book int64, m metric.Metric) []facts.BookDelta {
		b := []facts.BookDelta{{Book: book}}
		b[0].Measures[m] = -1
		return b
	}
	// In some cases another title of the reader, or another reader of the title, has the count.
	for name, delta := range map[string]facts.DayDelta{
		"a return of another second":    {Reader: 200, Unreturned: []int32{41}},
		"a return of an unknown reader": {Reader: 9, Unreturned: []int32{40}},
		"a loan":                        {Reader: 200, Books: book(7, metric.Loans)},
		"a return of another title":     {Reader: 200, Books: book(8, metric.Returns)},
		"a return of another reader":    {Reader: 3, Books: book(7, metric.Returns)},
		"a conversion of another title": {Reader: 200, Books: book(8, metric.ConvertedThatDay)},
		"previews":                      {Reader: 3, Previews: -2},
	} {
		d, err := facts.ParseDay(formsOf(t, smallDay()...))
		noError(t, err)
		if err := d.Add(delta); !errors.Is(err, facts.ErrBelowZero) {
			t.Errorf("reverting %s: %v, want ErrBelowZero", name, err)
		}
	}
}

// TestListeningSessions tests that listening sessions count in the totals of a day, and not in its form by title.
func TestListeningSessions(t *testing.T) {
	listened := facts.DayDelta{Reader: 3, Presence: libraries.Presence{Events: 1}, Books: []facts.BookDelta{{Book: 7, Read: true}}}
	listened.Books[0].Measures[metric.ListeningSessions] = 2
	var d facts.Day
	noError(t, d.Add(listened))
	forms := d.Forms()
	if n := d.Totals().Sums[metric.ListeningSessions]; n != 2 || forms.Titles != nil {
		t.Errorf("%d sessions, titles % x, want 2, and no titles", n, forms.Titles)
	}
}

// TestLoginsWithReturns tests that returns are among the first and last events of a login.
func TestLoginsWithReturns(t *testing.T) {
	var day facts.DayOfReaders
	noError(t, packed.Open(formsOf(t, smallDay()...).Readers, &day))
	got := map[int64]libraries.Presence{}
	noError(t, day.VisitLogins(func(place int, p libraries.Presence) { got[day.IDs[place]] = p }))
	want := map[int64]libraries.Presence{3: {Events: 2, First: 10, Last: 200}, 200: {Events: 2, First: 40, Last: 50}}
	if !maps.Equal(got, want) {
		t.Errorf("logins = %v, want %v", got, want)
	}
}

// FuzzDay parses any bytes as a day. They are either corrupt, or make a day that is the same after writing and reading it.
func FuzzDay(f *testing.F) {
	random := rand.New(rand.NewPCG(5, 6))
	var some []facts.DayDelta
	for reader := range int64(20) {
		some = append(some, someDelta(random, 40*reader))
	}
	for _, deltas := range [][]facts.DayDelta{smallDay(), some, nil} {
		forms := formsOf(f, deltas...)
		f.Add(forms.Readers, forms.Titles)
	}
	f.Fuzz(func(t *testing.T, readers, titles []byte) {
		d, err := facts.ParseDay(facts.DayForms{Readers: readers, Titles: titles})
		if err != nil {
			if !errors.Is(err, packed.ErrCorrupt) {
				t.Errorf("error %v, want ErrCorrupt", err)
			}
			return
		}
		forms := d.Forms()
		again, err := facts.ParseDay(forms)
		if err != nil || !sameForms(again.Forms(), forms) {
			t.Errorf("%x is parsed as another day, %v", forms, err)
		}
	})
}
