package schools

import (
	"strings"

	"github.com/lectern-dev/lectern/directory"
)

// AccountRow is a row of accounts as the feed has it; empty texts are null.
type AccountRow struct {
	Line                                     int
	Ref, Kind, Name, Email, Phone, EntityRef string
	Active                                   bool
}

// Accounts settles the rows of accounts. New ones take their identifiers in the order of reference.
func (in *Intake) Accounts(rows []AccountRow, bad Rejected) (Counts, error) {
	live := in.carriers(len(rows))
	gone := in.gone()
	c := Counts{Rows: len(rows)}
	for _, row := range latest(rows, func(r AccountRow) string { return r.Ref }, func(a, b AccountRow) int { return strings.Compare(a.Ref, b.Ref) }) {
		was, isLive := live[row.Ref]
		_, known := in.users[row.Ref]
		a, wrong := in.account(row, was)
		o := against(was, isLive, a)
		if known && !isLive || wrong != nil && wrong.reason == missing && gone[directory.Ref(row.EntityRef)] {
			o = asDeleted
		}
		write, err := c.settle(o, wrong, row.Line, bad)
		if err != nil {
			return c, err
		}
		if !write {
			continue
		}
		if !isLive {
			if err := in.create(&a); err != nil {
				return c, err
			}
		}
		in.PutAccounts = append(in.PutAccounts, a)
	}
	return c, nil
}

// create gives a new account its number and token.
func (in *Intake) create(a *directory.Account) (err error) {
	in.State.LastUser++
	a.ID = in.State.LastUser
	in.users[string(a.Ref)] = a.ID
	a.AccessToken, err = in.NewToken()
	return err
}

// carriers returns the live accounts by reference, and notes whom each reference means: the live account, else the last
// that carried it (F4).
func (in *Intake) carriers(more int) map[string]directory.Account {
	live := make(map[string]directory.Account, len(in.State.Accounts))
	in.users = make(map[string]directory.UserID, len(in.State.Accounts)+more)
	for _, a := range in.State.Accounts { // by number
		ref := string(a.Ref)
		if _, taken := live[ref]; taken && a.Deleted {
			continue
		}
		in.users[ref] = a.ID
		if !a.Deleted {
			live[ref] = a
		}
	}
	return live
}

// gone returns the references of deleted entities that no live one has replaced.
func (in *Intake) gone() map[directory.Ref]bool {
	gone := map[directory.Ref]bool{}
	for _, e := range in.State.Entities {
		if _, live := in.entities[e.Ref]; e.Deleted && !live {
			gone[e.Ref] = true
		}
	}
	return gone
}

// account makes an account of a row; what the feed cannot say is as it was.
func (in *Intake) account(row AccountRow, was directory.Account) (directory.Account, *fault) {
	a := was
	a.Ref, a.Name, a.Email, a.Phone, a.Active = directory.Ref(row.Ref), row.Name, row.Email, row.Phone, row.Active
	if _, err := directory.ParseRef(row.Ref); err != nil {
		return a, &fault{"referenceId", invalid}
	}
	kind, ok := directory.ParseKind(row.Kind)
	if !ok {
		return a, &fault{"kind", "must be one of reader, teacher, administrator, internal"}
	}
	a.Kind, a.Entity = kind, 0
	if f := texts(text{"name", row.Name, 255}, text{"email", row.Email, 255}, text{"phone", row.Phone, 64}); f != nil {
		return a, f
	}
	if row.EntityRef == "" {
		if profileOf(kind) != 0 {
			return a, &fault{"entityReferenceId", "is required"}
		}
		return a, nil
	}
	e, live := in.entities[directory.Ref(row.EntityRef)]
	if !live {
		return a, &fault{"entityReferenceId", missing}
	}
	a.Entity = e.ID
	return a, nil
}
