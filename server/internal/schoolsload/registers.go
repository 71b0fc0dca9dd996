package schoolsload

import (
	"context"

	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/server/feed"
)

// registers reads the register files and settles them, each before those that refer to it.
func (l *load) registers(ctx context.Context) (err error) {
	in, t := l.intake, l.totals
	if err = register(ctx, l, "entities", entityFields, parseEntity, in.Entities, &t.Entities); err != nil {
		return err
	}
	if err = register(ctx, l, "accounts", accountFields, parseAccount, in.Accounts, &t.Accounts); err != nil {
		return err
	}
	if err = register(ctx, l, "books", bookFields, parseBook, in.Books, &t.Books); err != nil {
		return err
	}
	return register(ctx, l, "evaluations", evaluationFields, parseEvaluation, in.Evaluations, &t.Evaluations)
}

// register reads one register file whole and settles its rows. A file that is absent has no rows.
func register[T any](ctx context.Context, l *load, resource string, fields []feed.Field, parse func(*feed.Row, *T),
	settle func([]T, schools.Rejected) (schools.Counts, error), counts *schools.Counts) error {
	file, err := l.folder.File(resource)
	if err != nil {
		return err
	}
	var rows []T
	bad := 0
	if file != nil {
		err = feed.Read(ctx, file, fields, parse, func(row *T, _ feed.Pos) error {
			rows = append(rows, *row)
			return nil
		}, func(e *feed.RowError) error {
			bad++
			return l.report.Bad(e)
		})
		if err != nil {
			return err
		}
	}
	*counts, err = settle(rows, func(line int, field, reason string) error {
		return l.report.Late(ctx, file, fields, &feed.RowError{File: file.Name(), Line: line, Field: field, Reason: reason})
	})
	counts.Rows += bad
	counts.Bad += bad
	if err != nil {
		return err
	}
	return l.report.Flush(ctx)
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
