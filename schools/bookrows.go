package schools

import (
	"maps"
	"slices"
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
	last := make(map[int64]BookRow, len(rows))
	for _, r := range rows {
		last[r.Book.ID] = r
	}
	for _, id := range slices.Sorted(maps.Keys(last)) {
		row := last[id]
		wrong := texts(text{"title", row.Book.Title, 0}, text{"author", row.Book.Author, 0}, text{"isbn", row.Book.ISBN, 0})
		if row.Book.Length < 1 {
			wrong = &fault{"length", "must be a positive integer"}
		}
		var was Book
		known := in.State.Books.Book(id)
		if known != nil {
			was = *known
		}
		write, err := c.settle(against(was, known != nil, row.Book), wrong, row.Line, bad)
		if err != nil {
			return c, err
		}
		if !write {
			continue
		}
		in.State.Books.Add(row.Book)
		in.PutBooks = append(in.PutBooks, row.Book)
	}
	return c, nil
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
	gone := in.gone()
	had := make(map[int64]directory.Evaluation, len(in.State.Evaluations))
	for _, e := range in.State.Evaluations {
		e.AppliedAt = e.AppliedAt.UTC()
		had[e.ID] = e
	}
	last := make(map[int64]EvaluationRow, len(rows))
	for _, r := range rows {
		last[r.ID] = r
	}
	for _, id := range slices.Sorted(maps.Keys(last)) {
		row := last[id]
		e, live := in.entities[directory.Ref(row.EntityRef)]
		now := directory.Evaluation{ID: id, Entity: e.ID, Title: row.Title, AppliedAt: row.AppliedAt.UTC().Truncate(time.Microsecond)}
		was, known := had[id]
		o := against(was, known, now)
		wrong := texts(text{"title", row.Title, 255})
		switch {
		case !live && gone[directory.Ref(row.EntityRef)]:
			o = asDeleted
		case !live:
			wrong = &fault{"entityReferenceId", missing}
		}
		write, err := c.settle(o, wrong, row.Line, bad)
		if err != nil {
			return c, err
		}
		if !write {
			continue
		}
		in.PutEvaluations = append(in.PutEvaluations, now)
	}
	return c, nil
}
