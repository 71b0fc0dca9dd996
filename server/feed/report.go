package feed

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lectern-dev/lectern/paging/row"
)

// Totals say what a load, or a check, made of a feed. As JSON they are one object, which has each file by its name.
type Totals struct {
	Files []FileTotals
	// New and Repeated count the events, which have no counts of their own in Files; a repeated one was loaded before (F1).
	New, Repeated int
	// Hour is that from which a load of libraries holds, as meta.updatedAt will show it (L1). Version is that of the data after the
	// load. In a check they are those of the data that the feed was held against.
	Hour, Version string
	// Seconds is how long the load worked: not how long it waited for another.
	Seconds       float64
	RowsPerSecond int64
	// Check is what a check found, and of a load nil.
	Check *Findings

	hours bool // Hour is told
}

// FileTotals say what became of the rows of one file.
type FileTotals struct {
	Name string
	row.Counts
	told string // the counts that there may be
}

// NewTotals returns totals of files. A file is its name, and then the counts that its JSON has: "books rows new bad". With hours they
// tell the hour.
func NewTotals(hours bool, files ...string) *Totals {
	t := &Totals{hours: hours}
	for _, f := range files {
		name, told, _ := strings.Cut(f, " ")
		t.Files = append(t.Files, FileTotals{Name: name, told: told})
	}
	return t
}

// File returns the counts of a file; of one that is none of the feed's, nil.
func (t *Totals) File(name string) *row.Counts {
	for i := range t.Files {
		if t.Files[i].Name == name {
			return &t.Files[i].Counts
		}
	}
	return nil
}

// Rows returns the rows of all files.
func (t *Totals) Rows() (n int64) {
	for _, f := range t.Files {
		n += int64(f.Rows)
	}
	return n
}

// MarshalJSON implements json.Marshaler.
func (t *Totals) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for _, f := range t.Files {
		counts := map[string]int{
			"rows": f.Rows, "new": f.New, "changed": f.Changed, "unchanged": f.Unchanged, "superseded": f.Superseded,
			"beforeHistory": f.BeforeHistory, "deleted": f.Deleted, "bad": f.Bad,
		}
		b = fmt.Appendf(b, "%q:{", f.Name)
		for _, name := range strings.Fields(f.told) {
			b = fmt.Appendf(b, "%q:%d,", name, counts[name])
		}
		b = append(b[:len(b)-1], "},"...)
	}
	rest := struct {
		New           int       `json:"newEvents"`
		Repeated      int       `json:"repeatedEvents"`
		Hour          *string   `json:"hour,omitempty"`
		Version       string    `json:"version"`
		Seconds       float64   `json:"seconds"`
		RowsPerSecond int64     `json:"rowsPerSecond"`
		Check         *Findings `json:"check,omitempty"`
	}{t.New, t.Repeated, nil, t.Version, t.Seconds, t.RowsPerSecond, t.Check}
	if t.hours {
		rest.Hour = &t.Hour
	}
	end, err := json.Marshal(rest)
	return append(b, end[1:]...), err
}

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
