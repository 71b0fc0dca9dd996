package directorydb

import (
	"context"
	"fmt"
	"slices"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/directory"
)

// setNetworks sets the network above each of the rows: none for a network, the parent of a school, the parent's parent of
// a class. Of a class's school it looks among the rows first, for it may be on its way to another network.
func setNetworks(ctx context.Context, tx bun.IDB, partner directory.PartnerID, rows []entityRow) error {
	networks := make(map[directory.EntityID]directory.EntityID)
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
	if err := readNetworks(ctx, tx, partner, others, networks); err != nil {
		return err
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

// readNetworks reads the networks of stored schools, in any order, into a map.
func readNetworks(ctx context.Context, tx bun.IDB, partner directory.PartnerID, schools []directory.EntityID, networks map[directory.EntityID]directory.EntityID) error {
	slices.Sort(schools)
	for part := range slices.Chunk(slices.Compact(schools), chunk) {
		rows, err := tx.QueryContext(ctx, `
			SELECT entity_id, parent_id
			  FROM entities
			 WHERE tenant_id = ? AND entity_id IN (?) AND entity_type = ?
			 ORDER BY entity_id`, partner, bun.List(part), directory.School)
		var school, network directory.EntityID
		err = each(rows, err, func() error {
			err := rows.Scan(&school, &network)
			networks[school] = network
			return err
		})
		if err != nil {
			return fmt.Errorf("read networks: %w", err)
		}
	}
	return nil
}

// moveClasses lets the stored classes of the schools among the rows, which are written, follow to the schools' networks.
func moveClasses(ctx context.Context, tx bun.IDB, partner directory.PartnerID, rows []entityRow) error {
	var schools []directory.EntityID
	for _, r := range rows {
		if r.Type == directory.School {
			schools = append(schools, r.ID)
		}
	}
	for part := range slices.Chunk(schools, chunk) {
		_, err := tx.NewRaw(`
			UPDATE entities AS c
			   SET network_id = s.parent_id
			  FROM entities AS s
			 WHERE s.tenant_id = ?0 AND s.entity_id IN (?1)
			   AND c.tenant_id = ?0 AND c.parent_id = s.entity_id AND c.entity_type = ?2 AND NOT c.deleted
			   AND c.network_id <> s.parent_id`, partner, bun.List(part), directory.Class).Exec(ctx)
		if err != nil {
			return fmt.Errorf("move classes: %w", err)
		}
	}
	return nil
}
