package librariesload

import (
	"context"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/server/feed"
)

// rejected takes note of the bad rows of a resource, which has the given fields, that are found when its rows are settled.
func (l *load) rejected(ctx context.Context, resource string, fields []feed.Field) libraries.Rejected {
	return func(line int, field, reason string) error {
		file, err := l.folder.File(resource)
		if err != nil {
			return err
		}
		return l.report.Late(ctx, file, fields, &feed.RowError{File: file.Name(), Line: line, Field: field, Reason: reason})
	}
}
