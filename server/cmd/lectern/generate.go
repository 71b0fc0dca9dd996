package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/commandline"
	"github.com/lectern-dev/lectern/server/internal/tools/generate"
)

// generating is what both kinds of feeds are asked for.
type generating struct {
	Folder   string            `arg:"" help:"Where to write the feed; created if it is missing."`
	Users    commandline.Count `default:"1000" help:"Number of users."`
	Seed     commandline.Seed  `default:"1" help:"The same seed and sizes give the same bytes."`
	Books    string            `placeholder:"CSV" help:"Take the books from a CSV file with titles and authors."`
	Compress string            `enum:",gz,zst" default:"" help:"Compress the files: gz or zst."`
	Format   string            `enum:"ndjson,csv" default:"ndjson" help:"ndjson or csv."`
}

type generateSchoolsCmd struct {
	generating
	Days    commandline.Count `default:"30" help:"Number of days."`
	First   calendar.Date     `default:"${history}" placeholder:"DATE" help:"First day (default ${default})."`
	Schools string            `placeholder:"CSV" help:"Take the schools from a CSV file with INEP codes."`
}

type generateLibrariesCmd struct {
	generating
	Days   commandline.Count `default:"120" help:"Number of days."`
	First  calendar.Date     `default:"${librariesHistory}" placeholder:"DATE" help:"First day (default ${default})."`
	Titles commandline.Count `help:"Number of titles (default one for each 50 users, from 200 to 20,000)."`
}

// Run writes the feed and prints what is in it.
func (c *generateSchoolsCmd) Run(s *session) error {
	return c.run(s, generate.Schools, generate.Params{First: c.First, Days: int(c.Days), SchoolsCSV: c.Schools})
}

// Run writes the feed and prints what is in it.
func (c *generateLibrariesCmd) Run(s *session) error {
	return c.run(s, generate.Libraries, generate.Params{First: c.First, Days: int(c.Days), Titles: int(c.Titles)})
}

// Validate refuses sizes that make no feed.
func (c *generateSchoolsCmd) Validate() error { return sizes(c.Users, c.Days) }

// Validate refuses sizes that make no feed.
func (c *generateLibrariesCmd) Validate() error { return sizes(c.Users, c.Days) }

func sizes(users, days commandline.Count) error {
	if users < 1 || days < 1 {
		return errors.New("--users and --days must be at least 1")
	}
	return nil
}

// run writes a feed of days that are over: a load takes nothing that is yet to come (F3). It says so where it leaves days out.
func (c *generating) run(s *session, write func(context.Context, string, generate.Params) (generate.Summary, error), p generate.Params) error {
	yesterday := calendar.Day(s.now()) - 1
	over := int(yesterday-p.First) + 1
	if over < 1 {
		return fmt.Errorf("the first day %v is not over yet; choose an earlier one with --first", p.First)
	}
	if over < p.Days {
		fmt.Fprintf(s.stderr, "lectern: note: the feed ends with yesterday, %v, day %d of %d\n", yesterday, over, p.Days)
		p.Days = over
	}
	bars := s.progress("")
	defer bars.Finish()
	p.Users, p.Seed, p.BooksCSV, p.Compress, p.Format = int(c.Users), uint64(c.Seed), c.Books, c.Compress, c.Format
	p.Progress = func(done, total int64) { bars.Show("generate", done, total) }
	sum, err := write(s.ctx, c.Folder, p)
	if err != nil {
		return err
	}
	return s.print(sum)
}
