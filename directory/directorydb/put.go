package directorydb

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/directory"
)

// Write is a transaction that writes a partner's tables. It has locked the partner, and publishes Version.
//
// After an error, such as a reference that another live entity has, some rows may be written: the transaction must be
// rolled back. The error is directory.ErrText if a text cannot be stored. Of several rows with one number the last
// counts.
type Write struct {
	bun.IDB
	Partner directory.PartnerID
	Version int64 // of the written rows

	// Set in a write of Store:
	changed bool      // a row was written
	now     time.Time // after locking
}

// PutEntities adds entities to the partner, or replaces those with the same numbers.
func (w *Write) PutEntities(ctx context.Context, put []directory.Entity) error {
	rows := make([]entityRow, len(put))
	for i, e := range put {
		rows[i].Entity = e
	}
	rows = entities.lastOfEach(rows)
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

// PutAccounts adds accounts to the partner, or replaces those with the same numbers. A new account gets an access
// token, which never changes (P7). If an account takes a reference from another, or gives one up, the caller must also
// call [Write.AddRefOwners].
func (w *Write) PutAccounts(ctx context.Context, put []directory.Account) error {
	rows := accounts.lastOfEach(slices.Clone(put))
	for i := range rows {
		if rows[i].AccessToken == "" {
			rows[i].AccessToken = directory.NewAccessToken()
		}
	}
	if err := accounts.put(ctx, w, rows); err != nil {
		return fmt.Errorf("put accounts of partner %d: %w", w.Partner, err)
	}
	return nil
}

// PutEvaluations adds evaluations to the partner, or replaces those with the same numbers.
func (w *Write) PutEvaluations(ctx context.Context, put []directory.Evaluation) error {
	if err := evaluations.put(ctx, w, evaluations.lastOfEach(slices.Clone(put))); err != nil {
		return fmt.Errorf("put evaluations of partner %d: %w", w.Partner, err)
	}
	return nil
}

// setNetworks sets the network above each row: 0 for a network, the parent of a school, the parent's parent of a class.
// It looks for a class's school among the rows first, since the school may be moving to another network.
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

// moveClasses moves the stored classes of the written schools to the schools' networks.
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
