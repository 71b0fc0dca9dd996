package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/paging/handle"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
)

// The names of the items.
const (
	databaseItem = "database"
	schemaItem   = "schema"
	clusterItem  = "cluster"
	keyItem      = "key of the secrets"
	diskItem     = "disk"
	clockItem    = "clock"
	serverItem   = "server"
)

// setUp checks everything but the stored blocks, and reports whether the schema is the program's.
func (c *Checker) setUp(ctx context.Context) (current bool, err error) {
	if err := c.database(ctx); err != nil {
		return false, err
	}
	if current, err = c.schema(ctx); err != nil {
		return false, err
	}
	c.disk()
	c.server()
	if !current {
		return false, nil // the rest reads its tables
	}
	if err := c.cluster(ctx); err != nil {
		return true, err
	}
	if err := c.clock(ctx); err != nil {
		return true, err
	}
	return true, c.key(ctx)
}

// setting is a setting of an engine that acknowledged data relies on.
type setting struct{ name, query, want, do string }

// settings lists them. A wanted value that begins with "not " is the only value that is wrong.
var settings = map[database.Engine][]setting{
	database.SQLite: {
		{"journal_mode", `PRAGMA journal_mode`, "wal", "put the file on a disk that this machine has to itself, not on a share of the network"},
	},
	database.Postgres: {
		{"fsync", `SHOW fsync`, "on", "set fsync = on: a power cut destroys the database otherwise"},
		{"full_page_writes", `SHOW full_page_writes`, "on", "set full_page_writes = on: a power cut destroys the database otherwise"},
		{"synchronous_commit", `SHOW synchronous_commit`, "not off", "set synchronous_commit = on: what was acknowledged is lost with the power otherwise"},
		{"server_encoding", `SHOW server_encoding`, "UTF8", "make a database WITH ENCODING 'UTF8', and restore this one into it"},
		{"default_transaction_read_only", `SHOW default_transaction_read_only`, "off", "name the primary: add target_session_attrs=read-write to --db"},
	},
}

// minPostgres is the oldest PostgreSQL that is tested.
const minPostgres = 150000

// database checks the engine, its version and its settings.
func (c *Checker) database(ctx context.Context) error {
	before := c.wrong
	var version string
	query := `SELECT 'SQLite ' || sqlite_version()`
	if c.DB.Engine == database.Postgres {
		query = `SELECT 'PostgreSQL ' || current_setting('server_version')`
	}
	if err := c.DB.NewRaw(query).Scan(ctx, &version); err != nil {
		return fmt.Errorf("database %s: %w", database.Redact(c.DB.URL), err)
	}
	if c.DB.Engine == database.Postgres {
		var number int
		if err := c.DB.NewRaw(`SELECT current_setting('server_version_num')::int`).Scan(ctx, &number); err != nil {
			return err
		}
		if number < minPostgres {
			c.fault(databaseItem, "upgrade PostgreSQL to 15 or later", "%s is older than what Lectern is tested with", version)
		}
	}
	for _, s := range settings[c.DB.Engine] {
		var value string
		if err := c.DB.NewRaw(s.query).Scan(ctx, &value); err != nil {
			return fmt.Errorf("setting %s: %w", s.name, err)
		}
		wrong, not := strings.CutPrefix(s.want, "not ")
		if not == (value == wrong) {
			c.fault(databaseItem, s.do, "%s is %s", s.name, value)
		}
	}
	c.okUnlessWrong(databaseItem, before, "%s, %s", database.Redact(c.DB.URL), version)
	return nil
}

// schema checks whether the schema is the program's.
func (c *Checker) schema(ctx context.Context) (current bool, err error) {
	current, err = c.DB.SchemaCurrent(ctx, server.Schema()...)
	if ctx.Err() != nil {
		return false, err
	}
	switch {
	case err != nil: // it is a newer one's
		c.fault(schemaItem, "upgrade this program", "%v", err)
		return false, nil
	case !current:
		c.fault(schemaItem, "run lectern migrate", "it is not that of this version")
		return false, nil
	}
	c.ok(schemaItem, "up to date")
	return true, nil
}

// cluster checks whether every table of a distributed database is distributed, and whether tenants can be moved between its
// nodes.
func (c *Checker) cluster(ctx context.Context) error {
	before := c.wrong
	spread, err := c.DB.Spread(ctx, server.Schema()...)
	if err != nil || !spread.Distributed {
		return err
	}
	stuck, err := c.DB.Unmovable(ctx)
	for _, a := range slices.Concat(spread.Wrong, stuck) {
		c.fault(clusterItem, a.Do, "%s", a.Wrong)
	}
	c.okUnlessWrong(clusterItem, before, "distributed by tenant into %d shards", spread.Shards)
	return err
}

// leftOut tells once of each node that an error is about. It returns any other error.
func (c *Checker) leftOut(err error) error {
	nodes := database.LeftOut(err)
	for _, n := range nodes {
		if !slices.Contains(c.down, n.Node) {
			c.down = append(c.down, n.Node)
			c.fault(clusterItem, "start the node, or look into its log", "%v", n)
		}
	}
	if len(nodes) > 0 {
		return nil
	}
	return err
}

// minFree is the space that a load may need for its files and the journal before an operator notices.
const minFree = 1 << 30

// disk checks the free space for temporary files and an embedded database.
func (c *Checker) disk() {
	before, told := c.wrong, []string{}
	folders := []string{os.TempDir()}
	if file := c.DB.File(); file != "" {
		folders = append(folders, filepath.Dir(file))
	}
	free := c.Free
	if free == nil {
		free = freeBytes
	}
	for _, folder := range slices.Compact(folders) {
		n, known := free(folder)
		if !known {
			continue
		}
		told = append(told, fmt.Sprintf("%.1f GB free in %s", float64(n)/1e9, folder))
		if n < minFree {
			c.fault(diskItem, "make room, or let TMPDIR name a larger disk where it is that of temporary files", "%.2f GB are free in %s", float64(n)/1e9, folder)
		}
	}
	c.okUnlessWrong(diskItem, before, "%s", cmp.Or(strings.Join(told, ", "), "not known on this system"))
}

// server tells which process serves an embedded database.
func (c *Checker) server() {
	if c.DB.Engine == database.Postgres {
		c.ok(serverItem, "any number may share the database")
		return
	}
	by, err := c.DB.ServedBy()
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		c.fault(serverItem, "put the database on a disk that has locks, and start only one server", "files cannot be locked here: a second server would not be noticed")
	case err != nil:
		c.fault(serverItem, "run this as the owner of the database", "%v", err)
	case by == "":
		c.ok(serverItem, "none")
	default:
		c.ok(serverItem, "%s serves it", by)
	}
}

const (
	// maxSkew is how much two clocks may differ: a load chooses its hour ten seconds ahead (L1).
	maxSkew = 5 * time.Second
	// maxFuture is how far in the future the begin of a snapshot may seem to be.
	maxFuture = time.Minute
)

// clock compares the clocks of this machine, of the database, and of the last write.
func (c *Checker) clock(ctx context.Context) error {
	before := c.wrong
	if c.Clock != nil {
		c.fault(clockItem, "unset LECTERN_CLOCK: it is for tests only", "LECTERN_CLOCK sets it to %s", c.Clock().UTC().Format(time.RFC3339))
	}
	ours := time.Now()
	theirs, err := handle.Clock(ctx, c.DB, nil)
	if err != nil {
		return err
	}
	skew := theirs.Sub(ours.Add(time.Since(ours) / 2)).Round(time.Millisecond)
	if skew.Abs() > maxSkew {
		c.fault(clockItem, "let both machines keep time by NTP", "the database's differs from this machine's by %v", skew)
	}
	last, err := c.lastState(ctx)
	if err != nil {
		return err
	}
	if ahead := last.Sub(theirs).Round(time.Second); ahead > maxFuture {
		c.fault(clockItem, "set the clock right; if a server or a load ran with LECTERN_CLOCK on this database, restore a backup from before",
			"the last state began %v from now: a clock was set back, or ran ahead then", ahead)
	}
	c.okUnlessWrong(clockItem, before, "%s, %v from the database's", ours.UTC().Format(time.RFC3339), skew)
	return nil
}

// lastState returns when the latest snapshot of any tenant began, on the nodes that answer.
func (c *Checker) lastState(ctx context.Context) (last time.Time, err error) {
	tenants, err := snapshotdb.Numbers(ctx, c.DB)
	if err != nil {
		return last, err
	}
	err = c.DB.EachNode(ctx, tenants, func(of []auth.Tenant) error {
		began, err := snapshotdb.LastPublished(ctx, c.DB, of...)
		if began.After(last) {
			last = began
		}
		return err
	})
	return last, c.leftOut(err)
}
