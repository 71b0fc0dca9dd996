package feed

import (
	"fmt"
	"os"
	"path/filepath"
)

// Report is the list of the bad rows of a feed that are skipped, one a line. Nil is none: then no bad row is skipped.
type Report struct{ file *os.File }

// OpenReport begins a report in a file, which is created or emptied and must not lie in the feed's own folder, where it
// would be taken for a part of the feed. An empty name is no report.
func OpenReport(name, dir string) (*Report, error) {
	if name == "" {
		return nil, nil
	}
	if inside(dir, name) {
		return nil, fmt.Errorf("report of bad rows: %s lies in the feed's own folder; name a file elsewhere", name)
	}
	f, err := os.Create(name)
	if err != nil {
		return nil, fmt.Errorf("report of bad rows: %w; name a file that can be written", err)
	}
	return &Report{f}, nil
}

// inside reports whether a file lies right in a folder.
func inside(dir, file string) bool {
	a, err := os.Stat(dir)
	b, err2 := os.Stat(filepath.Dir(file))
	return err == nil && err2 == nil && os.SameFile(a, b)
}

// Bad takes note of a bad row. Without a report it returns the row's error, which stops the load (F3).
func (r *Report) Bad(e *RowError) error {
	if r == nil {
		return e
	}
	_, err := fmt.Fprintln(r.file, e)
	return err
}

// Close ends the report.
func (r *Report) Close() error {
	if r == nil {
		return nil
	}
	return r.file.Close()
}
