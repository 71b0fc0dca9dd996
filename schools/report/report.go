package report

import (
	"context"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/internal/facts"
)

// Access is what a schools key opens: one network of one partner, and the state of its data that the key check saw.
type Access struct {
	Partner directory.PartnerID
	Network directory.EntityID
	At      snapshot.Versions
	// Erasures is the number that grows whenever people are erased from the partner's states, as the key check saw it.
	Erasures int64
}

// key, registers and loaded name values that depend on both versions, and on one of them.
func (a Access) key(what string, args ...any) snapshot.Key {
	return snapshot.KeyOf(auth.Tenant(a.Partner), a.At, what, args...)
}

func (a Access) tablesKey(what string, args ...any) snapshot.Key {
	return snapshot.KeyOf(auth.Tenant(a.Partner), snapshot.Versions{Registers: a.At.Registers}, what, args...)
}

func (a Access) factsKey(what string, args ...any) snapshot.Key {
	return snapshot.KeyOf(auth.Tenant(a.Partner), snapshot.Versions{Facts: a.At.Facts}, what, args...)
}

// Filter narrows a report by the accounts' present attributes (S7). Its zero value narrows nothing.
type Filter struct {
	UserID   *directory.UserID
	SchoolID *directory.EntityID
	Profile  schools.Profile
}

// Round asks what has changed in a report since an earlier state (H14), whose copy the client has. A period that ends today was
// another one then: Was is the effective period of that state's day. Users have neither.
type Pull struct {
	Since       snapshot.Versions // not above those of the access
	Was, Period calendar.Period
	Filter      Filter
}

// then is the access to the earlier state.
func (q Pull) earlier(a Access) Access {
	a.At = q.Since
	return a
}

// loads are those that lie between the two states.
func (q Pull) loads(a Access) snapshot.Span { return snapshot.LoadsAfter(q.Since.Facts, a.At.Facts) }

// Unit is a school or a class as a user row names it.
type Unit struct {
	ID   directory.EntityID
	Name string
}

// User is one row of the register. Empty texts, a zero Grade and nil units are null.
type User struct {
	ID            directory.UserID
	Name, Email   string
	Profile       schools.Profile
	School, Class *Unit
	Grade         int
	Stage         string
	Active        bool
}

// Engagement is a day on which a user accessed the platform. Minutes are of effective reading (S3).
type Engagement struct {
	Date    calendar.Date
	UserID  directory.UserID
	Minutes reading.Minutes
}

// Reading is what a user read of a book in a period (S3, S4). First and Last are the starts of the first and the last effective
// segment (S5).
type Reading struct {
	UserID      directory.UserID
	Book        *schools.Book
	Percent     reading.Percent
	Minutes     reading.Minutes
	First, Last time.Time
	Finished    bool
}

// Reports answers the three lists and the summary. It is the same for every Store.
type Reports struct {
	Store Store
	// Cache keeps what a state's answers are computed from. Nil keeps nothing: every report then reads everything.
	Cache snapshot.Cache
}

// facts are those of the access.
func (r *Reports) facts(a Access) facts.Facts {
	return facts.Facts{Blocks: r.Store, Partner: a.Partner, At: a.At.Facts}
}

// Store keeps what the reports are computed from. Each method reads one state of a partner's data, the one that `at` names,
// whatever was loaded or written since: so an answer never mixes two states, and no reader waits for a writer (G8).
type Store interface {
	// Blocks are the folded facts.
	snapshot.Blocks
	// Register returns the accounts and entities.
	Accounts(ctx context.Context, partner directory.PartnerID, at snapshot.Versions) (*Accounts, error)
	// Written returns the accounts that were written after one version of the registers and up to another, ascending.
	Written(ctx context.Context, partner directory.PartnerID, after, at int64) ([]directory.UserID, error)
	// Books returns the books.
	Books(ctx context.Context, partner directory.PartnerID, at snapshot.Versions) (*schools.Books, error)
	// ReplacedBooks returns the books that loads have replaced, some perhaps twice.
	ReplacedBooks(ctx context.Context, partner directory.PartnerID, loads snapshot.Span) ([]int64, error)
	// People returns the names of the given accounts, which ascend, in their order, and whether the number of erasures may be another
	// one now than that of the access.
	People(ctx context.Context, a Access, ids []directory.UserID) (people []Person, erased bool, err error)
}

// Person is the personal part of an account. Empty texts are null.
type Person struct{ Name, Email string }
