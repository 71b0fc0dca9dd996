package statedb

import (
	"context"
	"database/sql"

	"github.com/lectern-dev/lectern/paging/state"
)

// Stored is a block as it is stored: its data are sealed, and it is of the states from Since to before Until.
type Stored struct {
	Kind int16
	state.Block
	Since, Until int64
}

// allAtOnce is how many blocks one statement of All reads: on SQLite a longer one would keep the journal from being cut.
const allAtOnce = 512

// All calls visit with every block of a tenant that is stored, of whatever state, by kind, A, B and since. What is removed or
// written meanwhile may be among them or not. The data are valid until visit returns.
func (s *Store) All(ctx context.Context, t state.Tenant, visit func(Stored) error) error {
	var last Stored
	for {
		n := 0
		rows, err := s.DB.QueryContext(ctx, `
			SELECT kind, a, b, since, until, lo, hi, data
			  FROM blocks
			 WHERE tenant_id = ? AND (kind, a, b, since) > (?, ?, ?, ?)
			 ORDER BY kind, a, b, since
			 LIMIT ?`, t, last.Kind, last.A, last.B, last.Since, allAtOnce)
		err = Visit(rows, err, "blocks", func(rows *sql.Rows) error {
			var b Stored
			var data sql.RawBytes
			if err := rows.Scan(&b.Kind, &b.A, &b.B, &b.Since, &b.Until, &b.Lo, &b.Hi, &data); err != nil {
				return err
			}
			b.Data, last = data, b
			n++
			return visit(b)
		})
		if err != nil || n < allAtOnce {
			return err
		}
	}
}
