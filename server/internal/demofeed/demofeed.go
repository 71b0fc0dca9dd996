// Package demofeed has the feeds of the demo, small enough to be loaded in a moment.
package demofeed

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/lectern-dev/lectern/reading/calendar"
)

// The feeds are made once, by `go generate ./server/internal/demofeed`, and end with the same day.
//
//go:generate go run ../../cmd/lectern generate schools schools --users 36 --days 42 --first 2026-07-13 --seed 2 --format csv --compress zst
//go:generate go run ../../cmd/lectern generate libraries libraries --users 120 --days 45 --first 2026-07-10 --format csv --compress zst
//go:embed schools libraries
var feeds embed.FS

// end is the last day of the feeds.
var end = calendar.MustParse("2026-08-23")

// dates are the days in a feed, alone or before a time.
var dates = regexp.MustCompile(`\b\d{4}-\d\d-\d\d`)

// Unpack writes the feed of an API, schools or libraries, into dir, with all its days shifted by so many that it ends with the
// given one.
func Unpack(api, dir string, last calendar.Date) error {
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
		rows = dates.ReplaceAllFunc(rows, func(day []byte) []byte {
			return []byte((calendar.MustParse(string(day)) + last - end).String())
		})
		if err := os.WriteFile(filepath.Join(dir, strings.TrimSuffix(f.Name(), ".zst")), rows, 0o600); err != nil {
			return err
		}
	}
	return nil
}
