package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/database"
)

// domain says what there is to measure of the schools or of the libraries.
type domain struct {
	name    string
	users   string        // what the users are called
	first   calendar.Date // of the feed
	tenant  []string      // the command that creates the tenant, and
	owner   []string      // the flags that name it
	issue   []string      // further flags of key issue,
	load    []string      // of load
	serve   []string      // and of serve
	prefix  string        // of the API
	again   string        // how the second load is called
	unit    string        // what is counted of a load: the rows of
	counted []string      // these files
	raw     baseline
	prepare func(context.Context, *network) error // finds what the questions ask for
	asked   func(*network) []section
}

// network is one generated feed, loaded into a database of an engine.
type network struct {
	product
	*domain
	users, days    int
	db, key        string
	table          *table
	rate           float64                  // counted rows a second of the first load
	sql            map[string]time.Duration // by question, where the baseline was measured
	state, library string                   // those of most readers
	school         string
}

func (n *network) feed() string {
	return filepath.Join(n.dir, fmt.Sprintf("%s-%d-%d", n.name, n.users, n.days))
}

// last is the last day of the feed.
func (n *network) last() calendar.Date { return n.first + calendar.Date(n.days) - 1 }

// generate writes the feed, unless a former run left it. Days that are yet to come would be cut off.
func (n *network) generate(ctx context.Context) error {
	if today := calendar.Day(time.Now()); n.last() >= today {
		return fmt.Errorf("%d days from %v on are not over; give at most %d", n.days, n.first, int(today-n.first))
	}
	if _, err := os.Stat(n.feed()); err == nil {
		return nil
	}
	temp := n.feed() + ".part"
	if err := os.RemoveAll(temp); err != nil {
		return err
	}
	_, _, err := n.lectern(ctx, "generate", n.name, temp, "--compress", "zst", "--users", fmt.Sprint(n.users), "--days", fmt.Sprint(n.days), "--first", n.first.String())
	if err != nil {
		return err
	}
	return os.Rename(temp, n.feed())
}

// measure loads the network into a new database of the engine and times what is asked of it.
func (n network) measure(ctx context.Context, engine string, sql bool, doc *document) error {
	var err error
	if n.db, err = n.newDatabase(ctx, engine, fmt.Sprintf("lectern_bench_%s_%d", n.name, n.users)); err != nil {
		return err
	}
	n.table, n.sql = doc.table(fmt.Sprintf("%s, %s, %d %s, %d days", n.name, engine, n.users, n.domain.users, n.days)), map[string]time.Duration{}
	for _, args := range [][]string{{"migrate"}, n.tenant} {
		if _, _, err := n.lectern(ctx, slices.Concat(args, []string{"--db", n.db})...); err != nil {
			return err
		}
	}
	for _, step := range []func(context.Context) error{
		n.loads, n.issued, func(ctx context.Context) error { return n.prepare(ctx, &n) },
		func(ctx context.Context) error { return n.baselines(ctx, sql && engine == "postgres") }, n.sections,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// newDatabase makes an empty database and returns its URL.
func (p product) newDatabase(ctx context.Context, engine, name string) (string, error) {
	if engine == "sqlite" {
		path := filepath.Join(p.dir, name+".db")
		for _, suffix := range []string{"", "-wal", "-shm"} {
			if err := os.RemoveAll(path + suffix); err != nil {
				return "", err
			}
		}
		return "sqlite:" + path, nil
	}
	base := os.Getenv("LECTERN_TEST_POSTGRES")
	if base == "" {
		return "", fmt.Errorf("LECTERN_TEST_POSTGRES names no server: run make bench")
	}
	u, err := url.Parse(base)
	if err != nil {
		return "", err
	}
	admin, err := database.Open(ctx, base)
	if err != nil {
		return "", err
	}
	defer admin.Close()
	for _, statement := range []string{"DROP DATABASE IF EXISTS " + name, "CREATE DATABASE " + name} {
		if _, err := admin.ExecContext(ctx, statement); err != nil {
			return "", err
		}
	}
	u.Path = "/" + name
	return u.String(), nil
}

// loads times the load of the feed, and of the same feed again.
func (n *network) loads(ctx context.Context) error {
	args := slices.Concat([]string{"load", n.name, n.feed(), "--db", n.db}, n.owner, n.load)
	var rows, counted int
	for _, what := range []string{"load", n.again} {
		out, used, err := n.lectern(ctx, args...)
		if err != nil {
			return err
		}
		if rows, counted, err = loaded(out, n.counted); err != nil {
			return err
		}
		seconds := used.wall.Seconds()
		if n.rate == 0 {
			n.rate = float64(counted) / seconds
		}
		n.table.row(what, fmt.Sprintf("%d rows in %.1f s: %.0f/s", rows, seconds, float64(rows)/seconds),
			fmt.Sprintf("%d %s: %.0f/s; %d MiB resident at most", counted, n.unit, float64(counted)/seconds, used.memory>>20))
	}
	size, err := databaseSize(ctx, n.db)
	n.table.row("size", fmt.Sprintf("%d MiB", size>>20), fmt.Sprintf("%.1f bytes for each of the %s", float64(size)/float64(counted), n.unit))
	return err
}

// loaded reads the totals of a load: all rows, and those of the files that are counted.
func loaded(out []byte, files []string) (rows, counted int, err error) {
	var totals map[string]json.RawMessage
	if err := json.Unmarshal(out, &totals); err != nil {
		return 0, 0, err
	}
	for name, value := range totals {
		var n struct{ Rows int }
		if value[0] != '{' { // a total, not a file
			continue
		}
		if err := json.Unmarshal(value, &n); err != nil {
			return 0, 0, err
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
	if path, ok := strings.CutPrefix(db, "sqlite:"); ok {
		info, err := os.Stat(path)
		if err != nil {
			return 0, err
		}
		return info.Size(), nil
	}
	d, err := database.Open(ctx, db)
	if err != nil {
		return 0, err
	}
	defer d.Close()
	return size, d.NewRaw("SELECT pg_database_size(current_database())").Scan(ctx, &size)
}

// issued makes the key that the questions are asked with.
func (n *network) issued(ctx context.Context) error {
	out, _, err := n.lectern(ctx, slices.Concat([]string{"key", "issue", n.name, "--db", n.db}, n.owner, n.issue)...)
	if err != nil {
		return err
	}
	var key struct{ APIKey string }
	err = json.Unmarshal(out, &key)
	n.key = key.APIKey
	return err
}

// section is a table of questions that are timed in the same ways.
type section struct {
	title, sql string // sql names the baseline
	ways       []way  // the first one stands against SQL, the one called again against the ready-made answer
	questions  []question
}

// question is what is asked, each of a server that was asked nothing before.
type question struct {
	name string
	path string // up to the parameters of the way
	size int    // of a page; 0 where there are no pages
}

// way is how a question is asked on once its first answer is there: the calls of which the median stands, none for not at all.
type way struct {
	name  string
	again bool
	paths func(q question, rows int) []string
}

// sections asks all questions.
func (n *network) sections(ctx context.Context) error {
	for _, s := range n.asked(n) {
		heading := []string{s.title, "rows in all", "after a restart"}
		for _, w := range s.ways {
			heading = append(heading, w.name)
		}
		n.table.heading(append(heading, "ready-made", cmp.Or(s.sql, "SQL"))...)
		for _, q := range s.questions {
			if err := n.ask(ctx, s, q); err != nil {
				return err
			}
		}
	}
	return nil
}

// ask times one question: the first request of a new process, then the ways.
func (n *network) ask(ctx context.Context, s section, q question) error {
	srv, err := n.start(ctx)
	if err != nil {
		return err
	}
	defer srv.stop()
	restart, body, err := srv.body(first(s, q))
	if err != nil {
		return err
	}
	var answer struct {
		Meta struct{ Page struct{ TotalRows int } }
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return err
	}
	rows := answer.Meta.Page.TotalRows
	cells := []string{q.name, orNone(rows > 0, fmt.Sprint(rows)), ms(restart)}
	var against, again time.Duration // SQL; the ready-made answer
	for i, w := range s.ways {
		paths := w.paths(q, rows)
		if len(paths) == 0 {
			cells = append(cells, none)
			continue
		}
		took, err := srv.median(paths)
		if err != nil {
			return err
		}
		cells = append(cells, ms(took))
		if i == 0 {
			against = took
		}
		if w.again && again == 0 {
			again = took
		}
	}
	ready, err := readyMade(body)
	if err != nil {
		return err
	}
	sql, measured := n.sql[q.name]
	if against == 0 {
		against = restart
	}
	n.table.row(append(cells, compare(ready, again), orNone(measured, fmt.Sprintf("%s: %.1f times %s", ms(sql), float64(sql)/math.Max(float64(against), 1), s.ways[0].name)))...)
	return nil
}

// none stands where there is no figure.
const none = "–"

func orNone(there bool, text string) string {
	if there {
		return text
	}
	return none
}

// first is the question as it is asked first: as it is asked again.
func first(s section, q question) string {
	for _, w := range s.ways {
		if w.again {
			return w.paths(q, 0)[0]
		}
	}
	return q.path
}

// compare shows a baseline and how many times as long the product took.
func compare(ready, took time.Duration) string {
	return fmt.Sprintf("%s: %.1f times", ms(ready), float64(took)/float64(ready))
}

// pageWays ask for other pages of a list, which cost as much wherever they are, and for its first, middle and last one again.
var pageWays = []way{
	{"another page", false, func(q question, rows int) (paths []string) {
		for i := range repeats {
			paths = append(paths, q.page(1+(i+1)*q.pages(rows)/(repeats+1)))
		}
		return paged(q, paths)
	}},
	{"again: first", true, func(q question, rows int) []string { return slices.Repeat([]string{q.page(1)}, repeats) }},
	{"middle", false, func(q question, rows int) []string {
		return paged(q, slices.Repeat([]string{q.page((q.pages(rows) + 1) / 2)}, repeats))
	}},
	{"last", false, func(q question, rows int) []string {
		return paged(q, slices.Repeat([]string{q.page(q.pages(rows))}, repeats))
	}},
}

// paged returns the calls for a list that has pages.
func paged(q question, paths []string) []string {
	if q.size == 0 {
		return nil
	}
	return paths
}

// pages is how many pages a list has.
func (q question) pages(rows int) int { return max(1, (rows+max(1, q.size)-1)/max(1, q.size)) }

// page is the call of one page.
func (q question) page(i int) string {
	if q.size == 0 {
		return q.path
	}
	return fmt.Sprintf("%s&pageSize=%d&page=%d", q.path, q.size, i)
}

// between returns the parameters of a period.
func between(start, end calendar.Date) string {
	return fmt.Sprintf("?startDate=%v&endDate=%v", start, end)
}
