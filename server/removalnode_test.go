package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// TestRemovalWithoutNode tests that removal without one node removes and counts the superseded rows on the others.
func TestRemovalWithoutNode(t *testing.T) {
	db := dbtest.Distributed(t)
	var tenants []auth.Tenant
	for n := range auth.Tenant(8) {
		if _, err := directorydb.CreatePartner(t.Context(), db, directory.Ref(fmt.Sprint("p", n+1)), "P"); err != nil {
			t.Fatal(err)
		}
		tenants = append(tenants, n+1)
		for until := range 3 { // below the oldest that is kept, at it, and above
			_, err := db.NewRaw(`INSERT INTO blocks (tenant_id, kind, a, b, since, until, lo, hi, data) VALUES (?, 1, ?, 0, 1, ?, 0, 0, '')`,
				n+1, until, 9+until).Exec(t.Context())
			if err != nil {
				t.Fatal(err)
			}
		}
		if _, err := db.NewRaw(`UPDATE versions SET facts = 20, oldest_facts = 10, oldest_since = 1 WHERE tenant_id = ?`, n+1).Exec(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	down := dbtest.WithoutNode(t, db)
	var alive []auth.Tenant
	if err := down.EachNode(t.Context(), tenants, func(of []auth.Tenant) error { alive = of; return nil }); err == nil || len(alive) == 0 {
		t.Fatalf("the tenants %v answer, %v, want some", alive, err)
	}
	remover := server.Remover(down, nil)
	if err := remover.Remove(t.Context()); err == nil || !strings.Contains(err.Error(), "node w2:5432") {
		t.Errorf("Remove = %v, want the node named", err)
	}
	left, err := remover.SupersededRows(t.Context())
	if want := int64(len(alive)); left != want || err == nil || !strings.Contains(err.Error(), "node w2:5432") {
		t.Errorf("SupersededRows = %d, %v, want %d, one of each tenant that answers, and the node", left, err, want)
	}
}
