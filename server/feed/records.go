package feed

import (
	"context"
	"errors"

	"github.com/lectern-dev/lectern/paging/row"
)

// Record is a pointer to a row's type R, which declares its fields.
type Record[R any] interface {
	*R
	row.Row
}

// Records reads the rows of a file: each is filled, then checked, then taken, as its [row.File] says. What a row has as []byte is
// valid until Check returns. Take and bad are called on the caller's goroutine and in the file's order.
//
// A fault of a row is one of syntax, a required field that is null, a field that is not what it is declared to be, or a
// [row.FaultError] of Check or Take. Of each faulty row bad is told the first fault: when it returns nil the row is skipped, its error
// ends the read. A nil bad ends it at the first such row. What leaves no row to skip is returned without asking bad, with file and
// line like the rest: a header that is wrong, a file that cannot be read on, and a name of a member or a column that is neither a
// field nor to be ignored (see [Folder.Ignore]), as an [*UnknownError]. When ctx is done Records returns its error. Whatever it has
// started has ended when it returns.
func Records[R, V any, P Record[R]](ctx context.Context, file *File, to row.File[R, V], bad func(*RowError) error) error {
	type outcome struct {
		made V
		skip error
	}
	r := reading[outcome]{file: file, fields: row.Of(P(new(R))), bad: bad}
	r.fill = func(c *cells) func(*outcome) {
		record, walk := new(R), r.fields.Fill(c)
		return func(o *outcome) {
			var zero R
			*record = zero
			_ = walk.Over(P(record)) // what a field cannot hold is not read
			if c.wrong != nil {
				return
			}
			if o.made, o.skip = to.Check(*record); o.skip == nil {
				return
			}
			if wrong, ok := errors.AsType[*row.FaultError](o.skip); ok {
				c.Fail(r.fields.Field(wrong.Field), wrong.Reason)
			}
		}
	}
	r.take = func(o *outcome, line int) error {
		if o.skip != nil {
			to.Skip(o.skip)
			return nil
		}
		return to.Take(o.made, line)
	}
	return r.run(ctx)
}
