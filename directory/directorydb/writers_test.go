package directorydb_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// TestWaitingWritersLeaveConnections holds a partner's lock, as a load does, while many writes wait for it: readers go on.
func TestWaitingWritersLeaveConnections(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		p := newPartner(t, db, "a")
		store := &directorydb.Store{DB: db.DB}
		tx, err := db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := authdb.Lock(t.Context(), tx, auth.Tenant(p)); err != nil {
			t.Fatal(err)
		}
		waiting, cancel := context.WithCancel(t.Context())
		var begun, ended sync.WaitGroup
		for range 40 {
			begun.Add(1)
			ended.Go(func() {
				begun.Done()
				_ = store.DeleteTeacher(waiting, p, directory.Ref("nobody"))
			})
		}
		begun.Wait()
		for range 20 {
			ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
			if _, err := authdb.ReadHeld(ctx, db, auth.Tenant(p)); err != nil {
				t.Errorf("a read beside waiting writes = %v", err)
			}
			stop()
		}
		cancel()
		if err := tx.Rollback(); err != nil {
			t.Error(err)
		}
		ended.Wait()
	})
}
