package generate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// Params says what feed to write. Users and Days are at least 1; the rest may be zero.
type Params struct {
	Users, Days int
	Seed        uint64
	// First is the first day with events, by default that of the domain's history. The last one is First + Days - 1: only due dates
	// are later.
	First calendar.Date
	// Titles is the number of titles of a library network, by default one for each 50 users, from 200 to 20,000.
	Titles int
	// Books are the titles of the schools, by default some of the public domain.
	Books []Title
	// Format is ndjson (the default) or csv, Compress zst or nothing.
	Format, Compress string
	// Piece, if not 0, is a number of days after which Take is called. Take may read the files. The next days replace
	// them. It is not for libraries, whose readers are written last.
	Piece int
	Take  func() error
}

// Summary has the numbers of rows of each file by its name, and of schools and classes.
type Summary map[string]int64

// feed is a feed that is being written.
type feed struct {
	Params
	tables map[string]*table
}

// writeFeed creates the files of a feed, each with the record that declares its fields, lets fill write their rows, and counts them. On
// an error it removes the files.
func writeFeed(dir string, p Params, files map[string]row.Row, fill func(*feed) error) (Summary, error) {
	switch {
	case p.Users < 1 || p.Days < 1 || p.Titles < 0:
		return nil, fmt.Errorf("generate: %d users, %d days and %d titles; users and days must be at least 1, titles not below 0", p.Users, p.Days, p.Titles)
	case !slices.Contains([]string{"", "ndjson", "csv"}, p.Format):
		return nil, fmt.Errorf("generate: no format %q; choose ndjson or csv", p.Format)
	case !slices.Contains([]string{"", "zst"}, p.Compress):
		return nil, fmt.Errorf("generate: no compression %q; choose zst, or none", p.Compress)
	}
	err := os.MkdirAll(dir, 0o777)
	f, sum := &feed{Params: p, tables: map[string]*table{}}, Summary{}
	for resource, fields := range files {
		if err == nil {
			f.tables[resource], err = newTable(filepath.Join(dir, resource), p, row.Of(fields))
		}
	}
	if err == nil {
		err = fill(f)
	}
	for name, t := range f.tables {
		if t.file != nil {
			err = errors.Join(err, t.finish())
		}
		sum[name] = t.rows
	}
	if err == nil {
		return sum, nil
	}
	for _, t := range f.tables {
		if t.file != nil {
			_ = os.Remove(t.path)
		}
	}
	return nil, fmt.Errorf("generate: %w", err)
}

// chance returns the source of the i-th item of a purpose.
func (f *feed) chance(purpose, i int) *chance {
	c := newChance(f.Seed, purpose, i)
	return &c
}

// end returns the last day of the feed.
func (f *feed) end() calendar.Date { return f.First + calendar.Date(f.Days) - 1 }

func (f *feed) days(ctx context.Context, write func(today calendar.Date)) error {
	for day := range f.Days {
		if err := ctx.Err(); err != nil {
			return err
		}
		if f.Piece > 0 && day > 0 && day%f.Piece == 0 {
			if err := f.piece(); err != nil {
				return err
			}
		}
		write(f.First + calendar.Date(day))
	}
	return nil
}

// piece finishes the files, calls Take, and begins the files again.
func (f *feed) piece() error {
	for _, t := range f.tables {
		if err := t.finish(); err != nil {
			return err
		}
	}
	err := f.Take()
	for _, t := range f.tables {
		err = errors.Join(err, t.open(f.Params))
	}
	return err
}
