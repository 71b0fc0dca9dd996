package status_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/internal/operate/status"
)

// counter counts statements, also concurrent ones.
type counter struct{ atomic.Int64 }

func (c *counter) BeforeQuery(ctx context.Context, _ *bun.QueryEvent) context.Context {
	c.Add(1)
	return ctx
}
func (c *counter) AfterQuery(context.Context, *bun.QueryEvent) {}

// TestStatements tests that status takes the same few statements for 16 tenants and for 80.
func TestStatements(t *testing.T) {
	dbtest.Everywhere(t, func(t *testing.T, db *database.DB) {
		var n counter
		store := &authdb.Store{DB: db.DB.WithQueryHook(&n)}
		r := &status.Reader{DB: &database.DB{DB: store.DB, Engine: db.Engine, URL: db.URL}, Store: store, Superseded: server.Remover(db, nil)}
		took := map[int]int64{}
		made := 0
		for _, pairs := range []int{8, 40} {
			for ; made < pairs; made++ {
				ref := fmt.Sprint("t", made)
				_, err := directorydb.CreatePartner(t.Context(), db, directory.Ref(ref), ref)
				if err == nil {
					_, err = librariesdb.CreateNetwork(t.Context(), db, ref, ref)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			tenants, err := snapshotdb.Tenants(t.Context(), db)
			if err != nil {
				t.Fatal(err)
			}
			n.Store(0)
			list, err := r.Tenants(t.Context(), tenants)
			if took[pairs] = n.Load(); err != nil || len(list) != 2*pairs || list[1].Tenant != 2 || len(list[1].Rows) != 5 {
				t.Errorf("%d tenants, %v, want %d ordered by number", len(list), err, 2*pairs)
			}
		}
		if took[8] != took[40] || took[40] > 30 {
			t.Errorf("%d statements for 16 tenants and %d for 80, want the same number, at most 30", took[8], took[40])
		}
		t.Logf("%d statements", took[40])
	})
}
