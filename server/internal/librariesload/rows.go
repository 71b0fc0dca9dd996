package librariesload

import (
	"context"
	"errors"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/reading/spill"
	"github.com/lectern-dev/lectern/server/feed"
)

// rows reads a file row by row: parse checks a row, on several goroutines at once, and sink takes the good ones in the file's
// order. n and bad count. A file that is absent has no rows.
func rows[T any](ctx context.Context, l *load, resource string, fields []feed.Field, parse func(*feed.Row, *T),
	sink func(*T, feed.Pos) error, n, bad *int) error {
	file, err := l.folder.File(resource)
	if file == nil || err != nil {
		return err
	}
	total := l.folder.Size()
	count := func() {
		if *n++; *n%100_000 == 0 {
			l.progress("read", l.folder.Done(), total)
		}
	}
	return feed.Read(ctx, file, fields, parse, func(row *T, at feed.Pos) error {
		count()
		return sink(row, at)
	}, func(e *feed.RowError) error {
		count()
		*bad++
		return l.report.Bad(e)
	})
}

// fail says in a row why it is bad, where err is a *libraries.FaultError.
func fail(r *feed.Row, err error, fields []feed.Field) {
	if wrong, ok := errors.AsType[*libraries.FaultError](err); ok {
		r.Fail(slices.IndexFunc(fields, func(f feed.Field) bool { return f.Name == wrong.Field }), wrong.Reason)
	}
}

// parts calls f with each part of a pile.
func (l *load) parts(f func(i int) error) error {
	for i := range spill.Parts {
		l.progress("settle", int64(i), spill.Parts)
		if err := f(i); err != nil {
			return err
		}
	}
	return nil
}
