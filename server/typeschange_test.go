package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/internal/api/directoryapi"
)

// askAll requests every example of the schools and the libraries.
func (d *demo) askAll(t *testing.T) map[string]string {
	answers := map[string]string{}
	for _, e := range examples {
		if e.method == "GET" && !strings.HasPrefix(e.path, directoryapi.Prefix) {
			answers[e.name] = d.example(t, e.name, e.method, e.path)
		}
	}
	return answers
}

// TestTypesChange tests that no read fails if a migration of another version changes the types of columns. A statement
// prepared before that is sent again.
func TestTypesChange(t *testing.T) {
	direct := dbtest.Postgres(t)
	db, err := database.Open(t.Context(), direct.URL+"&pool_max_conns=2")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	d := newDemo(t, db, &clock{demoTime()})
	d.checkExamples(t)
	before := d.askAll(t)
	for _, column := range []string{"keys.api", "accounts.name", "accounts.email", "libraries_readers.name", "entities.name"} {
		table, column, _ := strings.Cut(column, ".")
		if _, err := direct.ExecContext(t.Context(), fmt.Sprintf(`ALTER TABLE %s ALTER COLUMN %s TYPE varchar(400)`, table, column)); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		for name, got := range d.askAll(t) {
			if got != before[name] {
				t.Errorf("%s after the migration\n got %s\nwant %s", name, got, before[name])
			}
		}
	}
	if r := d.call(t, "PUT", "/entities/turma-9b", `{"name":"9B"}`); r.status != 200 {
		t.Errorf("a write after the migration = %d %s, want 200", r.status, r.body)
	}
}
