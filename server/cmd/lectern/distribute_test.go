package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/internal/tools/generate"
)

func TestMigrateDistribute(t *testing.T) {
	t.Chdir(t.TempDir())
	db := dbtest.Citus(t)
	t.Setenv("LECTERN_DB", db.URL)
	if _, err := db.ExecContext(t.Context(), `
		INSERT INTO pg_dist_node (nodename) VALUES ('a'), ('b');
		INSERT INTO node_answers VALUES ('a', 'logical 300'), ('b', 'replica 300')`); err != nil {
		t.Fatal(err)
	}
	code, out, errs := lectern(t, "migrate", "--distribute=4")
	if code != exitOK || !strings.Contains(out, "applied 20261121000100_auth\n") || !strings.Contains(out, "distributed versions\n") ||
		!strings.Contains(out, "distributed tenants\n") || !strings.HasSuffix(out, "the tables are distributed by tenant into 4 shards\n") {
		t.Errorf("migrate --distribute=4 = %d %s, want all tables", code, out)
	}
	if strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "wal_level of node b:5432 is replica; set wal_level = logical") {
		t.Errorf("migrate --distribute=4 warns %q, want one line about node b", errs)
	}
	if _, out, _ := lectern(t, "migrate", "--distribute"); out != "the schema is up to date\nthe tables are distributed by tenant into 4 shards\n" {
		t.Errorf("migrate --distribute again = %s, want no change", out)
	}
	if code, _, errs := lectern(t, "migrate", "--distribute=8"); code != exitError || !strings.Contains(errs, "alter_distributed_table") {
		t.Errorf("migrate --distribute=8 = %d %s, want what to run", code, errs)
	}
	if code, out, _ := lectern(t, "check"); code != exitError || !strings.Contains(out, "WRONG: cluster: wal_level of node b:5432 is replica; set ") {
		t.Errorf("check = %d %s, want what is wrong with node b", code, out)
	}
}

func TestMigrateDistributeRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range [][]string{{"migrate", "--distribute"}, {"migrate", "--distribute=many"}, {"migrate", "--distribute=0"}} {
		fails(t, exitUsage, args...)
	}
	t.Setenv("LECTERN_DB", dbtest.Postgres(t).URL)
	ok(t, "migrate")
	code, _, errs := lectern(t, "migrate", "--distribute")
	if code != exitError || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "CREATE EXTENSION citus") {
		t.Errorf("migrate --distribute without Citus = %d %s, want one line that says what to do", code, errs)
	}
}

// TestCommandsOnDistributed runs the commands on a database that reports each statement that does not name its tenant.
func TestCommandsOnDistributed(t *testing.T) {
	t.Chdir(t.TempDir())
	db := dbtest.Distributed(t)
	t.Setenv("LECTERN_DB", db.URL)
	t.Setenv("LECTERN_SECRET_KEY", strings.Repeat("A", 43)+"=")
	ok(t, "partner", "create", "ana", "--name", "Ana")
	ok(t, "library", "create", "rede", "--name", "Rede")
	generated(t, "schools", "schools", generate.Params{Users: 20, Days: 3})
	generated(t, "libraries", "libraries", generate.Params{Users: 20, Days: 3})
	for range 2 {
		ok(t, "load", "schools", "--partner", "ana", "schools")
		ok(t, "load", "libraries", "--library", "rede", "--now", "libraries")
	}
	key, id := apiKey(t, ok(t, "key", "issue", "schools", "--partner", "ana", "--network", "rede-1"))
	ok(t, "key", "rotate", id)
	ok(t, "key", "issue", "directory", "--partner", "ana")
	_, id = apiKey(t, ok(t, "key", "issue", "libraries", "--library", "rede"))
	ok(t, "key", "revoke", id)
	ok(t, "degrees", "--partner", "ana")
	ok(t, "forget", "--partner", "ana", "1")
	ok(t, "forget", "--library", "rede", "10001")
	ok(t, "forget", "--list")
	ok(t, "key", "list")
	ok(t, "status")
	if _, out, _ := lectern(t, "check", "--deep"); !strings.Contains(out, "distributed by tenant into 4 shards") {
		t.Errorf("check --deep = %s, want the shards", out)
	}
	whileServing(t, []string{"serve", "--addr", "127.0.0.1:0"}, servingLine, func(lines string) {
		admin := "http://" + adminAddr.FindStringSubmatch(lines)[1]
		if status, body := fetch(t, servedAt(t, lines)+"/api-platform/schools/v1/users", key); status != http.StatusOK {
			t.Errorf("GET /users = %d %s, want 200", status, body)
		}
		if _, body := fetch(t, admin+"/metrics", ""); !strings.Contains(body, `lectern_data_version{data="facts",kind="library",reference="rede"`) {
			t.Errorf("metrics = %s, want the versions of the tenants", body)
		}
		if status, body := fetch(t, admin+"/readyz", ""); status != http.StatusOK {
			t.Errorf("readyz = %d %s, want 200", status, body)
		}
		remove(t, "partner", "remove", "ana")
		remove(t, "library", "remove", "rede")
		if _, err := db.ExecContext(t.Context(), `DELETE FROM pg_dist_partition WHERE logicalrelid = 'keys'::regclass`); err != nil {
			t.Fatal(err)
		}
		if status, body := fetch(t, admin+"/readyz", ""); status != http.StatusServiceUnavailable || body != "table keys is not distributed; run lectern migrate" {
			t.Errorf("readyz with a table on one node = %d %s, want it named", status, body)
		}
	})
}
