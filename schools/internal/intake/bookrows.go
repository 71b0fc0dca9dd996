package intake

import (
	"cmp"
	"time"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/schools"
)

var bookFields = row.Of(&schools.Book{})

// Books settles the rows of books.
func (in *Intake) Books(rows []row.Lined[schools.Book], bad Rejected) (Counts, error) {
	c := Counts{Rows: len(rows)}
	for group := range keyed(rows, func(a, b schools.Book) int { return cmp.Compare(a.ID, b.ID) }) {
		book, stands, err := standing(&c, group, bookOf, bad)
		if err != nil {
			return c, err
		}
		var was schools.Book
		known := in.State.Books.Book(book.ID)
		if known != nil {
			was = *known
		}
		if !stands || !against(&c, was, known != nil, book) {
			continue
		}
		in.State.Books.Add(book)
		in.PutBooks = append(in.PutBooks, book)
	}
	return c, nil
}

// bookOf checks a row.
func bookOf(b schools.Book) checked[schools.Book] {
	wrong := texts(bookFields, &b)
	if b.Length < 1 {
		wrong = row.Fault("length", "must be a positive integer")
	}
	return checked[schools.Book]{makes: b, wrong: wrong}
}

// EvaluationRow is a row of evaluations as the feed has it.
type EvaluationRow struct {
	ID        int64
	EntityRef string
	Title     string
	AppliedAt time.Time
}

// Fields declares the fields of an evaluation's row.
func (e *EvaluationRow) Fields(w *row.Walk) {
	row.Int(w, "evaluationId", &e.ID, row.Required)
	row.Text(w, "entityReferenceId", &e.EntityRef, row.Required)
	row.Text(w, "title", &e.Title, row.AtMost(255))
	row.OptionalInstant(w, "appliedAt", &e.AppliedAt)
}

var evaluationFields = row.Of(&EvaluationRow{})

// Evaluations settles the rows of evaluations.
func (in *Intake) Evaluations(rows []row.Lined[EvaluationRow], bad Rejected) (Counts, error) {
	c := Counts{Rows: len(rows)}
	had := make(map[int64]directory.Evaluation, len(in.State.Evaluations))
	for _, e := range in.State.Evaluations {
		e.AppliedAt = e.AppliedAt.UTC()
		had[e.ID] = e
	}
	for group := range keyed(rows, func(a, b EvaluationRow) int { return cmp.Compare(a.ID, b.ID) }) {
		e, stands, err := standing(&c, group, in.evaluation, bad)
		if err != nil {
			return c, err
		}
		was, known := had[e.ID]
		if stands && against(&c, was, known, e) {
			in.PutEvaluations = append(in.PutEvaluations, e)
		}
	}
	return c, nil
}

// evaluation checks a row.
func (in *Intake) evaluation(of EvaluationRow) checked[directory.Evaluation] {
	ref := directory.Ref(of.EntityRef)
	e, live := in.entities[ref]
	wrong := texts(evaluationFields, &of)
	if !live {
		wrong = row.Fault("entityReferenceId", directory.MsgMissing)
	}
	return checked[directory.Evaluation]{
		makes:   directory.Evaluation{ID: of.ID, Entity: e.ID, Title: of.Title, AppliedAt: of.AppliedAt.UTC().Truncate(time.Microsecond)},
		deleted: in.gone[ref],
		wrong:   wrong,
	}
}
