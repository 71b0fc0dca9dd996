package librariesload

import (
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/server/feed"
)

// rejected takes note of the bad rows of a resource that are found when its rows are settled.
func (l *load) rejected(resource string) libraries.Rejected {
	return func(line int, field, reason string) error {
		file, err := l.folder.File(resource)
		if err != nil {
			return err
		}
		return l.report.Bad(&feed.RowError{File: file.Name(), Line: line, Field: field, Reason: reason})
	}
}
