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
	in.skipped = map[string]bool{}
	c := Counts{Rows: len(rows)}
	for group := range keyed(rows, func(a, b AccountRow) int { return strings.Compare(a.Ref, b.Ref) }) {
		ref := group[0].Ref
		was, isLive := live[ref]
		a, stands, err := standing(&c, group, func(r AccountRow) int { return r.Line }, func(r AccountRow) checked[directory.Account] {
			return in.account(r, was, isLive)
		}, bad)
		if err != nil {
			return c, err
		}
		if !stands || !against(&c, was, isLive, a) {
			continue
		}
		if !isLive {
			if err := in.create(&a); err != nil {
				return c, err
			}
		}
		in.PutAccounts = append(in.PutAccounts, a)
		live[ref] = a
	}
	in.recall(live)
	return c, nil
}

// recall lets the references that accounts gave up mean their last carrier in events, where no live account has them (F4).
// In the register they are free: a row that names one makes a new account.
func (in *Intake) recall(live map[string]directory.Account) {
	for ref, id := range in.State.Former {
		if _, taken := live[string(ref)]; !taken {
			in.users[string(ref)] = id
		}
	}
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

// account checks a row; what the feed cannot say of the account is as it was.
func (in *Intake) account(row AccountRow, was directory.Account, live bool) (r checked[directory.Account]) {
	_, known := in.users[row.Ref]
	if known && !live || in.gone[directory.Ref(row.EntityRef)] {
		in.skipped[row.Ref] = !known
		return checked[directory.Account]{deleted: true}
	}
	a := was
	a.Ref, a.Name, a.Email, a.Phone, a.Active = directory.Ref(row.Ref), row.Name, row.Email, row.Phone, row.Active
	r.wrong = in.accountFault(&a, row)
	r.makes = a
	return r
}

// accountFault completes an account and returns what is wrong with its row.
func (in *Intake) accountFault(a *directory.Account, row AccountRow) *fault {
	if _, err := directory.ParseRef(row.Ref); err != nil {
		return &fault{"referenceId", directory.MsgInvalid}
	}
	kind, ok := directory.ParseKind(row.Kind)
	if !ok {
		return &fault{"kind", "must be one of reader, teacher, administrator, internal"}
	}
	a.Kind, a.Entity = kind, 0
	if f := texts(text{"name", row.Name, 255}, text{"email", row.Email, 255}, text{"phone", row.Phone, 64}); f != nil {
		return f
	}
	if row.EntityRef == "" {
		if profileOf(kind) != 0 {
			return &fault{"entityReferenceId", "is required"}
		}
		return nil
	}
	e, live := in.entities[directory.Ref(row.EntityRef)]
	if !live {
		return &fault{"entityReferenceId", directory.MsgMissing}
	}
	a.Entity = e.ID
	return nil
}
