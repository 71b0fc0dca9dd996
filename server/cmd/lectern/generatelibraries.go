package main

import (
	"errors"

	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/generate"
)

type generateLibrariesCmd struct {
	Folder   string        `arg:"" help:"Where to write the feed; created if it is missing."`
	Users    int           `default:"1000" help:"Number of readers."`
	Days     int           `default:"120" help:"Number of days."`
	Seed     uint64        `default:"1" help:"The same seed and sizes give the same bytes."`
	Titles   int           `help:"Number of titles (default one for each 50 readers, from 200 to 20,000)."`
	First    calendar.Date `default:"${librariesHistory}" placeholder:"DATE" help:"First day (default ${default})."`
	Books    string        `placeholder:"CSV" help:"Take the titles from a CSV file with titles and authors."`
	Compress string        `enum:",gz,zst" default:"" help:"Compress the files: gz or zst."`
	Format   string        `enum:"ndjson,csv" default:"ndjson" help:"ndjson or csv."`
}

// Validate refuses sizes that make no feed.
func (c *generateLibrariesCmd) Validate() error {
	if c.Users < 1 || c.Days < 1 || c.Titles < 0 {
		return errors.New("--users and --days must be at least 1, --titles not below 0")
	}
	return nil
}

// Run writes the feed and prints what is in it.
func (c *generateLibrariesCmd) Run(s *session) error {
	bars := newProgress(s.stderr)
	defer bars.finish()
	sum, err := generate.Libraries(s.ctx, c.Folder, generate.LibrariesParams{
		Users: c.Users, Days: c.Days, Seed: c.Seed, Titles: c.Titles, First: c.First, BooksCSV: c.Books,
		Compress: c.Compress, Format: c.Format,
		Progress: func(done, total int64) { bars.show("generate", done, total) },
	})
	if err != nil {
		return err
	}
	return s.print(sum)
}
