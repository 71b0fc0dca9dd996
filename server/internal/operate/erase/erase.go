// Package erase erases a person's name, e-mail and phone for ever (P7): from every snapshot, from rows that come later, and from
// what the database's files keep of deleted rows. The person's readings and loans stay in the reports, under a number.
//
//	e := &erase.Eraser{DB: db}
//	done, err := e.Person(ctx, tenant, 4711) // {"library":"rede","userId":4711,"forgotten":"2026-…","repeated":false,"remains":{…}}
//
// Each step may be repeated: after an interruption call Person again. The package does not reach backups and feeds. List returns
// who was erased, so that it can be repeated on a database that was restored.
package erase

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/schools/schoolsdb"
	"github.com/lectern-dev/lectern/server/database"
)

// Eraser erases people in one database.
type Eraser struct {
	DB *database.DB
	// Now is the clock; nil is that of handle.Clock.
	Now func() time.Time
}

// Done describes an erasure without naming the person. Operators keep it as the proof.
type Done struct {
	Partner   string    `json:"partner,omitempty"`
	Library   string    `json:"library,omitempty"`
	UserID    int64     `json:"userId"`
	Forgotten time.Time `json:"forgotten"` // when that was asked for first
	Repeated  bool      `json:"repeated"`  // it was before
	Remains   any       `json:"remains"`   // what the reports of now count of the person
}

// ErrUnknown says that a tenant has no person with a number.
var ErrUnknown = errors.New("no such person")

// Person erases a person of a tenant: an account of a partner, or a reader of a library network. The error is ErrUnknown if
// nobody has the number, and database.ErrJournal if everything is erased but in the journal.
func (f *Eraser) Person(ctx context.Context, t snapshotdb.Tenant, user int64) (d Done, err error) {
	d = Done{UserID: user}
	var fresh bool
	switch t.Kind {
	case snapshotdb.Partner:
		d.Partner = t.Reference
		fresh, d.Forgotten, d.Remains, err = f.account(ctx, directory.PartnerID(t.ID), directory.UserID(user))
	case snapshotdb.Library:
		d.Library = t.Reference
		fresh, d.Forgotten, d.Remains, err = f.reader(ctx, libraries.NetworkID(t.ID), user)
	}
	if errors.Is(err, directory.ErrNotFound) || errors.Is(err, librariesdb.ErrNotFound) {
		err = fmt.Errorf("%s %q has no userId %d: %w", t.Kind, t.Reference, user, ErrUnknown)
	}
	if err != nil {
		return Done{}, err
	}
	d.Forgotten, d.Repeated = d.Forgotten.Truncate(time.Second), !fresh
	return d, f.DB.Scrub(ctx)
}

// account erases an account, and counts the books that it read.
func (f *Eraser) account(ctx context.Context, p directory.PartnerID, user directory.UserID) (fresh bool, since time.Time, remains any, err error) {
	fresh, since, err = (&directorydb.Store{DB: f.DB.DB, Now: f.Now}).Forget(ctx, p, user)
	if err != nil {
		return false, since, nil, err
	}
	store := &schoolsdb.Store{DB: f.DB.DB, Now: f.Now}
	h, err := snapshotdb.ReadCurrent(ctx, f.DB, auth.Tenant(p))
	if err != nil {
		return false, since, nil, err
	}
	var books struct {
		Books int `json:"books"`
	}
	books.Books, err = store.BooksOf(ctx, p, h.Versions, user)
	return fresh, since, books, err
}

// reader erases a reader, and returns what is counted of them.
func (f *Eraser) reader(ctx context.Context, n libraries.NetworkID, user int64) (fresh bool, since time.Time, remains any, err error) {
	store := &librariesdb.Store{DB: f.DB.DB, Now: f.Now}
	fresh, since, err = store.Forget(ctx, n, user)
	if err != nil {
		return false, since, nil, err
	}
	a, err := store.Present(ctx, n)
	if err != nil {
		return false, since, nil, err
	}
	remains, err = store.RemainingOf(ctx, a, user)
	return fresh, since, remains, err
}

// List calls tell with each person who is erased, of all tenants, node by node in the order of their numbers. If a node does not
// answer, List goes on with the others, and its error names the node.
func (f *Eraser) List(ctx context.Context, tell func(of snapshotdb.Tenant, user int64) error) error {
	tenants, err := snapshotdb.Tenants(ctx, f.DB)
	if err != nil {
		return err
	}
	numbers, named := snapshotdb.ByNumber(tenants)
	return f.DB.EachNode(ctx, numbers, func(of []auth.Tenant) error {
		people, err := snapshotdb.ForgottenOf(ctx, f.DB, of...)
		for _, p := range people {
			if err := tell(named[p.Tenant], p.User); err != nil {
				return err
			}
		}
		return err
	})
}
