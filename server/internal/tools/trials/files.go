package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// writeFeed writes the rows of a feed to a new folder as NDJSON or CSV.
func (t *harness) writeFeed(c chance, feed map[string][]row) (dir string) {
	dir = must(os.MkdirTemp(t.dir, "feed-"))
	for _, name := range slices.Sorted(maps.Keys(feed)) {
		ending, text := ".ndjson", strings.Join(lines(feed[name]), "\n")+"\n"
		if c.one(3) {
			ending, text = ".csv", asCSV(feed[name])
		}
		check(os.WriteFile(filepath.Join(dir, name+ending), []byte(text), 0o644))
	}
	return dir
}

// asCSV writes rows with all columns that any of them has.
func asCSV(rows []row) string {
	names := map[string]bool{}
	for _, r := range rows {
		for name := range r {
			names[name] = true
		}
	}
	table := [][]string{slices.Sorted(maps.Keys(names))}
	for _, r := range rows {
		var cells []string
		for _, name := range table[0] {
			cells = append(cells, cell(r[name]))
		}
		table = append(table, cells)
	}
	var b bytes.Buffer
	check(csv.NewWriter(&b).WriteAll(table))
	return b.String()
}

// cell is a value in CSV; a list is joined by semicolons.
func cell(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case []int:
		return strings.Trim(strings.ReplaceAll(fmt.Sprint(v), " ", ";"), "[]")
	}
	return fmt.Sprint(v)
}
