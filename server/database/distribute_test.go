package database_test

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// rooms returns migrations with two tables distributed by tenant and one that all tenants share.
func rooms() fs.FS {
	return set(map[string]string{
		"20260101000001_rooms.tx.up.sql": `
CREATE TABLE houses (tenant_id bigint NOT NULL PRIMARY KEY, street text NOT NULL UNIQUE);
CREATE TABLE rooms (tenant_id bigint NOT NULL, room_id bigint NOT NULL, PRIMARY KEY (tenant_id, room_id));
CREATE TABLE chairs (tenant_id bigint NOT NULL, chair_id bigint NOT NULL, PRIMARY KEY (tenant_id, chair_id));
CREATE INDEX chairs_id ON chairs (tenant_id, chair_id DESC);
INSERT INTO rooms SELECT n, 1 FROM generate_series(1, 100) AS n;`,
	})
}

// lamps returns the migrations that a later version adds.
func lamps() fs.FS {
	return set(map[string]string{
		"20260101000002_lamps.tx.up.sql": `CREATE TABLE lamps (tenant_id bigint NOT NULL, lamp_id bigint NOT NULL, PRIMARY KEY (tenant_id, lamp_id))`,
	})
}

// calls returns the calls to Citus since calls was last called.
func calls(t *testing.T, db *database.DB) (list []string) {
	t.Helper()
	err := db.NewRaw(`WITH told AS (DELETE FROM citus_calls RETURNING *) SELECT call FROM told ORDER BY number`).Scan(t.Context(), &list)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestDistribute(t *testing.T) {
	db := dbtest.Citus(t)
	if _, err := db.Migrate(t.Context(), rooms()); err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{`CREATE TABLE other (tenant_id bigint NOT NULL PRIMARY KEY)`, `CREATE TABLE foreign_to_it (n bigint)`} {
		if _, err := db.ExecContext(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	if got := calls(t, db); len(got) > 0 {
		t.Errorf("Migrate without Distribute called %q, want no call: the database is not distributed", got)
	}
	for _, step := range []struct {
		name       string
		do         func() ([]string, error)
		done, want []string
	}{
		{"First", func() ([]string, error) { return db.Distribute(t.Context(), 16, rooms()) },
			[]string{"rooms", "chairs", "bun_migrations", "houses"}, []string{
				"create_distributed_table(rooms, tenant_id, colocate_with => none, shard_count => 16)",
				"create_distributed_table(chairs, tenant_id, colocate_with => rooms, shard_count => NULL)",
				"create_reference_table(bun_migrations)",
				"create_reference_table(houses)",
			}},
		{"Again", func() ([]string, error) { return db.Distribute(t.Context(), 0, rooms()) }, nil, nil},
		{"NothingToMigrate", func() ([]string, error) { return db.Migrate(t.Context(), rooms()) }, nil, nil},
		{"LaterMigration", func() ([]string, error) { return db.Migrate(t.Context(), rooms(), lamps()) },
			[]string{"20260101000002_lamps"}, []string{"create_distributed_table(lamps, tenant_id, colocate_with => rooms, shard_count => NULL)"}},
	} {
		done, err := step.do()
		if err != nil || !slices.Equal(done, step.done) {
			t.Fatalf("%s = %q, %v, want %q", step.name, done, err, step.done)
		}
		if got := calls(t, db); !slices.Equal(got, step.want) {
			t.Errorf("%s called\n%s\nwant\n%s", step.name, strings.Join(got, "\n"), strings.Join(step.want, "\n"))
		}
	}
	if n := count(t, db, `SELECT count(*) FROM rooms`); n != 100 {
		t.Errorf("%d rooms are left, want 100", n)
	}
	_, err := db.Distribute(t.Context(), 5, rooms())
	if err == nil || !strings.Contains(err.Error(), "SELECT alter_distributed_table('rooms', shard_count := 5, cascade_to_colocated := true)") {
		t.Errorf("Distribute into another number of shards = %v, want what to run instead", err)
	}
}

// TestDistributeGoesOn tests that a Distribute that was killed after some tables can be continued, also by Migrate.
func TestDistributeGoesOn(t *testing.T) {
	for name, again := range map[string]func(*database.DB) ([]string, error){
		"Distribute": func(db *database.DB) ([]string, error) { return db.Distribute(t.Context(), 0, rooms()) },
		"Migrate":    func(db *database.DB) ([]string, error) { return db.Migrate(t.Context(), rooms()) },
	} {
		t.Run(name, func(t *testing.T) {
			db := dbtest.Citus(t)
			if _, err := db.Migrate(t.Context(), rooms()); err != nil {
				t.Fatal(err)
			}
			if _, err := db.ExecContext(t.Context(), `SELECT create_distributed_table('chairs', 'tenant_id', shard_count => 16)`); err != nil {
				t.Fatal(err)
			}
			if _, err := again(db); err != nil {
				t.Fatal(err)
			}
			if got := calls(t, db); len(got) != 4 || got[1] != "create_distributed_table(rooms, tenant_id, colocate_with => chairs, shard_count => NULL)" {
				t.Errorf("calls = %q, want the other three tables after chairs, and rooms colocated with chairs", got)
			}
		})
	}
}

func TestDistributeWithoutCitus(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		if _, err := db.Migrate(t.Context(), rooms()); db.Engine == database.Postgres && err != nil {
			t.Fatal(err)
		}
		if done, err := db.Distribute(t.Context(), 0, rooms()); !errors.Is(err, database.ErrNoCitus) || done != nil {
			t.Errorf("Distribute = %q, %v, want ErrNoCitus", done, err)
		}
		if s, err := db.Spread(t.Context(), rooms()); err != nil || s.Distributed || len(s.Wrong) > 0 {
			t.Errorf("Spread = %+v, %v, want nothing", s, err)
		}
	})
}

func TestSpread(t *testing.T) {
	db := dbtest.Citus(t)
	if _, err := db.Migrate(t.Context(), rooms()); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		query string
		want  []database.Advice
	}{
		{`SELECT 1`, nil},
		{`SELECT create_distributed_table('rooms', 'tenant_id', shard_count => 4)`, []database.Advice{
			{Wrong: "table bun_migrations is not distributed", Do: "run lectern migrate"},
			{Wrong: "table houses is not distributed", Do: "run lectern migrate"},
			{Wrong: "table chairs is not distributed", Do: "run lectern migrate"},
		}},
		{`SELECT create_reference_table('bun_migrations'), create_reference_table('houses'), create_distributed_table('chairs', 'tenant_id', shard_count => 4)`,
			[]database.Advice{{Wrong: "table chairs is not colocated with rooms", Do: "run SELECT alter_distributed_table('chairs', colocate_with := 'rooms')"}}},
		{`UPDATE pg_dist_partition SET partkey = 'chair_id' WHERE logicalrelid = 'chairs'::regclass`,
			[]database.Advice{{Wrong: "table chairs is not distributed by tenant_id", Do: "run SELECT undistribute_table('chairs'), and then lectern migrate"}}},
	} {
		if _, err := db.ExecContext(t.Context(), step.query); err != nil {
			t.Fatal(err)
		}
		s, err := db.Spread(t.Context(), rooms())
		if err != nil || s.Distributed != (step.want != nil) || !slices.Equal(s.Wrong, step.want) {
			t.Errorf("after %s: Spread = %+v, %v, want %+v", step.query, s, err, step.want)
		}
	}
}

func TestUnmovable(t *testing.T) {
	db := dbtest.Citus(t)
	_, err := db.ExecContext(t.Context(), `
		INSERT INTO node_answers VALUES ('a', 'logical 200'), ('b', 'replica 200'), ('c', 'replica 0'), ('d', NULL);
		INSERT INTO pg_dist_node (nodename) SELECT nodename FROM node_answers`)
	if err != nil {
		t.Fatal(err)
	}
	list, err := db.Unmovable(t.Context())
	var wrong []string
	for _, a := range list {
		wrong = append(wrong, a.Wrong)
	}
	want := []string{
		"wal_level of node b:5432 is replica", "wal_level of node c:5432 is replica",
		"max_prepared_transactions of node c:5432 is 0", "node d:5432 does not answer: connection refused",
	}
	if err != nil || !slices.Equal(wrong, want) {
		t.Errorf("Unmovable = %q, %v, want %q", wrong, err, want)
	}
}
