package directory

import (
	"context"
	"errors"
)

// Store keeps the tree and the people of partners. Every method acts for one partner: what belongs to another behaves
// like what does not exist (G3). References name what is live; one that nothing live has is [ErrNotFound].
//
// Each write is one transaction, and all writes of a partner follow one another: it sees what those before it did, and
// those after it see what it did. Faults of the input are a [FieldErrors] with all of them at once (P4); nothing is
// written then.
type Store interface {
	// CreateEntity adds an entity (P4).
	CreateEntity(ctx context.Context, partner PartnerID, in EntityInput) (EntityRecord, error)
	// UpdateEntity changes an entity (P5).
	UpdateEntity(ctx context.Context, partner PartnerID, ref Ref, in EntityInput) (EntityRecord, error)
	// DeleteEntity deletes an entity that has no live children, else the error is ErrHasChildren. Its readers and
	// teachers become inactive, its evaluations go (P6), and so do the schools keys of a network (G3).
	DeleteEntity(ctx context.Context, partner PartnerID, ref Ref) error
	// Entity returns an entity.
	Entity(ctx context.Context, partner PartnerID, ref Ref) (EntityRecord, error)

	// CreateTeacher adds a teacher, with a new access token (P7).
	CreateTeacher(ctx context.Context, partner PartnerID, in TeacherInput) (AccountRecord, error)
	// UpdateTeacher changes a teacher, who may move and get another reference (P7).
	UpdateTeacher(ctx context.Context, partner PartnerID, ref Ref, in TeacherInput) (AccountRecord, error)
	// DeleteTeacher takes a teacher out of the directory and erases e-mail and phone; name and reading stay in the
	// reports (P7).
	DeleteTeacher(ctx context.Context, partner PartnerID, ref Ref) error
	// Teacher returns a teacher, active or not. An account of another kind is ErrNotFound.
	Teacher(ctx context.Context, partner PartnerID, ref Ref) (AccountRecord, error)

	// Entities lists the live entities of a type.
	Entities(ctx context.Context, partner PartnerID, t EntityType, at Cursor) (Page[EntityRecord], error)
	// Subtree lists the live entities strictly below an entity (P9).
	Subtree(ctx context.Context, partner PartnerID, ref Ref, at Cursor) (Page[EntityRecord], error)
	// Readers and Teachers list the accounts that are attached to that very entity, active or not (P9).
	Readers(ctx context.Context, partner PartnerID, ref Ref, at Cursor) (Page[AccountRecord], error)
	Teachers(ctx context.Context, partner PartnerID, ref Ref, at Cursor) (Page[AccountRecord], error)
}

// ErrHasChildren says that an entity cannot be deleted while it has live children (P6).
var ErrHasChildren = errors.New("entity has children")

// Limit is the most rows of a page of a list (P8).
const Limit = 50

// Cursor is a place in a list, which is ordered by creation: the number of a row, which need not be there any more. The
// zero Cursor asks for the first page. After stands where both are set.
type Cursor struct {
	After  int64 // asks for the rows after this number; 0 = none
	Before int64 // asks for the rows just before this number, in the order of the list; 0 = none
}

// Page is a part of a list, of [Limit] rows at most. An empty page has nothing on either side (P8).
type Page[T any] struct {
	Rows      []T
	HasBefore bool // there are rows before the first of these
	HasAfter  bool // there are rows after the last of these
}

// EntityRecord is an entity with the reference of its parent, the partner's own for a network (P1). In lists the
// reference is empty: they do not show it.
type EntityRecord struct {
	Entity
	ParentRef Ref
}

// AccountRecord is an account with the reference of its entity, which may have been deleted since (P6); empty where it
// has none.
type AccountRecord struct {
	Account
	EntityRef Ref
}

// Field is a member of a request's body as it was sent. The zero Field was not sent.
type Field struct {
	Set   bool   // it was sent
	Null  bool   // as null
	Wrong bool   // as a value that is no text
	Text  string // its text, where it was none of these
}

// EntityInput is what is sent of an entity: the members of the API of the same names. Of a change, a field that is not set
// keeps its value; EntityType, ReferenceID and ParentReferenceID can only be what they are (P5).
type EntityInput struct {
	Name, EntityType, Degree, INEP, State, City, ReferenceID, ParentReferenceID Field
}

// Members returns the fields by their names in the API.
func (in *EntityInput) Members() map[string]*Field {
	return map[string]*Field{
		"name": &in.Name, "entity_type": &in.EntityType, "degree": &in.Degree, "inep": &in.INEP, "state": &in.State, "city": &in.City,
		"reference_id": &in.ReferenceID, "parent_reference_id": &in.ParentReferenceID,
	}
}

// TeacherInput is what is sent of a teacher. Of a new one Email and Phone may be left out; a change requires all five (P7).
type TeacherInput struct {
	Name, Email, Phone, ReferenceID, EntityReferenceID Field
}

// Members returns the fields by their names in the API.
func (in *TeacherInput) Members() map[string]*Field {
	return map[string]*Field{
		"name": &in.Name, "email": &in.Email, "phone": &in.Phone,
		"reference_id": &in.ReferenceID, "entity_reference_id": &in.EntityReferenceID,
	}
}
