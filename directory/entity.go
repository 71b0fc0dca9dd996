package directory

import (
	"errors"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/lectern-dev/lectern/paging/row"
)

// PartnerID is the number of a partner, which is the number of its tenant (G4). The zero PartnerID is none.
type PartnerID int64

// EntityID is the number of an entity, counted up from 1 within its partner and never given again (S1). As a parent, 0
// is the partner; otherwise it is none.
type EntityID int64

// UserID is the number of an account, counted up from 1 within its partner and never given again (S1). Zero is none.
type UserID int64

// Ref is a reference_id, the name that a partner chose for an entity or an account. References are compared exactly.
type Ref string

// The errors of this package. Test for them with errors.Is.
var (
	// ErrNotFound says that nothing has the reference or number.
	ErrNotFound = errors.New("not found")

	// ErrRef says that a text is not a valid reference (P2).
	ErrRef = errors.New("not a reference_id")

	// ErrText says that a text cannot be stored: it is not UTF-8, or has a NUL character, which PostgreSQL does not
	// accept.
	ErrText = errors.New("text is not UTF-8 or has a NUL character")
)

// maxText is the maximum length of a reference, a name and a city, in characters (P2, P3).
const maxText = 255

// ParseRef returns a text as a reference, or ErrRef. A reference has 1 to 255 characters of UTF-8 without control
// characters, and is not `.` or `..`, which would vanish from a path (P2). Nothing is trimmed or folded.
func ParseRef(text string) (Ref, error) {
	if text == "" || text == "." || text == ".." || !utf8.ValidString(text) || tooLong(text, maxText) {
		return "", ErrRef
	}
	for _, r := range text {
		if unicode.IsControl(r) {
			return "", ErrRef
		}
	}
	return Ref(text), nil
}

// tooLong reports whether a text has more than n characters.
func tooLong(text string, n int) bool {
	return len(text) > n && utf8.RuneCountInString(text) > n
}

// EntityType is the level of an entity. Higher levels have smaller values. The zero EntityType is none.
type EntityType uint8

// The three levels (P1). The values are stored.
const (
	Network EntityType = 1
	School  EntityType = 2
	Class   EntityType = 3
)

var entityTypes = []string{Network: "network", School: "school", Class: "class"}

// ParseEntityType returns the type that a text names, `network`, `school` or `class`, and whether there is one.
func ParseEntityType(text string) (EntityType, bool) {
	return row.ValueOf[EntityType](entityTypes, text)
}

// String returns the type as the API and feeds write it.
func (t EntityType) String() string { return row.NameOf(entityTypes, "entity type", t) }

// Parent returns the type of the parent of an entity of this type. ok is false for a network, whose parent is the
// partner (P1), and for a value that is not a type.
func (t EntityType) Parent() (parent EntityType, ok bool) {
	if t != School && t != Class {
		return 0, false
	}
	return t - 1, true
}

// Entity is a network, a school or a class. A text that is null is empty.
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

	// Deleted says that the entity is in no list and on no path (P6).
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

// Evaluation is an assessment of an entity. It is deleted with the entity (P6).
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

// Degree is what a degree code means in the reports (P3).
type Degree struct {
	Code  string
	Stage string // `INFANTIL`, `FUNDAMENTAL 1`, `FUNDAMENTAL 2`, `MEDIO`; empty = none
	Grade int    // school year, 1 to 9; 0 = none
}

// Degrees are a partner's vocabulary of degrees, in display order. An operator can replace it.
type Degrees []Degree

// DefaultDegrees returns the vocabulary of a partner whose operator has not replaced it (P3).
func DefaultDegrees() Degrees {
	return Degrees{
		{Code: "I", Stage: "INFANTIL"},
		{Code: "1", Stage: "FUNDAMENTAL 1", Grade: 1},
		{Code: "2", Stage: "FUNDAMENTAL 1", Grade: 2},
		{Code: "3", Stage: "FUNDAMENTAL 1", Grade: 3},
		{Code: "4", Stage: "FUNDAMENTAL 1", Grade: 4},
		{Code: "5", Stage: "FUNDAMENTAL 1", Grade: 5},
		{Code: "6", Stage: "FUNDAMENTAL 2", Grade: 6},
		{Code: "7", Stage: "FUNDAMENTAL 2", Grade: 7},
		{Code: "8", Stage: "FUNDAMENTAL 2", Grade: 8},
		{Code: "9", Stage: "FUNDAMENTAL 2", Grade: 9},
		{Code: "M", Stage: "MEDIO"},
		{Code: "M1", Stage: "MEDIO"},
		{Code: "M2", Stage: "MEDIO"},
		{Code: "M3", Stage: "MEDIO"},
		{Code: "F"}, // the whole school
	}
}

// Degree returns the degree with a code, which is compared exactly, and whether there is one.
func (ds Degrees) Degree(code string) (Degree, bool) {
	for _, d := range ds {
		if d.Code == code {
			return d, true
		}
	}
	return Degree{}, false
}
