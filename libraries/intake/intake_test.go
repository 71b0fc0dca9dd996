package intake_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/intake"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// newIntake returns the intake of a network with a term 1 in each vocabulary, the books 1 and 2, and the line 1. It has the
// app's sessions of 1 August and the readers 1 and 2. The load begins 5 minutes before lastInstant, the history on 21 July.
func newIntake() *intake.Intake {
	var terms []intake.Term
	for _, v := range libraries.Vocabularies() {
		terms = append(terms, intake.Term{Vocabulary: v, Term: libraries.Term{ID: 1, Name: "Um"}})
	}
	line := stock.BookLine{Book: 1, Line: stock.Line{
		ID: 1, Collection: stock.Manual, Kind: stock.LegacyLine, Number: 7, Modality: new("perpétua"), Copies: new(int64(2)),
		PurchasedAt: calendar.MustParse("2024-01-01"), ExpiresAt: new(calendar.MustParse("2027-01-01")),
	}}
	return intake.NewIntake(intake.Stored{
		Terms: terms,
		Books: []libraries.Book{
			{ID: 1, Title: "Iracema", Publisher: 1, Categories: []int64{1}, HasEbook: true, MaxUses: new(int64(5)), Year: 1865},
			{ID: 2, Title: "Lucíola", Publisher: libraries.None, Year: libraries.None},
		},
		Lines:    []stock.BookLine{line},
		Channels: []libraries.ChannelDay{{Day: calendar.MustParse("2026-08-01"), Channel: libraries.App, Sessions: 9, Estimated: true}},
		Readers:  []int64{1, 2},
	}, lastInstant.Add(-5*time.Minute), calendar.MustParse("2026-07-21"))
}

// faults collects the faults of rows.
type faults []string

func (s *faults) bad(line int, field, reason string) error {
	*s = append(*s, fmt.Sprintf("line %d %s %s", line, field, reason))
	return nil
}

// of returns the counts and the faults as text.
func (s faults) of(c row.Counts) string {
	var words []string
	for _, n := range []struct {
		name  string
		count int
	}{
		{"new", c.New}, {"changed", c.Changed}, {"unchanged", c.Unchanged}, {"superseded", c.Superseded}, {"early", c.BeforeHistory},
	} {
		if n.count > 0 {
			words = append(words, fmt.Sprintf("%s %d", n.name, n.count))
		}
	}
	return strings.Join(append(words, s...), ", ")
}

// lined numbers rows from line 1.
func lined[T any](rows ...T) []row.Lined[T] {
	var list []row.Lined[T]
	for i, r := range rows {
		list = append(list, row.Lined[T]{Line: i + 1, Row: r})
	}
	return list
}

// validated checks each row, then validates the good ones, as a load does.
func validated[T any](s *faults, rows []row.Lined[T], check func(T) (T, error), validate func([]row.Lined[T]) row.Counts) row.Counts {
	bad := 0
	var good []row.Lined[T]
	for _, r := range rows {
		v, err := check(r.Row)
		if wrong, ok := errors.AsType[*row.FaultError](err); ok {
			bad++
			_ = s.bad(r.Line, wrong.Field, wrong.Reason)
			continue
		}
		good = append(good, row.Lined[T]{Line: r.Line, Row: v})
	}
	c := validate(good)
	c.Rows, c.Bad = c.Rows+bad, c.Bad+bad
	return c
}

// terms returns terms with their vocabulary.
func terms(v libraries.Vocabulary, of ...libraries.Term) []intake.Term {
	var list []intake.Term
	for _, t := range of {
		list = append(list, intake.Term{Vocabulary: v, Term: t})
	}
	return list
}

// TestTermRows tests F1 on terms.
func TestTermRows(t *testing.T) {
	tests := []struct {
		name string
		rows []libraries.Term
		want string
	}{
		{"new", []libraries.Term{{ID: 2, Name: "Dois"}}, "new 1"},
		{"same as before", []libraries.Term{{ID: 1, Name: "Um"}}, "unchanged 1"},
		{"renamed", []libraries.Term{{ID: 1, Name: "Uma"}}, "changed 1"},
		{"the later line wins", []libraries.Term{{ID: 1, Name: "Uma"}, {ID: 2, Name: "Dois"}, {ID: 1, Name: "Um"}}, "new 1, unchanged 1, superseded 1"},
	}
	for _, tt := range tests {
		var s faults
		c := newIntake().Terms.Validate(lined(terms(libraries.SubjectTerms, tt.rows...)...))
		if got := s.of(c); got != tt.want || c.Rows != len(tt.rows) {
			t.Errorf("%s: Terms = %q of %d rows, want %q", tt.name, got, c.Rows, tt.want)
		}
	}
}

// TestTermsOfTheFeed tests that rows may refer to a term of the same feed, and that only new and changed terms are written.
func TestTermsOfTheFeed(t *testing.T) {
	in := newIntake()
	var s faults
	in.Terms.Validate(lined(terms(libraries.CategoryTerms, libraries.Term{ID: 1, Name: "Um"}, libraries.Term{ID: 5, Name: "Cinco"})...))
	if got, want := in.Terms.Put, terms(libraries.CategoryTerms, libraries.Term{ID: 5, Name: "Cinco"}); !slices.Equal(got, want) {
		t.Errorf("PutTerms = %v, want %v", got, want)
	}
	book := libraries.Book{ID: 3, Publisher: libraries.None, Categories: []int64{5, 1, 5}, Year: libraries.None}
	if c := validated(&s, lined(book), in.Book, in.Books.Validate); c.New != 1 {
		t.Fatalf("Books = %+v, want one new book; faults %v", c, s)
	}
	if got := in.Books.Put[0].Categories; !slices.Equal(got, []int64{1, 5}) {
		t.Errorf("categories = %v, want them in ascending order without duplicates", got)
	}
}

func TestBookRows(t *testing.T) {
	same := libraries.Book{ID: 1, Title: "Iracema", Publisher: 1, Categories: []int64{1, 1}, HasEbook: true, MaxUses: new(int64(5)), Year: 1865}
	with := func(change func(*libraries.Book)) libraries.Book {
		b := same
		change(&b)
		return b
	}
	tests := []struct {
		name string
		rows []libraries.Book
		want string
	}{
		{"same as before", []libraries.Book{same}, "unchanged 1"},
		{"another maxUses", []libraries.Book{with(func(b *libraries.Book) { b.MaxUses = new(int64(6)) })}, "changed 1"},
		{"no maxUses", []libraries.Book{with(func(b *libraries.Book) { b.MaxUses = nil })}, "changed 1"},
		{"another category", []libraries.Book{with(func(b *libraries.Book) { b.Categories = nil })}, "changed 1"},
		{"another subject", []libraries.Book{with(func(b *libraries.Book) { b.Subjects = []int64{1} })}, "changed 1"},
		{"a video", []libraries.Book{with(func(b *libraries.Book) { b.HasVideo = true })}, "changed 1"},
		{"unknown publisher", []libraries.Book{with(func(b *libraries.Book) { b.Publisher = 2 })}, "line 1 publisherId does not exist"},
		{"unknown category", []libraries.Book{with(func(b *libraries.Book) { b.Categories = []int64{1, 2} })}, "line 1 categoryIds each of the list must exist"},
		{"unknown subject", []libraries.Book{with(func(b *libraries.Book) { b.Subjects = []int64{2} })}, "line 1 subjectIds each of the list must exist"},
		{"a bad line before a good one", []libraries.Book{with(func(b *libraries.Book) { b.Publisher = 2 }), same}, "unchanged 1, line 1 publisherId does not exist"},
		{"a bad line after a good one", []libraries.Book{same, with(func(b *libraries.Book) { b.Publisher = 2 })}, "unchanged 1, line 2 publisherId does not exist"},
	}
	for _, tt := range tests {
		var s faults
		in := newIntake()
		c := validated(&s, lined(tt.rows...), in.Book, in.Books.Validate)
		if got := s.of(c); got != tt.want {
			t.Errorf("%s: Books = %q, want %q", tt.name, got, tt.want)
		}
		if put := c.New + c.Changed; put != len(in.Books.Put) {
			t.Errorf("%s: %d books to write, want %d", tt.name, len(in.Books.Put), put)
		}
	}
}

func TestLineRows(t *testing.T) {
	same := stock.BookLine{Book: 1, Line: stock.Line{
		ID: 1, Collection: stock.Manual, Kind: stock.LegacyLine, Number: 7, Modality: new("perpétua"), Copies: new(int64(2)),
		PurchasedAt: calendar.MustParse("2024-01-01"), ExpiresAt: new(calendar.MustParse("2027-01-01")),
	}}
	tests := []struct {
		name   string
		change func(*stock.BookLine)
		want   string
	}{
		{"same as before", func(*stock.BookLine) {}, "unchanged 1"},
		{"new", func(l *stock.BookLine) { l.Line.ID = 2 }, "new 1"},
		{"moved to another title", func(l *stock.BookLine) { l.Book = 2 }, "changed 1"},
		{"another collection", func(l *stock.BookLine) { l.Line.Collection = stock.External }, "changed 1"},
		{"another kind", func(l *stock.BookLine) { l.Line.Kind = stock.PurchaseLine }, "changed 1"},
		{"a cent", func(l *stock.BookLine) { l.Line.UnitPrice = 1 }, "changed 1"},
		{"another total", func(l *stock.BookLine) { l.Line.TotalPrice = 1250 }, "changed 1"},
		{"no copies", func(l *stock.BookLine) { l.Line.Copies = nil }, "changed 1"},
		{"no modality", func(l *stock.BookLine) { l.Line.Modality = nil }, "changed 1"},
		{"no expiry", func(l *stock.BookLine) { l.Line.ExpiresAt = nil }, "changed 1"},
		{"unknown title", func(l *stock.BookLine) { l.Book = 3 }, "line 1 bookId does not exist"},
	}
	for _, tt := range tests {
		line := same
		tt.change(&line)
		var s faults
		in := newIntake()
		c := validated(&s, lined(line), in.Line, in.Lines.Validate)
		if got := s.of(c); got != tt.want {
			t.Errorf("%s: Lines = %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestChannelRows tests that date and channel are the key of a row, and that the intake marks estimates itself (L13).
func TestChannelRows(t *testing.T) {
	first, second := calendar.MustParse("2026-08-01"), calendar.MustParse("2026-08-02")
	tests := []struct {
		name string
		rows []libraries.ChannelDay
		want string
	}{
		{"same as before", []libraries.ChannelDay{{Day: first, Channel: libraries.App, Sessions: 9}}, "unchanged 1"},
		{"other sessions", []libraries.ChannelDay{{Day: first, Channel: libraries.App, Sessions: 8}}, "changed 1"},
		{"another day and another channel", []libraries.ChannelDay{{Day: second, Channel: libraries.App, Sessions: 9}, {Day: first, Channel: libraries.WebTablet, Sessions: 9}}, "new 2"},
		{"one key twice", []libraries.ChannelDay{{Day: second, Channel: libraries.App, Sessions: 9}, {Day: second, Channel: libraries.App, Sessions: 0}}, "new 1, superseded 1"},
	}
	for _, tt := range tests {
		var s faults
		in := newIntake()
		c := validated(&s, lined(tt.rows...), in.Channel, in.Channels.Validate)
		if got := s.of(c); got != tt.want {
			t.Errorf("%s: Channels = %q, want %q", tt.name, got, tt.want)
		}
		for _, d := range in.Channels.Put {
			if d.Estimated != (d.Channel == libraries.App) {
				t.Errorf("%s: Estimated of channel %v = %t", tt.name, d.Channel, d.Estimated)
			}
		}
	}
}

// TestRejectedStops tests that Reconcile stops with the error that is returned for a bad row.
func TestRejectedStops(t *testing.T) {
	stop := errors.New("stop")
	_, _, err := reconcile(t, intake.NewLoanSorter, []libraries.Loan{active()}, []libraries.Loan{active(ofAnother)}, func(int, string, string) error { return stop })
	if !errors.Is(err, stop) {
		t.Errorf("Reconcile = %v, want the error that bad returned", err)
	}
}

func TestReaderRows(t *testing.T) {
	tests := []struct {
		name   string
		change func(*libraries.Reader)
		want   string // the fault, if any
	}{
		{"valid", func(*libraries.Reader) {}, ""},
		{"unknown library", func(r *libraries.Reader) { r.Library = 2 }, "libraryId does not exist"},
		{"unknown age group", func(r *libraries.Reader) { r.AgeGroup = 2 }, "ageGroupId does not exist"},
		{"no library, no age group", func(r *libraries.Reader) { r.Library, r.AgeGroup = libraries.None, libraries.None }, ""},
		{"updated five minutes after the load began", func(r *libraries.Reader) { r.Updated = lastInstant }, ""},
		{"updated later", func(r *libraries.Reader) { r.Updated = afterLast }, "updatedAt must not be more than 5 minutes after the load began"},
		{"a login later", func(r *libraries.Reader) { r.LastLogin = afterLast }, ""},
	}
	for _, tt := range tests {
		row := libraries.Reader{ID: 1, Library: 1, AgeGroup: 1, Status: libraries.ReaderActive}
		tt.change(&row)
		_, err := newIntake().Reader(row)
		if got := reasonOf(err); got != tt.want {
			t.Errorf("%s: Reader = %q, want %q", tt.name, got, tt.want)
		}
	}
}

// reasonOf returns the text of an error, or an empty text for nil.
func reasonOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestReaderMade tests that Reader erases the e-mail of a deleted reader (L18), and keeps that of a deactivated one.
func TestReaderMade(t *testing.T) {
	for status, email := range map[libraries.ReaderStatus]string{libraries.ReaderActive: "a@b", libraries.ReaderDeactivated: "a@b", libraries.ReaderDeleted: ""} {
		row := libraries.Reader{ID: 1, Email: "a@b", Library: libraries.None, AgeGroup: libraries.None, Status: status}
		if r, err := newIntake().Reader(row); err != nil || r.Email != email {
			t.Errorf("%s: Reader = %+v, %v, want the e-mail %q", status, r, err, email)
		}
	}
}

// TestReadersRefer tests that rows may refer only to stored or added readers, also if unknown ones have neighbouring numbers.
func TestReadersRefer(t *testing.T) {
	in := intake.NewIntake(intake.Stored{Readers: []int64{0, 63, 1 << 52}}, lastInstant, libraries.HistoryStart)
	in.AddReader(64)
	in.AddReader(9007199254740991)
	for id, want := range map[int64]bool{
		0: true, 1: false, 62: false, 63: true, 64: true, 65: false, 127: false, 1 << 52: true, 1<<52 + 1: false, 9007199254740991: true, 9007199254740990: false,
	} {
		_, err := in.Activity(intake.ActivityRow{ID: []byte("a"), Reader: id, At: libraries.HistoryStart.Start()})
		if (err == nil) != want {
			t.Errorf("Activity of reader %d: %v, want success: %t", id, err, want)
		}
	}
}
