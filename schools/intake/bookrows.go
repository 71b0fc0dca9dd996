package intake

import (
	"cmp"
	"time"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/schools"
)

// Books settles the rows of books.
func (in *Intake) Books(rows []row.Lined[schools.Book], bad row.Rejected) (Counts, error) {
	return settle(row.Settling[schools.Book, schools.Book]{
		Order: func(a, b schools.Book) int { return cmp.Compare(a.ID, b.ID) }, Check: bookOf,
		Was: func(b schools.Book) (was schools.Book, known bool) {
			if known := in.State.Books.Book(b.ID); known != nil {
				return *known, true
			}
			return was, false
		},
		Put: func(b schools.Book, _ *schools.Book) error {
			in.State.Books.Add(b)
			in.PutBooks = append(in.PutBooks, b)
			return nil
		},
	}, rows, bad)
}

// bookOf checks a row.
func bookOf(b schools.Book) (schools.Book, error) {
	if b.Length < 1 {
		return b, row.Fault("length", "must be a positive integer")
	}
	return b, nil
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

// Evaluations settles the rows of evaluations.
func (in *Intake) Evaluations(rows []row.Lined[EvaluationRow], bad row.Rejected) (Counts, error) {
	had := make(map[int64]directory.Evaluation, len(in.State.Evaluations))
	for _, e := range in.State.Evaluations {
		e.AppliedAt = e.AppliedAt.UTC()
		had[e.ID] = e
	}
	return settle(row.Settling[EvaluationRow, directory.Evaluation]{
		Order: func(a, b EvaluationRow) int { return cmp.Compare(a.ID, b.ID) }, Check: in.evaluation,
		Was: func(e directory.Evaluation) (directory.Evaluation, bool) { was, known := had[e.ID]; return was, known },
		Put: func(e directory.Evaluation, _ *directory.Evaluation) error {
			in.PutEvaluations = append(in.PutEvaluations, e)
			return nil
		},
	}, rows, bad)
}

// evaluation checks a row.
func (in *Intake) evaluation(of EvaluationRow) (e directory.Evaluation, err error) {
	ref := directory.Ref(of.EntityRef)
	if in.gone[ref] {
		return e, ErrDeleted
	}
	entity, live := in.entities[ref]
	if !live {
		return e, row.Fault("entityReferenceId", directory.MsgMissing)
	}
	return directory.Evaluation{ID: of.ID, Entity: entity.ID, Title: of.Title, AppliedAt: of.AppliedAt.UTC().Truncate(time.Microsecond)}, nil
}
