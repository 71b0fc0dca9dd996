package server_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/internal/load"
)

// dayDays is the number of days of the lists that are pulled for a day.
const dayDays = 30

// longPull is a pull of one row a page that takes a day, while the data change every hour.
type longPull struct {
	*testing.T
	clock     *clock
	tenant    int64
	key, list string
	load      func(hour int)
}

// requestsOfADay is how many requests a pull of 24 hours makes: by default one every three minutes; 43200 are the 30 a minute that
// a schools key may make.
func requestsOfADay(t *testing.T) int {
	t.Helper()
	n, err := strconv.Atoi(cmp.Or(os.Getenv("LECTERN_TEST_PULL_REQUESTS"), "480"))
	if err != nil || n%dayDays != 0 {
		t.Fatalf("LECTERN_TEST_PULL_REQUESTS: give a multiple of %d: %v", dayDays, err)
	}
	return n
}

// TestPullOfADay pulls for 24 hours, by page number alone. Loads come every hour, removal every minute, and on PostgreSQL two
// servers answer in turn, at the rates that they have by default. The pull is whole; and when it has ended, what was kept for it
// alone is removed.
func TestPullOfADay(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		if _, err := server.Migrate(t.Context(), db); err != nil {
			t.Fatal(err)
		}
		dbs := replicas(t, db)
		n := requestsOfADay(t)
		t.Run("schools", func(t *testing.T) { longSchools(t, db, n).run(dbs, n) })
		t.Run("libraries", func(t *testing.T) { longLibraries(t, db, n).run(dbs, n) })
	})
}

// longSchools has a row of engagements for each day and pupil. Loads move pupils away, and bring other ones.
func longSchools(t *testing.T, db *database.DB, rows int) *longPull {
	p := &longPull{T: t, clock: &clock{now()}, list: prefix + "/engagements?startDate=2026-03-30&endDate=2026-04-28"}
	s := &site{t: t, db: db, partner: newPartner(t, db, "ana"), ref: "ana", keys: map[string]string{}, now: p.clock.time}
	w := &world{entities: []entityRow{{"north", "network", "Norte", "F", ""}, {"south", "network", "Sul", "F", ""}}}
	pupil := func(i int, network string) accountRow {
		return accountRow{Ref: fmt.Sprint("conta-", i), Kind: "reader", Name: new(fmt.Sprint("Nome ", i)), Entity: &network, Active: true}
	}
	access := func(i, day int) accessRow {
		return accessRow{ID: fmt.Sprint(i, "-", day), Account: fmt.Sprint("conta-", i), At: first.AddDate(0, 0, day).Add(15 * time.Hour).Format(time.RFC3339), Kind: "login"}
	}
	pupils := rows / dayDays
	for i := range pupils {
		w.accounts = append(w.accounts, pupil(i, "north"))
		for day := range dayDays {
			w.accesses = append(w.accesses, access(i, day))
		}
	}
	s.load(w)
	p.tenant, p.key = int64(s.partner), s.keys["north"]
	p.load = func(hour int) {
		more := &world{}
		for i := hour % 5; i < pupils; i += 5 {
			more.accounts = append(more.accounts, pupil(i, []string{"south", "north"}[hour/5%2]))
		}
		for i := range 1 + pupils/20 {
			more.accounts = append(more.accounts, pupil((hour+1)*pupils+i, "north"))
			more.accesses = append(more.accesses, access((hour+1)*pupils+i, hour%dayDays))
		}
		s.load(more)
	}
	return p
}

// longLibraries has a row of engagements for each day and reader. Loads bring other readers.
func longLibraries(t *testing.T, db *database.DB, rows int) *longPull {
	p := &longPull{T: t, list: librariesPrefix + "/engagements?startDate=2026-08-01&endDate=2026-08-30"}
	s := newShelf(t, db, "rede", nil, server.Config{})
	p.clock, p.tenant, p.key = s.network.clock, int64(s.north), s.key
	load := func(feed map[string][]any) {
		store := &librariesdb.Store{DB: db.DB, Copy: db.Copy, Now: p.clock.time}
		_, err := load.Libraries(t.Context(), store, s.north, os.DirFS(writeAll(t, feed)), load.Options{Now: p.clock.time})
		if err != nil {
			t.Fatal(err)
		}
	}
	reader := func(i int) readerRow {
		return readerRow{ID: i, Registered: "2026-01-01", Status: "active", Updated: "2026-08-01T12:00:00Z"}
	}
	active := func(i, day int) activityRow {
		return activityRow{fmt.Sprint(i, "-", day), i, plus("2026-08-01", day) + "T12:00:00-03:00"}
	}
	readers := rows / dayDays
	feed := map[string][]any{}
	for i := range readers {
		feed["readers"] = append(feed["readers"], reader(1000*(i+1)))
		for day := range dayDays {
			feed["activity"] = append(feed["activity"], active(1000*(i+1), day))
		}
	}
	load(feed)
	p.load = func(hour int) {
		more := map[string][]any{}
		for i := range 1 + readers/20 {
			id := 1000*(i+1) + hour + 1
			more["readers"] = append(more["readers"], reader(id))
			more["activity"] = append(more["activity"], active(id, hour%dayDays))
		}
		load(more)
	}
	return p
}

// writeAll writes a feed as NDJSON.
func writeAll(t *testing.T, feed map[string][]any) string {
	t.Helper()
	dir := t.TempDir()
	for resource, rows := range feed {
		writeRows(t, dir, resource, rows)
	}
	return dir
}

// run pulls n rows in a day.
func (p *longPull) run(dbs []*database.DB, n int) {
	p.Helper()
	var servers []http.Handler
	for _, db := range dbs {
		s, err := server.New(p.Context(), server.Config{DB: db, Now: p.clock.time})
		if err != nil {
			p.Fatal(err)
		}
		servers = append(servers, s.Handler())
	}
	at, want := "", []string{}
	for page := 1; len(want) < n; page++ { // before, and of another query: its pages are of another size
		_, rows := p.page(servers[0], page, 1000)
		want = append(want, rows...)
		p.clock.now = p.clock.now.Add(2 * time.Second)
	}
	p.clock.now = p.clock.now.Add(time.Minute)
	begun, minute, hour := p.clock.now, 0, 0
	var got []string
	for i := range n {
		p.clock.now = begun.Add(24 * time.Hour / time.Duration(n) * time.Duration(i))
		since := p.clock.now.Sub(begun)
		if h := int(since / time.Hour); h > hour {
			p.load(hour)
			hour = h
		}
		if m := int(since / time.Minute); m > minute {
			p.remove(dbs[m%len(dbs)])
			minute = m
		}
		state, rows := p.page(servers[i%len(servers)], i+1, 1)
		if at = cmp.Or(at, state); state != at {
			p.Fatalf("page %d, after %v, is of another state", i+1, since)
		}
		got = append(got, rows...)
	}
	if !slices.Equal(got, want) {
		p.Errorf("the pull has %d rows, want %d as of its beginning", len(got), len(want))
	}
	if _, rows := p.page(servers[0], 1, 1000); slices.Equal(rows, want[:min(1000, n)]) {
		p.Error("the loads changed nothing; this trial shows nothing")
	}
	kept := p.states(dbs[0])
	for range 5 {
		p.clock.now = p.clock.now.Add(10 * time.Minute)
		p.remove(dbs[0])
	}
	p.Logf("%d requests and %d loads; %d states were kept at the end of the pull, and %d after it", n, hour, kept, p.states(dbs[0]))
	if left := p.states(dbs[0]); kept < 24 || left > 4 {
		p.Errorf("%d states were kept at the end of the pull, and %d after it", kept, left)
	}
}

// page asks for a page and returns the state that it is of.
func (p *longPull) page(h http.Handler, page, size int) (at string, rows []string) {
	p.Helper()
	target := fmt.Sprintf("%s&page=%d&pageSize=%d", p.list, page, size)
	w := ask(h, p.key, target)
	var a answer
	if err := json.Unmarshal(w.Body.Bytes(), &a); w.Code != 200 || err != nil {
		p.Fatalf("GET %s at %v = %d %s %v", target, p.clock.now, w.Code, w.Body, err)
	}
	for _, r := range a.Data.Rows {
		rows = append(rows, string(r))
	}
	return w.Header().Get("X-Snapshot"), rows
}

func (p *longPull) remove(db *database.DB) {
	p.Helper()
	if err := server.Remover(db, p.clock.time).Remove(p.Context()); err != nil {
		p.Fatal(err)
	}
}

// states counts the states that are kept of the tenant.
func (p *longPull) states(db *database.DB) (n int) {
	p.Helper()
	err := db.NewRaw(`
		SELECT count(*)
		  FROM states s
		  JOIN versions v ON v.tenant_id = s.tenant_id AND s.registers >= v.oldest_registers AND s.facts >= v.oldest_facts
		 WHERE s.tenant_id = ?`, p.tenant).Scan(p.Context(), &n)
	if err != nil {
		p.Fatal(err)
	}
	return n
}
