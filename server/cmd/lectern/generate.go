package main

import (
	"errors"

	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/generate"
)

type generateSchoolsCmd struct {
	Folder   string        `arg:"" help:"Where to write the feed; created if it is missing."`
	Users    int           `default:"1000" help:"Number of users."`
	Days     int           `default:"30" help:"Number of days."`
	Seed     uint64        `default:"1" help:"The same seed and sizes give the same bytes."`
	First    calendar.Date `default:"${history}" placeholder:"DATE" help:"First day (default ${default})."`
	Schools  string        `placeholder:"CSV" help:"Take the schools from a CSV file with INEP codes."`
	Books    string        `placeholder:"CSV" help:"Take the books from a CSV file with titles and authors."`
	Compress string        `enum:",gz,zst" default:"" help:"Compress the files: gz or zst."`
	Format   string        `enum:"ndjson,csv" default:"ndjson" help:"ndjson or csv."`
}

// Validate refuses sizes that make no feed.
func (c *generateSchoolsCmd) Validate() error {
	if c.Users < 1 || c.Days < 1 {
		return errors.New("--users and --days must be at least 1")
	}
	return nil
}

// Run writes the feed and prints what is in it.
func (c *generateSchoolsCmd) Run(s *session) error {
	bars := newProgress(s.stderr)
	defer bars.finish()
	sum, err := generate.Schools(s.ctx, c.Folder, generate.SchoolsParams{
		Users: c.Users, Days: c.Days, Seed: c.Seed, First: c.First, SchoolsCSV: c.Schools, BooksCSV: c.Books,
		Compress: c.Compress, Format: c.Format,
		Progress: func(done, total int64) { bars.show("generate", done, total) },
	})
	if err != nil {
		return err
	}
	return s.print(sum)
}
