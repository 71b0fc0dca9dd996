package database_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// versions creates the table versions, with a row for each of the tenants 1 to 12.
func versions(t *testing.T, db *database.DB) {
	t.Helper()
	file := "20260101000001_versions.tx.up.sql"
	schema := set(map[string]string{file: "CREATE TABLE versions (tenant_id bigint NOT NULL PRIMARY KEY)"})
	if _, err := db.Migrate(t.Context(), schema); err != nil {
		t.Fatal(err)
	}
	for n := range 12 {
		if _, err := db.ExecContext(t.Context(), `INSERT INTO versions VALUES (?)`, n+1); err != nil {
			t.Fatal(err)
		}
	}
}

func numbers(n int) (list []auth.Tenant) {
	for i := range n {
		list = append(list, auth.Tenant(i+1))
	}
	return list
}

// TestEachNodeOfOne tests that a database without a cluster has all tenants on one node, whose error is returned
// unchanged.
func TestEachNodeOfOne(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		versions(t, db)
		var got [][]auth.Tenant
		stop := errors.New("stop")
		err := db.EachNode(t.Context(), numbers(3), func(of []auth.Tenant) error { got = append(got, of); return stop })
		if len(got) != 1 || !slices.Equal(got[0], numbers(3)) || err != stop || database.LeftOut(err) != nil {
			t.Errorf("EachNode calls f with %v and returns %v, want one call with 1 to 3, and stop", got, err)
		}
		if err := db.EachNode(t.Context(), nil, func([]auth.Tenant) error { return stop }); err != nil {
			t.Errorf("EachNode of no tenants = %v, want nil", err)
		}
	})
}

// TestEachNode tests that each node of a cluster gets its tenants. A node that is down or fails is named, and the
// others continue.
func TestEachNode(t *testing.T) {
	whole := dbtest.Distributed(t)
	versions(t, whole)
	each := func(db *database.DB, f func(n int) error) (all []auth.Tenant, nodes int, left []string, err error) {
		err = db.EachNode(t.Context(), numbers(12), func(of []auth.Tenant) error {
			nodes++
			var found int
			if err := db.NewRaw(`SELECT count(*) FROM versions WHERE tenant_id = ?`, of[0]).Scan(t.Context(), &found); err != nil || found != 1 {
				return fmt.Errorf("tenant %d: %d rows, %w", of[0], found, err)
			}
			all = append(all, of...)
			return f(nodes)
		})
		for _, n := range database.LeftOut(err) {
			left = append(left, fmt.Sprint(n.Node, " ", n.Tenants))
		}
		slices.Sort(all)
		return all, nodes, left, err
	}
	none := func(int) error { return nil }
	if all, nodes, left, err := each(whole, none); !slices.Equal(all, numbers(12)) || nodes != 2 || left != nil || err != nil {
		t.Errorf("EachNode: %v on %d nodes, left %v, %v, want 12 on 2", all, nodes, left, err)
	}
	bad := errors.New("bad")
	all, nodes, left, err := each(whole, func(n int) error { return []error{bad, nil}[n-1] })
	if len(all) != 12 || nodes != 2 || len(left) != 1 || !errors.Is(err, bad) {
		t.Errorf("EachNode with one that fails: %v on %d nodes, left %v, %v, want w1 left", all, nodes, left, err)
	}
	alive, nodes, left, err := each(dbtest.WithoutNode(t, whole), none)
	if nodes != 1 || len(alive) == 0 || len(alive) == 12 || !slices.Equal(left, []string{fmt.Sprint("w2:5432 ", 12-len(alive))}) {
		t.Errorf("EachNode without w2: %v on %d nodes, left %v, %v, want those of w1, and w2 named", alive, nodes, left, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := whole.EachNode(ctx, numbers(12), func([]auth.Tenant) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("EachNode, canceled = %v, want context.Canceled", err)
	}
}
