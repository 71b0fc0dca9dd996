package feed

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/lectern-dev/lectern/paging/row"
)

// Report takes note of the bad rows of a feed that are skipped: all of them in a file, one a line with the value that is bad,
// or in a check their number and the first of them. Nil is none: then no bad row is skipped.
type Report struct {
	file     *os.File // nil where there is none
	findings Findings
	late     map[*File]*late
}

// Findings are the bad rows that a check found.
type Findings struct {
	Bad int `json:"bad"`
	// Rows are the first of them, as a report lists them.
	Rows []string `json:"rows"`
}

// MaxFindings is the most bad rows that [Findings] list.
const MaxFindings = 100

// late are bad rows of one file that were found when it had been read, so that their values have to be fetched.
type late struct {
	fields row.Schema
	rows   []*RowError
}

// maxLate is the most rows of a file whose values are fetched at once: a memory of some megabytes.
const maxLate = 1 << 16

// OpenReport begins a report in a file, which is created or emptied and must not lie in the feed's own folder, where it
// would be taken for a part of the feed. An empty name is no file: without one there is a report for a check alone.
func OpenReport(name string, files fs.FS, check bool) (*Report, error) {
	r := &Report{late: map[*File]*late{}, findings: Findings{Rows: []string{}}}
	if name == "" {
		if !check {
			r = nil
		}
		return r, nil
	}
	if inside(files, name) {
		return nil, fmt.Errorf("report of bad rows: %s lies in the feed's own folder; name a file elsewhere", name)
	}
	f, err := os.Create(name)
	if err != nil {
		return nil, fmt.Errorf("report of bad rows: %w; name a file that can be written", err)
	}
	r.file = f
	return r, nil
}

// inside reports whether a file lies right in a folder on disk.
func inside(files fs.FS, file string) bool {
	a, err := fs.Stat(files, ".")
	b, err2 := os.Stat(filepath.Dir(file))
	return err == nil && err2 == nil && os.SameFile(a, b)
}

// Bad takes note of a bad row. Without a report it returns the row's error, which stops the load (F3).
func (r *Report) Bad(e *RowError) error {
	if r == nil {
		return e
	}
	line := e.Error() + ": " + cmp.Or(e.Value, "null")
	if r.findings.Bad++; r.findings.Bad <= MaxFindings {
		r.findings.Rows = append(r.findings.Rows, line)
	}
	if r.file == nil {
		return nil
	}
	_, err := fmt.Fprintln(r.file, line)
	return err
}

// Late takes note of a bad row of a file, with the given fields, that was found when the file had been read. Its value is
// read from the file again, together with others, at the latest by Flush.
func (r *Report) Late(ctx context.Context, file *File, fields row.Schema, e *RowError) error {
	if r == nil {
		return e
	}
	l := r.late[file]
	if l == nil {
		l = &late{fields: fields}
		r.late[file] = l
	}
	if l.rows = append(l.rows, e); len(l.rows) < maxLate {
		return nil
	}
	return r.fetch(ctx, file)
}

// Findings returns what was found so far.
func (r *Report) Findings() Findings { return r.findings }

// Flush takes note of all rows that Late was given: so they stand before those that come of them, such as the events of an
// account that is bad.
func (r *Report) Flush(ctx context.Context) error {
	if r == nil {
		return nil
	}
	for _, f := range slices.SortedFunc(maps.Keys(r.late), func(a, b *File) int { return cmp.Compare(a.name, b.name) }) {
		if err := r.fetch(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

// fetch reads a file again for the values of its late rows and takes note of them, in the order of their lines.
func (r *Report) fetch(ctx context.Context, file *File) error {
	l := r.late[file]
	delete(r.late, file)
	lines := make(map[int][]*RowError, len(l.rows))
	for _, e := range l.rows {
		lines[e.Line] = append(lines[e.Line], e)
	}
	again := reading[struct{}]{file: file, fields: l.fields}
	again.fill = func(c *cells) func(*struct{}) {
		return func(*struct{}) {
			for _, e := range lines[c.line] { // which no other goroutine has
				if f := l.fields.Field(e.Field); f != nil {
					e.Value = c.shown(f.Index)
				}
			}
		}
	}
	again.take = func(*struct{}, int) error { return nil }
	again.bad = func(*RowError) error { return nil }
	if err := again.run(ctx); err != nil {
		return err
	}
	slices.SortStableFunc(l.rows, func(a, b *RowError) int { return cmp.Compare(a.Line, b.Line) })
	for _, e := range l.rows {
		if err := r.Bad(e); err != nil {
			return err
		}
	}
	return nil
}

// Close ends the report.
func (r *Report) Close() error {
	if r == nil || r.file == nil {
		return nil
	}
	return r.file.Close()
}
