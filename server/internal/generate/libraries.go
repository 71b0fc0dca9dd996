package generate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// LibrariesParams says what libraries feed to write. Users and Days are at least 1; the rest may be zero.
type LibrariesParams struct {
	Users, Days int
	Seed        uint64
	// Titles is the number of titles in the catalogue, by default one for each 50 users, from 200 to 20,000.
	Titles int
	// First is the first day with events, by default libraries.HistoryStart. The last one is First + Days - 1: nothing
	// in the feed is dated after it.
	First calendar.Date
	// Until, if not zero, is the last moment of which the feed tells: it ends there, with fewer days or a part of one.
	Until time.Time
	// BooksCSV is a table of titles, as that of [SchoolsParams]. It limits the number of titles. Without it the titles
	// are old ones, and beyond them invented.
	BooksCSV string
	// Format is ndjson (the default) or csv, Compress gz, zst or nothing.
	Format, Compress string
	// Progress, if not nil, is told how many of the users' days are written.
	Progress func(done, total int64)
}

// LibrariesSummary counts what a libraries feed holds: the rows of each file.
type LibrariesSummary struct {
	Libraries    int64 `json:"libraries"`
	AgeGroups    int64 `json:"ageGroups"`
	Publishers   int64 `json:"publishers"`
	Categories   int64 `json:"categories"`
	Subjects     int64 `json:"subjects"`
	Books        int64 `json:"books"`
	Lines        int64 `json:"lines"`
	Readers      int64 `json:"readers"`
	Channels     int64 `json:"channels"`
	Loans        int64 `json:"loans"`
	Renewals     int64 `json:"renewals"`
	Reservations int64 `json:"reservations"`
	Sessions     int64 `json:"sessions"`
	Previews     int64 `json:"previews"`
	Activity     int64 `json:"activity"`
	Suggestions  int64 `json:"suggestions"`
}

// Libraries writes the feed of one library network into dir, which is created if it is missing. The same parameters give
// the same bytes. Errors are as those of [Schools].
func Libraries(ctx context.Context, dir string, p LibrariesParams) (LibrariesSummary, error) {
	g, err := newLibrariesFeed(dir, p)
	if err != nil {
		return LibrariesSummary{}, err
	}
	if err := g.files.write(func() error { return g.write(ctx) }); err != nil {
		return LibrariesSummary{}, err
	}
	return g.sum, nil
}

// librariesFeed is a libraries feed while it is written. Days are counted from its first, which is 0.
type librariesFeed struct {
	LibrariesParams
	horizon horizon
	files   files
	works   []work
	popular []int32 // works, the most asked for first
	names   vocabulary
	wishes  []wish
	region  int // of the states, the one that most readers live in
	sum     LibrariesSummary
}

// librariesResources are the files of a libraries feed.
var librariesResources = []string{
	"libraries", "ageGroups", "publishers", "categories", "subjects", "books", "lines", "readers", "channels",
	"loans", "renewals", "reservations", "sessions", "previews", "activity", "suggestions",
}

// newLibrariesFeed checks the parameters, reads what they name and draws the catalogue.
func newLibrariesFeed(dir string, p LibrariesParams) (*librariesFeed, error) {
	if p.Users < 1 || p.Days < 1 || p.Titles < 0 {
		return nil, fmt.Errorf("generate: %d users, %d days and %d titles; users and days must be at least 1, titles not below 0", p.Users, p.Days, p.Titles)
	}
	if p.First == 0 {
		p.First = libraries.HistoryStart
	}
	if p.Titles == 0 {
		p.Titles = min(max(p.Users/50, 200), 20_000)
	}
	f, err := parseForm(p.Format, p.Compress)
	if err != nil {
		return nil, err
	}
	var titles []title
	if p.BooksCSV == "" {
		titles = inventTitles(p.Titles, p.Seed)
	} else if titles, err = readTitles(p.BooksCSV); err != nil {
		return nil, err
	}
	end, err := newHorizon(p.First, p.Days, p.Until)
	if err != nil {
		return nil, err
	}
	p.Days = end.days
	g := &librariesFeed{LibrariesParams: p, horizon: end, files: files{dir: dir, form: f, resources: librariesResources}, names: newVocabulary(p.Users)}
	g.works, g.popular = newWorks(titles[:min(p.Titles, len(titles))], p.Seed)
	g.wishes = newWishes(g.works, p.Seed)
	c := newChance(p.Seed, forSchool, 0)
	g.region = c.below(len(states))
	return g, nil
}

// write writes every file; readers come last, since they show when they were last seen.
func (g *librariesFeed) write(ctx context.Context) error {
	for _, v := range []struct {
		resource string
		names    []string
		rows     *int64
	}{
		{"libraries", g.names.libraries, &g.sum.Libraries}, {"ageGroups", ageGroups, &g.sum.AgeGroups},
		{"publishers", g.names.publishers, &g.sum.Publishers}, {"categories", categories, &g.sum.Categories},
		{"subjects", subjects, &g.sum.Subjects},
	} {
		if err := g.register(v.rows, v.resource, []string{"id", "name"}, func(t *table) { terms(t, v.names) }); err != nil {
			return err
		}
	}
	if err := g.register(&g.sum.Books, "books", bookFields, g.catalogue); err != nil {
		return err
	}
	if err := g.register(&g.sum.Lines, "lines", lineFields, g.lines); err != nil {
		return err
	}
	if err := g.register(&g.sum.Channels, "channels", []string{"date", "channel", "sessions", "estimated"}, g.channels); err != nil {
		return err
	}
	diaries, err := g.events(ctx)
	if err != nil {
		return err
	}
	return g.register(&g.sum.Readers, "readers", readerFields, func(t *table) { g.readers(t, diaries) })
}

// register writes a whole file and notes its rows.
func (g *librariesFeed) register(sum *int64, resource string, fields []string, rows func(*table)) (err error) {
	*sum, err = g.files.register(resource, fields, rows)
	return err
}

// events writes the files of what the readers do, all at once, and returns the readers' diaries.
func (g *librariesFeed) events(ctx context.Context) ([]visits, error) {
	w := &visitWriter{feed: g, queue: make([]int32, len(g.works))}
	var tables []**table
	var err error
	for _, f := range []struct {
		table    **table
		resource string
		fields   []string
	}{
		{&w.loans, "loans", []string{"loanId", "userId", "bookId", "borrowedAt", "dueAt", "returnedAt", "status"}},
		{&w.renewals, "renewals", []string{"renewalId", "loanId", "userId", "bookId", "renewedAt"}},
		{&w.reservations, "reservations", []string{"reservationId", "userId", "bookId", "status", "position", "reservedAt", "resolvedAt"}},
		{&w.sessions, "sessions", []string{"sessionId", "userId", "bookId", "startedAt", "seconds", "mode", "format", "progress"}},
		{&w.previews, "previews", []string{"previewId", "userId", "bookId", "viewedAt"}},
		{&w.activity, "activity", []string{"activityId", "userId", "at"}},
		{&w.suggestions, "suggestions", []string{"requestId", "userId", "title", "author", "publisher", "searchTerm", "availability", "requestedAt"}},
	} {
		if *f.table, err = g.files.create(f.resource, f.fields...); err != nil {
			break
		}
		tables = append(tables, f.table)
	}
	var diaries []visits
	if err == nil {
		diaries, err = w.days(ctx)
	}
	for _, t := range tables {
		err = errors.Join(err, (*t).finish())
	}
	if err != nil {
		return nil, err
	}
	g.sum.Loans, g.sum.Renewals, g.sum.Reservations = w.loans.rows, w.renewals.rows, w.reservations.rows
	g.sum.Sessions, g.sum.Previews, g.sum.Activity, g.sum.Suggestions = w.sessions.rows, w.previews.rows, w.activity.rows, w.suggestions.rows
	return diaries, nil
}

// channels writes the sessions by channel: each day has a row of every channel of the web, nearly each one of the app.
func (g *librariesFeed) channels(t *table) {
	for day := range g.Days {
		c := newChance(g.Seed, forChannel, day)
		for _, channel := range []struct {
			name  string
			share int // sessions a day of a thousand readers
		}{{"web-mobile", 40}, {"web-desktop", 25}, {"web-tablet", 4}, {"app", 30}} {
			app := channel.name == "app"
			sessions := (g.Users*channel.share/100*c.between(6, 14) + c.below(100)) / 100
			if app && c.in1000(50) {
				continue
			}
			t.word((g.First + calendar.Date(day)).String())
			t.word(channel.name)
			t.int(sessions)
			t.bool(app)
			t.end()
		}
	}
}
