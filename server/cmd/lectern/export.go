package main

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/schools/schoolsdb"
	"github.com/lectern-dev/lectern/server/internal/export"
)

// exporting are the flags and arguments of all exports.
type exporting struct {
	Folder string `arg:"" help:"Where to write the files: a new folder, or an empty one."`
	Format string `enum:"csv,ndjson" default:"csv" help:"csv or ndjson (default ${default})."`
}

func (c *exporting) options(p *progress) export.Options {
	return export.Options{Format: export.Format(c.Format), Progress: p.show}
}

type exportSchoolsCmd struct {
	exporting
	Partner string `required:"" placeholder:"REF" help:"The partner's reference_id."`
	Network string `placeholder:"REF" help:"Only the users of one network (default: all students and teachers of the partner)."`
}

// Help names the files.
func (c *exportSchoolsCmd) Help() string {
	return `Writes everything that the schools API is computed from as plain rows, of one state of the data, while it is served:

  users        as the API has them, and their referenceId
  books        bookId, title, author, isbn, length
  engagements  date, userId, readingMinutes: a row for each day of access
  readings     for each user, book and day: minutes, milliseconds, first
               and last time, and the intervals read (0-120;300-450, each
               up to but without its end, in the unit of the length)

  lectern export schools --partner acme out
  lectern export schools --partner acme --network rede-1 --format ndjson out`
}

// Run exports a partner and prints the number of rows of each file.
func (c *exportSchoolsCmd) Run(s *session) error {
	db, p, err := s.openPartner(s.openCurrent, c.Partner)
	if err != nil {
		return err
	}
	defer db.Close()
	of := export.SchoolsOf{Store: &schoolsdb.Store{DB: db.DB, Now: s.clock}, Partner: p.ID}
	if c.Network != "" {
		if of.Network, err = findNetwork(s.ctx, db, p, c.Network); err != nil {
			return err
		}
	}
	return c.run(s, func(o export.Options) (export.Summary, error) { return export.Schools(s.ctx, of, c.Folder, o) })
}

type exportLibrariesCmd struct {
	exporting
	Library string `required:"" placeholder:"SLUG" help:"The library network's slug."`
}

// Help names the files.
func (c *exportLibrariesCmd) Help() string {
	return `Writes everything that the libraries API is computed from as plain rows, of one state of the data, while it is served:

  registers    libraries, ageGroups, publishers, categories, subjects,
               books, lines, readers, loans, reservations, channels and
               suggestions, with the fields of a feed
  engagements  date, userId, the metrics of the day, and the titles read
  logins       userId, date, first and last time, events
  titles       date, bookId, the metrics of the title on the day
  days         date, the sums of the day
  shelves      userId, bookId, sessions, seconds, progress, the days on
               which it reached 10 and 50, the days of the loans

  lectern export libraries --library rede out
  lectern export libraries --library rede --format ndjson out`
}

// Run exports a library network and prints the number of rows of each file.
func (c *exportLibrariesCmd) Run(s *session) error {
	db, err := s.openCurrent()
	if err != nil {
		return err
	}
	defer db.Close()
	n, err := s.library(db, c.Library)
	if err != nil {
		return err
	}
	store := &librariesdb.Store{DB: db.DB, Now: s.clock}
	return c.run(s, func(o export.Options) (export.Summary, error) {
		return export.Libraries(s.ctx, store, n.ID, c.Folder, o)
	})
}

// exported is what an export prints.
type exported struct {
	Rows    rowCounts `json:"rows"` // by file
	Version string    `json:"version"`
	Seconds float64   `json:"seconds"`
}

func (c *exporting) run(s *session, write func(export.Options) (export.Summary, error)) error {
	bars := newProgress(s.stderr)
	defer bars.finish()
	start := time.Now()
	sum, err := write(c.options(bars))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w; create the folder above it, or name another one", err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w; name a folder that can be written", err)
	case err != nil:
		return err
	}
	out := exported{Version: fmt.Sprintf("%d.%d", sum.Versions.Registers, sum.Versions.Facts), Seconds: float64(time.Since(start).Milliseconds()) / 1000}
	for _, f := range sum.Files {
		out.Rows = append(out.Rows, rowCount{f.Name, f.Rows})
	}
	return s.print(out)
}
