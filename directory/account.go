package directory

import (
	"crypto/rand"
	"fmt"
	"io"

	"github.com/lectern-dev/lectern/paging/row"
)

// Kind says what an account is for. The zero Kind is none.
type Kind uint8

// The kinds of accounts. Readers and teachers are the students and teachers of the reports; the others are in no route
// (S1). The values are stored.
const (
	Reader        Kind = 1
	Teacher       Kind = 2
	Administrator Kind = 3
	Internal      Kind = 4
)

var kinds = []string{Reader: "reader", Teacher: "teacher", Administrator: "administrator", Internal: "internal"}

// ParseKind returns the kind that a text names, `reader`, `teacher`, `administrator` or `internal`, and whether it
// names one.
func ParseKind(text string) (Kind, bool) { return row.ValueOf[Kind](kinds, text) }

// String returns the kind as the feed writes it.
func (k Kind) String() string { return row.NameOf(kinds, "kind", k) }

// Account is a user of a partner. Texts that are null are empty.
type Account struct {
	ID          UserID
	Ref         Ref
	Kind        Kind
	Name        string
	Email       string
	Phone       string   // free text
	AccessToken string   // see NewAccessToken; never changed once given, whatever the kind becomes (F1)
	Entity      EntityID // 0 = none
	Active      bool

	// Deleted says that the account has left the directory; its reading stays in the reports, as that of an inactive
	// user (P7).
	Deleted bool
}

// Forget erases what names and reaches the person (P7).
func (a *Account) Forget() { a.Name, a.Email, a.Phone = "", "", "" }

// crockford is the alphabet of access tokens: 32 digits and letters without I, L, O and U, which are misread.
const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// NewAccessToken returns an access code: 16 characters of Crockford's base32, 80 bits, drawn from a cryptographic
// source (P7); nil is crypto/rand. The error is the source's.
func NewAccessToken(r io.Reader) (string, error) {
	if r == nil {
		r = rand.Reader
	}
	var b [16]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return "", fmt.Errorf("access token: %w", err)
	}
	for i, v := range b {
		b[i] = crockford[v%32] // 256 is a multiple of 32: all are equally likely
	}
	return string(b[:]), nil
}
