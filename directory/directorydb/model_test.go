package directorydb_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/lectern-dev/lectern/directory"
)

// model is a partner's directory in memory: lists by number, which is the place plus one.
type model struct {
	ref         directory.Ref
	entities    []directory.Entity
	accounts    []directory.Account
	evaluations map[int64]directory.EntityID
}

func (m *model) entity(ref directory.Ref) *directory.Entity {
	for i := range m.entities {
		if e := &m.entities[i]; e.Ref == ref && !e.Deleted {
			return e
		}
	}
	return nil
}

func (m *model) account(ref directory.Ref) *directory.Account {
	for i := range m.accounts {
		if a := &m.accounts[i]; a.Ref == ref && !a.Deleted {
			return a
		}
	}
	return nil
}

func (m *model) teacher(ref directory.Ref) *directory.Account {
	if a := m.account(ref); a != nil && a.Kind == directory.Teacher {
		return a
	}
	return nil
}

// record returns an entity as the store shows it.
func (m *model) record(e directory.Entity) directory.EntityRecord {
	if e.Parent == 0 {
		return directory.EntityRecord{Entity: e, ParentRef: m.ref}
	}
	return directory.EntityRecord{Entity: e, ParentRef: m.entities[e.Parent-1].Ref}
}

func (m *model) person(a directory.Account) directory.AccountRecord {
	return directory.AccountRecord{Account: a, EntityRef: m.entities[a.Entity-1].Ref}
}

func (m *model) hasChildren(id directory.EntityID) bool {
	return slices.ContainsFunc(m.entities, func(e directory.Entity) bool { return e.Parent == id && !e.Deleted })
}

// below reports whether an entity lies strictly below another.
func (m *model) below(e directory.Entity, id directory.EntityID) bool {
	for e.Parent != 0 {
		if e.Parent == id {
			return true
		}
		e = m.entities[e.Parent-1]
	}
	return false
}

// live returns the numbers of the live entities that pass.
func (m *model) live(pass func(directory.Entity) bool) (ids []int64) {
	for _, e := range m.entities {
		if !e.Deleted && pass(e) {
			ids = append(ids, int64(e.ID))
		}
	}
	return ids
}

func (m *model) people(entity directory.EntityID, k directory.Kind) (ids []int64) {
	for _, a := range m.accounts {
		if !a.Deleted && a.Entity == entity && a.Kind == k {
			ids = append(ids, int64(a.ID))
		}
	}
	return ids
}

// messages are the faults that an error holds, by field.
func messages(err error) map[string]string {
	var faults directory.FieldErrors
	if !errors.As(err, &faults) {
		return nil
	}
	byField := map[string]string{}
	for _, f := range faults {
		byField[f.Field] = f.Message
	}
	return byField
}

// walk goes through a list to its end and back and returns the numbers, which must be the same both ways.
func walk[T any](t *testing.T, name string, number func(T) int64, list func(directory.Cursor) (directory.Page[T], error)) (ids []int64) {
	t.Helper()
	var starts []int64
	at := directory.Cursor{}
	for {
		p, err := list(at)
		if err != nil {
			t.Fatalf("%s%+v: %v", name, at, err)
		}
		if len(p.Rows) > directory.Limit || p.HasAfter && len(p.Rows) != directory.Limit || p.HasBefore != (len(ids) > 0) {
			t.Fatalf("%s%+v has %d rows, before %t, after %t; %d were before", name, at, len(p.Rows), p.HasBefore, p.HasAfter, len(ids))
		}
		for _, r := range p.Rows {
			ids = append(ids, number(r))
		}
		if len(p.Rows) > 0 {
			starts = append(starts, number(p.Rows[0]))
		}
		if !p.HasAfter {
			break
		}
		at = directory.Cursor{After: ids[len(ids)-1]}
	}
	for i := len(starts) - 1; i > 0; i-- {
		p, err := list(directory.Cursor{Before: starts[i]})
		if err != nil || len(p.Rows) != directory.Limit || number(p.Rows[0]) != starts[i-1] || !p.HasAfter || p.HasBefore != (i > 1) {
			t.Fatalf("%s before %d: %d rows, before %t, after %t, %v, want the page from %d", name, starts[i], len(p.Rows), p.HasBefore, p.HasAfter, err, starts[i-1])
		}
	}
	return ids
}

func entityNumber(e directory.EntityRecord) int64  { return int64(e.ID) }
func personNumber(a directory.AccountRecord) int64 { return int64(a.ID) }
