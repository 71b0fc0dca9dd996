package directory

import (
	"context"
	"errors"
)

// Store stores the entities and accounts of partners. Every method acts for one partner. Anything of another partner
// behaves as if it did not exist (G3). A reference names a live entity or account; the error is [ErrNotFound] if there
// is none.
//
// Each write is one transaction, and the writes of a partner follow one another. Faults of the input are returned
// together, as a [FieldErrors] (P4). Then nothing is written.
type Store interface {
	// CreateEntity adds an entity (P4).
	CreateEntity(ctx context.Context, partner PartnerID, in EntityInput) (EntityRecord, error)
	// UpdateEntity changes an entity (P5).
	UpdateEntity(ctx context.Context, partner PartnerID, ref Ref, in EntityInput) (EntityRecord, error)
	// DeleteEntity deletes an entity. The error is ErrHasChildren if it has live children. Its readers and teachers
	// become inactive, and its evaluations are deleted (P6). The schools keys of a network are revoked (G3).
	DeleteEntity(ctx context.Context, partner PartnerID, ref Ref) error
	// Entity returns an entity.
	Entity(ctx context.Context, partner PartnerID, ref Ref) (EntityRecord, error)

	// CreateTeacher adds a teacher, with a new access token (P7).
	CreateTeacher(ctx context.Context, partner PartnerID, in TeacherInput) (AccountRecord, error)
	// UpdateTeacher changes a teacher, who may move to another entity and get another reference (P7).
	UpdateTeacher(ctx context.Context, partner PartnerID, ref Ref, in TeacherInput) (AccountRecord, error)
	// DeleteTeacher removes a teacher from the directory, and erases e-mail and phone. The reports keep the name and
	// the reading (P7).
	DeleteTeacher(ctx context.Context, partner PartnerID, ref Ref) error
	// Teacher returns a teacher, active or not. The error is ErrNotFound for an account of another kind.
	Teacher(ctx context.Context, partner PartnerID, ref Ref) (AccountRecord, error)

	// Entities lists the live entities of a type.
	Entities(ctx context.Context, partner PartnerID, t EntityType, at Cursor) (Page[EntityRecord], error)
	// Subtree lists the live entities strictly below an entity (P9).
	Subtree(ctx context.Context, partner PartnerID, ref Ref, at Cursor) (Page[EntityRecord], error)
	// Readers and Teachers list the accounts that are attached to the entity itself, active or not (P9).
	Readers(ctx context.Context, partner PartnerID, ref Ref, at Cursor) (Page[AccountRecord], error)
	Teachers(ctx context.Context, partner PartnerID, ref Ref, at Cursor) (Page[AccountRecord], error)
}

// ErrHasChildren says that an entity cannot be deleted while it has live children (P6).
var ErrHasChildren = errors.New("entity has children")

// Limit is the maximum number of rows of a page (P8).
const Limit = 50

// Cursor is a place in a list, which is ordered by creation: the number of a row, even of a deleted one. The zero
// Cursor asks for the first page. If both fields are set, After counts.
type Cursor struct {
	After  int64 // asks for the first rows after this number
	Before int64 // asks for the last rows before this number, in the order of the list
}

// Page is a part of a list, of at most [Limit] rows. An empty page has no rows on either side (P8).
type Page[T any] struct {
	Rows      []T
	HasBefore bool // the list has rows before these
	HasAfter  bool // the list has rows after these
}

// EntityRecord is an entity with the reference of its parent, which is the partner's for a network (P1). Lists leave
// the reference empty.
type EntityRecord struct {
	Entity
	ParentRef Ref
}

// AccountRecord is an account with the reference of its entity, which may be deleted (P6). The reference is empty if
// the account has no entity.
type AccountRecord struct {
	Account
	EntityRef Ref
}

// Field is a member of a request's body as it was sent. The zero Field was not sent.
type Field struct {
	Set   bool   // the member was sent
	Null  bool   // it was null
	Wrong bool   // it was neither null nor a text
	Text  string // otherwise, its text
}

// EntityInput is the body of a request that creates or changes an entity. In a change, a field that is not set keeps
// its value. EntityType, ReferenceID and ParentReferenceID cannot change (P5).
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

// TeacherInput is the body of a request that creates or changes a teacher. A new teacher needs no Email and Phone; a
// change requires all five fields (P7).
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
