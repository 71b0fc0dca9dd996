package schools

import (
	"time"

	"github.com/lectern-dev/lectern/directory"
)

// BookRow is a row of books as the feed has it.
type BookRow struct {
	Line int
	Book Book
}

// Books settles the rows of books.
func (in *Intake) Books(rows []BookRow, bad Rejected) (Counts, error) {
	c := Counts{Rows: len(rows)}
	for group := range keyed(rows, func(a, b BookRow) int { return compare(a.Book.ID, b.Book.ID) }) {
		book, stands, err := standing(&c, group, func(r BookRow) int { return r.Line }, bookOf, bad)
		if err != nil {
			return c, err
		}
		var was Book
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
func bookOf(row BookRow) checked[Book] {
	wrong := texts(text{"title", row.Book.Title, 0}, text{"author", row.Book.Author, 0}, text{"isbn", row.Book.ISBN, 0})
	if row.Book.Length < 1 {
		wrong = &fault{"length", "must be a positive integer"}
	}
	return checked[Book]{makes: row.Book, wrong: wrong}
}

// EvaluationRow is a row of evaluations as the feed has it.
type EvaluationRow struct {
	Line      int
	ID        int64
	EntityRef string
	Title     string
	AppliedAt time.Time
}

// Evaluations settles the rows of evaluations.
func (in *Intake) Evaluations(rows []EvaluationRow, bad Rejected) (Counts, error) {
	c := Counts{Rows: len(rows)}
	had := make(map[int64]directory.Evaluation, len(in.State.Evaluations))
	for _, e := range in.State.Evaluations {
		e.AppliedAt = e.AppliedAt.UTC()
		had[e.ID] = e
	}
	for group := range keyed(rows, func(a, b EvaluationRow) int { return compare(a.ID, b.ID) }) {
		e, stands, err := standing(&c, group, func(r EvaluationRow) int { return r.Line }, in.evaluation, bad)
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
func (in *Intake) evaluation(row EvaluationRow) checked[directory.Evaluation] {
	ref := directory.Ref(row.EntityRef)
	e, live := in.entities[ref]
	wrong := texts(text{"title", row.Title, 255})
	if !live {
		wrong = &fault{"entityReferenceId", directory.MsgMissing}
	}
	return checked[directory.Evaluation]{
		makes:   directory.Evaluation{ID: row.ID, Entity: e.ID, Title: row.Title, AppliedAt: row.AppliedAt.UTC().Truncate(time.Microsecond)},
		deleted: in.gone[ref],
		wrong:   wrong,
	}
}
