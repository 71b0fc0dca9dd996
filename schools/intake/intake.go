package intake

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools"
)

// State is what a load must know of a partner to settle a feed against it.
type Stored struct {
	Partner  directory.Ref
	At       snapshot.Versions
	Entities []directory.Entity  // deleted ones too
	Accounts []directory.Account // deleted ones too, by number
	// Carriers is the history of the references of accounts.
	Carriers directory.Carriers
	// Forgotten are the accounts whose name, e-mail and phone no row brings back (P7).
	Forgotten map[directory.UserID]bool
	// Began is when the load began: after all that its first state holds, and before all that is written later. Now is when
	// this state was read, zero for that one.
	Began, Now time.Time
	Books      *schools.Books
	// Evaluations are those that there are.
	Evaluations []directory.Evaluation
	Degrees     directory.Degrees
	LastEntity  directory.EntityID
	LastUser    directory.UserID
}

// Update puts entities and accounts into the state that were written since it was read.
func (s *Stored) Update(entities []directory.Entity, accounts []directory.Account) {
	for _, e := range entities {
		s.Entities = put(s.Entities, e, func(a, b directory.Entity) int { return cmp.Compare(a.ID, b.ID) })
	}
	for _, a := range accounts {
		s.Accounts = put(s.Accounts, a, func(a, b directory.Account) int { return cmp.Compare(a.ID, b.ID) })
	}
}

// put puts a value into an ordered list, in the place of its like if there is one.
func put[T any](list []T, v T, order func(a, b T) int) []T {
	i, found := slices.BinarySearchFunc(list, v, order)
	if found {
		list[i] = v
		return list
	}
	return slices.Insert(list, i, v)
}

// Intake checks the rows of a feed against a partner's state and settles what they change: which entities and accounts
// are new and which identifiers they take, which rows name something deleted, and what each event refers to.
//
// The methods are called in the order Entities, Accounts, Books, Evaluations; then Segment and Access, from any number
// of goroutines. An intake made by Again settles the registers alone, but for the books, which loads alone write.
type Intake struct {
	Stored Stored
	// Began is when the load began: an event more than 5 minutes later is bad (F3).
	Began time.Time
	// History is the first day that is kept (G6).
	History calendar.Date
	// NewToken makes an account's access_token.
	NewToken func() (string, error)

	// What changes, in the order of creation.
	PutEntities    []directory.Entity
	PutAccounts    []directory.Account
	PutBooks       []schools.Book
	PutEvaluations []directory.Evaluation
	// PutCarriers are added to the history of the references that new accounts take from others.
	PutCarriers directory.Carriers

	entities   map[directory.Ref]directory.Entity // live ones, those of the feed included
	deleted    map[directory.Ref]bool             // deleted, and no live one has replaced it; or the feed puts it below such a one
	users      map[string]directory.UserID        // by the references that have no history, and whose row may have taken one
	numbers    *numbers                           // that the load has reserved
	unreserved numbers                            // those that new entities and accounts took from the counters, being without
	eventUsers map[string]directory.UserID        // the numbers of the events of new accounts, and of those that are skipped
	skipped    int                                // the number of the latter
}

// Changes reports whether the rows change anything of the registers.
func (in *Intake) Changes() bool {
	return len(in.PutEntities)+len(in.PutAccounts)+len(in.PutBooks)+len(in.PutEvaluations) > 0
}

// settle settles the rows of a register.
func validate[R any, V comparable](s row.Settling[R, V], rows []row.Lined[R], bad row.Rejected) (row.Counts, error) {
	s.Same = func(a, b V) bool { return a == b }
	c := row.Counts{Rows: len(rows)}
	err := s.Settle(rows, &c, bad)
	return c, err
}

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
	in.unreserved = numbers{users: map[directory.Ref]userNumber{}}
}

// entityNumber returns the number of a new entity: the one that was reserved, or the next.
func (in *Intake) entityNumber(ref directory.Ref) directory.EntityID {
	if id := in.numbers.entities[ref]; id != 0 {
		return id
	}
	in.Stored.LastEntity++
	in.unreserved.entityOrder = append(in.unreserved.entityOrder, ref)
	return in.Stored.LastEntity
}

// userNumber returns the number of a new account: the one that was reserved, or the next.
func (in *Intake) userNumber(ref directory.Ref) (userNumber, error) {
	if r, ok := in.numbers.users[ref]; ok {
		return r, nil
	}
	token, err := in.NewToken()
	in.Stored.LastUser++
	r := userNumber{id: in.Stored.LastUser, token: token, first: in.first(), carriers: len(in.Stored.Carriers[ref])}
	in.unreserved.userOrder = append(in.unreserved.userOrder, ref)
	in.unreserved.users[ref] = r
	return r, err
}

// first reports whether the state is that of the load's beginning.
func (in *Intake) first() bool { return in.Stored.Now.IsZero() || in.Stored.Now.Equal(in.Stored.Began) }

// Lacks returns how many numbers new entities and accounts took from the counters, since none had been reserved for them.
func (in *Intake) Unreserved() (entities, users int) {
	return len(in.unreserved.entityOrder), len(in.unreserved.userOrder)
}

// Reserve gives what [Intake.Lacks] the numbers after those, in the order of creation (S1), for this intake and those that
// Again makes of it. It reports whether they are the ones that were taken; else the registers are to be settled again.
func (in *Intake) Reserve(entity directory.EntityID, user directory.UserID) (same bool) {
	entities, users := in.Unreserved()
	same = entity == in.Stored.LastEntity-directory.EntityID(entities) && user == in.Stored.LastUser-directory.UserID(users)
	for i, ref := range in.unreserved.entityOrder {
		in.numbers.entities[ref] = entity + directory.EntityID(i) + 1
	}
	for i, ref := range in.unreserved.userOrder {
		r := in.unreserved.users[ref]
		r.id = user + directory.UserID(i) + 1
		in.numbers.users[ref] = r
	}
	in.unreserved = numbers{}
	return same
}

// Again begins an intake of the same feed against a later state of the registers: what the feed makes has the numbers that
// were reserved, and its books are settled already.
func (in *Intake) Rebase(later Stored) *Intake {
	later.Books = in.Stored.Books
	return &Intake{Stored: later, Began: in.Began, History: in.History, NewToken: in.NewToken, PutBooks: in.PutBooks, numbers: in.numbers}
}

// nobody is above all numbers of accounts. From it on accounts that are skipped have numbers for their events, should the
// accounts be made after all.
const firstSkipped directory.UserID = 1 << 40

// skip gives the events of an account that is not made a number.
func (in *Intake) skip(ref string) {
	if in.eventUsers[ref] == 0 {
		in.eventUsers[ref] = firstSkipped + directory.UserID(in.skipped)
		in.skipped++
	}
}

// Moves say whose events those of an account are, 0 being nobody's.
type Moves map[directory.UserID]directory.UserID

// others reports whether some are another account's, and not nobody's.
func (m Moves) others() bool {
	for _, to := range m {
		if to != 0 {
			return true
		}
	}
	return false
}

// Moves returns where the events that this intake gave to accounts of the feed belong once the feed is settled as in the later
// intake, or in this one: an account may have become another meanwhile, or may not be made (F6).
func (in *Intake) Moves(later *Intake) Moves {
	m := Moves{}
	for ref, user := range in.eventUsers {
		if to := later.owner([]byte(ref), in.Stored.Began); to != user {
			m[user] = to
		}
	}
	return m
}

// Placed are the numbers for which events may come that Moves move, ascending.
func (in *Intake) EventUsers() []directory.UserID { return slices.Sorted(maps.Values(in.eventUsers)) }
