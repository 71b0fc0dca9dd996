package directory

import (
	"time"

	"github.com/lectern-dev/lectern/paging/row"
)

// EntityType is the level of an entity. Higher levels have smaller values; the zero EntityType is none.
type EntityType uint8

// The three levels (P1). The values are stored.
const (
	Network EntityType = 1
	School  EntityType = 2
	Class   EntityType = 3
)

var entityTypes = []string{Network: "network", School: "school", Class: "class"}

// ParseEntityType returns the type that a text names, `network`, `school` or `class`, and whether it names one.
func ParseEntityType(text string) (EntityType, bool) {
	return row.ValueOf[EntityType](entityTypes, text)
}

// String returns the type as the API and the feed write it.
func (t EntityType) String() string { return row.NameOf(entityTypes, "entity type", t) }

// Parent returns the type of an entity's parent. It is false for a network, whose parent is the partner and no entity
// (P1), and for what is no type.
func (t EntityType) Parent() (EntityType, bool) {
	if t != School && t != Class {
		return 0, false
	}
	return t - 1, true
}

// Entity is a network, a school or a class. Texts that are null are empty.
type Entity struct {
	ID     EntityID
	Ref    Ref
	Type   EntityType
	Name   string
	Degree string // code of the partner's vocabulary, see Degrees
	INEP   string // official code of a school, 1 to 8 digits
	State  string // two capital letters
	City   string
	Parent EntityID // 0 = the partner

	// Deleted says that the entity is in no list and on no path any more (P6).
	Deleted bool
}

// Fields declares the fields of an entity, as they are stored.
func (e *Entity) Fields(w *row.Walk) {
	row.Int(w, "entityId", &e.ID)
	row.Text(w, "referenceId", &e.Ref)
	row.Enum(w, "entityType", &e.Type, nil)
	row.Text(w, "name", &e.Name)
	row.Text(w, "degree", &e.Degree)
	row.Text(w, "inep", &e.INEP)
	row.Text(w, "state", &e.State)
	row.Text(w, "city", &e.City)
	row.Int(w, "parentId", &e.Parent)
	row.Bool(w, "deleted", &e.Deleted)
}

// Evaluation is a record of an assessment of an entity. It goes when the entity is deleted (P6).
type Evaluation struct {
	ID        int64 // the partner's number
	Entity    EntityID
	Title     string
	AppliedAt time.Time // zero = not known
}

// Fields declares the fields of an evaluation, as they are stored.
func (v *Evaluation) Fields(w *row.Walk) {
	row.Int(w, "evaluationId", &v.ID)
	row.Int(w, "entityId", &v.Entity)
	row.Text(w, "title", &v.Title)
	row.OptionalInstant(w, "appliedAt", &v.AppliedAt)
}
