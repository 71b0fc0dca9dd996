// Package demofeed has the feeds of the demo, small enough to be loaded in a moment: a network of three schools with classes of all
// stages and a year of reading, and a library network with titles of every band of consumption, queues and lines that end soon. All
// of it is invented but the titles of the schools, which sources/README.md tells of.
package demofeed

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/lectern-dev/lectern/reading/calendar"
)

// The feeds were generated and then edited. They end with the same day, a Sunday.
//
//go:embed schools libraries
var feeds embed.FS

// Credit names the source of the demo's titles, as their licence asks.
const Credit = `Titles of the schools: "Library Carpentry: R", (c) The Carpentries, CC BY 4.0, an excerpt. All else is invented.`

// end is the last day of the feeds.
var end = calendar.MustParse("2026-08-23")

// Unpack writes the feed of an API, schools or libraries, into dir with all its days shifted. The feed of the schools ends now, in
// the middle of a day, and that of the libraries ends yesterday. The shift keeps the days of the week for the schools, which read
// less at weekends, and drops most rows that fall on holidays.
func Unpack(api, dir string, now time.Time) error {
	today := calendar.Day(now)
	unpack, err := zstd.NewReader(nil)
	if err != nil {
		return err
	}
	defer unpack.Close()
	files, err := fs.ReadDir(feeds, api)
	if err != nil {
		return err
	}
	for _, f := range files {
		packed, err := feeds.ReadFile(path.Join(api, f.Name()))
		if err != nil {
			return err
		}
		rows, err := unpack.DecodeAll(packed, nil)
		if err != nil {
			return fmt.Errorf("demo feed %s: %w", f.Name(), err)
		}
		if api == "schools" {
			rows = ofYear(shift(rows, (today-end+6)/7*7), now)
		} else {
			rows = shift(rows, today-1-end)
		}
		if err := os.WriteFile(filepath.Join(dir, strings.TrimSuffix(f.Name(), ".zst")), rows, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// dates matches the days in a feed, also those in a time.
var dates = regexp.MustCompile(`\b\d{4}-\d\d-\d\d`)

// shift moves all days.
func shift(rows []byte, by calendar.Date) []byte {
	return dates.ReplaceAllFunc(rows, func(day []byte) []byte { return []byte((calendar.MustParse(string(day)) + by).String()) })
}

// times matches the times in a feed.
var times = regexp.MustCompile(`\b\d{4}-\d\d-\d\dT[^,\n]+`)

// ofYear drops rows of the future, and three of four rows of holidays.
func ofYear(rows []byte, now time.Time) []byte {
	left, n := make([]byte, 0, len(rows)), 0
	for line := range bytes.Lines(rows) {
		if text := times.Find(line); text != nil {
			at, err := time.Parse(time.RFC3339, string(text))
			if err != nil {
				panic(err) // the feeds are the program's own
			}
			if n++; at.After(now) || holiday(calendar.Day(at)) && n%4 != 0 {
				continue
			}
		}
		left = append(left, line...)
	}
	return left
}

// holiday reports whether schools are closed, as in most of Brazil: in summer, for two weeks of July, and on some days besides.
func holiday(day calendar.Date) bool {
	text := day.String()[len("2006-"):]
	switch text {
	case "04-21", "05-01", "09-07", "10-12", "11-02", "11-15", "11-20":
		return true
	}
	return text >= "12-20" || text < "02-03" || text >= "07-13" && text < "07-27"
}
