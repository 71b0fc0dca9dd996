package directorydb

import (
	"context"
	"errors"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
)

// CreateEntity implements directory.Store.
func (s *Store) CreateEntity(ctx context.Context, partner directory.PartnerID, n directory.NewEntity) (e directory.EntityRecord, err error) {
	err = s.write(ctx, partner, func(ctx context.Context, w *write) error {
		e, err = w.createEntity(ctx, n)
		return err
	})
	if err != nil {
		return directory.EntityRecord{}, err
	}
	return e, nil
}

func (w *write) createEntity(ctx context.Context, n directory.NewEntity) (directory.EntityRecord, error) {
	var none directory.EntityRecord
	degrees, err := Degrees(ctx, w, w.partner)
	if err != nil {
		return none, err
	}
	e, faults := n.Entity(degrees)
	if err := w.free(ctx, "entities", e.Ref, 0, faults); err != nil {
		return none, err
	}
	parent, err := w.parent(ctx, e.Type, directory.Ref(n.ParentReferenceID.Text), faults)
	if err != nil {
		return none, err
	}
	if faults.Len() > 0 {
		return none, faults
	}
	last, user, err := Counters(ctx, w, w.partner)
	if err != nil {
		return none, err
	}
	e.ID, e.Parent = last+1, parent.ID
	row := entityRow{Entity: e, version: w.version}
	switch e.Type {
	case directory.School:
		row.network = parent.ID
	case directory.Class:
		row.network = parent.Parent
	}
	w.changed = true
	if err := entities.insert(ctx, w, w.partner, false, []entityRow{row}); err != nil {
		return none, err
	}
	record := directory.EntityRecord{Entity: e, ParentRef: directory.Ref(n.ParentReferenceID.Text)}
	return record, SetCounters(ctx, w, w.partner, e.ID, user)
}

// free adds a fault where a live row of a table other than the one numbered has the reference (P2). A reference that has
// a fault already is not looked up.
func (w *write) free(ctx context.Context, table string, ref directory.Ref, except int64, faults *directory.FieldErrors) error {
	if faults.Message("reference_id") != "" {
		return nil
	}
	key := "entity_id"
	if table == "accounts" {
		key = "user_id"
	}
	taken, err := w.exists(ctx, `
		SELECT 1 FROM `+table+` WHERE tenant_id = ? AND reference_id = ? AND NOT deleted AND `+key+` <> ?`, w.partner, ref, except)
	if taken {
		faults.Add("reference_id", directory.MsgTaken)
	}
	return err
}

// parent returns the entity that one of a type shall hang below, the zero one for a network, which hangs below the
// partner (P1). It adds a fault where nothing has the reference, or what is not of the level above (P4). Of a type that
// is not known, any will do.
func (w *write) parent(ctx context.Context, t directory.EntityType, ref directory.Ref, faults *directory.FieldErrors) (directory.Entity, error) {
	var none directory.Entity
	const field = "parent_reference_id"
	if faults.Message(field) != "" {
		return none, nil
	}
	p, err := PartnerByID(ctx, w, w.partner)
	if err != nil {
		return none, err
	}
	if t == directory.Network && ref == p.Ref {
		return none, nil
	}
	e, err := readEntity(ctx, w, w.partner, ref)
	missing := errors.Is(err, directory.ErrNotFound)
	if err != nil && !missing {
		return none, err
	}
	want, _ := t.Parent()
	switch {
	case missing && ref != p.Ref:
		faults.Add(field, directory.MsgMissing)
	case t != 0 && (missing || e.Type != want):
		faults.Add(field, directory.MsgInvalid)
	}
	return e.Entity, nil
}

// UpdateEntity implements directory.Store.
func (s *Store) UpdateEntity(ctx context.Context, partner directory.PartnerID, ref directory.Ref, c directory.EntityChange) (e directory.EntityRecord, err error) {
	err = s.write(ctx, partner, func(ctx context.Context, w *write) error {
		e, err = w.updateEntity(ctx, ref, c)
		return err
	})
	if err != nil {
		return directory.EntityRecord{}, err
	}
	return e, nil
}

func (w *write) updateEntity(ctx context.Context, ref directory.Ref, c directory.EntityChange) (directory.EntityRecord, error) {
	was, err := readEntity(ctx, w, w.partner, ref)
	if err != nil {
		return was, err
	}
	degrees, err := Degrees(ctx, w, w.partner)
	if err != nil {
		return was, err
	}
	e, faults := c.Apply(was, degrees)
	if faults.Len() > 0 {
		return was, faults
	}
	if e == was.Entity {
		return was, nil
	}
	if err := w.past(ctx, "entities", entityPast, "entity_id = ?", e.ID); err != nil {
		return was, err
	}
	err = w.exec(ctx, `
		UPDATE entities
		   SET name = ?, degree = ?, inep = ?, state = ?, city = ?, version = ?
		 WHERE tenant_id = ? AND entity_id = ?`, e.Name, e.Degree, e.INEP, e.State, e.City, w.version, w.partner, e.ID)
	return directory.EntityRecord{Entity: e, ParentRef: was.ParentRef}, err
}

// DeleteEntity implements directory.Store.
func (s *Store) DeleteEntity(ctx context.Context, partner directory.PartnerID, ref directory.Ref) error {
	return s.write(ctx, partner, func(ctx context.Context, w *write) error {
		e, err := readEntity(ctx, w, partner, ref)
		if err != nil {
			return err
		}
		children, err := w.exists(ctx, `SELECT 1 FROM entities WHERE tenant_id = ? AND parent_id = ? AND NOT deleted`, partner, e.ID)
		if err != nil {
			return err
		}
		if children {
			return directory.ErrHasChildren
		}
		if err := w.deleteEntity(ctx, e.ID); err != nil {
			return err
		}
		if e.Type != directory.Network {
			return nil
		}
		keys := &authdb.Store{Now: s.Now}
		return keys.RevokeNetwork(ctx, w, auth.Tenant(partner), int64(e.ID))
	})
}

// deleteEntity marks an entity as deleted, deactivates its readers and teachers, who keep their place, and removes its
// evaluations (P6).
func (w *write) deleteEntity(ctx context.Context, id directory.EntityID) error {
	const people = `entity_id = ? AND kind IN (?, ?) AND NOT deleted AND active`
	if err := w.past(ctx, "entities", entityPast, "entity_id = ?", id); err != nil {
		return err
	}
	if err := w.past(ctx, "accounts", accountPast, people, id, directory.Reader, directory.Teacher); err != nil {
		return err
	}
	err := w.exec(ctx, `UPDATE entities SET deleted = TRUE, version = ? WHERE tenant_id = ? AND entity_id = ?`, w.version, w.partner, id)
	if err != nil {
		return err
	}
	err = w.exec(ctx, `
		UPDATE accounts
		   SET active = FALSE, version = ?
		 WHERE tenant_id = ? AND `+people,
		w.version, w.partner, id, directory.Reader, directory.Teacher)
	if err != nil {
		return err
	}
	return w.exec(ctx, `DELETE FROM evaluations WHERE tenant_id = ? AND entity_id = ?`, w.partner, id)
}
