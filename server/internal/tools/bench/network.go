package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/internal/tools/generate"
)

// domain describes what to measure of schools, libraries or the directory.
type domain struct {
	name      string
	users     string              // the word for users
	first     calendar.Date       // of the feed
	tenant    string              // the command that creates the tenant
	flags     map[string][]string // of commands
	prefix    string              // of the API
	unit      string              // of events
	files     []string            // that have the events
	write     func(context.Context, string, generate.Params) (generate.Summary, error)
	questions func(context.Context, *network) []question
}

// network is a generated feed, loaded into a database of one binary.
type network struct {
	product
	*domain
	*document
	users, days int
	events      int64
	db, key     string
	server      string // of PostgreSQL; empty: that of serverVariable
}

// feed returns the folder of the feed, which the binaries share.
func (n *network) feed() string {
	return filepath.Join(filepath.Dir(n.dir), fmt.Sprintf("%s-%d-%d", n.name, n.users, n.days))
}

// last returns the last day of the feed.
func (n *network) last() calendar.Date { return n.first + calendar.Date(n.days) - 1 }

// generate writes the feed and counts its events. It refuses days in the future, which a load would cut off.
func (n *network) generate(ctx context.Context, take func() error) error {
	if today := calendar.Day(time.Now()); n.last() >= today {
		return fmt.Errorf("%d days from %v on are not over; give at most %d", n.days, n.first, int(today-n.first))
	}
	p := n.params()
	p.Piece, p.Take = n.piece, take
	sum, err := n.write(ctx, n.feed(), p)
	n.events = 0
	for _, file := range n.files {
		n.events += sum[file]
	}
	return err
}

// load loads the feed. If the feed has pieces, it writes and loads one after another.
func (n *network) load(ctx context.Context) (rows int, used usage) {
	take := func() error {
		out, piece := n.command(ctx, "load", n.name, n.feed())
		rows += must(loaded(out))
		used = usage{used.wall + piece.wall, used.cpu + piece.cpu, max(used.memory, piece.memory)}
		return nil
	}
	if n.piece > 0 {
		check(n.generate(ctx, take))
	}
	check(take())
	return rows, used
}

// serverVariable names the variable with the URL of the PostgreSQL server, if there is one.
const serverVariable = "LECTERN_TEST_POSTGRES"

const sqlite, postgres = "sqlite", "postgres"

// engines returns the engines to measure.
func engines() []string {
	if os.Getenv(serverVariable) == "" {
		return []string{sqlite}
	}
	return []string{sqlite, postgres}
}

// newDatabase creates an empty database of an engine, with a tenant.
func (n *network) newDatabase(ctx context.Context, engine string) {
	if engine == postgres {
		n.db = onServer(ctx, cmp.Or(n.server, os.Getenv(serverVariable)), "lectern_bench_"+filepath.Base(n.dir)+"_"+n.name)
	} else {
		file := filepath.Join(n.dir, n.name+".db")
		n.db = "sqlite:" + file
		removeDatabase(file)
	}
	n.command(ctx, "migrate")
	n.command(ctx, n.tenant, "create", "bench", "--name", "Bench")
}

// removeDatabase removes the files of a SQLite database, if there are any.
func removeDatabase(file string) {
	for _, f := range must(filepath.Glob(file + "*")) {
		check(os.Remove(f))
	}
}

// onServer creates an empty database on a PostgreSQL server and returns its URL.
func onServer(ctx context.Context, server, name string) string {
	u := must(url.Parse(server))
	u.Path = "/" + name
	admin := must(database.Open(ctx, server))
	defer admin.Close()
	for _, statement := range []string{"DROP DATABASE IF EXISTS " + name, "CREATE DATABASE " + name} {
		_, err := admin.ExecContext(ctx, statement)
		check(err)
	}
	return u.String()
}

// newKey issues a key for requests.
func (n *network) newKey(ctx context.Context) string {
	var key struct{ APIKey string }
	n.issue(ctx, &key)
	return key.APIKey
}

// issue issues a key of the network and stores its parts in key.
func (n *network) issue(ctx context.Context, key any) {
	out, _ := n.command(ctx, "key", "issue", n.name)
	check(json.Unmarshal(out, key))
}

// command runs a command on the database, with its flags.
func (n *network) command(ctx context.Context, args ...string) ([]byte, usage) {
	return command(ctx, n.binary(), slices.Concat(args, []string{"--db", n.db}, n.flags[args[0]])...)
}

// loaded returns how many rows a load has read.
func loaded(out []byte) (rows int, err error) {
	var totals map[string]json.RawMessage
	if err := json.Unmarshal(out, &totals); err != nil {
		return 0, err
	}
	for _, value := range totals {
		var n struct{ Rows int }
		if json.Unmarshal(value, &n) == nil { // a file, not a total
			rows += n.Rows
		}
	}
	return rows, nil
}

// databaseSize returns the bytes that the database takes on disk.
func databaseSize(ctx context.Context, db string) (size int64) {
	query := "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"
	if !strings.HasPrefix(db, "sqlite:") {
		query = "SELECT pg_database_size(current_database())"
	}
	d := must(database.Open(ctx, db))
	defer d.Close()
	check(d.NewRaw(query).Scan(ctx, &size))
	return size
}
