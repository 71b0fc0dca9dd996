package report

import (
	"slices"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/internal/facts"
)

// Register is one state of a partner's accounts and entities, as far as the reports filter and show them; names and
// e-mails are read for the rows of a page alone.
type Accounts struct {
	tree     *directory.Tree
	degrees  directory.Degrees
	accounts []account // by user
	bytes    int
}

// member is an account as the reports see it; its profile is 0 where it is in no report.
type account struct {
	entity  directory.EntityID
	profile schools.Profile
	active  bool
}

// NewRegister begins a register over a partner's entities, deleted ones included: an account keeps the school and the
// class of an entity that was deleted (S1).
func NewAccounts(entities []directory.Entity, degrees directory.Degrees) *Accounts {
	r := &Accounts{tree: directory.NewTree(entities), degrees: degrees}
	r.weigh(entities)
	return r
}

// Add puts an account in. A deleted account stays in the reports as an inactive user (P7).
func (r *Accounts) Add(id directory.UserID, kind directory.Kind, entity directory.EntityID, active, deleted bool) {
	if id < 0 {
		return
	}
	for int(id) >= len(r.accounts) {
		r.accounts = append(r.accounts, account{})
	}
	r.accounts[id] = account{entity, schools.ProfileOf(kind), active && !deleted}
}

// Bytes returns about the memory that the register holds.
func (r *Accounts) Bytes() int { return r.bytes + 16*cap(r.accounts) }

// Users are the accounts that a filter lets through, ascending.
type Users struct {
	set facts.Set
	IDs []directory.UserID
}

// Bytes returns about the memory that the users hold.
func (u *Users) Bytes() int { return u.set.Bytes() + 8*cap(u.IDs) }

// Select returns the accounts attached to a network or to anything below it that pass the filter (S1, S7).
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

// shown makes the rows of accounts of a register, of which many are of one class.
type rowMaker struct {
	*Accounts
	units map[directory.EntityID]unitNames
}

func (r *Accounts) rowMaker() rowMaker { return rowMaker{r, make(map[directory.EntityID]unitNames)} }

// place is what the rows of an entity's accounts say of it.
type unitNames struct {
	school, class *Unit
	grade         int
	stage         string
}

// user returns the row of an account.
func (s rowMaker) user(id directory.UserID, p Person) User {
	m := s.accounts[id]
	at, ok := s.units[m.entity]
	if !ok {
		at = s.unitNames(m.entity)
		s.units[m.entity] = at
	}
	return User{
		ID: id, Name: p.Name, Email: p.Email, Profile: m.profile, Active: m.active,
		School: at.school, Class: at.class, Grade: at.grade, Stage: at.stage,
	}
}

func (r *Accounts) unitNames(id directory.EntityID) (p unitNames) {
	p.school = r.unit(r.tree.School(id))
	class := r.tree.Class(id)
	if p.class = r.unit(class); p.class != nil {
		e, _ := r.tree.Entity(class)
		if d, ok := r.degrees.Degree(e.Degree); ok {
			p.grade, p.stage = d.Grade, d.Stage
		}
	}
	return p
}

func (r *Accounts) unit(id directory.EntityID) *Unit {
	e, ok := r.tree.Entity(id)
	if !ok {
		return nil
	}
	return &Unit{ID: id, Name: e.Name}
}

// Next begins the register of a later state: this one with the entities put in that have changed since, deleted ones
// included, and the degrees of the later state. The accounts that have changed are to be put in by [Register.Add], which
// replaces them. This register stays as it is, so that whoever reads it goes on.
//
// It copies what it holds of accounts, 16 bytes each, and of entities where one has changed.
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

// weigh adds what entities hold to the bytes.
func (r *Accounts) weigh(entities []directory.Entity) {
	for _, e := range entities {
		r.bytes += weight(e)
	}
}

// weight is about the number of bytes that an entity holds.
func weight(e directory.Entity) int { return 200 + len(e.Name) + len(e.Ref) }
