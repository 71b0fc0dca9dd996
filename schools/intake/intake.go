package intake

import (
	"cmp"
	"slices"
	"time"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools"
)

// State is what a load must know of a partner to settle a feed against it.
type State struct {
	Partner  directory.Ref
	At       state.Versions
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
func (s *State) Update(entities []directory.Entity, accounts []directory.Account) {
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
	State State
	// Began is when the load began: an event more than Ahead later is bad (F3).
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

	entities map[directory.Ref]directory.Entity // live ones, those of the feed included
	gone     map[directory.Ref]bool             // deleted, and no live one has replaced it; or the feed puts it below such a one
	users    map[string]directory.UserID        // by the references that have no history, and whose row may have taken one
	numbers  *numbers                           // that the load has reserved
	lacks    numbers                            // those that new entities and accounts took from the counters, being without
	placed   map[string]directory.UserID        // the numbers of the events of new accounts, and of those that are skipped
	skipped  int                                // the number of the latter
}

// Ahead is by how much the clock of who writes a feed may be ahead of the load's (F3).
const Ahead = 5 * time.Minute

// Counts are [row.Counts] of a register file, as the totals of a load say them.
type Counts struct {
	Rows      int `json:"rows"`
	New       int `json:"new"`
	Changed   int `json:"changed"`
	Unchanged int `json:"unchanged"`
	// Superseded rows are good, but a later line has their key (F1).
	Superseded int `json:"superseded"`
	// Passed rows name something deleted, and are skipped (F4).
	Passed int `json:"deleted"`
	Bad    int `json:"bad"`
}

// Changes reports whether the rows change anything of the registers.
func (in *Intake) Changes() bool {
	return len(in.PutEntities)+len(in.PutAccounts)+len(in.PutBooks)+len(in.PutEvaluations) > 0
}

// settle settles the rows of a register.
func settle[R any, V comparable](s row.Settling[R, V], rows []row.Lined[R], bad row.Rejected) (Counts, error) {
	s.Same = func(a, b V) bool { return a == b }
	c := row.Counts{Rows: len(rows)}
	err := s.Settle(rows, &c, bad)
	return Counts(c), err
}
