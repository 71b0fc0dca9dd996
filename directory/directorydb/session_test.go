package directorydb_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// TestModel is the directory against a model in memory: every operation has the same outcome, every list the same rows,
// both ways, and a replica that reads only what was written since has the same state.
func TestModel(t *testing.T) {
	dbtest.Everywhere(t, func(t *testing.T, db *database.DB) {
		operations := 2000
		if strings.HasSuffix(t.Name(), "/distributed") {
			operations = 500 // each statement's plan is told, which takes longer than the statement
		}
		if testing.Short() {
			operations = 500
		}
		newPartner(t, db, "other")
		p := newPartner(t, db, "ana/é")
		s := &session{
			T: t, db: db, store: &directorydb.Store{DB: db.DB}, partner: p, model: model{ref: "ana/é", evaluations: map[int64]directory.EntityID{}},
			r: rand.New(rand.NewPCG(7, 11)), tally: map[string]int{},
			entities: map[directory.EntityID]directory.Entity{}, accounts: map[directory.UserID]directory.Account{},
		}
		for i := range operations {
			s.step()
			if i%500 == 499 {
				s.compare()
			}
			if t.Failed() {
				t.Fatalf("at operation %d", i)
			}
		}
		for _, outcome := range []string{"entity", "entity faults", "entity changed", "entity change faults", "entity deleted", "has children",
			"teacher", "teacher faults", "teacher moved", "teacher change faults", "teacher deleted", "not found", "fed"} {
			if s.tally[outcome] < operations/250 {
				t.Errorf("%d times %q, want some: %v", s.tally[outcome], outcome, s.tally)
			}
		}
	})
}

// session runs random operations on a store and on a model and compares.
type session struct {
	*testing.T
	db      *database.DB
	store   *directorydb.Store
	partner directory.PartnerID
	model   model
	r       *rand.Rand

	version  int64 // of the registers
	entities map[directory.EntityID]directory.Entity
	accounts map[directory.UserID]directory.Account // of the replica, with what it reads
	tally    map[string]int
}

// step runs one operation.
func (s *session) step() {
	before := s.version
	var wrote bool
	switch n := s.r.IntN(100); {
	case n < 35:
		wrote = s.createEntity()
	case n < 45:
		wrote = s.updateEntity()
	case n < 53:
		wrote = s.deleteEntity()
	case n < 70:
		wrote = s.createTeacher()
	case n < 82:
		wrote = s.updateTeacher()
	case n < 87:
		wrote = s.deleteTeacher()
	default:
		wrote = s.feed()
	}
	v, err := snapshotdb.ReadCurrent(s.Context(), s.db, auth.Tenant(s.partner))
	if err != nil {
		s.Fatal(err)
	}
	if s.version = v.Registers; (s.version > before) != wrote {
		s.Errorf("version %d after %d, wrote %t", s.version, before, wrote)
	}
	s.follow(before)
}

// follow brings the replica up to date.
func (s *session) follow(since int64) {
	view := directorydb.View{DB: s.db, Partner: s.partner, After: since, At: directorydb.Now}
	entities, err := view.Entities(s.Context())
	if err == nil {
		err = view.Accounts(s.Context(), func(id directory.UserID, k directory.Kind, e directory.EntityID, active, deleted bool) {
			s.accounts[id] = directory.Account{ID: id, Kind: k, Entity: e, Active: active, Deleted: deleted}
		})
	}
	if err != nil {
		s.Fatal(err)
	}
	for _, e := range entities {
		s.entities[e.ID] = e
	}
}

// compare compares all that can be asked for.
func (s *session) compare() {
	ctx := s.Context()
	for typ := directory.Network; typ <= directory.Class; typ++ {
		got := walk(s.T, "Entities", entityNumber, func(at directory.Cursor) (directory.Page[directory.EntityRecord], error) {
			return s.store.Entities(ctx, s.partner, typ, at)
		})
		if want := s.model.live(func(e directory.Entity) bool { return e.Type == typ }); !slices.Equal(got, want) {
			s.Errorf("Entities(%v) = %v, want %v", typ, got, want)
		}
	}
	for _, e := range s.model.entities {
		s.compareEntity(e)
	}
	for _, a := range s.model.accounts {
		if want := (directory.Account{ID: a.ID, Kind: a.Kind, Entity: a.Entity, Active: a.Active, Deleted: a.Deleted}); s.accounts[a.ID] != want {
			s.Errorf("account of the replica = %+v, want %+v", s.accounts[a.ID], want)
		}
		if got, err := s.store.Teacher(ctx, s.partner, a.Ref); s.model.teacher(a.Ref) == nil {
			s.missing("Teacher", true, err)
		} else if want := s.model.person(*s.model.teacher(a.Ref)); err != nil || got != want {
			s.Errorf("Teacher(%q) = %+v, %v, want %+v", a.Ref, got, err, want)
		}
	}
	evaluations, err := directorydb.Evaluations(ctx, s.db, s.partner)
	if err != nil || len(evaluations) != len(s.model.evaluations) {
		s.Errorf("Evaluations = %d, %v, want %d", len(evaluations), err, len(s.model.evaluations))
	}
}

func (s *session) compareEntity(e directory.Entity) {
	ctx := s.Context()
	if s.entities[e.ID] != e {
		s.Errorf("entity of the replica = %+v, want %+v", s.entities[e.ID], e)
	}
	if e.Deleted {
		if s.model.entity(e.Ref) == nil {
			_, err := s.store.Entity(ctx, s.partner, e.Ref)
			s.missing("Entity", true, err)
			_, err = s.store.Subtree(ctx, s.partner, e.Ref, directory.Cursor{})
			s.missing("Subtree", true, err)
			_, err = s.store.Readers(ctx, s.partner, e.Ref, directory.Cursor{})
			s.missing("Readers", true, err)
		}
		return
	}
	if got, err := s.store.Entity(ctx, s.partner, e.Ref); err != nil || got != s.model.record(e) {
		s.Errorf("Entity(%q) = %+v, %v, want %+v", e.Ref, got, err, s.model.record(e))
	}
	got := walk(s.T, "Subtree", entityNumber, func(at directory.Cursor) (directory.Page[directory.EntityRecord], error) {
		return s.store.Subtree(ctx, s.partner, e.Ref, at)
	})
	if want := s.model.live(func(other directory.Entity) bool { return s.model.below(other, e.ID) }); !slices.Equal(got, want) {
		s.Errorf("Subtree(%q) = %v, want %v", e.Ref, got, want)
	}
	for kind, list := range map[directory.Kind]func(context.Context, directory.PartnerID, directory.Ref, directory.Cursor) (directory.Page[directory.AccountRecord], error){
		directory.Reader: s.store.Readers, directory.Teacher: s.store.Teachers,
	} {
		got := walk(s.T, kind.String(), personNumber, func(at directory.Cursor) (directory.Page[directory.AccountRecord], error) {
			p, err := list(ctx, s.partner, e.Ref, at)
			for _, a := range p.Rows {
				if a.Account != s.model.accounts[a.ID-1] || a.EntityRef != e.Ref {
					s.Errorf("%v of %q = %+v, want %+v", kind, e.Ref, a, s.model.accounts[a.ID-1])
				}
			}
			return p, err
		})
		if want := s.model.people(e.ID, kind); !slices.Equal(got, want) {
			s.Errorf("%vs of %q = %v, want %v", kind, e.Ref, got, want)
		}
	}
}
