package report_test

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// newDB returns a database with the tables of all products.
func newDB(t *testing.T) *database.DB {
	t.Helper()
	db := dbtest.SQLite(t)
	if _, err := server.Migrate(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	return db
}

// blocks are the blocks of a partner in a database.
type blocks struct {
	*snapshotdb.Store
	tenant auth.Tenant
	at     int64 // number of the latest load
}

func newBlocks(t *testing.T, db *database.DB) *blocks {
	t.Helper()
	id, err := directorydb.CreatePartner(t.Context(), db, directory.Ref(strings.ToLower(rand.Text())), "P")
	if err != nil {
		t.Fatal(err)
	}
	return &blocks{Store: server.Snapshots(db, nil), tenant: auth.Tenant(id)}
}

// write writes and publishes a load.
func (b *blocks) write(t *testing.T, f func(snapshot.Writer) error) {
	t.Helper()
	l, err := b.Begin(t.Context(), b.tenant, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err = f(l); err == nil {
		_, err = l.Publish(t.Context(), func(_ context.Context, _ bun.Tx, now time.Time, h *snapshotdb.Current) error {
			h.Facts, h.From = l.Number(), now
			return nil
		})
	}
	if err := errors.Join(err, l.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
	b.at = l.Number()
}
