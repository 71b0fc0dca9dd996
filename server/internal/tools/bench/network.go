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

// domain says what there is to measure of the schools or of the libraries.
type domain struct {
	name    string
	users   string              // what the users are called
	first   calendar.Date       // of the feed
	tenant  string              // the command that creates the tenant
	flags   map[string][]string // of commands
	prefix  string              // of the API
	again   string              // how the second load is called
	unit    string              // what is counted of a load: the rows of
	counted []string            // these files
	raw     baseline
	asked   func(context.Context, *network) ([]section, error)
}

// network is one generated feed, loaded into a database of an engine.
type network struct {
	product
	*domain
	*document
	users, days int
	db, key     string
	server      string                   // of PostgreSQL; "" is that of serverVariable
	rates       string                   // that keys have
	sql         map[string]time.Duration // by question, where the baseline was measured
}

func (n *network) feed() string {
	return filepath.Join(n.dir, fmt.Sprintf("%s-%d-%d", n.name, n.users, n.days))
}

// last is the last day of the feed.
func (n *network) last() calendar.Date { return n.first + calendar.Date(n.days) - 1 }

// measured writes the feed, and measures it in each engine.
func (n network) measured(ctx context.Context, sql bool) error {
	if err := n.generate(ctx); err != nil {
		return err
	}
	return engines(func(engine string) (err error) {
		if n.db, err = n.newDatabase(ctx, engine); err != nil {
			return err
		}
		return n.in(ctx, engine, sql)
	})
}

// generate writes the feed. Days that are yet to come would be cut off.
func (n *network) generate(ctx context.Context) error {
	if today := calendar.Day(time.Now()); n.last() >= today {
		return fmt.Errorf("%d days from %v on are not over; give at most %d", n.days, n.first, int(today-n.first))
	}
	write := generate.Schools
	if n.name == "libraries" {
		write = generate.Libraries
	}
	_, err := write(ctx, n.feed(), generate.Params{Users: n.users, Days: n.days, First: n.first, Seed: 1, Compress: "zst"})
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

// newDatabase makes an empty database of an engine, with a tenant, and returns its URL.
func (n network) newDatabase(ctx context.Context, engine string) (_ string, err error) {
	if n.db = "sqlite:" + n.feed() + ".db"; engine == "postgres" {
		n.db, err = onServer(ctx, cmp.Or(n.server, os.Getenv(serverVariable)), fmt.Sprintf("lectern_bench_%s_%s_%d", filepath.Base(n.dir), n.name, n.users))
	} else {
		err = removeDatabase(n.feed() + ".db")
	}
	for _, args := range [][]string{{"migrate"}, {n.tenant, "create", "bench", "--name", "Bench"}} {
		if err == nil {
			_, _, err = n.command(ctx, args...)
		}
	}
	return n.db, err
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

// in loads the network into its empty database and times what is asked of it, and where they are asked for what stands beside.
func (n network) in(ctx context.Context, engine string, others bool) error {
	n.begin(fmt.Sprintf("%s, %s, %d %s, %d days", n.name, engine, n.users, n.domain.users, n.days))
	n.heading("what", "figure", "beside it")
	n.sql = map[string]time.Duration{}
	if err := n.loads(ctx, others); err != nil {
		return err
	}
	if err := n.issue(ctx); err != nil {
		return err
	}
	sections, err := n.asked(ctx, &n)
	if err != nil {
		return err
	}
	if others && engine == "postgres" {
		if err := n.baselines(ctx, sections); err != nil {
			return err
		}
	}
	for _, s := range sections {
		if err := n.section(ctx, s); err != nil {
			return err
		}
	}
	return n.costs(ctx, sections[0].questions[0])
}

// issue makes a key for the network's questions.
func (n *network) issue(ctx context.Context) error {
	out, _, err := n.command(ctx, "key", "issue", n.name)
	if err != nil {
		return err
	}
	var key struct{ APIKey string }
	if err := json.Unmarshal(out, &key); err != nil {
		return err
	}
	n.key = key.APIKey
	return nil
}

// command runs a command on the database, with its flags.
func (n *network) command(ctx context.Context, args ...string) ([]byte, usage, error) {
	return n.lectern(ctx, slices.Concat(args, []string{"--db", n.db}, n.flags[args[0]])...)
}

// loads times the load of the feed, and what stands beside: the same feed again, a check of it, and DuckDB.
func (n *network) loads(ctx context.Context, others bool) error {
	first, rows, counted, err := n.load(ctx, "load")
	if err == nil && others {
		err = n.loadsBeside(ctx, first, rows)
	}
	if err != nil {
		return err
	}
	size, err := databaseSize(ctx, n.db)
	n.row("size", fmt.Sprintf("%d MiB", size>>20), fmt.Sprintf("%.1f bytes for each of the %s", float64(size)/float64(counted), n.unit))
	return err
}

// load times one load of the feed, and returns its rows and those that are counted.
func (n *network) load(ctx context.Context, what string) (used usage, rows, counted int, err error) {
	out, used, err := n.command(ctx, "load", n.name, n.feed())
	if err != nil {
		return used, 0, 0, err
	}
	if rows, counted, err = loaded(out, n.counted); err != nil {
		return used, 0, 0, err
	}
	seconds := used.wall.Seconds()
	n.reached(loadMemory, float64(used.memory>>20), what)
	n.row(what, fmt.Sprintf("%d rows in %.1f s: %.0f/s", rows, seconds, float64(rows)/seconds),
		fmt.Sprintf("%d %s: %.0f/s; %.1f s of a processor, but for the database's own; %d MiB resident at most",
			counted, n.unit, float64(counted)/seconds, used.cpu.Seconds(), used.memory>>20))
	return used, rows, counted, nil
}

// loadsBeside times what stands beside a first load.
func (n *network) loadsBeside(ctx context.Context, first usage, rows int) error {
	if _, _, _, err := n.load(ctx, n.again); err != nil {
		return err
	}
	_, checked, err := n.command(ctx, "load", n.name, n.feed(), "--check")
	if err != nil {
		return err
	}
	n.row("the feed checked, nothing written", fmt.Sprintf("%.1f s: %.0f/s", checked.wall.Seconds(), float64(rows)/checked.wall.Seconds()),
		fmt.Sprintf("%.1f s of a processor, but for the database's own", checked.cpu.Seconds()))
	for _, ids := range []string{"", "ids"} {
		if err := n.duckdb(ctx, ids, first); err != nil {
			return err
		}
	}
	return nil
}

// tools is the folder of others' programs, which is that of the clients.
const tools = root + "/server/internal/tools/clients/tools"

// duckdb times DuckDB, which reads the files of the feed into tables, with ids each with its unique key, beside a load.
func (n *network) duckdb(ctx context.Context, ids string, load usage) error {
	file := filepath.Join(n.dir, "duck.db")
	if err := removeDatabase(file); err != nil {
		return err
	}
	_, used, err := command(ctx, "node", tools+"/load.mjs", n.feed(), file, ids)
	if err != nil {
		return err
	}
	what := "DuckDB of the same files, without unique ids"
	if ids != "" {
		what = "the same with unique ids"
	}
	n.row(what, fmt.Sprintf("%.1f s: the load takes %.2f of it", used.wall.Seconds(), load.wall.Seconds()/used.wall.Seconds()),
		fmt.Sprintf("%.1f s of a processor; %d MiB resident at most", used.cpu.Seconds(), used.memory>>20))
	return nil
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
