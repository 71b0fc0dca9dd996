package directory

import (
	"errors"
	"unicode"
	"unicode/utf8"
)

// PartnerID is the number of a partner: its tenant's number (G4). The zero PartnerID is none.
type PartnerID int64

// EntityID is the number of an entity, counted up from 1 within its partner and never given again (S1). Zero is none,
// or the partner itself where a parent is meant.
type EntityID int64

// UserID is the number of an account, counted up from 1 within its partner and never given again (S1). Zero is none.
type UserID int64

// Ref is a reference_id: the name that the partner chose for an entity or an account. References compare exactly.
type Ref string

// The errors of this package, to be told with errors.Is.
var (
	// ErrNotFound says that there is nothing with the reference or number.
	ErrNotFound = errors.New("not found")

	// ErrRef says that a text cannot be a reference (P2).
	ErrRef = errors.New("not a reference_id")

	// ErrText says that a text cannot be stored: it is not UTF-8 or has a NUL character, which PostgreSQL cannot keep.
	ErrText = errors.New("text is not UTF-8 or has a NUL character")
)

// maxText is the most characters of a reference, a name and a city (P2, P3).
const maxText = 255

// ParseRef returns the reference that a text is, or ErrRef: 1 to 255 characters of UTF-8 without control characters;
// `.` and `..`, which would vanish from a path, are none (P2). Nothing is trimmed or folded.
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
