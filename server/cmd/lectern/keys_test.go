package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/internal/operate/status"
)

// listed returns the keys in the output of key list, by id.
func listed(t *testing.T) map[string]status.Key {
	t.Helper()
	keys := make(map[string]status.Key)
	for line := range strings.Lines(ok(t, "key", "list", "--json")) {
		var k status.Key
		if err := json.Unmarshal([]byte(line), &k); err != nil {
			t.Fatalf("key list line %q: %v", line, err)
		}
		keys[k.ID] = k
	}
	return keys
}

func TestKeyLife(t *testing.T) {
	loaded(t)
	if out := ok(t, "key", "list", "--json"); out != "" {
		t.Errorf("list of no keys = %q, want nothing", out)
	}
	first, id := apiKey(t, ok(t, "key", "issue", "schools", "--partner", "ana", "--network", "rede-1"))
	_, dated := apiKey(t, ok(t, "key", "issue", "schools", "--partner", "ana", "--network", "rede-1", "--expires", "2099-12-31"))
	keys := listed(t)
	k := keys[id]
	if k.API != "schools" || k.Tenant != "ana" || k.Network == nil || *k.Network != "rede-1" || k.State != "live" ||
		k.Created.IsZero() || k.Expires != nil || k.LastUsed != nil {
		t.Errorf("issued key = %+v, want a live schools key of ana's rede-1", k)
	}
	// The last day ends at midnight in Brasilia.
	if e := keys[dated].Expires; e == nil || !e.Equal(time.Date(2100, 1, 1, 3, 0, 0, 0, time.UTC)) {
		t.Errorf("--expires 2099-12-31 = %v, want 2100-01-01T03:00:00Z", e)
	}

	second, successor := apiKey(t, ok(t, "key", "rotate", id, "--grace", "12h"))
	keys = listed(t)
	if e := keys[id].Expires; e == nil || keys[id].State != "live" || e.Sub(keys[successor].Created).Round(time.Minute) != 12*time.Hour {
		t.Errorf("rotated key = %+v, want 12 hours of grace", keys[id])
	}
	if second == first || keys[successor].State != "live" || keys[successor].Expires != nil {
		t.Errorf("successor = %+v, want a live key", keys[successor])
	}
	_, third := apiKey(t, ok(t, "key", "rotate", successor, "--grace", "0", "--expires", "2099-12-31"))
	keys = listed(t)
	if keys[successor].State != "revoked" || keys[third].Expires == nil {
		t.Errorf("after a grace of 0: %+v and %+v, want a revoked key and one with an expiry", keys[successor], keys[third])
	}
	if line := fails(t, exitError, "key", "rotate", successor); !strings.Contains(line, "issue a new one") {
		t.Errorf("rotate of a revoked key says %q", line)
	}

	for range 2 { // revoking again is no error
		if out := ok(t, "key", "revoke", third); out != "revoked "+third+"\n" {
			t.Errorf("revoke = %q", out)
		}
	}
	if got := listed(t)[third].State; got != "revoked" {
		t.Errorf("state after revoke = %q, want revoked", got)
	}
}

func TestKeyListTable(t *testing.T) {
	loaded(t)
	text, id := apiKey(t, ok(t, "key", "issue", "schools", "--partner", "ana", "--network", "rede-1"))
	out := ok(t, "key", "list")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 2 {
		t.Fatalf("table = %q, want a header and one line", out)
	}
	if got, want := strings.Join(strings.Fields(lines[0]), " "), "ID API TENANT NETWORK CREATED EXPIRES LAST USE STATE"; got != want {
		t.Errorf("header = %q, want %q", got, want)
	}
	cells := strings.Fields(lines[1])
	created := cells[4]
	if want := []string{id, "schools", "ana", "rede-1", created, "-", "-", "live"}; !slices.Equal(cells, want) {
		t.Errorf("line = %q, want %q", cells, want)
	}
	if strings.Contains(out, text[len(id)+1:]) {
		t.Error("the list shows a secret")
	}
}

// newNetwork adds a network without schools to a partner.
func newNetwork(t *testing.T, db *database.DB, p directory.PartnerID, ref string) {
	t.Helper()
	text := func(s string) directory.Field { return directory.Field{Set: true, Text: s} }
	_, err := (&directorydb.Store{DB: db.DB}).CreateEntity(t.Context(), p, directory.EntityInput{
		Name: text(ref), EntityType: text("network"), Degree: text("F"), ReferenceID: text(ref), ParentReferenceID: text("ana"),
	})
	if err != nil {
		t.Fatal(err)
	}
}

// issueQuietly issues a key of a network and returns the output of the command.
func issueQuietly(t *testing.T, db *database.DB, network string) string {
	var out bytes.Buffer
	run(t.Context(), []string{"--db", db.URL, "key", "issue", "schools", "--partner", "ana", "--network", network}, &out, &out)
	return out.String()
}

// liveKeys counts the live keys of deleted networks.
func liveKeys(t *testing.T, db *database.DB) (n int) {
	t.Helper()
	err := db.NewRaw(`
		SELECT count(*)
		  FROM keys k
		  JOIN entities e ON e.tenant_id = k.tenant_id AND e.entity_id = k.network
		 WHERE e.deleted AND k.revoked IS NULL`).Scan(t.Context(), &n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestIssueWaitsForDeletion tests that key issue waits for an uncommitted deletion, and then finds no network.
func TestIssueWaitsForDeletion(t *testing.T) {
	db := dbtest.Postgres(t) // where a waiting transaction is visible
	ok(t, "--db", db.URL, "partner", "create", "ana", "--name", "Ana")
	p, err := snapshotdb.TenantOf(t.Context(), db, snapshotdb.Partner, "ana")
	if err != nil {
		t.Fatal(err)
	}
	newNetwork(t, db, directory.PartnerID(p.ID), "rede")
	out := make(chan string, 1)
	err = db.RunInTx(t.Context(), nil, func(ctx context.Context, tx bun.Tx) error {
		_, err := snapshotdb.Lock(ctx, tx, p.ID)
		_, err2 := tx.ExecContext(ctx, `UPDATE entities SET deleted = TRUE WHERE tenant_id = ? AND reference_id = 'rede'`, p.ID)
		if err := errors.Join(err, err2, (&authdb.Store{DB: db.DB}).RevokeNetwork(ctx, tx, p.ID, 1)); err != nil {
			return err
		}
		go func() { out <- issueQuietly(t, db, "rede") }()
		for waiting := 0; waiting == 0; {
			err := db.NewRaw(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(ctx, &waiting)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if out := <-out; !strings.Contains(out, `has no network "rede"`) || liveKeys(t, db) != 0 {
		t.Errorf("key issue says %q, %d live keys of the deleted network, want an error and none", out, liveKeys(t, db))
	}
}

// TestIssueNamesBothWays tests that the error for an unknown network names the feed and the directory API.
func TestIssueNamesBothWays(t *testing.T) {
	loaded(t)
	line := fails(t, exitError, "key", "issue", "schools", "--partner", "ana", "--network", "rede-9")
	if !strings.Contains(line, "lectern load schools") || !strings.Contains(line, "directory API") {
		t.Errorf("key issue for an unknown network says %q, want both ways to create one", line)
	}
}
