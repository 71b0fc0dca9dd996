package feed

import (
	"context"

	"github.com/lectern-dev/lectern/paging/row"
)

// Loading is a feed on its way into a store: what is the same of every file, whatever it is of.
type Loading struct {
	Folder *Folder
	Report *Report // nil where a bad row stops the load
	// Progress, if not nil, is told the bytes read of the feed's size.
	Progress func(done, total int64)
}

// told is how many rows lie between two words on the progress.
const told = 100_000

// row counts a row.
func (l *Loading) row(n *int) {
	if *n++; *n%told == 0 && l.Progress != nil {
		l.Progress(l.Folder.Done(), l.Folder.Size())
	}
}

// Rejected reports a row of a resource, with the given fields, that is found bad when the file has been read.
func (l *Loading) Rejected(ctx context.Context, resource string, fields row.Schema) row.Rejected {
	return func(line int, field, reason string) error {
		file, err := l.Folder.File(resource)
		if err != nil {
			return err
		}
		return l.Report.Late(ctx, file, fields, &RowError{File: file.Name(), Line: line, Field: field, Reason: reason})
	}
}

// Resource says what becomes of the rows of a file: what [Sink] says, but for the bad ones, which are reported.
type Resource[R, V any] struct {
	Name  string
	Check func(R) (V, error)
	Take  func(*V, Pos) error
	Skip  func(why error)
	// Rows and Bad count the rows, and the bad ones among them.
	Rows, Bad *int
}

// Stream reads a resource row by row. A file that is absent has no rows.
func Stream[R, V any, P Record[R]](ctx context.Context, l *Loading, of Resource[R, V]) error {
	file, err := l.Folder.File(of.Name)
	if file == nil || err != nil {
		return err
	}
	return Records[R, V, P](ctx, file, Sink[R, V]{
		Check: of.Check,
		Take: func(v *V, at Pos) error {
			l.row(of.Rows)
			return of.Take(v, at)
		},
		Skip: func(why error) {
			l.row(of.Rows)
			of.Skip(why)
		},
		Bad: func(e *RowError) error {
			l.row(of.Rows)
			*of.Bad++
			return l.Report.Bad(e)
		},
	})
}

// Register is a resource that was read whole, to be settled.
type Register[R any] struct {
	Rows []row.Lined[R]
	Bad  int // rows that were bad by themselves, and are reported
	// Rejected reports a row that is found bad when it is settled.
	Rejected row.Rejected

	file   *File // nil where it is absent
	fields row.Schema
}

// ReadRegister reads a resource whole. A file that is absent has no rows.
func ReadRegister[R any, P Record[R]](ctx context.Context, l *Loading, resource string) (*Register[R], error) {
	g := &Register[R]{fields: row.Of(P(new(R)))}
	var err error
	if g.file, err = l.Folder.File(resource); g.file == nil || err != nil {
		return g, err
	}
	g.Rejected = l.Rejected(ctx, resource, g.fields)
	rows := 0
	return g, Stream[R, R, P](ctx, l, Resource[R, R]{
		Name: resource, Rows: &rows, Bad: &g.Bad,
		Check: func(r R) (R, error) { return r, nil },
		Take: func(r *R, at Pos) error {
			g.Rows = append(g.Rows, row.Lined[R]{Line: at.Line, Row: *r})
			return nil
		},
	})
}

// Fault is what is wrong with a row of the register.
func (g *Register[R]) Fault(line int, field, reason string) *RowError {
	return &RowError{File: g.file.Name(), Line: line, Field: field, Reason: reason}
}

// Report reports faults that were found in the register.
func (g *Register[R]) Report(ctx context.Context, r *Report, faults []*RowError) error {
	for _, e := range faults {
		if err := r.Late(ctx, g.file, g.fields, e); err != nil {
			return err
		}
	}
	return nil
}
