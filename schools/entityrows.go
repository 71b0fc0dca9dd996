package schools

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/lectern-dev/lectern/directory"
)

// EntityRow is a row of entities as the feed has it; empty texts are null.
type EntityRow struct {
	Line                                                  int
	Ref, Type, Name, Degree, INEP, State, City, ParentRef string
}

// Entities settles the rows of entities. Of rows with one reference the later line stands; new entities take their
// identifiers in the order of level, then of reference (S1).
func (in *Intake) Entities(rows []EntityRow, bad Rejected) (Counts, error) {
	in.entities = map[directory.Ref]directory.Entity{}
	deleted := map[directory.Ref]bool{}
	for _, e := range in.State.Entities {
		if e.Deleted {
			deleted[e.Ref] = true
		} else {
			in.entities[e.Ref] = e
		}
	}
	c := Counts{Rows: len(rows)}
	for _, row := range latest(rows, func(r EntityRow) string { return r.Ref }, byLevel) {
		e, wrong := in.entity(row)
		was, live := in.entities[e.Ref]
		o := against(was, live, e)
		if !live && deleted[e.Ref] || wrong != nil && wrong.reason == missing && deleted[directory.Ref(row.ParentRef)] {
			o = asDeleted
			deleted[e.Ref] = true // and with it whatever the feed puts below it
		}
		write, err := c.settle(o, wrong, row.Line, bad)
		if err != nil {
			return c, err
		}
		if !write {
			continue
		}
		if !live {
			in.State.LastEntity++
			e.ID = in.State.LastEntity
		}
		in.entities[e.Ref] = e
		in.PutEntities = append(in.PutEntities, e)
	}
	return c, nil
}

// byLevel orders entity rows by level, then by reference.
func byLevel(a, b EntityRow) int {
	level := func(r EntityRow) directory.EntityType {
		t, _ := directory.ParseEntityType(r.Type)
		return t
	}
	return cmp.Or(cmp.Compare(level(a), level(b)), strings.Compare(a.Ref, b.Ref))
}

// entity makes an entity of a row. Its Ref is set whatever the fault.
func (in *Intake) entity(row EntityRow) (directory.Entity, *fault) {
	e := directory.Entity{Ref: directory.Ref(row.Ref), Name: row.Name, Degree: row.Degree, INEP: row.INEP, State: row.State, City: row.City}
	if _, err := directory.ParseRef(row.Ref); err != nil {
		return e, &fault{"referenceId", invalid}
	}
	t, ok := directory.ParseEntityType(row.Type)
	if !ok {
		return e, &fault{"entityType", "must be one of network, school, class"}
	}
	e.Type = t
	if was, live := in.entities[e.Ref]; live {
		if e.ID = was.ID; was.Type != t {
			return e, &fault{"entityType", unchangeable}
		}
	}
	parent, wrong := in.parent(t, row.ParentRef)
	if wrong != nil {
		return e, wrong
	}
	e.Parent = parent
	if errs := e.Validate(in.State.Degrees); errs != nil {
		field, reason := errs.First()
		return e, &fault{feedField(field), reason}
	}
	return e, nil
}

// feedField returns the feed's name of a field of the directory.
func feedField(name string) string {
	switch name {
	case "reference_id":
		return "referenceId"
	case "entity_type":
		return "entityType"
	}
	return name
}

// parent resolves a parent's reference: a network's is the partner's, or empty.
func (in *Intake) parent(t directory.EntityType, ref string) (directory.EntityID, *fault) {
	want, ok := t.Parent()
	if !ok {
		if ref != "" && directory.Ref(ref) != in.State.Partner {
			return 0, &fault{"parentReferenceId", "must be the partner's reference, or empty"}
		}
		return 0, nil
	}
	p, live := in.entities[directory.Ref(ref)]
	switch {
	case ref == "":
		return 0, &fault{"parentReferenceId", "is required"}
	case !live:
		return 0, &fault{"parentReferenceId", missing}
	case p.Type != want:
		return 0, &fault{"parentReferenceId", fmt.Sprintf("is a %s, not a %s", p.Type, want)}
	}
	return p.ID, nil
}
