package directorydb

import (
	"context"
	"errors"
	"fmt"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
)

// entityOf returns the live entity with a reference, or directory.ErrNotFound. The parent of a network is the partner
// (P1).
func entityOf(ctx context.Context, idb bun.IDB, partner directory.PartnerID, ref directory.Ref) (r directory.EntityRecord, err error) {
	if _, err := directory.ParseRef(string(ref)); err != nil {
		return r, ofRef("entity", ref, directory.ErrNotFound) // PostgreSQL cannot compare it
	}
	rows, err := idb.QueryContext(ctx, `
		SELECT `+entityFields.columns+`,
		       coalesce((SELECT p.reference_id FROM entities AS p WHERE p.tenant_id = ?0 AND p.entity_id = e.parent_id),
		                (SELECT p.reference_id FROM partners AS p WHERE p.tenant_id = ?0))
		  FROM entities AS e
		 WHERE tenant_id = ?0 AND reference_id = ?1 AND NOT deleted`, partner, ref)
	r.Entity, err = entityFields.one(rows, err, &r.ParentRef)
	return r, ofRef("entity", ref, err)
}

// ofRef adds to an error what was looked for.
func ofRef(what string, ref directory.Ref, err error) error {
	if err != nil {
		return fmt.Errorf("%s %q: %w", what, ref, err)
	}
	return nil
}

// checkFree adds a fault if a live row of a table has the reference (P2).
func (w *Write) checkFree(ctx context.Context, table string, ref directory.Ref, faults *directory.FieldErrors) error {
	const field = "reference_id"
	if faults.Message(field) != "" {
		return nil
	}
	taken, err := w.NewSelect().Table(table).Where("tenant_id = ? AND reference_id = ? AND NOT deleted", w.Partner, ref).Exists(ctx)
	if taken {
		faults.Add(field, directory.MsgTaken)
	}
	return err
}

// CreateEntity implements directory.Store.
func (s *Store) CreateEntity(ctx context.Context, partner directory.PartnerID, in directory.EntityInput) (r directory.EntityRecord, err error) {
	_, err = s.write(ctx, partner, func(ctx context.Context, w *Write) error {
		r, err = w.createEntity(ctx, in)
		return err
	})
	return r, err
}

func (w *Write) createEntity(ctx context.Context, in directory.EntityInput) (r directory.EntityRecord, err error) {
	partner, err := PartnerByID(ctx, w, w.Partner)
	if err != nil {
		return r, err
	}
	degrees, err := Latest(w, w.Partner).Degrees(ctx)
	if err != nil {
		return r, err
	}
	e, faults := in.Entity(degrees)
	if err := w.checkFree(ctx, "entities", e.Ref, &faults); err != nil {
		return r, err
	}
	parentRef := directory.Ref(in.ParentReferenceID.Text)
	above, err := entityOf(ctx, w, w.Partner, parentRef)
	if err != nil && !errors.Is(err, directory.ErrNotFound) {
		return r, err
	}
	parent := parentOf(e.Type, above.Entity, parentRef == partner.Ref, &faults)
	if err := faults.Err(); err != nil {
		return r, err
	}
	e.ID, e.Parent = partner.LastEntity+1, parent.ID
	row := entityRow{Entity: e}
	switch e.Type {
	case directory.School:
		row.network = parent.ID
	case directory.Class:
		row.network = parent.Parent
	}
	if err := entities.insert(ctx, w, false, []entityRow{row}); err != nil {
		return r, err
	}
	return directory.EntityRecord{Entity: e, ParentRef: parentRef}, w.SetCounters(ctx, e.ID, partner.LastUser)
}

// parentOf returns the parent of an entity of a type, which is the zero Entity for a network below the partner (P1).
// found is the entity with the parent's reference, if there is one. parentOf adds a fault if there is none, or if it is
// not of the level above (P4). An unknown type may have any parent.
func parentOf(t directory.EntityType, found directory.Entity, isPartner bool, faults *directory.FieldErrors) directory.Entity {
	const field = "parent_reference_id"
	if faults.Message(field) != "" || t == directory.Network && isPartner {
		return directory.Entity{}
	}
	missing := found.ID == 0
	want, _ := t.Parent()
	switch {
	case missing && !isPartner:
		faults.Add(field, directory.MsgMissing)
	case t != 0 && (missing || found.Type != want):
		faults.Add(field, directory.MsgInvalid)
	}
	return found
}

// UpdateEntity implements directory.Store.
func (s *Store) UpdateEntity(ctx context.Context, partner directory.PartnerID, ref directory.Ref, in directory.EntityInput) (r directory.EntityRecord, err error) {
	_, err = s.write(ctx, partner, func(ctx context.Context, w *Write) error {
		was, err := entityOf(ctx, w, partner, ref)
		if err != nil {
			return err
		}
		degrees, err := Latest(w, partner).Degrees(ctx)
		if err != nil {
			return err
		}
		e, faults := in.Apply(was, degrees)
		if err := faults.Err(); err != nil {
			return err
		}
		r = directory.EntityRecord{Entity: e, ParentRef: was.ParentRef}
		if r == was {
			return nil
		}
		return w.PutEntities(ctx, []directory.Entity{e})
	})
	return r, err
}

// DeleteEntity implements directory.Store.
func (s *Store) DeleteEntity(ctx context.Context, partner directory.PartnerID, ref directory.Ref) error {
	_, err := s.write(ctx, partner, func(ctx context.Context, w *Write) error {
		e, err := entityOf(ctx, w, partner, ref)
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
		e.Deleted = true
		if err := w.PutEntities(ctx, []directory.Entity{e.Entity}); err != nil {
			return err
		}
		if err := w.leave(ctx, e.ID); err != nil || e.Type != directory.Network {
			return err
		}
		return (&authdb.Store{Now: s.Now}).RevokeNetwork(ctx, w, auth.Tenant(partner), int64(e.ID))
	})
	return err
}

// leave makes the readers and teachers of a deleted entity inactive, who stay attached to it, and deletes its
// evaluations (P6).
func (w *Write) leave(ctx context.Context, id directory.EntityID) error {
	people := bun.SafeQuery("entity_id = ? AND kind IN (?, ?) AND NOT deleted AND active", id, directory.Reader, directory.Teacher)
	if err := accounts.keepSuperseded(ctx, w, people); err != nil {
		return err
	}
	_, err := w.NewUpdate().Table("accounts").Set("active = FALSE, version = ?", w.Version).Where("tenant_id = ? AND ?", w.Partner, people).Exec(ctx)
	if err != nil {
		return err
	}
	_, err = w.NewDelete().Table("evaluations").Where("tenant_id = ? AND entity_id = ?", w.Partner, id).Exec(ctx)
	return err
}
