package generate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools"
)

// Network is the reference of the network that a schools feed describes.
const Network = "rede-1"

// SchoolsParams says what schools feed to write. Users and Days are at least 1; the rest may be zero.
type SchoolsParams struct {
	Users, Days int
	Seed        uint64
	// First is the first day with reading, by default schools.HistoryStart.
	First calendar.Date
	// Until, if not zero, is the last moment of which the feed tells: it ends there, with fewer days or a part of one. A
	// later Until of the same day adds events and changes none.
	Until time.Time
	// SchoolsCSV is a table of schools with their INEP codes, in the layout of the federal catalogue of schools or of
	// the school census; BooksCSV one of titles, by its columns title, author and isbn13 or isbn. Either may be
	// gzipped. Without them the schools are invented and the books old ones.
	SchoolsCSV, BooksCSV string
	// Format is ndjson (the default) or csv, Compress gz, zst or nothing.
	Format, Compress string
	// Progress, if not nil, is told how many of the users' days are written.
	Progress func(done, total int64)
}

// Summary counts what a feed holds.
type Summary struct {
	Schools     int64 `json:"schools"`
	Classes     int64 `json:"classes"`
	Entities    int64 `json:"entities"`
	Accounts    int64 `json:"accounts"`
	Books       int64 `json:"books"`
	Evaluations int64 `json:"evaluations"`
	Segments    int64 `json:"segments"`
	Accesses    int64 `json:"accesses"`
}

// Schools writes the feed of one network into dir, which is created if it is missing. The network's reference is
// [Network], its schools have about 500 users each, its classes 28 readers; one in 25 users is a teacher, and from ten
// users on one is an administrator and one internal. The same parameters give the same bytes.
//
// It refuses a folder that holds a resource in another form, since a feed has one file of each. On an error, or when
// ctx is done, it removes what it has written.
func Schools(ctx context.Context, dir string, p SchoolsParams) (Summary, error) {
	g, err := newSchoolsFeed(dir, p)
	if err != nil {
		return Summary{}, err
	}
	if err := g.files.write(func() error { return g.write(ctx) }); err != nil {
		return Summary{}, err
	}
	return g.sum, nil
}

// schoolsFeed is a feed while it is written.
type schoolsFeed struct {
	SchoolsParams
	horizon horizon
	files   files
	network network
	books   []book
	sum     Summary
}

// resources are the files of a schools feed.
var resources = []string{"entities", "accounts", "books", "evaluations", "segments", "accesses"}

// newSchoolsFeed checks the parameters and reads what they name.
func newSchoolsFeed(dir string, p SchoolsParams) (*schoolsFeed, error) {
	if p.Users < 1 || p.Days < 1 {
		return nil, fmt.Errorf("generate: %d users and %d days; both must be at least 1", p.Users, p.Days)
	}
	if p.First == 0 {
		p.First = schools.HistoryStart()
	}
	f, err := parseForm(p.Format, p.Compress)
	if err != nil {
		return nil, err
	}
	end, err := newHorizon(p.First, p.Days, p.Until)
	if err != nil {
		return nil, err
	}
	p.Days = end.days
	g := &schoolsFeed{SchoolsParams: p, horizon: end, files: files{dir: dir, form: f, resources: resources}}
	schools := invented(p.Seed)
	if p.SchoolsCSV != "" {
		if schools, err = readSchools(p.SchoolsCSV); err != nil {
			return nil, err
		}
		schools = oneState(schools, p.Seed)
	}
	titles := classics()
	if p.BooksCSV != "" {
		if titles, err = readTitles(p.BooksCSV); err != nil {
			return nil, err
		}
	}
	g.network = newNetwork(schools, p.Users)
	g.books = newBooks(titles, p.Seed)
	return g, nil
}

// write writes every file.
func (g *schoolsFeed) write(ctx context.Context) error {
	registers := []struct {
		write func(*table)
		rows  *int64
		name  string
		field []string
	}{
		{g.entities, &g.sum.Entities, "entities", []string{"referenceId", "entityType", "name", "degree", "inep", "state", "city", "parentReferenceId"}},
		{g.accounts, &g.sum.Accounts, "accounts", []string{"referenceId", "kind", "name", "email", "phone", "entityReferenceId", "active"}},
		{g.catalogue, &g.sum.Books, "books", []string{"bookId", "title", "author", "isbn", "length"}},
		{g.evaluations, &g.sum.Evaluations, "evaluations", []string{"evaluationId", "entityReferenceId", "title", "appliedAt"}},
	}
	for _, r := range registers {
		rows, err := g.files.register(r.name, r.field, r.write)
		if err != nil {
			return err
		}
		*r.rows = rows
	}
	g.sum.Schools, g.sum.Classes = int64(len(g.network.schools)), int64(len(g.network.classes))
	return g.events(ctx)
}

// events writes segments and accesses.
func (g *schoolsFeed) events(ctx context.Context) error {
	segments, err := g.files.create("segments", "segmentId", "account", "bookId", "startedAt", "durationMs", "from", "to", "wpm")
	if err != nil {
		return err
	}
	accesses, err := g.files.create("accesses", "accessId", "account", "at", "kind")
	if err != nil {
		return errors.Join(err, segments.finish())
	}
	err = g.days(ctx, segments, accesses)
	g.sum.Segments, g.sum.Accesses = segments.rows, accesses.rows
	return errors.Join(err, segments.finish(), accesses.finish())
}
