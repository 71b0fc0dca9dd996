package directory

import (
	"crypto/rand"
	"fmt"
	"io"
	"sort"
	"time"

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

// Fields declares the fields of an account, as they are stored.
func (a *Account) Fields(w *row.Walk) {
	row.Int(w, "userId", &a.ID)
	row.Text(w, "referenceId", &a.Ref)
	row.Enum(w, "kind", &a.Kind, nil)
	row.Text(w, "name", &a.Name)
	row.Text(w, "email", &a.Email)
	row.Text(w, "phone", &a.Phone)
	row.Text(w, "accessToken", &a.AccessToken)
	row.Int(w, "entityId", &a.Entity)
	row.Bool(w, "active", &a.Active)
	row.Bool(w, "deleted", &a.Deleted)
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

// RefOwner is an account that took a reference at an instant, in whole microseconds. It carries it until another account
// takes it, whether it has it still, gave it up for another or was deleted (F4).
type RefOwner struct {
	Since   time.Time // ignored for a reference's first carrier, who has it for all time before, too
	Account UserID
}

// RefOwners is the history of the references that more than one account carried, or that an account gave up for another:
// who carried each, in the order of time. A reference that is not in it has one carrier from the beginning: the account
// that has it, live or deleted.
type RefOwners map[Ref][]RefOwner

// At returns the account that carried a reference at an instant: earlier than all carriers the first, in a gap the one
// before. It is none, 0, for a reference without a history.
func (c RefOwners) At(ref Ref, t time.Time) UserID {
	list := c[ref]
	later := sort.Search(len(list), func(i int) bool { return list[i].Since.After(t) })
	if later == 0 && len(list) > 0 {
		return list[0].Account
	}
	if later == 0 {
		return 0
	}
	return list[later-1].Account
}

// Last returns the account that took a reference last, or none, 0, where the reference has no history.
func (c RefOwners) Last(ref Ref) UserID {
	if list := c[ref]; len(list) > 0 {
		return list[len(list)-1].Account
	}
	return 0
}

// Take returns what an account that takes a reference at an instant adds to the reference's history, to stand at its end;
// was is the one account that has had it so far, where it has no history yet, or 0. Nothing is added where the account is
// the first to have it, or carries it already. The instant is put off until after the last one of the history, should a
// clock have gone back.
func (c RefOwners) Take(ref Ref, was, account UserID, at time.Time) []RefOwner {
	list := c[ref]
	var more []RefOwner
	if len(list) == 0 {
		if was == 0 {
			return nil
		}
		more = OwnedBy(was)
		list = more
	}
	last := list[len(list)-1]
	if last.Account == account {
		return more
	}
	at = at.Truncate(time.Microsecond)
	if !at.After(last.Since) {
		at = last.Since.Add(time.Microsecond)
	}
	return append(more, RefOwner{at, account})
}

// OwnedBy is the history of a reference that one account has carried from the beginning.
func OwnedBy(account UserID) []RefOwner { return []RefOwner{{time.UnixMicro(0).UTC(), account}} }
