package libraries_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// newIntake is a network with a term 1 in each vocabulary, the books 1 and 2, the line 1, the app's sessions of 1 August,
// and the readers 1 and 2. The load begins five minutes before lastInstant, the history on 21 July.
func newIntake() *libraries.Intake {
	terms := map[libraries.Vocabulary][]libraries.Term{}
	for _, v := range libraries.Vocabularies() {
		terms[v] = []libraries.Term{{ID: 1, Name: "Um"}}
	}
	line := libraries.BookLine{Book: 1, Line: libraries.Line{
		ID: 1, Collection: libraries.Manual, Kind: libraries.LegacyLine, Number: 7, Modality: new("perpétua"), Copies: new(int64(2)),
		PurchasedAt: calendar.MustParse("2024-01-01"), ExpiresAt: new(calendar.MustParse("2027-01-01")),
	}}
	return libraries.NewIntake(libraries.State{
		Terms: terms,
		Books: []libraries.Book{
			{ID: 1, Title: "Iracema", Publisher: 1, Categories: []int64{1}, HasEbook: true, MaxUses: new(int64(5)), Year: 1865},
			{ID: 2, Title: "Lucíola", Publisher: libraries.None, Year: libraries.None},
		},
		Lines:    []libraries.BookLine{line},
		Channels: []libraries.ChannelDay{{Day: calendar.MustParse("2026-08-01"), Channel: libraries.App, Sessions: 9, Estimated: true}},
		Readers:  []int64{1, 2},
	}, lastInstant.Add(-5*time.Minute), calendar.MustParse("2026-07-21"))
}

// said gathers what is wrong with rows.
type said []string

func (s *said) bad(line int, field, reason string) error {
	*s = append(*s, fmt.Sprintf("line %d %s %s", line, field, reason))
	return nil
}

// of returns what became of rows in words.
func (s said) of(c libraries.Counts) string {
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
func lined[T any](rows ...T) []libraries.Lined[T] {
	var list []libraries.Lined[T]
	for i, row := range rows {
		list = append(list, libraries.Lined[T]{Line: i + 1, Row: row})
	}
	return list
}

// TestTermRows is F1 for the vocabularies.
func TestTermRows(t *testing.T) {
	tests := []struct {
		name string
		rows []libraries.Term
		want string
	}{
		{"new", []libraries.Term{{ID: 2, Name: "Dois"}}, "new 1"},
		{"same as before", []libraries.Term{{ID: 1, Name: "Um"}}, "unchanged 1"},
		{"renamed", []libraries.Term{{ID: 1, Name: "Uma"}}, "changed 1"},
		{"the later line stands", []libraries.Term{{ID: 1, Name: "Uma"}, {ID: 2, Name: "Dois"}, {ID: 1, Name: "Um"}}, "new 1, unchanged 1, superseded 1"},
	}
	for _, tt := range tests {
		var s said
		c, err := newIntake().Terms(libraries.SubjectTerms, lined(tt.rows...), s.bad)
		if got := s.of(c); err != nil || got != tt.want || c.Rows != len(tt.rows) {
			t.Errorf("%s: Terms = %q of %d rows, %v, want %q", tt.name, got, c.Rows, err, tt.want)
		}
	}
}

// TestTermsOfTheFeed lets rows refer to a term that the feed itself brings, and writes what is new or changed alone.
func TestTermsOfTheFeed(t *testing.T) {
	in := newIntake()
	var s said
	if _, err := in.Terms(libraries.CategoryTerms, lined(libraries.Term{ID: 1, Name: "Um"}, libraries.Term{ID: 5, Name: "Cinco"}), s.bad); err != nil {
		t.Fatal(err)
	}
	if got, want := in.PutTerms[libraries.CategoryTerms], []libraries.Term{{ID: 5, Name: "Cinco"}}; !slices.Equal(got, want) {
		t.Errorf("PutTerms = %v, want %v", got, want)
	}
	book := libraries.Book{ID: 3, Publisher: libraries.None, Categories: []int64{5, 1, 5}, Year: libraries.None}
	if c, err := in.Books(lined(book), s.bad); err != nil || c.New != 1 {
		t.Fatalf("Books = %+v, %v, want a new one; %v", c, err, s)
	}
	if got := in.PutBooks[0].Categories; !slices.Equal(got, []int64{1, 5}) {
		t.Errorf("categories = %v, want them ascending, each once", got)
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
		var s said
		in := newIntake()
		c, err := in.Books(lined(tt.rows...), s.bad)
		if got := s.of(c); err != nil || got != tt.want {
			t.Errorf("%s: Books = %q, %v, want %q", tt.name, got, err, tt.want)
		}
		if put := c.New + c.Changed; put != len(in.PutBooks) {
			t.Errorf("%s: %d books are to be written, want %d", tt.name, len(in.PutBooks), put)
		}
	}
}

func TestLineRows(t *testing.T) {
	same := libraries.LineRow{
		ID: 1, Book: 1, Collection: "manual", Kind: "legacy", Number: 7, Modality: new("perpétua"), Copies: new(int64(2)), UnitPrice: "0.004",
		PurchasedAt: calendar.MustParse("2024-01-01"), ExpiresAt: new(calendar.MustParse("2027-01-01")),
	}
	tests := []struct {
		name   string
		change func(*libraries.LineRow)
		want   string
	}{
		{"same as before", func(*libraries.LineRow) {}, "unchanged 1"},
		{"new", func(l *libraries.LineRow) { l.ID = 2 }, "new 1"},
		{"moved to another title", func(l *libraries.LineRow) { l.Book = 2 }, "changed 1"},
		{"another collection", func(l *libraries.LineRow) { l.Collection = "external" }, "changed 1"},
		{"another kind", func(l *libraries.LineRow) { l.Kind = "purchase" }, "changed 1"},
		{"half a cent", func(l *libraries.LineRow) { l.UnitPrice = "0.005" }, "changed 1"},
		{"another total", func(l *libraries.LineRow) { l.TotalPrice = "12.5" }, "changed 1"},
		{"no copies", func(l *libraries.LineRow) { l.Copies = nil }, "changed 1"},
		{"no modality", func(l *libraries.LineRow) { l.Modality = nil }, "changed 1"},
		{"it does not expire", func(l *libraries.LineRow) { l.ExpiresAt = nil }, "changed 1"},
		{"unknown title", func(l *libraries.LineRow) { l.Book = 3 }, "line 1 bookId does not exist"},
		{"unknown collection", func(l *libraries.LineRow) { l.Collection = "all" }, "line 1 collection must be one of platform, additional, external, manual"},
		{"unknown kind", func(l *libraries.LineRow) { l.Kind = "Legacy" }, "line 1 kind must be one of purchase, legacy"},
		{"a negative unit price", func(l *libraries.LineRow) { l.UnitPrice = "-1" }, "line 1 unitPrice must be an amount of money from 0 to 90071992547409.91"},
		{"a negative total price", func(l *libraries.LineRow) { l.TotalPrice = "-0.01" }, "line 1 totalPrice must be an amount of money from 0 to 90071992547409.91"},
	}
	for _, tt := range tests {
		row := same
		tt.change(&row)
		var s said
		c, err := newIntake().Lines(lined(row), s.bad)
		if got := s.of(c); err != nil || got != tt.want {
			t.Errorf("%s: Lines = %q, %v, want %q", tt.name, got, err, tt.want)
		}
	}
}

// TestChannelRows has date and channel as the key, and says itself what is estimated (L13).
func TestChannelRows(t *testing.T) {
	first, second := calendar.MustParse("2026-08-01"), calendar.MustParse("2026-08-02")
	tests := []struct {
		name string
		rows []libraries.ChannelRow
		want string
	}{
		{"same as before", []libraries.ChannelRow{{Day: first, Channel: "app", Sessions: 9}}, "unchanged 1"},
		{"other sessions", []libraries.ChannelRow{{Day: first, Channel: "app", Sessions: 8}}, "changed 1"},
		{"another day and another channel", []libraries.ChannelRow{{Day: second, Channel: "app", Sessions: 9}, {Day: first, Channel: "web-tablet", Sessions: 9}}, "new 2"},
		{"one key twice", []libraries.ChannelRow{{Day: second, Channel: "app", Sessions: 9}, {Day: second, Channel: "app", Sessions: 0}}, "new 1, superseded 1"},
		{"unknown channel", []libraries.ChannelRow{{Day: first, Channel: "web", Sessions: 9}}, "line 1 channel must be one of web-mobile, web-desktop, web-tablet, app"},
	}
	for _, tt := range tests {
		var s said
		in := newIntake()
		c, err := in.Channels(lined(tt.rows...), s.bad)
		if got := s.of(c); err != nil || got != tt.want {
			t.Errorf("%s: Channels = %q, %v, want %q", tt.name, got, err, tt.want)
		}
		for _, d := range in.PutChannels {
			if d.Estimated != (d.Channel == libraries.App) {
				t.Errorf("%s: %v is estimated: %t", tt.name, d.Channel, d.Estimated)
			}
		}
	}
}

// TestRejectedStops ends the settling with the error that a bad row is answered with.
func TestRejectedStops(t *testing.T) {
	stop := errors.New("stop")
	_, err := newIntake().Channels(lined(libraries.ChannelRow{Channel: "x"}), func(int, string, string) error { return stop })
	if !errors.Is(err, stop) {
		t.Errorf("Channels = %v, want the error of bad", err)
	}
}

func TestReaderRows(t *testing.T) {
	day := new(calendar.MustParse("2026-08-01"))
	tests := []struct {
		name   string
		change func(*libraries.ReaderRow)
		want   string // what is wrong
	}{
		{"as it is", func(*libraries.ReaderRow) {}, ""},
		{"a gender in capitals, without accents", func(r *libraries.ReaderRow) { r.Gender = "NAO  BINARIO" }, "gender must be one of Não informado, Feminino, Masculino, Não-binário, Outro"},
		{"a gender that folds", func(r *libraries.ReaderRow) { r.Gender = "NAO-BINARIO" }, ""},
		{"no such gender", func(r *libraries.ReaderRow) { r.Gender = "F" }, "gender must be one of Não informado, Feminino, Masculino, Não-binário, Outro"},
		{"unknown library", func(r *libraries.ReaderRow) { r.Reader.Library = 2 }, "libraryId does not exist"},
		{"unknown age group", func(r *libraries.ReaderRow) { r.Reader.AgeGroup = 2 }, "ageGroupId does not exist"},
		{"no library, no age group", func(r *libraries.ReaderRow) { r.Reader.Library, r.Reader.AgeGroup = libraries.None, libraries.None }, ""},
		{"unknown status", func(r *libraries.ReaderRow) { r.Status = "Active" }, "status must be one of active, deactivated, deleted"},
		{"deactivated", func(r *libraries.ReaderRow) { r.Status, r.DeletedAt = "deactivated", day }, ""},
		{"deleted without deletedAt", func(r *libraries.ReaderRow) { r.Status = "deleted" }, "deletedAt is required unless the reader is active"},
		{"deactivated without deletedAt", func(r *libraries.ReaderRow) { r.Status = "deactivated" }, "deletedAt is required unless the reader is active"},
		{"active with deletedAt", func(r *libraries.ReaderRow) { r.DeletedAt = day }, "deletedAt must be empty while the reader is active"},
		{"updated five minutes after the load began", func(r *libraries.ReaderRow) { r.Reader.Updated = lastInstant }, ""},
		{"updated later", func(r *libraries.ReaderRow) { r.Reader.Updated = afterLast }, "updatedAt must not be more than 5 minutes after the load began"},
		{"a login later", func(r *libraries.ReaderRow) { r.Reader.LastLogin = afterLast }, ""},
	}
	for _, tt := range tests {
		row := libraries.ReaderRow{Reader: libraries.Reader{ID: 1, Library: 1, AgeGroup: 1}, Status: "active"}
		tt.change(&row)
		_, err := newIntake().Reader(row)
		if got := reasonOf(err); got != tt.want {
			t.Errorf("%s: Reader = %q, want %q", tt.name, got, tt.want)
		}
	}
}

// reasonOf returns what an error says of a row, or nothing.
func reasonOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestReaderMade completes a reader: the e-mail of a deleted one is erased (L18), and of a deactivated one kept; instants
// are whole microseconds; a null gender is a canonical one.
func TestReaderMade(t *testing.T) {
	at := time.Date(2026, 8, 1, 0, 0, 0, 1999, time.FixedZone("", -3*3600))
	day := calendar.MustParse("2026-08-01")
	for status, email := range map[string]string{"active": "a@b", "deactivated": "a@b", "deleted": ""} {
		row := libraries.ReaderRow{
			Reader: libraries.Reader{ID: 1, Email: "a@b", Library: libraries.None, AgeGroup: libraries.None, Updated: at, Confirmed: at}, Status: status,
		}
		if status != "active" {
			row.DeletedAt = &day
		}
		r, err := newIntake().Reader(row)
		if err != nil || r.Email != email || r.Gender != libraries.NotInformed || r.Status.String() != status {
			t.Errorf("%s: Reader = %+v, %v, want the e-mail %q", status, r, err, email)
		}
		if r.Status.Gone() && r.DeletedAt != day {
			t.Errorf("%s: deletedAt = %v, want %v", status, r.DeletedAt, day)
		}
		if want := time.Date(2026, 8, 1, 3, 0, 0, 1000, time.UTC); r.Updated != want || r.Confirmed != want || !r.LastLogin.IsZero() {
			t.Errorf("%s: instants = %v, %v, %v, want %v and no last login", status, r.Updated, r.Confirmed, r.LastLogin, want)
		}
	}
}
