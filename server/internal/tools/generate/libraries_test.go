package generate_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/intake"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/feed"
	"github.com/lectern-dev/lectern/server/internal/tools/generate"
)

// libraryContent is a libraries feed as it is read: the rows of each file, their values in the order of the fields.
type libraryContent struct {
	terms        map[string][]libraries.Term
	books        []libraries.Book
	lines        []stock.BookLine
	readers      []libraries.Reader
	channels     []libraries.ChannelDay
	loans        []libraries.Loan
	renewals     []renewal
	reservations []libraries.Reservation
	sessions     []session
	previews     []deed
	activity     []deed
	suggestions  []libraries.Request
}

type renewal struct {
	id                 string
	loan, reader, book int64
	at                 time.Time
}
type session struct {
	deed
	seconds  int64
	mode     libraries.Mode
	format   libraries.Format
	progress libraries.Progress
}
type deed struct {
	id           string
	reader, book int64
	at           time.Time
}

// readLibraries reads a feed; a value that the rules of package libraries refuse fails the test.
func readLibraries(t *testing.T, dir string) (c libraryContent) {
	t.Helper()
	folder, err := feed.Open(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	c.terms = map[string][]libraries.Term{}
	for _, v := range libraries.Vocabularies() {
		c.terms[v.String()] = rows(t, folder, v.String(), same[libraries.Term])
	}
	c.books = rows(t, folder, "books", same[libraries.Book])
	c.lines = rows(t, folder, "lines", same[stock.BookLine])
	c.readers = rows(t, folder, "readers", same[libraries.Reader])
	c.channels = rows(t, folder, "channels", same[libraries.ChannelDay])
	c.loans = rows(t, folder, "loans", same[libraries.Loan])
	c.renewals = rows(t, folder, "renewals", func(r intake.RenewalRow) (renewal, error) {
		return renewal{string(r.ID), r.Loan, r.Reader, r.Book, r.Renewed}, nil
	})
	c.reservations = rows(t, folder, "reservations", same[libraries.Reservation])
	c.sessions = rows(t, folder, "sessions", func(r intake.SessionRow) (s session, err error) {
		s.deed, s.seconds = deed{string(r.ID), r.Reader, r.Book, r.Start}, r.Seconds
		s.mode, _ = libraries.ParseMode(string(r.Mode))
		s.format, _ = libraries.ParseFormat(string(r.Format))
		s.progress, err = libraries.ParseProgress(string(r.Progress))
		return s, err
	})
	c.previews = rows(t, folder, "previews", func(r intake.PreviewRow) (deed, error) {
		return deed{string(r.ID), r.Reader, r.Book, r.Viewed}, nil
	})
	c.activity = rows(t, folder, "activity", func(r intake.ActivityRow) (deed, error) {
		return deed{string(r.ID), r.Reader, 0, r.At}, nil
	})
	c.suggestions = rows(t, folder, "suggestions", same[libraries.Request])
	return c
}

// writeLibraries writes a feed into a folder of its own.
func writeLibraries(t testing.TB, p generate.Params) (string, generate.Summary) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "feed")
	sum, err := generate.Libraries(context.Background(), dir, p)
	if err != nil {
		t.Fatal(err)
	}
	return dir, sum
}

func TestLibrariesSameParametersSameBytes(t *testing.T) {
	for _, p := range []generate.Params{
		{Users: 120, Days: 30, Seed: 3},
		{Users: 120, Days: 30, Seed: 3, Format: "csv"},
		{Users: 120, Days: 30, Seed: 3, Compress: "zst"},
	} {
		a, _ := writeLibraries(t, p)
		b, _ := writeLibraries(t, p)
		one := files(t, a)
		if !maps.Equal(one, files(t, b)) {
			t.Errorf("Libraries(%+v) twice wrote different bytes", p)
		}
		p.Seed++
		c, _ := writeLibraries(t, p)
		other := files(t, c)
		for name := range one {
			vocabulary := slices.ContainsFunc(libraries.Vocabularies(), func(v libraries.Vocabulary) bool { return strings.HasPrefix(name, v.String()) })
			if !vocabulary && one[name] == other[name] {
				t.Errorf("%s of seeds %d and %d are the same", name, p.Seed-1, p.Seed)
			}
		}
	}
}

func TestLibrariesFormsHoldTheSameRows(t *testing.T) {
	p := generate.Params{Users: 200, Days: 60, Seed: 5}
	dir, _ := writeLibraries(t, p)
	want := readLibraries(t, dir)
	for _, form := range [][2]string{{"csv", ""}, {"csv", "zst"}, {"ndjson", "zst"}} {
		p.Format, p.Compress = form[0], form[1]
		dir, _ := writeLibraries(t, p)
		if got := readLibraries(t, dir); !reflect.DeepEqual(got, want) {
			t.Errorf("rows of %s %s differ from those of plain ndjson", form[0], form[1])
		}
	}
}

// TestLibrariesShape holds the shares that the package promises, as one feed has them.
func TestLibrariesShape(t *testing.T) {
	const users, days = 10_000, 120
	dir, sum := writeLibraries(t, generate.Params{Users: users, Days: days, Seed: 1})
	c := readLibraries(t, dir)
	present := map[[2]int64]int{}
	come := func(reader int64, at time.Time) { present[[2]int64{reader, int64(calendar.Day(at))}]++ }
	for _, l := range c.loans {
		come(l.Reader, l.Borrowed)
		if l.Status == libraries.LoanReturned {
			come(l.Reader, l.Returned)
		}
	}
	for _, r := range c.renewals {
		come(r.reader, r.at)
	}
	for _, r := range c.reservations {
		come(r.Reader, r.Reserved)
	}
	late, last := 0, calendar.Date(0)
	titles := map[int64]int{}
	for _, s := range c.sessions {
		come(s.reader, s.at)
		titles[s.book]++
		if d := calendar.Day(s.at); d < last {
			late++
		} else {
			last = d
		}
	}
	for _, d := range slices.Concat(c.previews, c.activity) {
		come(d.reader, d.at)
	}
	perReader := map[int64]int{}
	busiest := 0
	for k, events := range present {
		perReader[k[0]]++
		busiest = max(busiest, events)
	}
	uses := slices.SortedFunc(maps.Values(titles), func(a, b int) int { return b - a })
	head := 0
	for _, n := range uses[:len(uses)/10] {
		head += n
	}
	for _, share := range []struct {
		name           string
		got, low, high int
	}{
		// what a million readers do in 120 days, for each hundred of them
		{"days with activity", len(present) * 100 / users, 750, 850},
		{"loans", len(c.loans) * 100 / users, 270, 330},
		{"reservations", len(c.reservations) * 100 / users, 26, 34},
		{"sessions", len(c.sessions) * 100 / users, 820, 980},
		{"activity records", len(c.activity) * 100 / users, 360, 440},
		{"previews", len(c.previews) * 100 / users, 90, 110},
		{"suggestions", len(c.suggestions) * 100 / users, 17, 23},
		{"renewals", len(c.renewals) * 100 / users, 40, 120},
		{"titles", int(sum["books"]), 200, 200},
		{"late sessions, per mille", late * 1000 / len(c.sessions), 5, 30},
		{"readers that never come, per mille", (users - len(perReader)) * 1000 / users, 300, 450},
		{"most events of a reader's day", busiest, 20, 100},
		{"sessions of the tenth of titles that is read most, per mille", head * 1000 / len(c.sessions), 200, 700},
	} {
		if share.got < share.low || share.got > share.high {
			t.Errorf("%s = %d, want %d to %d", share.name, share.got, share.low, share.high)
		}
	}
}

func TestLibrariesEverythingResolves(t *testing.T) {
	for _, p := range []generate.Params{
		{Users: 1, Days: 1}, {Users: 1, Days: 400, Seed: 4, Titles: 1}, {Users: 900, Days: 120, Seed: 2},
		{Users: 400, Days: 40, Seed: 9, Titles: 700, First: calendar.MustParse("2028-02-20")},
	} {
		t.Run(fmt.Sprintf("%d users %d days", p.Users, p.Days), func(t *testing.T) {
			dir, sum := writeLibraries(t, p)
			c := readLibraries(t, dir)
			if want := c.counts(); !maps.Equal(sum, want) {
				t.Errorf("Libraries = %+v, want %+v as read", sum, want)
			}
			if len(c.readers) != p.Users || len(c.books) != cmp.Or(p.Titles, 200) {
				t.Errorf("%d readers and %d books, want %d and %d", len(c.readers), len(c.books), p.Users, cmp.Or(p.Titles, 200))
			}
			first := cmp.Or(p.First, libraries.HistoryStart)
			checkLibraries(t, c, calendar.Period{Start: first, End: first + calendar.Date(p.Days) - 1})
		})
	}
}

// counts returns the numbers of rows.
func (c *libraryContent) counts() generate.Summary {
	n := func(v libraries.Vocabulary) int64 { return int64(len(c.terms[v.String()])) }
	return generate.Summary{
		"libraries": n(libraries.LibraryTerms), "ageGroups": n(libraries.AgeGroupTerms), "publishers": n(libraries.PublisherTerms),
		"categories": n(libraries.CategoryTerms), "subjects": n(libraries.SubjectTerms),
		"books": int64(len(c.books)), "lines": int64(len(c.lines)), "readers": int64(len(c.readers)), "channels": int64(len(c.channels)),
		"loans": int64(len(c.loans)), "renewals": int64(len(c.renewals)), "reservations": int64(len(c.reservations)), "sessions": int64(len(c.sessions)),
		"previews": int64(len(c.previews)), "activity": int64(len(c.activity)), "suggestions": int64(len(c.suggestions)),
	}
}

// once fails where a key comes again.
func once[K comparable](t *testing.T, what string, seen map[K]bool, key K) {
	t.Helper()
	if seen[key] {
		t.Errorf("%s %v stands twice", what, key)
	}
	seen[key] = true
}

// checkLibraries holds a feed to the rules that a load has for it.
func checkLibraries(t *testing.T, c libraryContent, days calendar.Period) {
	t.Helper()
	readers, books := map[int64]libraries.Reader{}, map[int64]libraries.Book{}
	ids := map[string]bool{}
	for v, terms := range c.terms {
		for i, term := range terms {
			if term.ID != int64(i+1) || term.Name == "" {
				t.Errorf("%s %+v is not term %d, or has no name", v, term, i+1)
			}
			once(t, v, ids, v+" "+term.Name)
		}
	}
	within := func(what string, v libraries.Vocabulary, list ...int64) {
		for i, id := range list {
			if id != libraries.None && (id < 1 || id > int64(len(c.terms[v.String()]))) || i > 0 && id <= list[i-1] {
				t.Errorf("%s names %v %v", what, v, list)
			}
		}
	}
	for _, b := range c.books {
		once(t, "book", ids, fmt.Sprint("book ", b.ID))
		books[b.ID] = b
		within("book", libraries.PublisherTerms, b.Publisher)
		within("book", libraries.CategoryTerms, b.Categories...)
		within("book", libraries.SubjectTerms, b.Subjects...)
		if !b.HasEbook && !b.HasAudiobook && !b.HasVideo {
			t.Errorf("book %+v has no format", b)
		}
	}
	for _, l := range c.lines {
		once(t, "line", ids, fmt.Sprint("line ", l.Line.ID))
		if _, ok := books[l.Book]; !ok || l.Line.PurchasedAt > days.End || l.Line.UnitPrice > 0 && l.Line.TotalPrice != l.Line.UnitPrice*stock.Money(*l.Line.Copies) {
			t.Errorf("line %+v is of no book, or bought after the feed, or its prices differ", l)
		}
	}
	for _, r := range c.readers {
		once(t, "reader", ids, fmt.Sprint("reader ", r.ID))
		readers[r.ID] = r
		within("reader", libraries.LibraryTerms, r.Library)
		within("reader", libraries.AgeGroupTerms, r.AgeGroup)
		gone := r.Status.Inactive()
		if gone != (r.DeletedAt != 0) || gone && (r.DeletedAt < r.Registered || r.DeletedAt > days.End) || r.Registered > days.End ||
			calendar.Day(r.Updated) > days.End || calendar.Day(r.Updated) < r.Registered || r.Status == libraries.ReaderDeleted && r.Email != "" {
			t.Errorf("reader %+v contradicts itself", r)
		}
	}
	for _, d := range c.channels {
		once(t, "channel", ids, fmt.Sprint(d.Day, d.Channel))
		if !days.Contains(d.Day) || d.Estimated != (d.Channel == libraries.App) {
			t.Errorf("channel day %+v is out of the feed or wrongly estimated", d)
		}
	}
	event := func(kind string, id any, reader, book int64, at time.Time) {
		t.Helper()
		once(t, kind, ids, fmt.Sprint(kind, " ", id))
		r, ok := readers[reader]
		if _, known := books[book]; !ok || !known && book != 0 {
			t.Errorf("%s %v is of an unknown reader or book: %d, %d", kind, id, reader, book)
		}
		if day := calendar.Day(at); !days.Contains(day) || day < r.Registered || r.Status.Inactive() && day >= r.DeletedAt {
			t.Errorf("%s %v of %v is not while the reader was there: %+v", kind, id, day, r)
		}
	}
	lent := map[int64]libraries.Loan{}
	for _, l := range c.loans {
		event("loan", l.ID, l.Reader, l.Book, l.Borrowed)
		lent[l.ID] = l
		if l.Status.Ended() == l.Returned.IsZero() || l.Status.Ended() && (l.Returned.Before(l.Borrowed) || !days.Contains(calendar.Day(l.Returned))) {
			t.Errorf("loan %+v contradicts itself", l)
		}
		if due := l.Due; due != nil && (*due < l.Day()+14 || l.Status == libraries.LoanActive && *due <= days.End || l.Status == libraries.LoanExpired && *due != calendar.Day(l.Returned)) {
			t.Errorf("loan %+v is due on %v", l, *due)
		}
	}
	for _, r := range c.renewals {
		l, ok := lent[r.loan]
		if !ok {
			t.Errorf("renewal %+v is of no loan", r)
			continue
		}
		if r.reader != l.Reader || r.book != l.Book {
			t.Errorf("renewal %+v is not of the reader and title of loan %+v", r, l)
		}
		event("renewal", r.id, r.reader, r.book, r.at)
		if day := calendar.Day(r.at); day < l.Day() || l.Status.Ended() && day > calendar.Day(l.Returned) {
			t.Errorf("renewal %+v is not within loan %+v", r, l)
		}
	}
	made := map[[3]int64]bool{}
	for _, l := range c.loans {
		made[[3]int64{l.Reader, l.Book, l.Borrowed.Unix()}] = true
	}
	for _, r := range c.reservations {
		event("reservation", r.ID, r.Reader, r.Book, r.Reserved)
		if r.Status.Resolved() == r.Resolved.IsZero() || r.Status.Resolved() && (r.Resolved.Before(r.Reserved) || calendar.Day(r.Resolved) > days.End) ||
			r.Position != libraries.None && (!r.Status.Active() || r.Position < 1) {
			t.Errorf("reservation %+v contradicts itself", r)
		}
		if r.Status == libraries.Converted && !made[[3]int64{r.Reader, r.Book, r.Resolved.Unix()}] {
			t.Errorf("reservation %+v became no loan", r)
		}
	}
	for _, s := range c.sessions {
		event("session", s.id, s.reader, s.book, s.at)
		if b := books[s.book]; s.seconds > 86_400 || s.mode == 0 || s.format == libraries.Ebook && !b.HasEbook || s.format == libraries.Audiobook && !b.HasAudiobook || s.format == 0 {
			t.Errorf("session %+v does not fit %+v", s, b)
		}
	}
	for _, p := range c.previews {
		event("preview", p.id, p.reader, p.book, p.at)
	}
	for _, a := range c.activity {
		event("activity", a.id, a.reader, 0, a.at)
	}
	for _, s := range c.suggestions {
		event("suggestion", s.ID, s.Reader, 0, s.Requested)
		if s.Title == "" && s.SearchTerm == "" || s.Availability == 0 {
			t.Errorf("suggestion %+v says nothing", s)
		}
	}
}

// TestLibrariesHasEveryCase holds that a feed of moderate size shows whatever the rules tell apart.
func TestLibrariesHasEveryCase(t *testing.T) {
	dir, _ := writeLibraries(t, generate.Params{Users: 3000, Days: 120, Seed: 1, Titles: 2000})
	c := readLibraries(t, dir)
	cases := map[string]int{}
	note := func(name string, is bool) {
		if cases[name] += 0; is {
			cases[name]++
		}
	}
	for _, b := range c.books {
		note("book without isbn", b.ISBN == "")
		note("book without author", b.Author == "")
		note("book without publisher", b.Publisher == libraries.None)
		note("book without year", b.Year == libraries.None)
		note("book without maxUses", b.MaxUses == nil)
		note("book with maxUses", b.MaxUses != nil)
		note("book in several categories", len(b.Categories) > 1)
		note("e-book alone", b.HasEbook && !b.HasAudiobook)
		note("audiobook alone", b.HasAudiobook && !b.HasEbook)
		note("both formats", b.HasAudiobook && b.HasEbook)
		note("video alone", b.HasVideo && !b.HasEbook && !b.HasAudiobook)
	}
	for _, l := range c.lines {
		legacy := l.Line.Kind == stock.LegacyLine
		for _, collection := range []stock.Collection{stock.Platform, stock.Additional, stock.External, stock.Manual} {
			note("line of "+collection.String(), l.Line.Collection == collection)
		}
		note("manual purchase", l.Line.Collection == stock.Manual && !legacy)
		note("manual legacy", l.Line.Collection == stock.Manual && legacy)
		note("legacy before the history", legacy && l.Line.PurchasedAt < libraries.HistoryStart)
		note("legacy in the history", legacy && l.Line.PurchasedAt >= libraries.HistoryStart)
		note("legacy without copies", legacy && l.Line.Copies == nil)
		note("legacy that expired before 2026", legacy && l.Line.ExpiresAt != nil && *l.Line.ExpiresAt < calendar.MustParse("2026-01-01"))
		note("legacy that expires later", legacy && l.Line.ExpiresAt != nil && *l.Line.ExpiresAt > calendar.MustParse("2026-01-01"))
		note("purchase before the history", !legacy && l.Line.PurchasedAt < libraries.HistoryStart)
		note("purchase in the history", !legacy && l.Line.PurchasedAt >= libraries.HistoryStart)
	}
	for _, r := range c.readers {
		for _, g := range libraries.Genders() {
			note("gender "+g.String(), r.Gender == g)
		}
		note("reader without library", r.Library == libraries.None)
		note("reader without age group", r.AgeGroup == libraries.None)
		note("reader without city", r.City == "" && r.State != "")
		note("reader without state", r.State == "")
		note("reader with a region", r.RA != "")
		note("reader never confirmed", r.Confirmed.IsZero())
		note("reader never seen", r.LastLogin.IsZero())
		note("registered in the history", r.Registered >= libraries.HistoryStart)
		note("deactivated before the history", r.Status == libraries.ReaderDeactivated && r.DeletedAt < libraries.HistoryStart)
		note("deactivated in the history", r.Status == libraries.ReaderDeactivated && r.DeletedAt >= libraries.HistoryStart)
		note("deleted", r.Status == libraries.ReaderDeleted)
	}
	for _, l := range c.loans {
		note("loan "+l.Status.String(), true)
		note("loan without due date", l.Due == nil)
	}
	for _, r := range c.reservations {
		note("reservation "+r.Status.String(), true)
		note("reservation without position", r.Status.Active() && r.Position == libraries.None)
		note("reservation with position", r.Position > 0)
	}
	for _, s := range c.sessions {
		note("session "+s.mode.String(), true)
		note("session "+s.format.String(), true)
		note("finished", s.progress >= 50_000)
	}
	for _, s := range c.suggestions {
		note("suggestion "+s.Availability.String(), true)
		note("suggestion without title", s.Title == "")
		note("suggestion without search", s.SearchTerm == "")
	}
	for _, name := range []string{
		"loan active", "loan returned", "loan expired", "reservation waiting", "reservation available", "reservation converted",
		"reservation cancelled", "reservation lost", "session online", "session offline", "session ebook", "session audiobook",
		"suggestion catalog", "suggestion marketplace", "suggestion none",
	} {
		note(name, false)
	}
	for name, n := range cases {
		if n == 0 {
			t.Errorf("no case of: %s", name)
		}
	}
}

func TestLibrariesParameters(t *testing.T) {
	for _, tt := range []struct {
		name string
		p    generate.Params
		want string
	}{
		{"no users", generate.Params{Days: 1}, "0 users, 1 days and"},
		{"no days", generate.Params{Users: 1}, "1 users, 0 days and"},
		{"titles below 0", generate.Params{Users: 1, Days: 1, Titles: -1}, "1 users, 1 days and -1 titles"},
		{"format", generate.Params{Users: 1, Days: 1, Format: "xml"}, `no format "xml"`},
		{"compression", generate.Params{Users: 1, Days: 1, Compress: "zip"}, `no compression "zip"`},
	} {
		if _, err := generate.Libraries(context.Background(), t.TempDir(), tt.p); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: Libraries = %v, want %q", tt.name, err, tt.want)
		}
	}
}

func TestLibrariesCancelLeavesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	dir := t.TempDir()
	_, err := generate.Libraries(ctx, dir, generate.Params{Users: 50, Days: 50})
	if got := files(t, dir); !errors.Is(err, context.Canceled) || len(got) > 0 {
		t.Errorf("Libraries = %v and %d files, want context canceled and none", err, len(got))
	}
}

func BenchmarkLibraries(b *testing.B) {
	var n int64
	for b.Loop() {
		s, err := generate.Libraries(context.Background(), b.TempDir(), generate.Params{Users: 50_000, Days: 120, Seed: 1})
		if err != nil {
			b.Fatal(err)
		}
		n += s["readers"] + s["loans"] + s["renewals"] + s["reservations"] + s["sessions"] + s["previews"] + s["activity"] + s["suggestions"]
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "rows/s")
}
