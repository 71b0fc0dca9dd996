package intake

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/schools"
)

// EntityRow is a row of entities as the feed has it. Empty texts are null.
type EntityRow struct {
	Ref, Type, Name, Degree, INEP, State, City, ParentRef string
}

// Fields declares the fields of an entity's row. Package directory validates their values.
func (e *EntityRow) Fields(w *row.Walk) {
	row.Text(w, "referenceId", &e.Ref, row.Required)
	row.Text(w, "entityType", &e.Type, row.Required)
	row.Text(w, "name", &e.Name, row.Required)
	row.Text(w, "degree", &e.Degree, row.Required)
	row.Text(w, "inep", &e.INEP)
	row.Text(w, "state", &e.State)
	row.Text(w, "city", &e.City)
	row.Text(w, "parentReferenceId", &e.ParentRef)
}

// Entities validates the rows of entities and adds those that are new or changed to PutEntities. Of several
// rows with one reference the last good one counts. New entities are numbered by level, then by reference
// (S1).
func (in *Intake) Entities(rows []row.Lined[EntityRow], bad row.Rejected) (row.Counts, error) {
	in.entities, in.deleted = map[directory.Ref]directory.Entity{}, map[directory.Ref]bool{}
	for _, e := range in.Stored.Entities {
		if !e.Deleted {
			in.entities[e.Ref] = e
		}
	}
	for _, e := range in.Stored.Entities {
		if _, live := in.entities[e.Ref]; e.Deleted && !live {
			in.deleted[e.Ref] = true
		}
	}
	return validate(row.Reconciler[EntityRow, directory.Entity]{
		Order: byLevel, Check: in.entity,
		Was: func(e directory.Entity) (directory.Entity, bool) { was, live := in.entities[e.Ref]; return was, live },
		Put: func(e directory.Entity, was *directory.Entity) error {
			if was == nil {
				e.ID = in.entityNumber(e.Ref)
				in.newEntities = append(in.newEntities, len(in.PutEntities))
			}
			in.entities[e.Ref] = e
			in.PutEntities = append(in.PutEntities, e)
			return nil
		},
	}, rows, bad)
}

// byLevel orders entity rows by level, then by reference.
func byLevel(a, b EntityRow) int {
	level := func(r EntityRow) directory.EntityType {
		t, _ := directory.ParseEntityType(r.Type)
		return t
	}
	return cmp.Or(cmp.Compare(level(a), level(b)), strings.Compare(a.Ref, b.Ref))
}

// entity validates a row.
func (in *Intake) entity(of EntityRow) (directory.Entity, error) {
	e := directory.Entity{Ref: directory.Ref(of.Ref), Name: of.Name, Degree: of.Degree, INEP: of.INEP, State: of.State, City: of.City}
	if in.deleted[e.Ref] || in.deleted[directory.Ref(of.ParentRef)] {
		if _, live := in.entities[e.Ref]; !live {
			in.deleted[e.Ref] = true // and all that the feed has below it
		}
		return e, row.ErrDeleted
	}
	if wrong := in.entityFault(&e, of); wrong != nil {
		return e, wrong
	}
	return e, nil
}

// entityFault sets the type and the parent of an entity, and returns what is wrong with its row.
func (in *Intake) entityFault(e *directory.Entity, of EntityRow) *row.FaultError {
	if _, err := directory.ParseRef(of.Ref); err != nil {
		return row.Fault("referenceId", directory.MsgInvalid)
	}
	t, ok := directory.ParseEntityType(of.Type)
	if !ok {
		return row.Fault("entityType", "must be one of network, school, class")
	}
	e.Type = t
	if was, live := in.entities[e.Ref]; live {
		if e.ID = was.ID; was.Type != t {
			return row.Fault("entityType", directory.MsgUnchanged)
		}
	}
	parent, wrong := in.parent(t, of.ParentRef)
	if wrong != nil {
		return wrong
	}
	e.Parent = parent
	if faults := e.Validate(in.Stored.Degrees); len(faults) > 0 {
		return row.Fault(feedField(faults[0].Field), faults[0].Message)
	}
	return nil
}

// feedField returns the name that a field of the directory has in feeds.
func feedField(name string) string {
	switch name {
	case "reference_id":
		return "referenceId"
	case "entity_type":
		return "entityType"
	}
	return name
}

// parent returns the entity that a parent's reference means. The parent of a network is the partner, or
// empty.
func (in *Intake) parent(t directory.EntityType, ref string) (directory.EntityID, *row.FaultError) {
	want, ok := t.Parent()
	if !ok {
		if ref != "" && directory.Ref(ref) != in.Stored.Partner {
			return 0, row.Fault("parentReferenceId", "must be the partner's reference, or empty")
		}
		return 0, nil
	}
	p, live := in.entities[directory.Ref(ref)]
	switch {
	case ref == "":
		return 0, row.Fault("parentReferenceId", "is required")
	case !live:
		return 0, row.Fault("parentReferenceId", directory.MsgMissing)
	case p.Type != want:
		return 0, row.Fault("parentReferenceId", fmt.Sprintf("is a %s, not a %s", p.Type, want))
	}
	return p.ID, nil
}

// Books validates the rows of books and adds those that are new or changed to PutBooks.
func (in *Intake) Books(rows []row.Lined[schools.Book], bad row.Rejected) (row.Counts, error) {
	return validate(row.Reconciler[schools.Book, schools.Book]{
		Order: func(a, b schools.Book) int { return cmp.Compare(a.ID, b.ID) }, Check: bookOf,
		Was: func(b schools.Book) (was schools.Book, known bool) {
			if known := in.Stored.Books.Book(b.ID); known != nil {
				return *known, true
			}
			return was, false
		},
		Put: func(b schools.Book, _ *schools.Book) error {
			in.Stored.Books.Add(b)
			in.PutBooks = append(in.PutBooks, b)
			return nil
		},
	}, rows, bad)
}

// bookOf validates a row.
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

// Evaluations validates the rows of evaluations and adds those that are new or changed to PutEvaluations.
func (in *Intake) Evaluations(rows []row.Lined[EvaluationRow], bad row.Rejected) (row.Counts, error) {
	had := make(map[int64]directory.Evaluation, len(in.Stored.Evaluations))
	for _, e := range in.Stored.Evaluations {
		e.AppliedAt = e.AppliedAt.UTC()
		had[e.ID] = e
	}
	return validate(row.Reconciler[EvaluationRow, directory.Evaluation]{
		Order: func(a, b EvaluationRow) int { return cmp.Compare(a.ID, b.ID) }, Check: in.evaluation,
		Was: func(e directory.Evaluation) (directory.Evaluation, bool) { was, known := had[e.ID]; return was, known },
		Put: func(e directory.Evaluation, _ *directory.Evaluation) error {
			in.PutEvaluations = append(in.PutEvaluations, e)
			return nil
		},
	}, rows, bad)
}

// evaluation validates a row.
func (in *Intake) evaluation(of EvaluationRow) (e directory.Evaluation, err error) {
	ref := directory.Ref(of.EntityRef)
	if in.deleted[ref] {
		return e, row.ErrDeleted
	}
	entity, live := in.entities[ref]
	if !live {
		return e, row.Fault("entityReferenceId", directory.MsgMissing)
	}
	return directory.Evaluation{ID: of.ID, Entity: entity.ID, Title: of.Title, AppliedAt: of.AppliedAt.UTC().Truncate(time.Microsecond)}, nil
}
