package directorydb

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
)

// CreateEntity implements directory.Store.
func (s *Store) CreateEntity(ctx context.Context, partner directory.PartnerID, in directory.EntityInput) (r directory.EntityRecord, err error) {
	a := ask{partner: partner, entity: directory.Ref(in.ParentReferenceID.Text), newEntity: directory.Ref(in.ReferenceID.Text)}
	_, err = s.written(ctx, a, func(ctx context.Context, w *Write, saw sight) error {
		e, faults := in.Entity(saw.degrees)
		if saw.entityTaken && faults.Message("reference_id") == "" { // (P2)
			faults.Add("reference_id", directory.MsgTaken)
		}
		parent := saw.parent(e.Type, a.entity, &faults)
		if err := faults.Err(); err != nil {
			return err
		}
		w.counts.entity++
		e.ID, e.Parent = w.counts.entity, parent.ID
		r = directory.EntityRecord{Entity: e, ParentRef: a.entity}
		row := entityRow{Entity: e}
		switch e.Type {
		case directory.School:
			row.network = parent.ID
		case directory.Class:
			row.network = parent.Parent
		}
		return entities.insert(ctx, w, false, []entityRow{row})
	})
	if err != nil {
		return directory.EntityRecord{}, err
	}
	return r, nil
}

// parent returns the entity that one of a type shall hang below, the zero one for a network, which hangs below the
// partner (P1). It adds a fault where nothing has the reference, or what is not of the level above (P4). Of a type that
// is not known, any will do.
func (s sight) parent(t directory.EntityType, ref directory.Ref, faults *directory.FieldErrors) directory.Entity {
	const field = "parent_reference_id"
	if faults.Message(field) != "" || t == directory.Network && ref == s.partner.Ref {
		return directory.Entity{}
	}
	missing := s.entity.ID == 0
	want, _ := t.Parent()
	switch {
	case missing && ref != s.partner.Ref:
		faults.Add(field, directory.MsgMissing)
	case t != 0 && (missing || s.entity.Type != want):
		faults.Add(field, directory.MsgInvalid)
	}
	return s.entity.Entity
}

// UpdateEntity implements directory.Store.
func (s *Store) UpdateEntity(ctx context.Context, partner directory.PartnerID, ref directory.Ref, in directory.EntityInput) (r directory.EntityRecord, err error) {
	_, err = s.written(ctx, ask{partner: partner, entity: ref}, func(ctx context.Context, w *Write, saw sight) error {
		was, err := saw.entityOf(ref)
		if err != nil {
			return err
		}
		e, faults := in.Apply(was, saw.degrees)
		if err := faults.Err(); err != nil {
			return err
		}
		r = directory.EntityRecord{Entity: e, ParentRef: was.ParentRef}
		return w.changeEntity(ctx, was.Entity, e)
	})
	if err != nil {
		return directory.EntityRecord{}, err
	}
	return r, nil
}

// changeEntity writes what differs. The network above stays.
func (w *Write) changeEntity(ctx context.Context, was, is directory.Entity) error {
	return entities.change(ctx, w, entityRow{Entity: was}, entityRow{Entity: is})
}

// DeleteEntity implements directory.Store.
func (s *Store) DeleteEntity(ctx context.Context, partner directory.PartnerID, ref directory.Ref) error {
	_, err := s.written(ctx, ask{partner: partner, entity: ref}, func(ctx context.Context, w *Write, saw sight) error {
		e, err := saw.entityOf(ref)
		if err != nil {
			return err
		}
		if saw.children {
			return directory.ErrHasChildren
		}
		gone := e.Entity
		gone.Deleted = true
		if err := w.changeEntity(ctx, e.Entity, gone); err != nil {
			return err
		}
		if err := w.leave(ctx, e.ID); err != nil || e.Type != directory.Network {
			return err
		}
		return (&authdb.Store{Now: s.Now}).RevokeNetwork(ctx, w, auth.Tenant(partner), int64(e.ID))
	})
	return err
}

// leave deactivates the readers and teachers of an entity that is deleted, who keep their place, and removes its evaluations
// (P6).
func (w *Write) leave(ctx context.Context, id directory.EntityID) error {
	people := bun.SafeQuery("entity_id = ? AND kind IN (?, ?) AND NOT deleted AND active", id, directory.Reader, directory.Teacher)
	if err := accounts.keepPast(ctx, w, people); err != nil {
		return err
	}
	_, err := w.NewUpdate().Table("accounts").Set("active = FALSE, version = ?", w.Version).Where("tenant_id = ? AND ?", w.Partner, people).Exec(ctx)
	if err != nil {
		return err
	}
	_, err = w.NewDelete().Table("evaluations").Where("tenant_id = ? AND entity_id = ?", w.Partner, id).Exec(ctx)
	return err
}
