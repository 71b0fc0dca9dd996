package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// writeFeed writes the rows of a feed to a new folder as NDJSON or CSV.
func (t *harness) writeFeed(c chance, feed map[string][]row) (string, error) {
	dir, err := os.MkdirTemp(t.dir, "feed-")
	if err != nil {
		return "", err
	}
	for _, name := range slices.Sorted(maps.Keys(feed)) {
		ending, form := ".ndjson", asJSON
		if c.one(3) {
			ending, form = ".csv", asCSV
		}
		body, err := form(feed[name])
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(dir, name+ending), body, 0o644); err != nil {
			return "", err
		}
	}
	return dir, nil
}

func asJSON(rows []row) ([]byte, error) {
	var b bytes.Buffer
	for _, r := range rows {
		text, err := json.Marshal(r)
		if err != nil {
			return nil, err
		}
		b.Write(append(text, '\n'))
	}
	return b.Bytes(), nil
}

// asCSV writes rows with all columns that any of them has.
func asCSV(rows []row) ([]byte, error) {
	names := map[string]bool{}
	for _, r := range rows {
		for name := range r {
			names[name] = true
		}
	}
	header := slices.Sorted(maps.Keys(names))
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	err := w.Write(header)
	for _, r := range rows {
		cells := make([]string, len(header))
		for i, name := range header {
			cells[i] = cell(r[name])
		}
		err = errors.Join(err, w.Write(cells))
	}
	w.Flush()
	return b.Bytes(), errors.Join(err, w.Error())
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
