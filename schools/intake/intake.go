package intake

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools"
)

// Stored is what a load must know of a partner's tables before it validates a feed.
type Stored struct {
	Partner  directory.Ref
	At       snapshot.Versions
	Entities []directory.Entity  // deleted ones too
	Accounts []directory.Account // deleted ones too, by number
	// RefOwners has the history of references: the accounts that owned each of them, and since when.
	RefOwners directory.RefOwners
	// Forgotten has the accounts that were erased. No row brings back their name, e-mail or phone (P7).
	Forgotten map[directory.UserID]bool
	// Began is when the load began, later than all that its first snapshot has. Now is when this snapshot was
	// read, zero for the first one.
	Began, Now time.Time
	Books      *schools.Books
	// Evaluations has all stored evaluations.
	Evaluations []directory.Evaluation
	Degrees     directory.Degrees
	LastEntity  directory.EntityID
	LastUser    directory.UserID
}

// PutEntity replaces or adds an entity.
func (s *Stored) PutEntity(e directory.Entity) {
	s.Entities = put(s.Entities, e, func(a, b directory.Entity) int { return cmp.Compare(a.ID, b.ID) })
}

// PutAccount replaces or adds an account.
func (s *Stored) PutAccount(a directory.Account) {
	s.Accounts = put(s.Accounts, a, func(a, b directory.Account) int { return cmp.Compare(a.ID, b.ID) })
}

// put replaces the equal value of an ordered list by v, or inserts v.
func put[T any](list []T, v T, order func(a, b T) int) []T {
	i, found := slices.BinarySearchFunc(list, v, order)
	if found {
		list[i] = v
		return list
	}
	return slices.Insert(list, i, v)
}

// Intake validates the rows of a feed against a partner's stored tables, and collects what they change. It
// decides which entities and accounts are new and which numbers they get, which rows name something deleted,
// and to which account each event belongs.
//
// The methods are called in the order Entities, Accounts, Books, Evaluations, and sort their rows. After that,
// Segment and Access may be called from any number of goroutines. An intake made by Rebase takes all tables but
// the books, which only loads write.
type Intake struct {
	Stored Stored
	// Began is when the load began. An event more than 5 minutes later is bad (F3).
	Began time.Time
	// History is the first day of the history; earlier events are skipped (G6).
	History calendar.Date

	// The rows to write, in the order of creation.
	PutEntities    []directory.Entity
	PutAccounts    []directory.Account
	PutBooks       []schools.Book
	PutEvaluations []directory.Evaluation
	// PutRefOwners is added to the history of references that new accounts take over.
	PutRefOwners directory.RefOwners

	entities map[directory.Ref]directory.Entity // live ones, with those of the feed
	deleted  map[directory.Ref]bool             // deleted and not replaced, or below such an entity in the feed
	users    map[string]directory.UserID        // by reference, of references that have no history
	skipped  map[string]directory.UserID        // by reference: the number under which events of a skipped account are sorted
	skips    int                                // how many of these numbers were given
	moves    Moves                              // see EventsRead

	newEntities, newUsers               []int   // the places of new rows in PutEntities and PutAccounts
	unreservedEntities, unreservedUsers int     // how many of them have a number from the counters
	reserved                            numbers // by earlier intakes of the load
}

// Changes reports whether the feed changes any row of a table.
func (in *Intake) Changes() bool {
	return len(in.PutEntities)+len(in.PutAccounts)+len(in.PutBooks)+len(in.PutEvaluations) > 0
}

// validate validates the rows of one table, and counts them.
func validate[R any, V comparable](s row.Reconciler[R, V], rows []row.Lined[R], bad row.Rejected) (row.Counts, error) {
	s.Same = func(a, b V) bool { return a == b }
	c := row.Counts{Rows: len(rows)}
	err := s.Reconcile(rows, &c, bad)
	return c, err
}

// numbers has the numbers of the entities and accounts that a load creates, by reference.
type numbers struct {
	entities map[directory.Ref]directory.EntityID
	users    map[directory.Ref]userNumber
}

// userNumber is the number of a new account.
type userNumber struct {
	id     directory.UserID
	owners int // of its reference in the first snapshot of the load; -1 if that had the account
}

// entityNumber returns the number of a new entity: the reserved one, or the next of the counter.
func (in *Intake) entityNumber(ref directory.Ref) directory.EntityID {
	if id := in.reserved.entities[ref]; id != 0 {
		return id
	}
	in.Stored.LastEntity++
	in.unreservedEntities++
	return in.Stored.LastEntity
}

// first reports whether Stored is the first snapshot of the load.
func (in *Intake) first() bool { return in.Stored.Now.IsZero() || in.Stored.Now.Equal(in.Stored.Began) }

// Unreserved returns how many new entities and accounts took their number from the counters, since none was
// reserved.
func (in *Intake) Unreserved() (entities, users int) {
	return in.unreservedEntities, in.unreservedUsers
}

// Reserve gives those that [Intake.Unreserved] counts the numbers after entity and user, in the order of
// creation (S1). They hold for this intake and for those that Rebase makes. If same is false, other rows
// already name other numbers, and the tables must be validated again.
func (in *Intake) Reserve(entity directory.EntityID, user directory.UserID) (same bool) {
	entity -= in.Stored.LastEntity - directory.EntityID(in.unreservedEntities)
	user -= in.Stored.LastUser - directory.UserID(in.unreservedUsers)
	for _, i := range in.newEntities {
		if e := &in.PutEntities[i]; in.reserved.entities[e.Ref] == 0 {
			e.ID += entity
		}
	}
	for _, i := range in.newUsers {
		if a := &in.PutAccounts[i]; in.reserved.users[a.Ref].id == 0 {
			a.ID += user
		}
	}
	in.unreservedEntities, in.unreservedUsers = 0, 0
	return entity == 0 && user == 0
}

// Rebase returns an intake for the same feed and a later snapshot of the tables. New rows keep their numbers, which
// are reserved, and the books need not be validated again.
func (in *Intake) Rebase(later Stored) *Intake {
	all := numbers{map[directory.Ref]directory.EntityID{}, map[directory.Ref]userNumber{}}
	for _, i := range in.newEntities {
		all.entities[in.PutEntities[i].Ref] = in.PutEntities[i].ID
	}
	for _, i := range in.newUsers {
		a, owners := &in.PutAccounts[i], -1
		if in.first() {
			owners = len(in.Stored.RefOwners[a.Ref])
		}
		all.users[a.Ref] = userNumber{a.ID, owners}
	}
	maps.Copy(all.entities, in.reserved.entities)
	maps.Copy(all.users, in.reserved.users)
	later.Books = in.Stored.Books
	return &Intake{Stored: later, Began: in.Began, History: in.History, PutBooks: in.PutBooks, reserved: all}
}

// firstSkipped is above the numbers of all accounts. Skipped accounts are numbered from it on: their events
// are sorted too, in case a later snapshot accepts the account.
const firstSkipped directory.UserID = 1 << 40

// skip numbers the events of an account that is not created.
func (in *Intake) skip(ref string) {
	if in.skipped[ref] == 0 {
		in.skipped[ref] = firstSkipped + directory.UserID(in.skips)
		in.skips++
	}
}

// Moves says to which account the events of another now belong; 0 means that they belong to nobody and are
// dropped.
type Moves map[directory.UserID]directory.UserID

// others reports whether events of some account now belong to another account.
func (m Moves) others() bool {
	for _, to := range m {
		if to != 0 {
			return true
		}
	}
	return false
}

// Moves returns where events belong after the tables were validated by the later intake, which may be in
// itself. An account of the feed may have lost its reference to another since, or may be rejected (F6).
func (in *Intake) Moves(later *Intake) Moves {
	if later == in && in.moves != nil {
		return in.moves
	}
	m := Moves{}
	for ref, user := range in.EventUsers() {
		if to := later.owner([]byte(ref), in.Stored.Began); to != user {
			m[user] = to
		}
	}
	return m
}

// TablesRead lets go of the stored accounts, which only rows of tables are validated with.
func (in *Intake) TablesRead() { in.Stored.Accounts = nil }

// EventsRead lets go of the references, which only events are validated with. A million of them would keep the
// collector busy for the rest of the load.
func (in *Intake) EventsRead() { in.moves, in.users = in.Moves(in), nil }

// EventUsers yields the accounts whose events may have to move, the new and the skipped ones: their references, and the
// numbers under which the events are sorted.
func (in *Intake) EventUsers() iter.Seq2[string, directory.UserID] {
	return func(yield func(string, directory.UserID) bool) {
		for _, i := range in.newUsers {
			if a := &in.PutAccounts[i]; !yield(string(a.Ref), a.ID) {
				return
			}
		}
		maps.All(in.skipped)(yield)
	}
}
