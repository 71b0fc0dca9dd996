package intake

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/schools"
)

// AccountRow is a row of accounts as the feed has it. Empty texts are null.
type AccountRow struct {
	Ref, Kind, Name, Email, Phone, EntityRef string
	Active                                   bool
}

// Fields declares the fields of an account's row. An account without `active` is active.
func (a *AccountRow) Fields(w *row.Walk) {
	row.Text(w, "referenceId", &a.Ref, row.Required)
	row.Text(w, "kind", &a.Kind, row.Required)
	row.Text(w, "name", &a.Name, row.AtMost(255))
	row.Text(w, "email", &a.Email, row.AtMost(255))
	row.Text(w, "phone", &a.Phone, row.AtMost(64))
	row.Text(w, "entityReferenceId", &a.EntityRef)
	row.BoolOr(w, "active", &a.Active, true)
}

// Accounts validates the rows of accounts and adds those that are new or changed to PutAccounts. New accounts
// are numbered in the order of their references. Bad rows are reported to bad. The error is that of bad.
func (in *Intake) Accounts(rows []row.Lined[AccountRow], bad row.Rejected) (row.Counts, error) {
	in.readRefs(len(rows))
	in.useCurrentRefs(rows)
	in.skipped, in.PutRefOwners = map[string]directory.UserID{}, directory.RefOwners{}
	return validate(row.Reconciler[AccountRow, directory.Account]{
		Order: func(a, b AccountRow) int { return strings.Compare(a.Ref, b.Ref) }, Check: in.checkAccount,
		Was: func(a directory.Account) (directory.Account, bool) { return in.live(string(a.Ref)) },
		Put: func(a directory.Account, was *directory.Account) error {
			if was == nil {
				in.create(&a)
			}
			in.PutAccounts = append(in.PutAccounts, a)
			return nil
		},
	}, rows, bad)
}

// readRefs notes the account that each reference without a history means: the live account, otherwise the last deleted
// one (F4).
func (in *Intake) readRefs(more int) {
	in.users = make(map[string]directory.UserID, len(in.Stored.Accounts)+more)
	for _, a := range in.Stored.Accounts { // by number
		if a.Deleted {
			if _, isLive := in.live(string(a.Ref)); isLive {
				continue
			}
		}
		in.users[string(a.Ref)] = a.ID
	}
}

// live returns the stored account that has a reference now, or false.
func (in *Intake) live(ref string) (directory.Account, bool) {
	a, found := in.account(in.users[ref])
	return a, found && !a.Deleted
}

// account returns the stored account of a number, or false.
func (in *Intake) account(id directory.UserID) (directory.Account, bool) {
	i, found := slices.BinarySearchFunc(in.Stored.Accounts, id, func(a directory.Account, id directory.UserID) int { return cmp.Compare(a.ID, id) })
	if !found {
		return directory.Account{}, false
	}
	return in.Stored.Accounts[i], true
}

// useCurrentRefs replaces references that accounts gave up by their present ones: the feed may still use the
// earlier reference. If the feed also has a row under the present reference, the earlier one stays and makes a
// new account (F4).
func (in *Intake) useCurrentRefs(rows []row.Lined[AccountRow]) {
	present := map[string]string{}
	for ref := range in.Stored.RefOwners {
		if a := in.lastOwner(ref); !a.Deleted {
			present[string(ref)] = string(a.Ref)
		}
	}
	if len(present) == 0 {
		return
	}
	named := map[string]bool{}
	for _, r := range rows {
		named[r.Row.Ref] = true
	}
	for i, r := range rows {
		if now, ok := present[r.Row.Ref]; ok && !named[now] {
			rows[i].Row.Ref = now
		}
	}
}

// lastOwner returns the last owner of a reference that has a history. An owner that is not stored counts as
// deleted.
func (in *Intake) lastOwner(ref directory.Ref) directory.Account {
	id := in.Stored.RefOwners.Last(ref)
	if a, found := in.account(id); found {
		return a
	}
	return directory.Account{ID: id, Deleted: true}
}

// create gives a new account its number and its reference, which another account may have given
// up. The account owns the reference from the beginning of the load. If the reference changed owners since
// then, it owns it from now on.
func (in *Intake) create(a *directory.Account) {
	in.newUsers = append(in.newUsers, len(in.PutAccounts))
	delete(in.skipped, string(a.Ref)) // by an earlier row
	r, again := in.reserved.users[a.Ref]
	if !again {
		in.Stored.LastUser++
		in.unreservedUsers++
		r.id = in.Stored.LastUser
	}
	a.ID = r.id
	at := in.Stored.Now
	if in.first() || again && r.owners == len(in.Stored.RefOwners[a.Ref]) {
		at = in.Stored.Began
	}
	if more := in.Stored.RefOwners.Take(a.Ref, 0, a.ID, at); len(more) > 0 {
		in.PutRefOwners[a.Ref] = more
	} else {
		in.users[string(a.Ref)] = a.ID
	}
}

// owner returns the account that a reference means in an event at a time, or 0 if there is none (F4). An
// event after the beginning of the load counts as one at its beginning.
func (in *Intake) owner(ref []byte, at time.Time) directory.UserID {
	if len(in.Stored.RefOwners[directory.Ref(ref)]) == 0 {
		return in.users[string(ref)]
	}
	at, began := at.Truncate(time.Microsecond), in.Stored.Began.Truncate(time.Microsecond)
	if at.After(began) {
		at = began
	}
	if more := in.PutRefOwners[directory.Ref(ref)]; len(more) > 0 && !more[0].Since.After(at) {
		return more[0].Account
	}
	return in.Stored.RefOwners.At(directory.Ref(ref), at)
}

// checkAccount validates a row. Fields that the feed does not have stay as they are stored.
func (in *Intake) checkAccount(of AccountRow) (directory.Account, error) {
	was, live := in.live(of.Ref)
	known, deleted := in.known(of.Ref)
	if deleted && !live || in.deleted[directory.Ref(of.EntityRef)] {
		if !known {
			in.skip(of.Ref)
		}
		return was, row.ErrDeleted
	}
	a := was
	a.Ref, a.Name, a.Email, a.Phone, a.Active = directory.Ref(of.Ref), of.Name, of.Email, of.Phone, of.Active
	if in.Stored.Forgotten[was.ID] {
		a.Forget()
	}
	if wrong := in.accountFault(&a, of); wrong != nil {
		return a, wrong
	}
	return a, nil
}

// known reports whether any account has or had a reference. If no live account has it, deleted says whether
// it means a deleted one.
func (in *Intake) known(ref string) (known, deleted bool) {
	if len(in.Stored.RefOwners[directory.Ref(ref)]) > 0 {
		return true, in.lastOwner(directory.Ref(ref)).Deleted
	}
	_, known = in.users[ref]
	return known, known
}

// accountFault sets the kind and the entity of an account, and returns what is wrong with its row.
func (in *Intake) accountFault(a *directory.Account, of AccountRow) *row.FaultError {
	if _, err := directory.ParseRef(of.Ref); err != nil {
		return row.Fault("referenceId", directory.MsgInvalid)
	}
	kind, ok := directory.ParseKind(of.Kind)
	if !ok {
		return row.Fault("kind", "must be one of reader, teacher, administrator, internal")
	}
	a.Kind, a.Entity = kind, 0
	if of.EntityRef == "" {
		if schools.ProfileOf(kind) != 0 {
			return row.Fault("entityReferenceId", "is required")
		}
		return nil
	}
	e, live := in.entities[directory.Ref(of.EntityRef)]
	if !live {
		return row.Fault("entityReferenceId", directory.MsgMissing)
	}
	a.Entity = e.ID
	return nil
}
