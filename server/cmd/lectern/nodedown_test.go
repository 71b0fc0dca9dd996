package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// TestWithoutNode tests that a server starts without one node and serves the tenants of the others. Commands name the
// node.
func TestWithoutNode(t *testing.T) {
	t.Chdir(t.TempDir())
	db := dbtest.Distributed(t)
	t.Setenv("LECTERN_DB", db.URL)
	t.Setenv("LECTERN_SECRET_KEY", strings.Repeat("A", 43)+"=")
	var tenants, alive []auth.Tenant
	keys := map[auth.Tenant]string{}
	for n := range auth.Tenant(8) {
		slug := fmt.Sprint("p", n+1)
		ok(t, "library", "create", slug, "--name", slug)
		keys[n+1], _ = apiKey(t, ok(t, "key", "issue", "libraries", "--library", slug))
		tenants = append(tenants, n+1)
		for _, insert := range []string{`INSERT INTO forgotten (tenant_id, user_id, since) VALUES (?, 7, 0)`, `
			INSERT INTO libraries_readers (tenant_id, user_id, since, until, name, email, library_id, age_group_id, city, state, ra, gender, registered,
			       status, deleted_at, updated, confirmed, last_login)
			VALUES (?, 8, 0, 140737488355327, 'Ana', 'ana@example.org', -1, -1, '', '', '', 0, 0, 0, 0, 0, 0, 0)`} {
			if _, err := db.ExecContext(t.Context(), insert, n+1); err != nil {
				t.Fatal(err)
			}
		}
	}
	down := dbtest.WithoutNode(t, db)
	err := down.EachNode(t.Context(), tenants, func(of []auth.Tenant) error { alive = of; return nil })
	if err == nil || len(alive) == 0 || len(alive) == len(tenants) {
		t.Fatalf("the tenants %v answer, %v, want some but not all", alive, err)
	}
	const node = "node w2:5432"
	for _, command := range []string{"key list --json", "status --json", "forget --list"} {
		code, out, errs := lectern(t, strings.Fields(command)...)
		if code != exitError || strings.Count(out, "\n") != len(alive) || !strings.Contains(errs, node) {
			t.Errorf("%s = %d\n%s%s\nwant the %d tenants that answer, and the node", command, code, out, errs, len(alive))
		}
	}
	one := fmt.Sprint("p", alive[0])
	if code, out, _ := lectern(t, "check", "--deep"); code != exitError || !strings.Contains(out, node) ||
		!strings.Contains(out, "schema ") || !strings.Contains(out, "library "+one+" ") {
		t.Errorf("check --deep = %d %s, want its table and the node", code, out)
	}
	ok(t, "status", "--library", one)
	if out := ok(t, "forget", "--library", one, "8"); !strings.Contains(out, `"repeated":false`) {
		t.Errorf("forget of a tenant that answers = %s, want the reader erased", out)
	}
	var named int
	err = down.NewRaw(`SELECT count(*) FROM libraries_readers WHERE tenant_id = ? AND name <> ''`, alive[0]).Scan(t.Context(), &named)
	if err != nil || named > 0 {
		t.Errorf("%d rows name the erased reader, %v, want none", named, err)
	}
	if line := fails(t, exitError, "forget", "--library", one, "9"); !strings.Contains(line, "no such person") {
		t.Errorf("forget of an unknown reader = %s, want an error that says so", line)
	}
	whileServing(t, []string{"serve", "--addr", "127.0.0.1:0", "--keep", "2h"}, servingLine, func(lines string) {
		if !strings.Contains(lines, node) {
			t.Errorf("the server's log = %s, want the node named", lines)
		}
		for _, n := range tenants {
			want := http.StatusServiceUnavailable
			if slices.Contains(alive, n) {
				want = http.StatusOK
			}
			if status, body := fetch(t, servedAt(t, lines)+"/api-platform/libraries/v1/dimensions", keys[n]); status != want {
				t.Errorf("tenant %d = %d %s, want %d", n, status, body, want)
			}
		}
	})
}
