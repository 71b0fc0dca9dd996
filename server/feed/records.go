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

// Sink takes the rows R of a file. But for Check, it does so on the caller's goroutine and in the file's order.
type Sink[R, V any] struct {
	// Check makes of a row what is taken, on several goroutines at once: a [row.FaultError] is a fault of the row, any other
	// error says why the row is passed over. What a row has as []byte is valid until Check returns.
	Check func(R) (V, error)
	// Take takes what a good row was checked to be, and may keep a copy of it, not the pointer. A [row.FaultError] is a fault of
	// the row, any other error ends the read.
	Take func(*V, Pos) error
	// Skip is told of a good row that is passed over, and why. Nil is for files that have none.
	Skip func(why error)
	// Bad is told of the first fault of a row. When it returns nil the row is skipped; its error ends the read. A nil Bad ends
	// it at the first such row.
	Bad func(*RowError) error
}

// Records reads the rows of a file: each is filled, then checked, then taken.
//
// A fault of a row is one of syntax, a required field that is null, a field that is not what it is declared to be, what
// Check has found, or Take. What leaves no row to skip is returned without asking Bad, with file and line like the rest: a
// header that is wrong, a file that cannot be read on, and a name of a member or a column that is neither a field nor to be
// ignored (see [Folder.Ignore]), as an [*UnknownError]. When ctx is done Records returns its error. Whatever it has started
// has ended when it returns.
func Records[R, V any, P Record[R]](ctx context.Context, file *File, to Sink[R, V]) error {
	type outcome struct {
		made V
		skip error
	}
	r := reading[outcome]{file: file, fields: row.Of(P(new(R))), bad: to.Bad}
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
	r.take = func(o *outcome, at Pos) error {
		if o.skip != nil {
			to.Skip(o.skip)
			return nil
		}
		return to.Take(&o.made, at)
	}
	return r.run(ctx)
}
