package generate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// Params says what feed to write. Users and Days are at least 1; the rest may be zero.
type Params struct {
	Users, Days int
	Seed        uint64
	// First is the first day with events, by default that of the domain's history. The last one is First + Days - 1: nothing in the
	// feed is dated after it but what is due.
	First calendar.Date
	// Titles is the number of titles of a library network, by default one for each 50 users, from 200 to 20,000.
	Titles int
	// BooksCSV, if not empty, is a CSV file of titles for the schools: title, author and ISBN below a header.
	BooksCSV string
	// Format is ndjson (the default) or csv, Compress zst or nothing.
	Format, Compress string
}

// Summary counts what a feed holds: the rows of each file by its name, and schools and classes of the schools.
type Summary map[string]int64

// ending is that of the files' names, such as .csv.zst. It checks format and compression.
func (p *Params) ending() (string, error) {
	if !slices.Contains([]string{"", "ndjson", "csv"}, p.Format) {
		return "", fmt.Errorf("generate: no format %q; choose ndjson or csv", p.Format)
	}
	if !slices.Contains([]string{"", "zst"}, p.Compress) {
		return "", fmt.Errorf("generate: no compression %q; choose zst, or none", p.Compress)
	}
	return strings.TrimSuffix("."+cmp.Or(p.Format, "ndjson")+"."+p.Compress, "."), nil
}

// feed is a feed while it is written: a table for each of its files.
type feed struct {
	Params
	tables map[string]*table
}

// writeFeed opens the files of a feed, each with what declares its fields, has fill write their rows, and counts these. On an error
// it removes what it has written.
func writeFeed(dir string, p Params, files map[string]row.Row, fill func(*feed) error) (Summary, error) {
	if p.Users < 1 || p.Days < 1 || p.Titles < 0 {
		return nil, fmt.Errorf("generate: %d users, %d days and %d titles; users and days must be at least 1, titles not below 0", p.Users, p.Days, p.Titles)
	}
	ending, err := p.ending()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("generate: %w; name a folder that can be made or written", err)
	}
	f := &feed{Params: p, tables: map[string]*table{}}
	err = f.open(dir, ending, files)
	if err == nil {
		err = fill(f)
	}
	sum := Summary{}
	for name, t := range f.tables {
		err = errors.Join(err, t.finish())
		sum[name] = t.rows
	}
	if err != nil {
		for _, t := range f.tables {
			err = errors.Join(err, os.Remove(t.file.Name()))
		}
		return nil, err
	}
	return sum, nil
}

// open begins every file. It refuses a folder in which one would become the second of its resource.
func (f *feed) open(dir, ending string, files map[string]row.Row) error {
	there, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("generate: %w", err)
	}
	for _, e := range there {
		resource, _, _ := strings.Cut(e.Name(), ".")
		if files[resource] != nil && e.Name() != resource+ending {
			return fmt.Errorf("generate: %s already holds %s; remove it or name another folder", dir, e.Name())
		}
	}
	for resource, fields := range files {
		t, err := createTable(filepath.Join(dir, resource+ending), f.Params, row.Of(fields))
		if err != nil {
			return fmt.Errorf("generate: %w", err)
		}
		f.tables[resource] = t
	}
	return nil
}

// chance returns the source of the i-th thing of a purpose.
func (f *feed) chance(purpose, i int) *chance {
	c := newChance(f.Seed, purpose, i)
	return &c
}

// end is the last day of which the feed tells.
func (f *feed) end() calendar.Date { return f.First + calendar.Date(f.Days) - 1 }

// days goes through the days of the feed.
func (f *feed) days(ctx context.Context, write func(today calendar.Date)) error {
	for day := range f.Days {
		if err := ctx.Err(); err != nil {
			return err
		}
		write(f.First + calendar.Date(day))
	}
	return nil
}
