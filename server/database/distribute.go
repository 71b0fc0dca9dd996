package database

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	"github.com/uptrace/bun"
)

// DefaultShards is the default number of shards of the tables. It bounds the number of nodes.
const DefaultShards = 32

// ErrNoCitus is the error for a database that cannot be distributed.
var ErrNoCitus = errors.New("has no Citus: run CREATE EXTENSION citus in it on every node, or leave out --distribute")

// Distribute distributes the tables of the sets over the nodes of a Citus cluster, and returns the names of those
// that it moved. A table of the tenants is distributed by the hash of tenant_id, all in the same shards. Each node
// gets a copy of a table that all tenants share. Citus remembers this, and from then on Migrate distributes new
// tables. shards counts the first time only; 0 is DefaultShards, and later the present number.
//
// Each table is moved in one transaction, which blocks its other users. If Distribute is killed, the next call
// continues where it was.
func (db *DB) Distribute(ctx context.Context, shards int, sets ...fs.FS) (done []string, err error) {
	want, err := db.discover(sets)
	if err != nil {
		return nil, err
	}
	citus, err := db.hasCitus(ctx)
	if err == nil && !citus {
		err = ErrNoCitus
	}
	if err == nil {
		done, err = db.distribute(ctx, shards, want)
	}
	if err != nil {
		err = fmt.Errorf("database %s %w", Redact(db.URL), err)
	}
	return done, err
}

// distribute distributes the tables that are not distributed yet.
func (db *DB) distribute(ctx context.Context, shards int, want []migration) (done []string, err error) {
	return db.eachLocked(ctx, func(tx bun.Tx) (string, error) {
		d, err := readDistribution(ctx, tx, want)
		if err != nil {
			return "", err
		}
		if d.first != "" && shards != 0 && shards != d.shards {
			return "", fmt.Errorf("is cut into %d shards: to change that, run SELECT alter_distributed_table('%s', shard_count := %d, "+
				"cascade_to_colocated := true)", d.shards, d.first, shards)
		}
		t := d.next()
		if t == nil {
			return "", nil
		}
		if err := t.distribute(ctx, tx, d.first, shards); err != nil {
			return "", fmt.Errorf("distribute %s: %w", t.Name, err)
		}
		return t.Name, nil
	})
}

// distribution is how the tables are distributed.
type distribution struct {
	tables []placed
	begun  bool   // some are distributed
	first  string // the tenants' table in whose shards the rows of the others are, if there is one
	group  int64  // of tables with the same shards
	shards int
}

// placed is a table and the place of its rows.
type placed struct {
	Name   string
	Tenant bool // a table of the tenants, not one that all share
	Method string
	Column string
	Group  int64
	Shards int
}

// The ways in which Citus stores a table; any other is on one node.
const (
	byHash    = "hash"
	reference = "reference"
)

// createTable is the beginning of a table in a migration.
var createTable = regexp.MustCompile(`(?m)^CREATE (?:UNLOGGED )?TABLE (\w+)`)

// readDistribution reads the distribution of the migrations' tables from Citus's own tables. Other tables are
// ignored. A table is one of the tenants if all its unique keys contain the tenant: Citus cannot distribute others.
func readDistribution(ctx context.Context, idb bun.IDB, want []migration) (d distribution, err error) {
	names := []string{migrationsTable}
	for _, m := range want {
		for _, match := range createTable.FindAllStringSubmatch(m.sql, -1) {
			names = append(names, match[1])
		}
	}
	err = idb.NewRaw(`
		SELECT c.relname AS name,
		       a.attnum IS NOT NULL AND NOT EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = c.oid AND i.indisunique AND a.attnum <> ALL (i.indkey)) AS tenant,
		       CASE WHEN p.partmethod = 'h' THEN ? WHEN p.partmethod = 'n' AND p.repmodel = 't' THEN ? ELSE '' END AS method,
		       coalesce(column_to_column_name(p.logicalrelid, p.partkey), '') AS "column",
		       coalesce(p.colocationid, 0) AS "group",
		       (SELECT count(*) FROM pg_dist_shard s WHERE s.logicalrelid = c.oid) AS shards
		  FROM unnest(ARRAY[?]) WITH ORDINALITY AS n (name, made)
		  JOIN pg_class c ON c.oid = to_regclass(n.name)
		  LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id'
		  LEFT JOIN pg_dist_partition p ON p.logicalrelid = c.oid
		 ORDER BY n.made`, byHash, reference, bun.List(names)).Scan(ctx, &d.tables)
	for _, t := range d.tables {
		d.begun = d.begun || t.Method != ""
		if t.Tenant && t.Method == byHash && d.first == "" {
			d.first, d.group, d.shards = t.Name, t.Group, t.Shards
		}
	}
	return d, err
}

// next returns a table that is still on one node, or nil. Tables of the tenants come before those that all share.
func (d distribution) next() (next *placed) {
	for i, t := range d.tables {
		if t.Method == "" && (next == nil || t.Tenant && !next.Tenant) {
			next = &d.tables[i]
		}
	}
	return next
}

// distribute distributes a table and removes its rows from the coordinator.
func (t *placed) distribute(ctx context.Context, tx bun.Tx, first string, shards int) (err error) {
	switch {
	case !t.Tenant:
		_, err = tx.ExecContext(ctx, `SELECT create_reference_table(?)`, t.Name)
	case first == "":
		if shards == 0 {
			shards = DefaultShards
		}
		_, err = tx.ExecContext(ctx, `SELECT create_distributed_table(?, 'tenant_id', colocate_with => 'none', shard_count => ?)`, t.Name, shards)
	default:
		_, err = tx.ExecContext(ctx, `SELECT create_distributed_table(?, 'tenant_id', colocate_with => ?)`, t.Name, first)
	}
	if err == nil {
		_, err = tx.ExecContext(ctx, `SELECT truncate_local_data_after_distributing_table(?)`, t.Name)
	}
	return err
}

// hasCitus reports whether the database belongs to a Citus cluster.
func (db *DB) hasCitus(ctx context.Context) (has bool, err error) {
	if db.Engine == Postgres {
		err = db.NewRaw(`SELECT to_regclass('pg_dist_partition') IS NOT NULL`).Scan(ctx, &has)
	}
	return has, err
}

// distribution returns the distribution of the tables. It is empty if the database is not part of a cluster.
func (db *DB) distribution(ctx context.Context, want []migration) (d distribution, err error) {
	if citus, err := db.hasCitus(ctx); err != nil || !citus {
		return d, err
	}
	return readDistribution(ctx, db.DB, want)
}

// distributeNew distributes the tables that are not distributed yet, if others are.
func (db *DB) distributeNew(ctx context.Context, want []migration) error {
	d, err := db.distribution(ctx, want)
	if err == nil && d.begun && d.next() != nil {
		_, err = db.distribute(ctx, 0, want)
	}
	return err
}

// Spread is the distribution of a database's tables.
type Spread struct {
	Distributed bool
	Shards      int
	// Wrong has, for each table that is not distributed like the others, the fault and the remedy.
	Wrong []Advice
}

// Advice says what is wrong, and what to do about it.
type Advice struct{ Wrong, Do string }

// Spread returns the distribution of the tables of the sets.
func (db *DB) Spread(ctx context.Context, sets ...fs.FS) (s Spread, err error) {
	want, err := db.discover(sets)
	if err != nil {
		return s, err
	}
	d, err := db.distribution(ctx, want)
	if err != nil || !d.begun {
		return s, err
	}
	s.Distributed, s.Shards = true, d.shards
	for _, t := range d.tables {
		if a, wrong := d.wrong(t); wrong {
			s.Wrong = append(s.Wrong, a)
		}
	}
	return s, nil
}

// wrong returns the fault of a table in a distributed database, and its remedy.
func (d distribution) wrong(t placed) (a Advice, wrong bool) {
	switch {
	case t.Method == "":
		return Advice{"table " + t.Name + " is not distributed", "run lectern migrate"}, true
	case t.Tenant && (t.Method != byHash || t.Column != "tenant_id"):
		return Advice{"table " + t.Name + " is not distributed by tenant_id", fmt.Sprintf("run SELECT undistribute_table('%s'), and then lectern migrate", t.Name)}, true
	case t.Tenant && t.Group != d.group:
		do := fmt.Sprintf("run SELECT alter_distributed_table('%s', colocate_with := '%s')", t.Name, d.first)
		return Advice{fmt.Sprintf("table %s is not colocated with %s", t.Name, d.first), do}, true
	case !t.Tenant && t.Method != reference:
		return Advice{"table " + t.Name + ", which all tenants share, is no reference table", fmt.Sprintf("run SELECT undistribute_table('%s'), and then lectern migrate", t.Name)}, true
	}
	return Advice{}, false
}

// Unmovable returns, for each node of a distributed database, the settings that prevent shards from being moved to it
// or from it while they are written to. Moving shards is how a node is added and how a tenant gets its own.
func (db *DB) Unmovable(ctx context.Context) (list []Advice, err error) {
	var nodes []struct {
		Node    string
		Success bool
		Result  string
	}
	err = db.NewRaw(`
		SELECT n.nodename || ':' || n.nodeport AS node, coalesce(r.success, FALSE) AS success, coalesce(r.result, '') AS result
		  FROM run_command_on_all_nodes('SELECT current_setting(''wal_level'') || '' '' || current_setting(''max_prepared_transactions'')') AS r
		  JOIN pg_dist_node n ON n.nodeid = r.nodeid
		 ORDER BY 1`).Scan(ctx, &nodes)
	for _, n := range nodes {
		list = append(list, unmovable(n.Node, n.Success, n.Result)...)
	}
	return list, err
}

// unmovable returns the settings of one node that prevent moves, or the error of asking it.
func unmovable(node string, answered bool, result string) (list []Advice) {
	if !answered {
		return []Advice{{fmt.Sprintf("node %s does not answer: %s", node, strings.Join(strings.Fields(result), " ")), "start it, or remove it by citus_remove_node"}}
	}
	level, prepared, _ := strings.Cut(result, " ")
	if level != "logical" {
		list = append(list, Advice{"wal_level of node " + node + " is " + level,
			"set wal_level = logical and restart the node: until then no tenant can be moved to or from it while it is written to"})
	}
	if prepared == "0" {
		list = append(list, Advice{"max_prepared_transactions of node " + node + " is 0",
			"set max_prepared_transactions to at least max_connections and restart the node: a transaction on several nodes needs it"})
	}
	return list
}
