package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/feed"
)

// many is a set of tenants with a feed each. Every third one is a library network.
type many struct {
	*testing.T
	db      *database.DB
	tenants int
	dir     string
	lines   bytes.Buffer // the output of all processes that ended
}

func newMany(t *testing.T, db *database.DB) *many {
	m := &many{T: t, db: db, tenants: envInt(t, "LECTERN_TEST_TENANTS", 12), dir: t.TempDir()}
	ok(t, "--db", db.URL, "migrate")
	for i := range m.tenants {
		kind := snapshotdb.Partner
		if i%3 == 0 {
			kind = snapshotdb.Library
		}
		if _, err := server.Create(t.Context(), db, kind, fmt.Sprintf("p%d", i), "Ana"); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// feeds replaces the feed of every tenant by a new one.
func (m *many) feeds(round int) {
	m.Helper()
	for i := range m.tenants {
		place, file := "schools", "books.ndjson"
		text := fmt.Sprintf(`{"bookId":%d,"title":"Iracema %d","length":100}`, i+1, round)
		if i%3 == 0 {
			place, file = "libraries", "readers.ndjson"
			text = fmt.Sprintf(`{"userId":%d,"name":"Ana %d","status":"active","registeredAt":"2026-08-01T10:00:00-03:00","updatedAt":"2026-08-0%dT10:00:00-03:00"}`, i+1, round, round)
		}
		hidden, at := filepath.Join(m.dir, place, ".new"), filepath.Join(m.dir, place, fmt.Sprintf("p%d", i))
		writeFile(m.T, filepath.Join(hidden, file), text+"\n")
		if err := cmp.Or(os.RemoveAll(at), os.Rename(hidden, at)); err != nil {
			m.Fatal(err)
		}
	}
}

// start starts a process that loads the feeds.
func (m *many) start() *exec.Cmd {
	m.Helper()
	p := child(m.T, "--db", m.db.URL, "load", "all", "--jobs", "2", m.dir)
	p.Stdout, p.Stderr = new(bytes.Buffer), new(bytes.Buffer)
	if err := p.Start(); err != nil {
		m.Fatal(err)
	}
	m.Cleanup(func() { _ = p.Process.Kill() })
	return p
}

// wait waits for a process and collects its output.
func (m *many) wait(p *exec.Cmd, killed bool) {
	m.Helper()
	if err := p.Wait(); err != nil && !killed {
		m.Errorf("load all: %v: %s", err, p.Stderr)
	}
	m.lines.Write(p.Stdout.(*bytes.Buffer).Bytes())
}

// loads counts the collected lines of each tenant, and clears them.
func (m *many) loads() map[string]int {
	m.Helper()
	counts := map[string]int{}
	for line := range bytes.Lines(m.lines.Bytes()) {
		var l loadedFeed
		if err := json.Unmarshal(line, &l); err != nil || l.Error != "" || l.Rows != 1 {
			m.Errorf("load all prints %s, %v, want one row and no error", line, err)
		}
		counts[string(l.Kind)+" "+l.Reference]++
	}
	m.lines.Reset()
	return counts
}

// TestLoadAll tests that two processes together load every changed feed exactly once, even if one of them is killed.
// With LECTERN_TEST_TENANTS=2000 it takes minutes.
func TestLoadAll(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		m := newMany(t, db)
		m.feeds(1)
		a, b := m.start(), m.start()
		m.wait(a, false)
		m.wait(b, false)
		loads := m.loads()
		for reference, n := range loads {
			if n != 1 {
				t.Errorf("%s is loaded %d times, want once", reference, n)
			}
		}
		if len(loads) != m.tenants || m.fed() != m.tenants {
			t.Errorf("%d tenants are loaded, want %d: %v", len(loads), m.tenants, loads)
		}

		m.feeds(2)
		a, b = m.start(), m.start()
		for m.fed() == 0 { // until some feeds are loaded
		}
		if err := a.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		m.wait(a, true)
		if os.Getenv("LECTERN_TEST_TENANTS") == "" { // otherwise the leases of the killed process expire after a minute
			if _, err := db.ExecContext(t.Context(), `UPDATE leases SET expires = 0`); err != nil {
				t.Fatal(err)
			}
		}
		m.wait(b, false)
		if n := m.fed(); n != m.tenants {
			t.Errorf("%d tenants are loaded after one of two processes was killed, want %d", n, m.tenants)
		}
		for reference, n := range m.loads() {
			if n != 1 {
				t.Errorf("%s is loaded %d times, want once", reference, n)
			}
		}
		m.wait(m.start(), false)
		if again := m.loads(); len(again) > 0 {
			t.Errorf("unchanged feeds are loaded again: %v", again)
		}
	})
}

// fed counts the tenants whose last load was of their current feed.
func (m *many) fed() (n int) {
	m.Helper()
	known, err := snapshotdb.Tenants(m.Context(), m.db)
	if err != nil {
		m.Fatal(err)
	}
	for _, t := range known {
		place := map[snapshotdb.Kind]string{snapshotdb.Partner: "schools", snapshotdb.Library: "libraries"}[t.Kind]
		files, err := feed.Open(os.DirFS(filepath.Join(m.dir, place, t.Reference)))
		if err != nil {
			m.Fatal(err)
		}
		last, err := (&snapshotdb.Store{DB: m.db.DB}).LastFeed(m.Context(), t.ID)
		if err != nil {
			m.Fatal(err)
		}
		if last == files.Digest() {
			n++
		}
	}
	return n
}

// TestLoadAllFailures tests that a bad feed is reported with the reason, makes the exit code 1, and stops no other
// feed.
func TestLoadAllFailures(t *testing.T) {
	t.Chdir(t.TempDir())
	ok(t, "partner", "create", "ana/é", "--name", "Ana")
	ok(t, "partner", "create", "bob", "--name", "Bob")
	writeFile(t, filepath.Join("feeds", "schools", "ana%2F%C3%A9", "books.ndjson"), `{"bookId":1,"title":"Iracema","length":100}`)
	writeFile(t, filepath.Join("feeds", "schools", "bob", "books.ndjson"), `{"bookId":"x"}`)
	writeFile(t, filepath.Join("feeds", "libraries", "norte", "books.ndjson"), `{"bookId":1,"title":"Iracema"}`)
	writeFile(t, filepath.Join("feeds", "schools", ".new", "books.ndjson"), `{"bookId":"x"}`)
	for run := range 2 { // feeds that failed are tried again
		code, out, errs := lectern(t, "load", "all", "feeds")
		if code != exitError || !strings.Contains(errs, "2 of the feeds cannot be loaded") {
			t.Errorf("load all = %d, says %s, want 2 failures", code, errs)
		}
		for _, want := range []string{`"reference":"bob","rows":0,"seconds":0,"error":"books.ndjson line 1: field length: is required"`, "lectern library create"} {
			if !strings.Contains(out, want) {
				t.Errorf("load all prints %s, want %s", out, want)
			}
		}
		if loaded := strings.Contains(out, `{"kind":"partner","reference":"ana/é","rows":1,`); loaded != (run == 0) {
			t.Errorf("run %d of load all prints %s", run, out)
		}
	}
	if line := fails(t, exitError, "load", "all", "nowhere"); !strings.Contains(line, "name the folder that has schools and libraries") {
		t.Errorf("load all of a missing folder says %q", line)
	}
	fails(t, exitUsage, "load", "all", "feeds", "--jobs", "0")
}
