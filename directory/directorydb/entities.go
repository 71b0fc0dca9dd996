package directorydb

import (
	"cmp"
	"context"
	"errors"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
)

// CreateEntity implements directory.Store.
func (s *Store) CreateEntity(ctx context.Context, partner directory.PartnerID, in directory.EntityInput) (directory.EntityRecord, error) {
	return written(ctx, s, partner, func(ctx context.Context, w *Write) (r directory.EntityRecord, err error) {
		degrees, err := Degrees(ctx, w, partner)
		if err != nil {
			return r, err
		}
		e, faults := in.Entity(degrees)
		if err := entities.free(ctx, w, entityRow{Entity: e}, &faults); err != nil {
			return r, err
		}
		r.ParentRef = directory.Ref(in.ParentReferenceID.Text)
		parent, err := w.parent(ctx, e.Type, r.ParentRef, &faults)
		if err := cmp.Or(err, faults.Err()); err != nil {
			return r, err
		}
		number, err := w.count(ctx, "last_entity_id")
		if err != nil {
			return r, err
		}
		e.ID, e.Parent = directory.EntityID(number), parent.ID
		r.Entity = e
		row := entityRow{Entity: e}
		switch e.Type {
		case directory.School:
			row.network = parent.ID
		case directory.Class:
			row.network = parent.Parent
		}
		return r, entities.insert(ctx, w, false, []entityRow{row})
	})
}

// free adds a fault where another live row has the reference (P2). A reference that has a fault already is not looked up.
func (t *table[R]) free(ctx context.Context, w *Write, r R, faults *directory.FieldErrors) error {
	if faults.Message("reference_id") != "" {
		return nil
	}
	number, ref, _ := t.id(r)
	taken, err := w.NewSelect().Table(t.name).
		Where("tenant_id = ? AND reference_id = ? AND NOT deleted AND ? <> ?", w.Partner, ref, bun.Ident(t.key), number).Exists(ctx)
	if taken {
		faults.Add("reference_id", directory.MsgTaken)
	}
	return err
}

// parent returns the entity that one of a type shall hang below, the zero one for a network, which hangs below the
// partner (P1). It adds a fault where nothing has the reference, or what is not of the level above (P4). Of a type that
// is not known, any will do.
func (w *Write) parent(ctx context.Context, t directory.EntityType, ref directory.Ref, faults *directory.FieldErrors) (directory.Entity, error) {
	var none directory.Entity
	const field = "parent_reference_id"
	if faults.Message(field) != "" {
		return none, nil
	}
	p, err := PartnerByID(ctx, w, w.Partner)
	if err != nil {
		return none, err
	}
	if t == directory.Network && ref == p.Ref {
		return none, nil
	}
	e, err := readEntity(ctx, w, w.Partner, ref)
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
func (s *Store) UpdateEntity(ctx context.Context, partner directory.PartnerID, ref directory.Ref, in directory.EntityInput) (directory.EntityRecord, error) {
	return written(ctx, s, partner, func(ctx context.Context, w *Write) (r directory.EntityRecord, err error) {
		was, err := readEntity(ctx, w, partner, ref)
		if err != nil {
			return r, err
		}
		degrees, err := Degrees(ctx, w, partner)
		if err != nil {
			return r, err
		}
		e, faults := in.Apply(was, degrees)
		if err := faults.Err(); err != nil {
			return r, err
		}
		return directory.EntityRecord{Entity: e, ParentRef: was.ParentRef}, w.changeEntity(ctx, was.Entity, e)
	})
}

// changeEntity writes what differs. The network above stays.
func (w *Write) changeEntity(ctx context.Context, was, is directory.Entity) error {
	return entities.change(ctx, w, entityRow{Entity: was}, entityRow{Entity: is})
}

// DeleteEntity implements directory.Store.
func (s *Store) DeleteEntity(ctx context.Context, partner directory.PartnerID, ref directory.Ref) error {
	_, err := s.write(ctx, partner, func(ctx context.Context, w *Write) error {
		e, err := readEntity(ctx, w, partner, ref)
		if err != nil {
			return err
		}
		children, err := w.NewSelect().Table("entities").Where("tenant_id = ? AND parent_id = ? AND NOT deleted", partner, e.ID).Exists(ctx)
		if err != nil {
			return err
		}
		if children {
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
