package directorydb

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/directory"
)

// Verify looks at the registers of a partner as they are now, and calls found with a sentence for each thing that is wrong: what
// hangs below nothing, or at the wrong level, or is counted to another network than it hangs below; accounts of no entity that ever
// was; numbers above those that were given out; and people who are forgotten and named all the same.
func Verify(ctx context.Context, idb bun.IDB, partner directory.PartnerID, found func(string)) error {
	of, err := PartnerByID(ctx, idb, partner)
	if err != nil {
		return err
	}
	all, err := storedEntities(ctx, idb, partner)
	if err != nil {
		return err
	}
	for _, e := range all {
		if fault := e.fault(all, of.LastEntity); fault != "" {
			found(fmt.Sprintf("entity %d %s", e.ID, fault))
		}
	}
	forgotten, err := Forgotten(ctx, idb, partner)
	if err != nil {
		return err
	}
	return Latest(idb, partner).AccountRefs(ctx, func(a directory.Account) error {
		if _, ok := all[a.Entity]; !ok && a.Entity != 0 {
			found(fmt.Sprintf("account %d is attached to entity %d, which never was", a.ID, a.Entity))
		}
		if a.ID > of.LastUser {
			found(fmt.Sprintf("account %d has a number above %d, the last that was given out", a.ID, of.LastUser))
		}
		if forgotten[a.ID] && a.Name+a.Email+a.Phone != "" {
			found(fmt.Sprintf("account %d is forgotten, and named all the same: run lectern forget again", a.ID))
		}
		return nil
	})
}

// storedEntities reads all entities by number, each with its network.
func storedEntities(ctx context.Context, idb bun.IDB, partner directory.PartnerID) (map[directory.EntityID]entityRow, error) {
	all := map[directory.EntityID]entityRow{}
	rows, err := idb.NewSelect().Table(entities.name).ColumnExpr(entities.columns).Where("tenant_id = ?", partner).Rows(ctx)
	return all, entities.read(rows, err, func(e entityRow) error {
		all[e.ID] = e
		return nil
	})
}

// fault says what is wrong with an entity, of all of the partner.
func (r entityRow) fault(all map[directory.EntityID]entityRow, last directory.EntityID) string {
	above, hasParent := all[r.Parent]
	level, below := r.Type.Parent()
	switch {
	case r.ID > last:
		return fmt.Sprintf("has a number above %d, the last that was given out", last)
	case !below && r.Parent != 0, below && !hasParent:
		return fmt.Sprintf("hangs below entity %d, which is none that it can", r.Parent)
	case below && above.Type != level:
		return fmt.Sprintf("hangs below entity %d, which is at the wrong level", r.Parent)
	case r.Deleted:
		return "" // what it was counted to is nobody's matter
	case below && above.Deleted:
		return fmt.Sprintf("is there, and entity %d above it is deleted", r.Parent)
	}
	network := directory.EntityID(0)
	switch r.Type {
	case directory.School:
		network = r.Parent
	case directory.Class:
		network = above.Parent
	}
	if r.network != network {
		return fmt.Sprintf("is counted to network %d, and hangs below network %d", r.network, network)
	}
	return ""
}
