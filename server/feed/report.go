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

// Totals are the counts of a load, or of a check. As JSON they are one object, with a member for each file.
type Totals struct {
	Files []FileTotals
	// New and Repeated count the events of all files; a repeated one was loaded before (F1).
	New, Repeated int
	// Hour is the hour from which a load of libraries is published, as meta.updatedAt shows it (L1). Version is that of the data
	// after the load. In a check they are those of the data that the feed was compared with.
	Hour, Version string
	// Seconds is the duration of the load, without the time that it waited for another load.
	Seconds       float64
	RowsPerSecond int64
	// Check has the findings of a check. It is nil for a load.
	Check *Findings

	hours bool // the JSON has Hour
}

// FileTotals are the counts of one file.
type FileTotals struct {
	Name string
	row.Counts
	told string // the names of the counts in the JSON
}

// NewTotals returns totals of files. Each file is its name, followed by the names of the counts in its JSON: "books
// rows new bad". If hours is true the JSON has the hour.
func NewTotals(hours bool, files ...string) *Totals {
	t := &Totals{hours: hours}
	for _, f := range files {
		name, told, _ := strings.Cut(f, " ")
		t.Files = append(t.Files, FileTotals{Name: name, told: told})
	}
	return t
}

// File returns the counts of a file, or nil if the feed has no such file.
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

// Report records the bad rows of a feed that are skipped. A load writes all of them to a file, one a line with the
// bad value. A check keeps their number and the first of them. A nil Report skips none.
type Report struct {
	file     *os.File // nil in a check without a file
	findings Findings
	late     map[*File]*late
}

// Findings are the bad rows that a check found.
type Findings struct {
	Bad int `json:"bad"`
	// Rows are the first of them, as the file of a report lists them.
	Rows []string `json:"rows"`
}

// MaxFindings is the largest number of rows that [Findings] list.
const MaxFindings = 100

// late has bad rows of one file that were found after it was read, so their values must be read again.
type late struct {
	fields row.Schema
	rows   []*RowError
}

// maxLate bounds the number of rows of a file whose values are read again together. They take some megabytes.
const maxLate = 1 << 16

// OpenReport creates or empties the file of a report. It must not be in the feed's own folder, where the next load
// would read it as part of the feed. With an empty name there is only a report for a check, without a file.
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

// inside reports whether a file is directly in a folder on disk.
func inside(files fs.FS, file string) bool {
	a, err := fs.Stat(files, ".")
	b, err2 := os.Stat(filepath.Dir(file))
	return err == nil && err2 == nil && os.SameFile(a, b)
}

// Bad records a bad row. Without a report it returns the row's error, which stops the load (F3).
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

// Late records a bad row of a file with the given fields that was found after the file was read. The value is read
// from the file again, together with others, at the latest by Flush.
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

// Findings returns the findings so far.
func (r *Report) Findings() Findings { return r.findings }

// Flush records all rows that were given to Late. The report then lists them before their consequences, such as the
// events of a bad account.
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

// fetch reads a file again for the values of its late rows and records them in the order of their lines.
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

// Close closes the file of the report.
func (r *Report) Close() error {
	if r == nil || r.file == nil {
		return nil
	}
	return r.file.Close()
}
