package directorydb

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/directory"
)

// Write is a transaction that writes a partner's registers. Its writer has locked the partner, and publishes Version.
//
// An error, such as a reference that another live entity has, may leave some written: the transaction is to be undone. It is
// directory.ErrText where a text cannot be stored. Of several rows with one number the last stands.
type Write struct {
	bun.IDB
	Partner directory.PartnerID
	Version int64 // that the rows carry

	// Of a write of Store:
	changed bool      // something was written
	now     time.Time // of the clock, behind the lock
}

// PutEntities adds entities to the partner, or replaces those of the same number.
func (w *Write) PutEntities(ctx context.Context, put []directory.Entity) error {
	rows := make([]entityRow, len(put))
	for i, e := range put {
		rows[i].Entity = e
	}
	rows = entities.settle(rows)
	err := w.setNetworks(ctx, rows)
	if err == nil {
		err = entities.put(ctx, w, rows)
	}
	if err == nil {
		err = w.moveClasses(ctx, rows)
	}
	if err != nil {
		return fmt.Errorf("put entities of partner %d: %w", w.Partner, err)
	}
	return nil
}

// PutAccounts adds accounts to the partner, or replaces those of the same number. The access token of an account is written
// with its first row, and no later one changes it (P7). Where an account takes a reference that another had, or gives one up,
// [Write.AddRefOwners] is to be told.
func (w *Write) PutAccounts(ctx context.Context, put []directory.Account) error {
	if err := accounts.put(ctx, w, accounts.settle(slices.Clone(put))); err != nil {
		return fmt.Errorf("put accounts of partner %d: %w", w.Partner, err)
	}
	return nil
}

// PutEvaluations adds evaluations to the partner, or replaces those of the same number.
func (w *Write) PutEvaluations(ctx context.Context, put []directory.Evaluation) error {
	if err := evaluations.put(ctx, w, evaluations.settle(slices.Clone(put))); err != nil {
		return fmt.Errorf("put evaluations of partner %d: %w", w.Partner, err)
	}
	return nil
}

// setNetworks sets the network above each of the rows: none for a network, the parent of a school, the parent's parent of
// a class. Of a class's school it looks among the rows first, for it may be on its way to another network.
func (w *Write) setNetworks(ctx context.Context, rows []entityRow) error {
	networks := make(map[directory.EntityID]directory.EntityID) // of schools
	for _, r := range rows {
		if r.Type == directory.School {
			networks[r.ID] = r.Parent
		}
	}
	var others []directory.EntityID
	for _, r := range rows {
		if _, ok := networks[r.Parent]; r.Type == directory.Class && !ok {
			others = append(others, r.Parent)
		}
	}
	slices.Sort(others)
	for part := range slices.Chunk(slices.Compact(others), chunk) {
		var schools, above []directory.EntityID
		err := w.NewSelect().Table("entities").Column("entity_id", "parent_id").
			Where("tenant_id = ? AND entity_id IN (?) AND entity_type = ?", w.Partner, bun.List(part), directory.School).Scan(ctx, &schools, &above)
		if err != nil {
			return fmt.Errorf("read networks: %w", err)
		}
		for i, school := range schools {
			networks[school] = above[i]
		}
	}
	for i := range rows {
		switch r := &rows[i]; r.Type {
		case directory.School:
			r.network = r.Parent
		case directory.Class:
			r.network = networks[r.Parent]
		}
	}
	return nil
}

// moveClasses lets the stored classes of the schools among the rows, which are written, follow to the schools' networks.
func (w *Write) moveClasses(ctx context.Context, rows []entityRow) error {
	var schools []directory.EntityID
	for _, r := range rows {
		if r.Type == directory.School {
			schools = append(schools, r.ID)
		}
	}
	for part := range slices.Chunk(schools, chunk) {
		_, err := w.NewUpdate().TableExpr("entities AS c").TableExpr("entities AS s").Set("network_id = s.parent_id").
			Where("s.tenant_id = ?0 AND s.entity_id IN (?1)", w.Partner, bun.List(part)).
			Where("c.tenant_id = ?0 AND c.parent_id = s.entity_id AND c.entity_type = ?1 AND NOT c.deleted", w.Partner, directory.Class).
			Where("c.network_id <> s.parent_id").Exec(ctx)
		if err != nil {
			return fmt.Errorf("move classes: %w", err)
		}
	}
	return nil
}
