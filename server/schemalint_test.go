package server_test

import (
	"context"
	"errors"
	"testing"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// shared are the tables that all tenants share (G4). No request writes to them.
const shared = `'bun_migrations', 'settings', 'tenants'`

// tables is the clause that selects the tables of the schema.
const tables = ` FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' `

// schemaRules find what cannot be distributed by tenant, or works only on a single server. Each fault breaks its rule.
var schemaRules = []struct{ name, query, fault string }{
	{"a table has no tenant_id bigint NOT NULL", `
		SELECT c.relname` + tables + `AND c.relname NOT IN ('bun_migrations', 'settings')
		   AND NOT EXISTS (SELECT 1 FROM pg_attribute a
		                    WHERE a.attrelid = c.oid AND a.attname = 'tenant_id' AND a.attnotnull AND a.atttypid = 'bigint'::regtype)`,
		`CREATE TABLE f1 (tenant_id integer PRIMARY KEY)`},
	{"a table has no primary key: its shards cannot be moved during writes", `
		SELECT c.relname` + tables + `AND NOT EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary)`,
		`CREATE TABLE f2 (tenant_id bigint NOT NULL)`},
	{"an index does not lead with the tenant", `
		SELECT i.indexrelid::regclass::text FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
		 WHERE c.relnamespace = 'public'::regnamespace AND c.relname NOT IN (` + shared + `)
		   AND pg_get_indexdef(i.indexrelid, 1, TRUE) <> 'tenant_id'`,
		`CREATE TABLE f3 (tenant_id bigint, n bigint, PRIMARY KEY (n, tenant_id))`},
	{"a constraint that is neither a key nor a check of a row", `
		SELECT n.conrelid::regclass || '.' || n.conname FROM pg_constraint n
		 WHERE n.connamespace = 'public'::regnamespace AND n.contype NOT IN ('p', 'u', 'c')`,
		`CREATE TABLE f4 (tenant_id bigint PRIMARY KEY REFERENCES tenants)`},
	{"a trigger", `SELECT tgname::text FROM pg_trigger`,
		`CREATE TRIGGER f5 BEFORE UPDATE ON keys FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()`},
	{"a rule", `SELECT rulename::text FROM pg_rewrite JOIN pg_class c ON c.oid = ev_class WHERE c.relnamespace = 'public'::regnamespace`,
		`CREATE RULE f6 AS ON DELETE TO keys DO INSTEAD NOTHING`},
	{"a function", `SELECT proname::text FROM pg_proc WHERE pronamespace = 'public'::regnamespace`,
		`CREATE FUNCTION f7() RETURNS integer LANGUAGE sql AS 'SELECT 1'`},
	{"a sequence", `SELECT relname::text FROM pg_class WHERE relkind = 'S' AND relname <> 'bun_migrations_id_seq'`,
		`CREATE TABLE f8 (tenant_id bigint PRIMARY KEY, n serial)`},
	{"a table is not logged", `SELECT c.relname::text` + tables + `AND c.relpersistence <> 'p'`,
		`ALTER TABLE rates SET UNLOGGED`},
	{"a default that is not a constant", `
		SELECT d.adrelid::regclass || ' ' || pg_get_expr(d.adbin, d.adrelid) FROM pg_attrdef d
		 WHERE d.adrelid <> 'bun_migrations'::regclass AND pg_get_expr(d.adbin, d.adrelid) !~ '^(''[^'']*''|-?[0-9]+|true|false)(::[a-z ]+)?$'`,
		`ALTER TABLE keys ALTER COLUMN created SET DEFAULT now()`},
	{"an identity or a generated column", `
		SELECT attname::text FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
		 WHERE c.relnamespace = 'public'::regnamespace AND (attidentity <> '' OR attgenerated <> '')`,
		`CREATE TABLE f11 (tenant_id bigint PRIMARY KEY, n bigint GENERATED ALWAYS AS (tenant_id + 1) STORED)`},
	{"a table has a unique key without the tenant", `
		SELECT c.relname` + tables + `AND c.relname NOT IN (` + shared + `)
		   AND EXISTS (SELECT 1 FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attname = 'tenant_id'
		                WHERE i.indrelid = c.oid AND i.indisunique AND a.attnum <> ALL (i.indkey))`,
		`CREATE TABLE f12 (tenant_id bigint PRIMARY KEY, n bigint UNIQUE)`},
}

// TestSchemaCanBeDistributed tests that the schema can be distributed by tenant (G4), and that each rule finds its
// fault.
func TestSchemaCanBeDistributed(t *testing.T) {
	db := dbtest.Postgres(t)
	for _, rule := range schemaRules {
		err := db.RunInTx(t.Context(), nil, func(ctx context.Context, tx bun.Tx) error {
			if found := texts(t, tx, rule.query); len(found) > 0 {
				t.Errorf("%s: %q", rule.name, found)
			}
			if _, err := tx.ExecContext(ctx, rule.fault); err != nil {
				return err
			}
			if found := texts(t, tx, rule.query); len(found) == 0 {
				t.Errorf("%s: not found after %s", rule.name, rule.fault)
			}
			return errRollback
		})
		if !errors.Is(err, errRollback) {
			t.Error(err)
		}
	}
}

var errRollback = errors.New("undo the fault")

func texts(t *testing.T, db bun.IDB, query string) (found []string) {
	t.Helper()
	if err := db.NewRaw(query).Scan(t.Context(), &found); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return found
}
