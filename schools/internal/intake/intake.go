package intake

import (
	"iter"
	"slices"
	"strings"
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

// Counts says what became of the rows of one register file.
type Counts struct {
	Rows      int `json:"rows"`
	New       int `json:"new"`
	Changed   int `json:"changed"`
	Unchanged int `json:"unchanged"`
	// Superseded rows are good, but a later line has their key (F1).
	Superseded int `json:"superseded"`
	// Deleted rows name something deleted, and are skipped (F4).
	Deleted int `json:"deleted"`
	Bad     int `json:"bad"`
}

// Lined is a row of a feed with the line on which it starts.
type Lined[T any] = row.Lined[T]

// Rejected is told of a bad row (F3).
type Rejected = row.Rejected

// Changes reports whether the rows change anything of the registers.
func (in *Intake) Changes() bool {
	return len(in.PutEntities)+len(in.PutAccounts)+len(in.PutBooks)+len(in.PutEvaluations) > 0
}

// checked is what a row is found to be: what it makes, or why it does not stand.
type checked[V any] struct {
	makes   V
	deleted bool // it names something deleted
	wrong   *FaultError
}

// standing checks all rows of one key, in the order of their lines, and returns what the last good one makes; stands is
// false where there is none. Every row is checked, so that a feed is refused in pieces just where it is as a whole (F3).
func standing[R, V any](c *Counts, rows []row.Lined[R], check func(R) checked[V], bad Rejected) (makes V, stands bool, err error) {
	for _, line := range rows {
		switch r := check(line.Row); {
		case r.deleted:
			c.Deleted++
		case r.wrong != nil:
			c.Bad++
			if err := bad(line.Line, r.wrong.Field, r.wrong.Reason); err != nil {
				return makes, false, err
			}
		default:
			if stands {
				c.Superseded++
			}
			makes, stands = r.makes, true
		}
	}
	return makes, stands, nil
}

// against counts what stands beside what was there before, and reports whether it is to be written.
func against[T comparable](c *Counts, was T, known bool, now T) (write bool) {
	switch {
	case !known:
		c.New++
	case was == now:
		c.Unchanged++
		return false
	default:
		c.Changed++
	}
	return true
}

// keyed yields the rows of each key, ordered; rows of one key are in the order of the feed.
func keyed[R any](rows []row.Lined[R], order func(a, b R) int) iter.Seq[[]row.Lined[R]] {
	sorted := slices.Clone(rows)
	slices.SortStableFunc(sorted, func(a, b row.Lined[R]) int { return order(a.Row, b.Row) })
	return func(yield func([]row.Lined[R]) bool) {
		for len(sorted) > 0 {
			n := 1
			for n < len(sorted) && order(sorted[0].Row, sorted[n].Row) == 0 {
				n++
			}
			if !yield(sorted[:n]) {
				return
			}
			sorted = sorted[n:]
		}
	}
}

// texts returns the first text of a row that cannot be stored.
func texts(s row.Schema, r row.Row) *FaultError {
	var v textVisitor
	_ = s.Look(&v).Over(r)
	return v.wrong
}

type textVisitor struct {
	row.Nothing
	wrong *FaultError
}

// Text implements row.Visitor.
func (v *textVisitor) Text(f *row.Field, text string, null bool) (string, bool) {
	switch {
	case v.wrong != nil:
	case strings.IndexByte(text, 0) >= 0:
		v.wrong = row.Fault(f.Name, "must not contain NUL characters")
	case f.AtMost > 0 && len(text) > f.AtMost && len([]rune(text)) > f.AtMost:
		v.wrong = row.Fault(f.Name, directory.MsgAtMost(f.AtMost))
	}
	return text, null
}
