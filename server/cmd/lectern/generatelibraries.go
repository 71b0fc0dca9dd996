package main

import (
	"errors"

	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/generate"
)

type generateLibrariesCmd struct {
	Folder   string        `arg:"" help:"Where to write the feed; created if it is missing."`
	Users    count         `default:"1000" help:"Number of readers."`
	Days     count         `default:"120" help:"Number of days."`
	Seed     seed          `default:"1" help:"The same seed and sizes give the same bytes."`
	Titles   count         `help:"Number of titles (default one for each 50 readers, from 200 to 20,000)."`
	First    calendar.Date `default:"${librariesHistory}" placeholder:"DATE" help:"First day (default ${default})."`
	Until    *moment       `placeholder:"TIME" help:"Last moment of which the feed tells, or a day (default now)."`
	Books    string        `placeholder:"CSV" help:"Take the titles from a CSV file with titles and authors."`
	Compress string        `enum:",gz,zst" default:"" help:"Compress the files: gz or zst."`
	Format   string        `enum:"ndjson,csv" default:"ndjson" help:"ndjson or csv."`
}

// Validate refuses sizes that make no feed.
func (c *generateLibrariesCmd) Validate() error {
	if c.Users < 1 || c.Days < 1 {
		return errors.New("--users and --days must be at least 1")
	}
	return nil
}

// Run writes the feed and prints what is in it.
func (c *generateLibrariesCmd) Run(s *session) error {
	until := s.feedEnd(c.Until, c.First, int(c.Days))
	bars := newProgress(s.stderr)
	defer bars.finish()
	sum, err := generate.Libraries(s.ctx, c.Folder, generate.LibrariesParams{
		Users: int(c.Users), Days: int(c.Days), Seed: uint64(c.Seed), Titles: int(c.Titles), First: c.First, Until: until, BooksCSV: c.Books,
		Compress: c.Compress, Format: c.Format,
		Progress: func(done, total int64) { bars.show("generate", done, total) },
	})
	if err != nil {
		return err
	}
	return s.print(sum)
}
