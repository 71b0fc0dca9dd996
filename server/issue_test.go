package server_test

import (
	"errors"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// TestIssueConcurrently tests that keys issued at once get different numbers, and that only one rotation of a key wins.
func TestIssueConcurrently(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		id, err := librariesdb.CreateNetwork(t.Context(), db, "norte", "Norte")
		if err != nil {
			t.Fatal(err)
		}
		keys := &authdb.Store{DB: db.DB}
		issuer := &server.Issuer{Keys: keys}
		const n = 6
		var issues, rotations errgroup.Group
		for range n {
			issues.Go(func() error {
				_, _, err := issuer.Issue(t.Context(), server.KeyParams{Tenant: auth.Tenant(id), API: auth.Libraries})
				return err
			})
		}
		if err := issues.Wait(); err != nil {
			t.Fatal(err)
		}
		rotated := make(chan string, n)
		for range n {
			rotations.Go(func() error {
				_, k, err := issuer.Rotate(t.Context(), "1-1", time.Hour, nil)
				if errors.Is(err, authdb.ErrRotated) {
					return nil
				}
				rotated <- k.ID()
				return err
			})
		}
		if err := rotations.Wait(); err != nil || len(rotated) != 1 {
			t.Errorf("%d rotations succeed, %v, want 1", len(rotated), err)
		}
		list, err := keys.List(t.Context())
		if err != nil || len(list) != n+1 || list[n].Number != n+1 {
			t.Errorf("List = %d keys, %v, want %d numbered from 1", len(list), err, n+1)
		}
		if _, _, err := issuer.Issue(t.Context(), server.KeyParams{Tenant: 9, API: auth.Libraries}); !errors.Is(err, snapshotdb.ErrNotFound) {
			t.Errorf("Issue for an unknown tenant = %v, want ErrNotFound", err)
		}
		if _, _, err := issuer.Rotate(t.Context(), "9-1", time.Hour, nil); !errors.Is(err, authdb.ErrNotFound) {
			t.Errorf("Rotate of an unknown tenant's key = %v, want ErrNotFound", err)
		}
	})
}
