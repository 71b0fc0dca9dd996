package schools

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// State is what a load must know of a partner before it reads a feed.
type State struct {
	Partner  directory.Ref
	At       Versions
	Entities []directory.Entity  // deleted ones too
	Accounts []directory.Account // deleted ones too
	Books    *Books
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
// of goroutines.
type Intake struct {
	State State
	// Today is the day of the load: an event after it is bad (F3). History is the first day that is kept (G6).
	Today, History calendar.Date
	// NewToken makes an account's access_token.
	NewToken func() (string, error)

	// What changes, in the order of creation.
	PutEntities    []directory.Entity
	PutAccounts    []directory.Account
	PutBooks       []Book
	PutEvaluations []directory.Evaluation

	entities map[directory.Ref]directory.Entity // live ones, those of the feed included
	users    map[string]directory.UserID        // live accounts, else the last that carried the reference (F4)
}

// Counts says what became of the rows of one register file.
type Counts struct {
	Rows      int `json:"rows"`
	New       int `json:"new"`
	Changed   int `json:"changed"`
	Unchanged int `json:"unchanged"`
	Deleted   int `json:"deleted"`
	Bad       int `json:"bad"`
}

// Rejected is told of a bad row (F3). The error that it returns stops the load; nil skips the row.
type Rejected func(line int, field, reason string) error

// outcome is what a row without fault comes to.
type outcome uint8

const (
	asNew outcome = iota
	asChanged
	asUnchanged
	asDeleted // names something deleted (F4)
)

// settle counts a row, tells of a bad one, and reports whether the row is to be written.
func (c *Counts) settle(o outcome, wrong *fault, line int, bad Rejected) (write bool, err error) {
	switch {
	case o == asDeleted:
		c.Deleted++
	case wrong != nil:
		c.Bad++
		return false, bad(line, wrong.field, wrong.reason)
	case o == asUnchanged:
		c.Unchanged++
	case o == asNew:
		c.New++
		return true, nil
	default:
		c.Changed++
		return true, nil
	}
	return false, nil
}

// against is the outcome of a row beside what was there before.
func against[T comparable](was T, known bool, now T) outcome {
	switch {
	case !known:
		return asNew
	case was == now:
		return asUnchanged
	}
	return asChanged
}

// latest returns the rows that stand: the last of each key, ordered.
func latest[T any](rows []T, key func(T) string, order func(a, b T) int) []T {
	last := make(map[string]T, len(rows))
	for _, r := range rows {
		last[key(r)] = r
	}
	return slices.SortedFunc(maps.Values(last), order)
}

// reasons in the words of the directory (P4).
const (
	invalid      = "is invalid"
	missing      = "does not exist"
	unchangeable = "can't be changed"
)

// fault is what is wrong with a row.
type fault struct{ field, reason string }

// text is one text of a row with its bound in characters.
type text struct {
	field, value string
	most         int
}

// texts returns the first text that cannot be stored.
func texts(all ...text) *fault {
	for _, t := range all {
		if strings.IndexByte(t.value, 0) >= 0 {
			return &fault{t.field, "must not contain NUL characters"}
		}
		if t.most > 0 && len(t.value) > t.most && len([]rune(t.value)) > t.most {
			return &fault{t.field, fmt.Sprintf("should be at most %d character(s)", t.most)}
		}
	}
	return nil
}
