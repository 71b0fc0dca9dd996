package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/generate"
)

type generateSchoolsCmd struct {
	Folder   string        `arg:"" help:"Where to write the feed; created if it is missing."`
	Users    count         `default:"1000" help:"Number of users."`
	Days     count         `default:"30" help:"Number of days."`
	Seed     seed          `default:"1" help:"The same seed and sizes give the same bytes."`
	First    calendar.Date `default:"${history}" placeholder:"DATE" help:"First day (default ${default})."`
	Until    *moment       `placeholder:"TIME" help:"Last moment of which the feed tells, or a day (default now)."`
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
	until := s.feedEnd(c.Until, c.First, int(c.Days))
	bars := newProgress(s.stderr)
	defer bars.finish()
	sum, err := generate.Schools(s.ctx, c.Folder, generate.SchoolsParams{
		Users: int(c.Users), Days: int(c.Days), Seed: uint64(c.Seed), First: c.First, Until: until, SchoolsCSV: c.Schools, BooksCSV: c.Books,
		Compress: c.Compress, Format: c.Format,
		Progress: func(done, total int64) { bars.show("generate", done, total) },
	})
	if err != nil {
		return err
	}
	return s.print(sum)
}

// feedEnd returns the last moment of which a feed tells, which is now unless another was asked for, and says so where it cuts
// days off: a load takes nothing that is yet to come (F3).
func (s *session) feedEnd(until *moment, first calendar.Date, days int) time.Time {
	end := s.now()
	if until != nil {
		end = until.Time
	}
	if last := calendar.Day(end); last >= first && int(last-first) < days-1 {
		fmt.Fprintf(s.stderr, "lectern: note: the feed ends at %s, within day %d of %d; --until sets another end\n",
			end.In(calendar.Brasilia()).Format(time.RFC3339), last-first+1, days)
	}
	return end
}
