package feed

import (
	"encoding/json"
	"fmt"
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
