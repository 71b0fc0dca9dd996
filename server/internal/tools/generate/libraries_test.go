package generate_test

import (
	"maps"
	"os"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/intake"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/feed"
	"github.com/lectern-dev/lectern/server/internal/tools/generate"
)

// libraryContent has the rows of each file of a libraries feed, with their values in the order of the fields.
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
	previews     []event
	activity     []event
	suggestions  []libraries.Request
}

type renewal struct {
	id                 string
	loan, reader, book int64
	at                 time.Time
}
type session struct {
	event
	seconds  int64
	mode     libraries.Mode
	format   libraries.Format
	progress libraries.Progress
}
type event struct {
	id           string
	reader, book int64
	at           time.Time
}

// readLibraries reads a feed. A value that the rules of package libraries refuse fails the test.
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
		s.event, s.seconds = event{string(r.ID), r.Reader, r.Book, r.Start}, r.Seconds
		s.mode, _ = libraries.ParseMode(string(r.Mode))
		s.format, _ = libraries.ParseFormat(string(r.Format))
		s.progress, err = libraries.ParseProgress(string(r.Progress))
		return s, err
	})
	c.previews = rows(t, folder, "previews", func(r intake.PreviewRow) (event, error) {
		return event{string(r.ID), r.Reader, r.Book, r.Viewed}, nil
	})
	c.activity = rows(t, folder, "activity", func(r intake.ActivityRow) (event, error) {
		return event{string(r.ID), r.Reader, 0, r.At}, nil
	})
	c.suggestions = rows(t, folder, "suggestions", same[libraries.Request])
	return c
}

func TestLibrariesFormsHoldTheSameRows(t *testing.T) {
	p := generate.Params{Users: 200, Days: 60, Seed: 5}
	dir, sum := write(t, generate.Libraries, p)
	want := readLibraries(t, dir)
	if sum["sessions"] != int64(len(want.sessions)) {
		t.Errorf("%d sessions are read, the summary says %d", len(want.sessions), sum["sessions"])
	}
	for _, form := range [][2]string{{"csv", ""}, {"csv", "zst"}, {"ndjson", "zst"}} {
		p.Format, p.Compress = form[0], form[1]
		dir, _ := write(t, generate.Libraries, p)
		if got := readLibraries(t, dir); !reflect.DeepEqual(got, want) {
			t.Errorf("rows of %s %s differ from those of plain ndjson", form[0], form[1])
		}
	}
}

// TestLibrariesShape checks the shares that the package promises, on one feed.
func TestLibrariesShape(t *testing.T) {
	const users, days = 10_000, 120
	dir, sum := write(t, generate.Libraries, generate.Params{Users: users, Days: days, Seed: 1})
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
		// for each hundred readers in 120 days
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
		{"readers who are never active, per mille", (users - len(perReader)) * 1000 / users, 300, 450},
		{"most events of a reader in a day", busiest, 20, 100},
		{"sessions of the most read tenth of titles, per mille", head * 1000 / len(c.sessions), 200, 700},
	} {
		if share.got < share.low || share.got > share.high {
			t.Errorf("%s = %d, want %d to %d", share.name, share.got, share.low, share.high)
		}
	}
}

// TestLibrariesHasEveryCase checks that a feed of moderate size has every case that the rules distinguish.
func TestLibrariesHasEveryCase(t *testing.T) {
	dir, _ := write(t, generate.Libraries, generate.Params{Users: 3000, Days: 120, Seed: 1, Titles: 2000})
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
		note("unconfirmed reader", r.Confirmed.IsZero())
		note("reader who never signed in", r.LastLogin.IsZero())
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
