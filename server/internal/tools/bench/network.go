package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
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

// domain is what to measure of the schools or of the libraries.
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
	questions func(context.Context, *network) ([]question, error)
}

// network is a generated feed, loaded into a database of one binary.
type network struct {
	product
	*domain
	*document
	users, days int
	db, key     string
	server      string // of PostgreSQL; empty: that of serverVariable
	rate        string // requests a minute that the servers permit
}

// feed is the folder of the feed, which the binaries share.
func (n *network) feed() string {
	return filepath.Join(filepath.Dir(n.dir), fmt.Sprintf("%s-%d-%d", n.name, n.users, n.days))
}

// last is the last day of the feed.
func (n *network) last() calendar.Date { return n.first + calendar.Date(n.days) - 1 }

// generate writes the feed. It refuses days in the future, which a load would cut off.
func (n *network) generate(ctx context.Context) error {
	if today := calendar.Day(time.Now()); n.last() >= today {
		return fmt.Errorf("%d days from %v on are not over; give at most %d", n.days, n.first, int(today-n.first))
	}
	_, err := n.write(ctx, n.feed(), n.params())
	return err
}

// serverVariable names the PostgreSQL server, where there is one.
const serverVariable = "LECTERN_TEST_POSTGRES"

// engines calls f with each engine that there is.
func engines(f func(engine string) error) error {
	for _, engine := range []string{"sqlite", "postgres"} {
		if engine == "postgres" && os.Getenv(serverVariable) == "" {
			return nil
		}
		if err := f(engine); err != nil {
			return fmt.Errorf("%s: %w", engine, err)
		}
	}
	return nil
}

// newDatabase makes an empty database of an engine with a tenant.
func (n *network) newDatabase(ctx context.Context, engine string) (err error) {
	file := filepath.Join(n.dir, n.name+".db")
	if n.db = "sqlite:" + file; engine == "postgres" {
		n.db, err = onServer(ctx, cmp.Or(n.server, os.Getenv(serverVariable)), "lectern_bench_"+filepath.Base(n.dir)+"_"+n.name)
	} else {
		err = removeDatabase(file)
	}
	for _, args := range [][]string{{"migrate"}, {n.tenant, "create", "bench", "--name", "Bench"}} {
		if err == nil {
			_, _, err = n.command(ctx, args...)
		}
	}
	return err
}

// removeDatabase removes the files of a SQLite database, if there are any.
func removeDatabase(file string) error {
	files, err := filepath.Glob(file + "*")
	for _, f := range files {
		err = errors.Join(err, os.Remove(f))
	}
	return err
}

// onServer makes an empty database of a PostgreSQL server and returns its URL.
func onServer(ctx context.Context, server, name string) (string, error) {
	u, err := url.Parse(server)
	if err != nil {
		return "", err
	}
	u.Path = "/" + name
	admin, err := database.Open(ctx, server)
	if err != nil {
		return "", err
	}
	defer admin.Close()
	for _, statement := range []string{"DROP DATABASE IF EXISTS " + name, "CREATE DATABASE " + name} {
		if _, err := admin.ExecContext(ctx, statement); err != nil {
			return "", err
		}
	}
	return u.String(), nil
}

// issue makes a key for the network's questions.
func (n *network) issue(ctx context.Context) error {
	var key struct{ APIKey string }
	out, _, err := n.command(ctx, "key", "issue", n.name)
	if err == nil {
		err = json.Unmarshal(out, &key)
	}
	n.key = key.APIKey
	return err
}

// command runs a command on the database, with its flags.
func (n *network) command(ctx context.Context, args ...string) ([]byte, usage, error) {
	return command(ctx, n.binary(), slices.Concat(args, []string{"--db", n.db}, n.flags[args[0]])...)
}

// loaded reads the totals of a load: all rows, and those of the files that are counted.
func loaded(out []byte, files []string) (rows, counted int, err error) {
	var totals map[string]json.RawMessage
	if err := json.Unmarshal(out, &totals); err != nil {
		return 0, 0, err
	}
	for name, value := range totals {
		var n struct{ Rows int }
		if json.Unmarshal(value, &n) != nil {
			continue // a total, not a file
		}
		rows += n.Rows
		if slices.Contains(files, name) {
			counted += n.Rows
		}
	}
	return rows, counted, nil
}

// databaseSize returns the bytes that the database takes on disk.
func databaseSize(ctx context.Context, db string) (size int64, err error) {
	query := "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"
	if !strings.HasPrefix(db, "sqlite:") {
		query = "SELECT pg_database_size(current_database())"
	}
	d, err := database.Open(ctx, db)
	if err != nil {
		return 0, err
	}
	defer d.Close()
	err = d.NewRaw(query).Scan(ctx, &size)
	return size, err
}
