package schoolsload

import (
	"cmp"
	"context"
	"crypto/rand"
	"slices"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/server/feed"
)

// rows are the good rows of the feed's registers, as they were read.
type rows struct {
	entities    table[schools.EntityRow]
	accounts    table[schools.AccountRow]
	books       table[schools.BookRow]
	evaluations table[schools.EvaluationRow]
}

// table are the rows of one register file. Those that are bad when the load begins are counted and left.
type table[T any] struct {
	file   *feed.File // nil where it is absent
	fields []feed.Field
	line   func(T) int
	rows   []T
	bad    int
	worse  []*feed.RowError // those that the last of several settlings found bad
}

// settle settles the registers against a state. The first time it reads them; the last of several counts.
func (l *load) settle(ctx context.Context, st schools.State) (*schools.Intake, error) {
	if l.rows != nil {
		return l.settleAgain(l.intake.Again(st))
	}
	in := &schools.Intake{
		State: st, Began: l.began, History: *l.options.History,
		NewToken: func() (string, error) { return directory.NewAccessToken(rand.Reader) },
	}
	l.intake, l.rows = in, &rows{
		entities:    table[schools.EntityRow]{fields: entityFields, line: func(r schools.EntityRow) int { return r.Line }},
		accounts:    table[schools.AccountRow]{fields: accountFields, line: func(r schools.AccountRow) int { return r.Line }},
		books:       table[schools.BookRow]{fields: bookFields, line: func(r schools.BookRow) int { return r.Line }},
		evaluations: table[schools.EvaluationRow]{fields: evaluationFields, line: func(r schools.EvaluationRow) int { return r.Line }},
	}
	t := &l.totals
	if err := read(ctx, l, "entities", &l.rows.entities, parseEntity, in.Entities, &t.Entities); err != nil {
		return in, err
	}
	if err := read(ctx, l, "accounts", &l.rows.accounts, parseAccount, in.Accounts, &t.Accounts); err != nil {
		return in, err
	}
	if err := read(ctx, l, "books", &l.rows.books, parseBook, in.Books, &t.Books); err != nil {
		return in, err
	}
	return in, read(ctx, l, "evaluations", &l.rows.evaluations, parseEvaluation, in.Evaluations, &t.Evaluations)
}

// settleAgain settles the rows that were good against a later state. What a directory write has made bad since does not make
// the load fail (F6): it is counted, and listed where bad rows are.
func (l *load) settleAgain(in *schools.Intake) (_ *schools.Intake, err error) {
	t := &l.totals
	if t.Entities, err = l.rows.entities.again(in.Entities); err != nil {
		return in, err
	}
	if t.Accounts, err = l.rows.accounts.again(in.Accounts); err != nil {
		return in, err
	}
	t.Evaluations, err = l.rows.evaluations.again(in.Evaluations)
	return in, err
}

// read reads one register file whole, and settles its rows for the first time. A file that is absent has no rows.
func read[T any](ctx context.Context, l *load, resource string, t *table[T], parse func(*feed.Row, *T),
	settle func([]T, schools.Rejected) (schools.Counts, error), counts *schools.Counts) (err error) {
	if t.file, err = l.folder.File(resource); err != nil {
		return err
	}
	if t.file != nil {
		err = feed.Read(ctx, t.file, t.fields, parse, func(row *T, _ feed.Pos) error {
			t.rows = append(t.rows, *row)
			return nil
		}, func(e *feed.RowError) error {
			t.bad++
			return l.report.Bad(e)
		})
		if err != nil {
			return err
		}
	}
	l.progress("read", l.folder.Done(), l.folder.Size())
	bad := map[int]bool{}
	*counts, err = settle(t.rows, func(line int, field, reason string) error {
		bad[line] = true
		return l.report.Late(ctx, t.file, t.fields, t.wrong(line, field, reason))
	})
	counts.Rows += t.bad
	counts.Bad += t.bad
	if err != nil {
		return err
	}
	t.rows = slices.DeleteFunc(t.rows, func(row T) bool { return bad[t.line(row)] })
	t.bad = counts.Bad
	return l.report.Flush(ctx)
}

// wrong is what is wrong with a row.
func (t *table[T]) wrong(line int, field, reason string) *feed.RowError {
	return &feed.RowError{File: t.file.Name(), Line: line, Field: field, Reason: reason}
}

// again settles the rows of one register file against a later state.
func (t *table[T]) again(settle func([]T, schools.Rejected) (schools.Counts, error)) (schools.Counts, error) {
	t.worse = nil
	counts, err := settle(t.rows, func(line int, field, reason string) error {
		t.worse = append(t.worse, t.wrong(line, field, reason))
		return nil
	})
	counts.Rows += t.bad
	counts.Bad += t.bad
	return counts, err
}

// list lists the rows that the last settling found bad.
func (t *table[T]) list(ctx context.Context, report *feed.Report) error {
	for _, e := range t.worse {
		if err := report.Late(ctx, t.file, t.fields, e); err != nil {
			return err
		}
	}
	return nil
}

// list lists the rows that directory writes made bad, if there is a place for it.
func (r *rows) list(ctx context.Context, report *feed.Report) error {
	if report == nil {
		return nil
	}
	return cmp.Or(r.entities.list(ctx, report), r.accounts.list(ctx, report), r.evaluations.list(ctx, report), report.Flush(ctx))
}

var entityFields = []feed.Field{
	{Name: "referenceId", Required: true}, {Name: "entityType", Required: true}, {Name: "name", Required: true}, {Name: "degree", Required: true},
	{Name: "inep"}, {Name: "state"}, {Name: "city"}, {Name: "parentReferenceId"},
}

func parseEntity(r *feed.Row, e *schools.EntityRow) {
	*e = schools.EntityRow{
		Line: r.Line(), Ref: r.Text(0), Type: r.Text(1), Name: r.Text(2), Degree: r.Text(3),
		INEP: r.Text(4), State: r.Text(5), City: r.Text(6), ParentRef: r.Text(7),
	}
}

var accountFields = []feed.Field{
	{Name: "referenceId", Required: true}, {Name: "kind", Required: true}, {Name: "name"}, {Name: "email"}, {Name: "phone"},
	{Name: "entityReferenceId"}, {Name: "active"},
}

// parseAccount takes an account without `active` for an active one: it is what a new account is.
func parseAccount(r *feed.Row, a *schools.AccountRow) {
	*a = schools.AccountRow{
		Line: r.Line(), Ref: r.Text(0), Kind: r.Text(1), Name: r.Text(2), Email: r.Text(3), Phone: r.Text(4),
		EntityRef: r.Text(5), Active: r.Null(6) || r.Bool(6),
	}
}

var bookFields = []feed.Field{{Name: "bookId", Required: true}, {Name: "title"}, {Name: "author"}, {Name: "isbn"}, {Name: "length", Required: true}}

func parseBook(r *feed.Row, b *schools.BookRow) {
	*b = schools.BookRow{Line: r.Line(), Book: schools.Book{
		ID: r.Int(0), Title: r.Text(1), Author: r.Text(2), ISBN: r.Text(3), Length: r.Int(4),
	}}
}

var evaluationFields = []feed.Field{{Name: "evaluationId", Required: true}, {Name: "entityReferenceId", Required: true}, {Name: "title"}, {Name: "appliedAt"}}

func parseEvaluation(r *feed.Row, e *schools.EvaluationRow) {
	*e = schools.EvaluationRow{Line: r.Line(), ID: r.Int(0), EntityRef: r.Text(1), Title: r.Text(2)}
	if !r.Null(3) {
		e.AppliedAt = r.Time(3)
	}
}
