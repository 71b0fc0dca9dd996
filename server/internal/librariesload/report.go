package librariesload

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/server/feed"
)

// openReport begins the list of bad rows, if one is wanted.
func (l *load) openReport() error {
	if l.options.SkipBad == "" {
		return nil
	}
	if inside(l.dir, l.options.SkipBad) {
		return fmt.Errorf("report of bad rows: %s lies in the feed's own folder; name a file elsewhere", l.options.SkipBad)
	}
	f, err := os.Create(l.options.SkipBad)
	if err != nil {
		return fmt.Errorf("report of bad rows: %w; name a file that can be written", err)
	}
	l.report = f
	return nil
}

// inside reports whether a file lies right in a folder, where it would be taken for a part of the feed.
func inside(dir, file string) bool {
	a, err := os.Stat(dir)
	b, err2 := os.Stat(filepath.Dir(file))
	return err == nil && err2 == nil && os.SameFile(a, b)
}

// bad takes note of a bad row: it stops the load, unless bad rows are to be skipped.
func (l *load) bad(e *feed.RowError) error {
	if l.report == nil {
		return e
	}
	_, err := fmt.Fprintln(l.report, e)
	return err
}

// rejected takes note of the bad rows of a resource that are found when its rows are settled.
func (l *load) rejected(resource string) libraries.Rejected {
	return func(line int, field, reason string) error {
		file, err := l.folder.File(resource)
		if err != nil {
			return err
		}
		return l.bad(&feed.RowError{File: file.Name(), Line: line, Field: field, Reason: reason})
	}
}
