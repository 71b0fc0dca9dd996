// Command make makes the feeds of the demo: `go generate ./server/internal/pages/demofeed` runs it. It has lectern generate write two
// feeds and edits their rows until they are small and show what the product tells apart: see schools.go and libraries.go. The same
// program makes the same bytes.
package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"

	"github.com/klauspost/compress/zstd"

	"github.com/lectern-dev/lectern/server/internal/tools/generate"
)

func main() {
	log.SetFlags(0)
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	for name, f := range map[string]struct {
		params generate.Params
		write  func(context.Context, string, generate.Params) (generate.Summary, error)
		edit   func(tables) error
	}{
		"schools":   {schoolsParams, generate.Schools, editSchools},
		"libraries": {librariesParams, generate.Libraries, editLibraries},
	} {
		dir, err := os.MkdirTemp("", "lectern-demofeed-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		f.params.Format = "csv"
		if _, err := f.write(context.Background(), dir, f.params); err != nil {
			return err
		}
		all, err := readTables(dir)
		if err == nil {
			err = f.edit(all)
		}
		if err == nil {
			err = all.write(name)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// tables are the files of a feed by their names.
type tables map[string]*table

// table is a file: its columns and rows.
type table struct {
	columns []string
	rows    [][]string
}

func readTables(dir string) (tables, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.csv"))
	all := tables{}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
		if err != nil {
			return nil, err
		}
		base := filepath.Base(name)
		all[base[:len(base)-len(".csv")]] = &table{rows[0], rows[1:]}
	}
	return all, err
}

// write writes the tables into a folder in place of what is there, packed as well as can be.
func (all tables) write(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	pack, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression))
	if err != nil {
		return err
	}
	for name, t := range all {
		var b bytes.Buffer
		out := csv.NewWriter(&b)
		if err := out.WriteAll(append([][]string{t.columns}, t.rows...)); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name+".csv.zst"), pack.EncodeAll(b.Bytes(), nil), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// at is the place of a column, which the table has.
func (t *table) at(column string) int {
	i := slices.Index(t.columns, column)
	if i < 0 {
		panic("no column " + column)
	}
	return i
}

// keep leaves the rows for which a function says so of a column.
func (t *table) keep(column string, ok func(string) bool) {
	at := t.at(column)
	t.rows = slices.DeleteFunc(t.rows, func(r []string) bool { return !ok(r[at]) })
}
