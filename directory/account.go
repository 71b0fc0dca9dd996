package directory

import (
	"crypto/rand"
	"sort"
	"time"

	"github.com/lectern-dev/lectern/paging/row"
)

// Kind is the role of an account. The zero Kind is none.
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

// ParseKind returns the kind that a text names, `reader`, `teacher`, `administrator` or `internal`, and whether there
// is one.
func ParseKind(text string) (Kind, bool) { return row.ValueOf[Kind](kinds, text) }

// String returns the kind as feeds write it.
func (k Kind) String() string { return row.NameOf(kinds, "kind", k) }

// Account is a user of a partner. A text that is null is empty.
type Account struct {
	ID          UserID
	Ref         Ref
	Kind        Kind
	Name        string
	Email       string
	Phone       string   // free text
	AccessToken string   // see NewAccessToken; never changed, whatever the kind becomes (F1)
	Entity      EntityID // 0 = none
	Active      bool

	// Deleted says that the account has left the directory. The reports still count its reading, as that of an inactive
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

// Forget erases the name, the e-mail and the phone of the person (P7).
func (a *Account) Forget() { a.Name, a.Email, a.Phone = "", "", "" }

// crockford is the alphabet of access tokens: 32 digits and letters without I, L, O and U, which are easily misread.
const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// NewAccessToken returns a random access token: 16 characters of Crockford's base32, 80 bits (P7).
func NewAccessToken() string {
	var b [16]byte
	rand.Read(b[:])
	for i, v := range b {
		b[i] = crockford[v%32] // 256 is a multiple of 32, so all are equally likely
	}
	return string(b[:])
}

// RefOwner is an account that took a reference at an instant. It owns the reference until another account takes it,
// even if it gave the reference up or was deleted before (F4).
type RefOwner struct {
	Since   time.Time // in whole microseconds; ignored for the first owner, which owns the reference at all earlier times
	Account UserID
}

// RefOwners is the history of references that had several owners, or were given up for another: their owners in the
// order of time. Any other reference belongs from the beginning to the account that has it, live or deleted.
type RefOwners map[Ref][]RefOwner

// At returns the owner of a reference at an instant, or 0 for a reference without history.
func (c RefOwners) At(ref Ref, t time.Time) UserID {
	list := c[ref]
	if len(list) == 0 {
		return 0
	}
	later := sort.Search(len(list), func(i int) bool { return list[i].Since.After(t) })
	return list[max(later, 1)-1].Account
}

// Last returns the account that took a reference last, or 0 for a reference without history.
func (c RefOwners) Last(ref Ref) UserID {
	if list := c[ref]; len(list) > 0 {
		return list[len(list)-1].Account
	}
	return 0
}

// Take returns the owners to append to a reference's history when an account takes it at an instant. was is the account
// that has had it so far, if it has no history, or 0. Nothing is added if the account is the first owner, or the
// current one. If the clock has gone back, the instant is moved behind the last one of the history.
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

// OwnedBy returns the history of a reference that has belonged to one account from the beginning.
func OwnedBy(account UserID) []RefOwner { return []RefOwner{{time.UnixMicro(0).UTC(), account}} }
