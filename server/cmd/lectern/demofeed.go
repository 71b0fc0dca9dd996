package main

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

// The demo's feeds are made once, by `go generate ./server/cmd/lectern`, and end with the same day.
//
//go:generate go run . generate schools demo/schools --users 36 --days 42 --first 2026-07-13 --seed 2 --format csv --compress zst
//go:generate go run . generate libraries demo/libraries --users 120 --days 45 --first 2026-07-10 --format csv --compress zst
//go:embed demo
var demoFeeds embed.FS

// demoLast is the last day of the demo's feeds.
var demoLast = calendar.MustParse("2026-08-23")

// dates are the days in a feed, alone or before a time.
var dates = regexp.MustCompile(`\b\d{4}-\d\d-\d\d`)

// unpackDemo writes the demo's feed of an API into dir, with all its days shifted by so many that it ends with the given one.
func unpackDemo(api, dir string, last calendar.Date) error {
	unpack, err := zstd.NewReader(nil)
	if err != nil {
		return err
	}
	defer unpack.Close()
	files, err := fs.ReadDir(demoFeeds, path.Join("demo", api))
	if err != nil {
		return err
	}
	for _, f := range files {
		packed, err := demoFeeds.ReadFile(path.Join("demo", api, f.Name()))
		if err != nil {
			return err
		}
		rows, err := unpack.DecodeAll(packed, nil)
		if err != nil {
			return fmt.Errorf("demo feed %s: %w", f.Name(), err)
		}
		rows = dates.ReplaceAllFunc(rows, func(day []byte) []byte {
			return []byte((calendar.MustParse(string(day)) + last - demoLast).String())
		})
		if err := os.WriteFile(filepath.Join(dir, strings.TrimSuffix(f.Name(), ".zst")), rows, 0o600); err != nil {
			return err
		}
	}
	return nil
}
