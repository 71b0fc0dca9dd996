package dbtest

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"io"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/internal/tools/proxy"
)

// standIn is SQL that replaces the parts of Citus that Lectern uses, on a PostgreSQL without Citus.
//
//go:embed citus.sql
var standIn string

// Citus returns an empty database with a stand-in for Citus, which splits a distributed table into partitions.
func Citus(tb testing.TB) *database.DB {
	tb.Helper()
	return open(tb, createCitus(tb))
}

func createCitus(tb testing.TB) string {
	tb.Helper()
	url := copyOf(tb, "template0")
	execOn(tb, url, standIn)
	setAll(tb, url, "search_path = public, citus")
	return url
}

// Distributed returns a Citus database with the migrations of Main. The tables that migrations create for tenants are
// distributed into four partitions on the nodes w1 and w2. A statement fails the test if its plan touches several partitions
// of a table: it touches several tenants, or does not name its tenant. A statement with acrossTenants may do so. A test must
// name the tenant in its own statements too. A message of several statements, one of which changes a table, also fails the
// test, because Citus refuses it.
func Distributed(tb testing.TB) *database.DB {
	tb.Helper()
	plain := createCitus(tb)
	execOn(tb, plain, `
		CREATE TABLE bun_migrations (id bigserial PRIMARY KEY, name varchar, group_id bigint, migrated_at timestamptz NOT NULL DEFAULT current_timestamp);
		SELECT citus.create_reference_table('bun_migrations');
		INSERT INTO citus.pg_dist_node (nodename) VALUES ('w1'), ('w2');
		INSERT INTO citus.node_answers VALUES ('w1', 'logical 10'), ('w2', 'logical 10')`)
	setAll(tb, plain, "citus.partitions = 4", "session_preload_libraries = auto_explain", "auto_explain.log_min_duration = 0",
		"auto_explain.log_format = json", "auto_explain.log_level = notice")
	u, err := url.Parse(plain)
	if err != nil {
		tb.Fatal(err)
	}
	w := &watcher{tb: tb, told: map[string]bool{}}
	between, err := proxy.New(u.Host, w.pass)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(between.Close)
	u.Host = between.Addr()
	db := open(tb, u.String())
	if _, err := db.Migrate(tb.Context(), schema...); err != nil {
		tb.Fatal(err)
	}
	return db
}

// WithoutNode makes the node w2 of a Distributed database unavailable, and returns another pool on the database. On later
// connections a statement fails if it reads or writes a row on w2, or writes a table that all nodes have.
func WithoutNode(tb testing.TB, db *database.DB) *database.DB {
	tb.Helper()
	ctx := context.WithoutCancel(tb.Context())
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { tx.Rollback() })
	var partitions []string
	err = tx.NewRaw(`
		SELECT format('%s__%s', s.logicalrelid, s.number)
		  FROM citus.shard_numbers s
		  JOIN citus.pg_dist_placement p USING (shardid)
		  JOIN citus.pg_dist_node n USING (groupid)
		 WHERE n.nodename = 'w2'`).Scan(ctx, &partitions)
	if err == nil {
		_, err = tx.ExecContext(ctx, `LOCK TABLE `+strings.Join(partitions, ", ")+` IN ACCESS EXCLUSIVE MODE`)
	}
	if err == nil {
		_, err = db.ExecContext(ctx, `UPDATE citus.node_answers SET answer = NULL WHERE nodename = 'w2'`)
	}
	if err != nil {
		tb.Fatal(err)
	}
	// A generic plan locks the partitions of all tenants.
	setAll(tb, db.URL, "lock_timeout = 100", "plan_cache_mode = force_custom_plan")
	return open(tb, db.URL)
}

// execOn runs statements on a database of the test server.
func execOn(tb testing.TB, url, statements string) {
	tb.Helper()
	ctx := context.WithoutCancel(tb.Context())
	db, err := database.Open(ctx, url)
	if err != nil {
		tb.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, statements); err != nil {
		tb.Fatal(err)
	}
}

// setAll changes settings of all later connections to a database.
func setAll(tb testing.TB, url string, settings ...string) {
	tb.Helper()
	statements := ""
	for _, s := range settings {
		statements += `EXECUTE format('ALTER DATABASE %I SET ` + s + `', current_database()); `
	}
	execOn(tb, url, `DO $$ BEGIN `+statements+`END $$`)
}

// watcher reads the plans that the server reports to the program through a proxy.
type watcher struct {
	tb   testing.TB
	mu   sync.Mutex
	told map[string]bool
}

// changing lists how the tags of completed statements that change a table begin.
var changing = []string{"CREAT", "ALTER", "DROP "}

// pass passes on the server's messages, except notices, which have the plans. A message is a letter, its length and its body.
// C ends a statement. 2 says that it has parameters and came by itself. Z says that the server is ready for the next message.
func (w *watcher) pass(client io.Writer, server io.Reader) {
	from, ended, changes := bufio.NewReader(server), 0, false
	for {
		head, err := from.Peek(5)
		if err != nil {
			return
		}
		length := int64(binary.BigEndian.Uint32(head[1:])) + 1
		switch head[0] {
		case 'C':
			head, _ = from.Peek(10)
			ended, changes = ended+1, changes || slices.Contains(changing, string(head[5:]))
		case '2':
			ended--
		case 'Z':
			if ended > 1 && changes {
				w.tb.Errorf("%d statements in one message, and one changes a table: Citus refuses it", ended)
			}
			ended, changes = 0, false
		}
		if head[0] != 'N' {
			if _, err := io.CopyN(client, from, length); err != nil {
				return
			}
			continue
		}
		notice := make([]byte, length)
		if _, err := io.ReadFull(from, notice); err != nil {
			return
		}
		w.notice(notice[5:])
	}
}

// notice checks the plan in a notice, if it has one. A field of a notice is a letter and a text that ends in a zero byte.
func (w *watcher) notice(body []byte) {
	for field := range bytes.SplitSeq(body, []byte{0}) {
		if _, text, is := strings.Cut(string(field), "plan:\n"); is && field[0] == 'M' {
			w.plan(text)
		}
	}
}

// plan fails the test if a statement without acrossTenants touches several partitions of a table.
func (w *watcher) plan(text string) {
	var p struct {
		Query string `json:"Query Text"`
		Plan  node
	}
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		w.tb.Errorf("a plan is not JSON: %v\n%s", err, text)
		return
	}
	touched := map[string][]string{}
	p.Plan.relations(touched)
	query := strings.Join(strings.Fields(p.Query), " ")
	for table, partitions := range touched {
		if len(partitions) < 2 || strings.Contains(query, acrossTenants) {
			continue
		}
		w.mu.Lock()
		again := w.told[query]
		w.told[query] = true
		w.mu.Unlock()
		if !again {
			w.tb.Errorf("statement touches %d partitions of %s: it must name the tenant of each table\n%s", len(partitions), table, query)
		}
	}
}

// node is a step of a plan.
type node struct {
	Relation string `json:"Relation Name"`
	Plans    []node
}

// relations adds the partitions that a plan touches to a map by table.
func (n node) relations(to map[string][]string) {
	if table, _, is := strings.Cut(n.Relation, "__"); is && !slices.Contains(to[table], n.Relation) {
		to[table] = append(to[table], n.Relation)
	}
	for _, p := range n.Plans {
		p.relations(to)
	}
}

// acrossTenants marks a statement that may touch rows of several tenants of one node: see [database.DB.EachNode].
const acrossTenants = `tenant_id IN (`
