package intake

import (
	"maps"
	"slices"

	"github.com/lectern-dev/lectern/directory"
)

// numbers are those of entities and accounts that a load makes, by reference, and the references in the order of creation.
type numbers struct {
	entities    map[directory.Ref]directory.EntityID
	users       map[directory.Ref]userNumber
	entityOrder []directory.Ref
	userOrder   []directory.Ref
}

// userNumber is the number of an account that a load makes, and its token.
type userNumber struct {
	id    directory.UserID
	token string
	// first says that the load was to make the account from its beginning, when its reference had so many carriers.
	first    bool
	carriers int
}

// number makes ready to give numbers.
func (in *Intake) number() {
	if in.numbers == nil {
		in.numbers = &numbers{entities: map[directory.Ref]directory.EntityID{}, users: map[directory.Ref]userNumber{}}
	}
	in.lacks = numbers{users: map[directory.Ref]userNumber{}}
}

// entityNumber returns the number of a new entity: the one that was reserved, or the next.
func (in *Intake) entityNumber(ref directory.Ref) directory.EntityID {
	if id := in.numbers.entities[ref]; id != 0 {
		return id
	}
	in.State.LastEntity++
	in.lacks.entityOrder = append(in.lacks.entityOrder, ref)
	return in.State.LastEntity
}

// userNumber returns the number of a new account: the one that was reserved, or the next.
func (in *Intake) userNumber(ref directory.Ref) (userNumber, error) {
	if r, ok := in.numbers.users[ref]; ok {
		return r, nil
	}
	token, err := in.NewToken()
	in.State.LastUser++
	r := userNumber{id: in.State.LastUser, token: token, first: in.first(), carriers: len(in.State.Carriers[ref])}
	in.lacks.userOrder = append(in.lacks.userOrder, ref)
	in.lacks.users[ref] = r
	return r, err
}

// first reports whether the state is that of the load's beginning.
func (in *Intake) first() bool { return in.State.Now.IsZero() || in.State.Now.Equal(in.State.Began) }

// Lacks returns how many numbers new entities and accounts took from the counters, since none had been reserved for them.
func (in *Intake) Lacks() (entities, users int) {
	return len(in.lacks.entityOrder), len(in.lacks.userOrder)
}

// Reserve gives what [Intake.Lacks] the numbers after those, in the order of creation (S1), for this intake and those that
// Again makes of it. It reports whether they are the ones that were taken; else the registers are to be settled again.
func (in *Intake) Reserve(entity directory.EntityID, user directory.UserID) (same bool) {
	entities, users := in.Lacks()
	same = entity == in.State.LastEntity-directory.EntityID(entities) && user == in.State.LastUser-directory.UserID(users)
	for i, ref := range in.lacks.entityOrder {
		in.numbers.entities[ref] = entity + directory.EntityID(i) + 1
	}
	for i, ref := range in.lacks.userOrder {
		r := in.lacks.users[ref]
		r.id = user + directory.UserID(i) + 1
		in.numbers.users[ref] = r
	}
	in.lacks = numbers{}
	return same
}

// Again begins an intake of the same feed against a later state of the registers: what the feed makes has the numbers that
// were reserved, and its books are settled already.
func (in *Intake) Again(later State) *Intake {
	later.Books = in.State.Books
	return &Intake{State: later, Began: in.Began, History: in.History, NewToken: in.NewToken, PutBooks: in.PutBooks, numbers: in.numbers}
}

// nobody is above all numbers of accounts. From it on accounts that are skipped have numbers for their events, should the
// accounts be made after all.
const nobody directory.UserID = 1 << 40

// skip gives the events of an account that is not made a number.
func (in *Intake) skip(ref string) {
	if in.placed[ref] == 0 {
		in.placed[ref] = nobody + directory.UserID(in.skipped)
		in.skipped++
	}
}

// Moves say whose events those of an account are, 0 being nobody's.
type Moves map[directory.UserID]directory.UserID

// Moves returns where the events that this intake gave to accounts of the feed belong once the feed is settled as in the later
// intake, or in this one: an account may have become another meanwhile, or may not be made (F6).
func (in *Intake) Moves(later *Intake) Moves {
	m := Moves{}
	for ref, user := range in.placed {
		if to := later.carrier([]byte(ref), in.State.Began); to != user {
			m[user] = to
		}
	}
	return m
}

// Placed are the numbers for which events may come that Moves move, ascending.
func (in *Intake) Placed() []directory.UserID { return slices.Sorted(maps.Values(in.placed)) }
