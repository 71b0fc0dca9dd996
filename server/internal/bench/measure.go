package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/server/database"
)

// measure loads the network into a new database of the engine and times its pages.
func (n network) measure(ctx context.Context, engine string, baseline bool, doc *document) error {
	db, err := n.newDatabase(ctx, engine, fmt.Sprintf("lectern_bench_%d", n.users))
	if err != nil {
		return err
	}
	for _, args := range [][]string{{"migrate"}, {"partner", "create", "bench", "--name", "Bench"}} {
		if _, _, err := n.lectern(ctx, append(args, "--db", db)...); err != nil {
			return err
		}
	}
	t := doc.table(fmt.Sprintf("%s, %d users, %d days", engine, n.users, n.days))
	rate, err := n.load(ctx, db, t)
	if err != nil {
		return err
	}
	b := bench{network: n, db: db, table: t, sql: map[string]time.Duration{}}
	if err := b.baselines(ctx, rate, baseline && engine == "postgres"); err != nil {
		return err
	}
	return b.pages(ctx)
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

// load times the load of the feed, and of the same feed again.
func (n network) load(ctx context.Context, db string, t *table) (rate float64, err error) {
	args := []string{"load", "schools", "--partner", "bench", n.feed(), "--db", db, "--schools-history", firstDay}
	var totals struct {
		Segments struct{ Rows int }
		Accesses struct{ Rows int }
	}
	for _, what := range []string{"load", "the same feed again"} {
		out, used, err := n.lectern(ctx, args...)
		if err != nil {
			return 0, err
		}
		if err := json.Unmarshal(out, &totals); err != nil {
			return 0, err
		}
		perSecond := float64(totals.Segments.Rows) / used.wall.Seconds()
		if rate == 0 {
			rate = perSecond
		}
		t.row(what, fmt.Sprintf("%d segments in %.1f s: %.0f/s", totals.Segments.Rows, used.wall.Seconds(), perSecond), fmt.Sprintf("%d MiB resident at most", used.memory>>20))
	}
	size, err := databaseSize(ctx, db)
	t.row("size", fmt.Sprintf("%d MiB", size>>20), fmt.Sprintf("%.1f bytes a segment", float64(size)/float64(totals.Segments.Rows)))
	return rate, err
}

// databaseSize returns the bytes that the database takes on disk.
func databaseSize(ctx context.Context, db string) (int64, error) {
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
	var size int64
	return size, d.NewRaw("SELECT pg_database_size(current_database())").Scan(ctx, &size)
}

// bench is the measuring of one loaded database.
type bench struct {
	network network
	db      string
	table   *table
	sql     map[string]time.Duration // by route, where the baseline was measured
}

// calls are the questions that are timed, each at its first, middle and last page.
func (b bench) calls() []call {
	last := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, b.network.days-1).Format("2006-01-02")
	all := "startDate=" + firstDay + "&endDate=" + last
	month := "startDate=2025-03-01&endDate=2025-03-31"
	var calls []call
	for _, route := range []string{"readings", "engagements"} {
		for _, c := range []call{{"all days", all}, {"one month", month}, {"all days, one school", all + "&schoolId=SCHOOL"}, {"all days, teachers", all + "&profile=teacher"}} {
			calls = append(calls, call{route + ", " + c.name, "/" + route + "?pageSize=1000&" + c.path})
		}
	}
	return append(calls, call{"users", "/users?pageSize=1000"}, call{"users, one school", "/users?pageSize=1000&schoolId=SCHOOL"})
}

// call is one question.
type call struct{ name, path string }

// pages times every call after a restart and warm.
func (b bench) pages(ctx context.Context) error {
	out, _, err := b.network.lectern(ctx, "key", "issue", "schools", "--partner", "bench", "--network", "rede-1", "--db", b.db)
	if err != nil {
		return err
	}
	var key struct{ APIKey string }
	if err := json.Unmarshal(out, &key); err != nil {
		return err
	}
	school, err := b.school(ctx)
	if err != nil {
		return err
	}
	b.table.heading("page of 1,000", "rows in all", "after a restart", "another page", "again: first", "middle", "last", "SQL on segments")
	for _, c := range b.calls() {
		c.path = strings.ReplaceAll(c.path, "SCHOOL", fmt.Sprint(school))
		if err := b.call(ctx, c, key.APIKey); err != nil {
			return err
		}
	}
	return nil
}

// school returns the identifier of a school of the network.
func (b bench) school(ctx context.Context) (id int64, err error) {
	d, err := database.Open(ctx, b.db)
	if err != nil {
		return 0, err
	}
	defer d.Close()
	return id, d.NewRaw("SELECT entity_id FROM entities WHERE entity_type = ? ORDER BY entity_id LIMIT 1", directory.School).Scan(ctx, &id)
}

// call times one question and puts it into the table.
func (b bench) call(ctx context.Context, c call, key string) error {
	s, err := b.network.serve(ctx, b.db, key, "/api-platform/schools/v1", "--schools-history", firstDay)
	if err != nil {
		return err
	}
	defer s.stop()
	t, err := s.times(c.path, 1000)
	if err != nil {
		return err
	}
	sql := "–"
	if d, ok := b.sql[c.name]; ok {
		sql = fmt.Sprintf("%s: %.0f times another page", ms(d), float64(d)/float64(t.other))
	}
	b.table.row(c.name, fmt.Sprint(t.total), ms(t.restart), ms(t.other), ms(t.again[0]), ms(t.again[1]), ms(t.again[2]), sql)
	return nil
}

// pageTimes are the times of one question.
type pageTimes struct {
	total   int              // rows of all pages
	restart time.Duration    // the first request of a new process
	other   time.Duration    // a page that was not asked for before
	again   [3]time.Duration // the first, the middle and the last page again and again
}

// times asks a server that was not asked anything before.
func (s *serving) times(path string, size int) (t pageTimes, err error) {
	if t.restart, t.total, err = s.get(path); err != nil {
		return t, err
	}
	pages := max(1, (t.total+size-1)/size)
	page := func(n int) string { return fmt.Sprintf("%s&page=%d", path, n) }
	if t.other, err = s.median(func(i int) string { return page(1 + (i+1)*pages/(repeats+1)) }); err != nil {
		return t, err
	}
	for i, n := range []int{1, (pages + 1) / 2, pages} {
		if t.again[i], err = s.median(func(int) string { return page(n) }); err != nil {
			return t, err
		}
	}
	return t, nil
}
