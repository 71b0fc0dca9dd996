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

// Access is what a schools key opens: one network of one partner, at the snapshot that was current when the
// key was checked.
type Access struct {
	Partner directory.PartnerID
	Network directory.EntityID
	At      snapshot.Versions
	// Erasures is the partner's number of erasures at that time. It grows whenever people are erased.
	Erasures int64
}

// key returns the cache key of a value that depends on both versions of the snapshot.
func (a Access) key(what string, args ...any) snapshot.Key {
	return snapshot.KeyOf(auth.Tenant(a.Partner), a.At, what, args...)
}

// tablesKey returns the cache key of a value that depends on the accounts and entities only. Loads of events
// do not evict it.
func (a Access) tablesKey(what string, args ...any) snapshot.Key {
	return snapshot.KeyOf(auth.Tenant(a.Partner), snapshot.Versions{Registers: a.At.Registers}, what, args...)
}

// factsKey returns the cache key of a value that depends on loads only. Directory writes do not evict it.
func (a Access) factsKey(what string, args ...any) snapshot.Key {
	return snapshot.KeyOf(auth.Tenant(a.Partner), snapshot.Versions{Facts: a.At.Facts}, what, args...)
}

// Filter narrows a report by present attributes of the accounts (S7). Its zero value selects all.
type Filter struct {
	UserID   *directory.UserID
	SchoolID *directory.EntityID
	Profile  schools.Profile
}

// Pull asks for the rows that changed since an earlier snapshot, of which the client has a copy (H14). A
// period that ends today was shorter then: Was is the effective period on the day of the earlier snapshot. A
// pull of users has no periods.
type Pull struct {
	Since       snapshot.Versions // not later than those of the access
	Was, Period calendar.Period
	Filter      Filter
}

// earlier returns the access to the earlier snapshot.
func (q Pull) earlier(a Access) Access {
	a.At = q.Since
	return a
}

// loads returns the numbers of the loads between the two snapshots.
func (q Pull) loads(a Access) snapshot.Span { return snapshot.LoadsAfter(q.Since.Facts, a.At.Facts) }

// Unit is the school or the class in a user row. The zero Unit is null.
type Unit struct {
	ID   directory.EntityID
	Name string
}

// User is one row of the users. Empty texts, a zero Grade and zero units are null.
type User struct {
	ID            directory.UserID
	Name, Email   string
	Profile       schools.Profile
	School, Class Unit
	Grade         int
	Stage         string
	Active        bool
}

// Engagement is a day on which a user accessed the platform. Minutes are those of effective reading on that
// day (S3).
type Engagement struct {
	Date    calendar.Date
	UserID  directory.UserID
	Minutes reading.Minutes
}

// Reading is what a user read of a book in a period (S3, S4). First and Last are the starts of the first and
// the last effective segment (S5).
type Reading struct {
	UserID      directory.UserID
	Book        *schools.Book
	Percent     reading.Percent
	Minutes     reading.Minutes
	First, Last time.Time
	Finished    bool
}

// Reports answers the three lists and the summary from any Store. Its methods may be called from any number
// of goroutines.
type Reports struct {
	Store Store
	// Cache keeps values that several answers of a snapshot need. If it is nil, every report reads all that
	// it needs.
	Cache snapshot.Cache
}

// facts returns the facts of the access.
func (r *Reports) facts(a Access) facts.Facts {
	return facts.Facts{Blocks: r.Store, Partner: a.Partner, At: a.At.Facts}
}

// Store keeps the data of the reports. Each method reads one snapshot of a partner's data, the one that `at`
// names, whatever was loaded or written since. So an answer never mixes two snapshots, and no reader waits
// for a writer (G8).
type Store interface {
	// Blocks are the aggregated facts.
	snapshot.Blocks
	// Accounts returns the accounts and entities.
	Accounts(ctx context.Context, partner directory.PartnerID, at snapshot.Versions) (*Accounts, error)
	// Written returns the accounts that were written after one version of the tables and up to another,
	// ascending.
	Written(ctx context.Context, partner directory.PartnerID, after, at int64) ([]directory.UserID, error)
	// Books returns the books.
	Books(ctx context.Context, partner directory.PartnerID, at snapshot.Versions) (*schools.Books, error)
	// ReplacedBooks returns the books that loads have replaced. Some may be listed twice.
	ReplacedBooks(ctx context.Context, partner directory.PartnerID, loads snapshot.Span) ([]int64, error)
	// People returns the names of the given accounts, which ascend, in their order. erased reports whether people may
	// have been erased since the key was checked.
	People(ctx context.Context, a Access, ids []directory.UserID) (people []Person, erased bool, err error)
}

// Person is the personal part of an account. Empty texts are null.
type Person struct{ Name, Email string }
