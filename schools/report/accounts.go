package report

import (
	"slices"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/internal/facts"
)

// Accounts has the accounts and entities of one snapshot, as far as reports filter, group and show them.
// Names and e-mails are not in it: they are read for the rows of a page and cached nowhere.
type Accounts struct {
	tree     *directory.Tree
	degrees  directory.Degrees
	accounts []account // by user
	bytes    int
}

// account is what reports need of an account. Its profile is 0 if no report has it.
type account struct {
	entity  directory.EntityID
	profile schools.Profile
	active  bool
}

// NewAccounts returns Accounts with a partner's entities and no account yet. Deleted entities belong to it
// too: an account stays in the school and the class of an entity that was deleted (S1).
func NewAccounts(entities []directory.Entity, degrees directory.Degrees) *Accounts {
	r := &Accounts{tree: directory.NewTree(entities), degrees: degrees}
	r.weigh(entities)
	return r
}

// Add adds an account, or replaces it. A deleted account stays in the reports as an inactive user (P7).
func (r *Accounts) Add(id directory.UserID, kind directory.Kind, entity directory.EntityID, active, deleted bool) {
	if id < 0 {
		return
	}
	for int(id) >= len(r.accounts) {
		r.accounts = append(r.accounts, account{})
	}
	r.accounts[id] = account{entity, schools.ProfileOf(kind), active && !deleted}
}

// Bytes returns the approximate size in memory, for caches.
func (r *Accounts) Bytes() int { return r.bytes + 16*cap(r.accounts) }

// Users are the accounts that pass a filter, ascending.
type Users struct {
	set facts.Set
	IDs []directory.UserID
}

// Bytes returns the approximate size in memory, for caches.
func (u *Users) Bytes() int { return u.set.Bytes() + 8*cap(u.IDs) }

// Select returns the accounts that pass the filter and belong to a network or to anything below it (S1, S7).
func (r *Accounts) Select(network directory.EntityID, f Filter) *Users {
	u := &Users{}
	scope := r.tree.Scope(network)
	if f.UserID != nil {
		r.choose(u, scope, *f.UserID, f)
		return u
	}
	for id := range r.accounts {
		r.choose(u, scope, directory.UserID(id), f)
	}
	u.IDs = slices.Clip(u.IDs)
	return u
}

// choose adds an account to u if it passes. An account without a school passes no filter for one (G7).
func (r *Accounts) choose(u *Users, scope directory.Scope, id directory.UserID, f Filter) {
	if id < 1 || int64(id) >= int64(len(r.accounts)) {
		return
	}
	m := r.accounts[id]
	if m.profile == 0 || f.Profile != 0 && m.profile != f.Profile || !scope.Below(m.entity) {
		return
	}
	if f.SchoolID != nil && (*f.SchoolID == 0 || r.tree.School(m.entity) != *f.SchoolID) {
		return
	}
	u.set.Add(id)
	u.IDs = append(u.IDs, id)
}

// user returns the row of an account.
func (r *Accounts) user(id directory.UserID, p Person) User {
	m := r.accounts[id]
	school, _ := r.tree.Entity(r.tree.School(m.entity))
	class, _ := r.tree.Entity(r.tree.Class(m.entity))
	u := User{
		ID: id, Name: p.Name, Email: p.Email, Profile: m.profile, Active: m.active,
		School: Unit{school.ID, school.Name}, Class: Unit{class.ID, class.Name},
	}
	if class.ID != 0 {
		d, _ := r.degrees.Degree(class.Degree)
		u.Grade, u.Stage = d.Grade, d.Stage
	}
	return u
}

// Next returns Accounts for a later snapshot: those of r with the given entities replaced, deleted ones
// included, and the later degrees. The caller then replaces the changed accounts by [Accounts.Add]. r stays
// as it is, for reports that still read it.
//
// It copies 16 bytes for each account, and the entities if one has changed.
func (r *Accounts) Next(entities []directory.Entity, degrees directory.Degrees) *Accounts {
	next := &Accounts{tree: r.tree, degrees: degrees, accounts: slices.Clone(r.accounts), bytes: r.bytes}
	if len(entities) > 0 {
		next.tree = r.tree.With(entities)
		next.weigh(entities)
		for _, e := range entities {
			if was, ok := r.tree.Entity(e.ID); ok {
				next.bytes -= weight(was)
			}
		}
	}
	return next
}

// weigh adds the size of entities.
func (r *Accounts) weigh(entities []directory.Entity) {
	for _, e := range entities {
		r.bytes += weight(e)
	}
}

// weight returns the approximate size of an entity in memory.
func weight(e directory.Entity) int { return 200 + len(e.Name) + len(e.Ref) }
