package server_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/schools/schoolsdb"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	feeds "github.com/lectern-dev/lectern/server/feed"
	"github.com/lectern-dev/lectern/server/internal/load"
)

// now is the clock of the tests: the day after the last of a random world.
func now() time.Time { return first.AddDate(0, 0, worldDays+1).Add(12 * time.Hour) }

// site is a server on a database with one partner, and a key for each of its networks.
type site struct {
	t       *testing.T
	db      *database.DB
	partner directory.PartnerID
	ref     directory.Ref
	url     string
	keys    map[string]string // by network
	now     func() time.Time  // of its loads and states; nil is the tests' and the database's
	during  func(stage string, done, total int64)
}

// newSite serves an empty partner.
func newSite(t *testing.T, db *database.DB, ref directory.Ref) *site {
	t.Helper()
	ctx := t.Context()
	s, err := server.New(ctx, server.Config{DB: db, SchoolsRate: -1, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(documented(t, s.Handler()))
	t.Cleanup(h.Close)
	return &site{t: t, db: db, partner: newPartner(t, db, ref), ref: ref, url: h.URL + "/api-platform/schools/v1", keys: map[string]string{}}
}

func newPartner(t *testing.T, db *database.DB, ref directory.Ref) directory.PartnerID {
	t.Helper()
	id, err := directorydb.CreatePartner(t.Context(), db, ref, "Partner "+string(ref))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// load loads what is given of a world and issues keys for the networks that have none.
func (s *site) load(w *world) *feeds.Totals {
	s.t.Helper()
	dir := s.t.TempDir()
	writeFeed(s.t, dir, w)
	begins := now
	if s.now != nil {
		begins = s.now
	}
	store := &schoolsdb.Store{DB: s.db.DB, Copy: s.db.Copy, Now: s.now}
	totals, err := load.Schools(s.t.Context(), store, s.partner, s.ref, os.DirFS(dir), load.Options{Now: begins, Progress: s.during})
	if err != nil {
		s.t.Fatal(err)
	}
	entities, err := directorydb.Entities(s.t.Context(), s.db, s.partner)
	if err != nil {
		s.t.Fatal(err)
	}
	keys := authdb.Store{DB: s.db.DB, Now: now}
	for _, e := range entities {
		if e.Type != directory.Network || s.keys[string(e.Ref)] != "" {
			continue
		}
		text, _, err := keys.Issue(s.t.Context(), keys.DB, authdb.IssueParams{Tenant: auth.Tenant(s.partner), API: auth.Schools, Network: int64(e.ID)})
		if err != nil {
			s.t.Fatal(err)
		}
		s.keys[string(e.Ref)] = text
	}
	return totals
}

func writeFeed(t *testing.T, dir string, w *world) {
	t.Helper()
	writeRows(t, dir, "entities", w.entities)
	writeRows(t, dir, "accounts", w.accounts)
	writeRows(t, dir, "books", w.books)
	writeRows(t, dir, "segments", w.segments)
	writeRows(t, dir, "accesses", w.accesses)
}

func writeRows[T any](t *testing.T, dir, resource string, rows []T) {
	t.Helper()
	if len(rows) == 0 {
		return
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	for _, r := range rows {
		if err := enc.Encode(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, resource+".ndjson"), []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

// get calls a route with a network's key and returns the status and body.
func (s *site) get(network, route string, params url.Values) (int, string) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.url+"/"+route+"?"+params.Encode(), nil)
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("X-Api-Key", s.keys[network])
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return res.StatusCode, string(body)
}

// answer is the envelope of all routes.
type answer struct {
	Meta struct {
		Period *struct{ StartDate, EndDate string }
		Page   struct{ Page, PageSize, TotalRows int }
	}
	Data struct{ Rows []json.RawMessage }
}

// page calls one page of a question.
func (s *site) page(route string, q query, number, size int) answer {
	s.t.Helper()
	p := q.params(route)
	p.Set("page", fmt.Sprint(number))
	p.Set("pageSize", fmt.Sprint(size))
	status, body := s.get(q.network, route, p)
	var a answer
	if err := json.Unmarshal([]byte(body), &a); status != 200 || err != nil {
		s.t.Fatalf("GET %s?%s = %d %s (%v)", route, p.Encode(), status, body, err)
	}
	return a
}

// params are the parameters of a question.
func (q query) params(route string) url.Values {
	p := url.Values{}
	if route != "users" {
		p.Set("startDate", q.start)
		p.Set("endDate", q.end)
	}
	if q.user != 0 {
		p.Set("userId", fmt.Sprint(q.user))
	}
	if q.school != 0 {
		p.Set("schoolId", fmt.Sprint(q.school))
	}
	if q.profile != "" {
		p.Set("profile", q.profile)
	}
	return p
}

// pull pages through a whole answer and checks that every page tells the same total and holds what it should.
func (s *site) pull(route string, q query, size int) []string {
	s.t.Helper()
	var rows []string
	for number := 1; ; number++ {
		a := s.page(route, q, number, size)
		for _, r := range a.Data.Rows {
			rows = append(rows, string(r))
		}
		total := a.Meta.Page.TotalRows
		if a.Meta.Page.Page != number || a.Meta.Page.PageSize != size || len(a.Data.Rows) != max(0, min(size, total-(number-1)*size)) {
			s.t.Fatalf("%s %+v page %d of %d rows: %+v with %d rows", route, q, number, size, a.Meta, len(a.Data.Rows))
		}
		if len(a.Data.Rows) == 0 {
			if len(rows) != total {
				s.t.Fatalf("%s %+v: pages of %d hold %d rows, totalRows is %d", route, q, size, len(rows), total)
			}
			return rows
		}
	}
}

var routes = []string{"users", "engagements", "readings"}

// loadInPieces loads a world's registers first, and its events in shuffled, overlapping pieces.
func loadInPieces(s *site, w *world, r *rand.Rand) {
	s.load(&world{entities: w.entities, accounts: w.accounts, books: w.books})
	segments, accesses := slices.Clone(w.segments), slices.Clone(w.accesses)
	r.Shuffle(len(segments), func(i, j int) { segments[i], segments[j] = segments[j], segments[i] })
	for len(segments) > 0 {
		n := min(len(segments), 1+r.IntN(300))
		piece := &world{segments: slices.Concat(segments[:n], w.segments[:r.IntN(50)])}
		m := min(len(accesses), r.IntN(60))
		piece.accesses = accesses[:m]
		segments, accesses = segments[n:], accesses[m:]
		s.load(piece)
	}
	if len(accesses) > 0 {
		s.load(&world{accesses: accesses})
	}
}

// everything asks all routes for all of the world.
func (s *site) everything() string {
	s.t.Helper()
	var b strings.Builder
	for n := range 2 {
		q := query{network: fmt.Sprintf("net-%d", n), start: "2026-01-01", end: "2026-12-31"}
		for _, route := range routes {
			_, body := s.get(q.network, route, q.params(route))
			b.WriteString(body)
			b.WriteString("\n")
		}
	}
	return b.String()
}

// TestLoadedAgainAndInPieces compares whole answers byte by byte: one load, the same feed twice, and in pieces (F1, F2).
func TestLoadedAgainAndInPieces(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		r := rand.New(rand.NewPCG(11, 12))
		w := newWorld(r)
		once, pieces := newSite(t, db, "uma"), newSite(t, db, "partes")
		totals := once.load(w)
		want := once.everything()
		if totals.New != len(w.segments)+len(w.accesses) || totals.Repeated != 0 {
			t.Errorf("first load: %+v, want %d new events", totals, len(w.segments)+len(w.accesses))
		}
		again := once.load(w)
		if again.New != 0 || again.File("entities").Unchanged != len(w.entities) || again.File("accounts").Unchanged != len(w.accounts) {
			t.Errorf("second load: %+v, want nothing new", again)
		}
		if got := once.everything(); got != want {
			t.Errorf("after the second load:\n got %s\nwant %s", got, want)
		}
		loadInPieces(pieces, w, r)
		if got := pieces.everything(); got != want {
			t.Errorf("loaded in pieces:\n got %s\nwant %s", got, want)
		}
	})
}

// TestNetworksSeeThemselvesAlone gives two networks of one partner and two partners with the same references their own
// keys: whatever parameter is sent, no row of another is seen (G3).
func TestNetworksSeeThemselvesAlone(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		r := rand.New(rand.NewPCG(21, 22))
		mine, other := newWorld(r), newWorld(r)
		a, b := newSite(t, db, "a"), newSite(t, db, "b")
		a.load(mine)
		b.load(other)
		shown := map[string]string{}
		for n := range 2 {
			network := fmt.Sprintf("net-%d", n)
			for _, route := range routes {
				q := query{network: network, start: "2026-01-01", end: "2026-12-31"}
				rows := a.pull(route, q, 1000)
				for _, row := range rows {
					if of := shown[row]; of != "" {
						t.Errorf("%s: %s shows a row of %s: %s", route, network, of, row)
					}
					shown[row] = network
				}
				if len(rows) == 0 {
					t.Errorf("%s shows no %s", network, route)
				}
				for id := range 40 {
					for _, param := range []string{"userId", "schoolId"} {
						p := q.params(route)
						p.Set(param, fmt.Sprint(id))
						_, body := a.get(network, route, p)
						var got answer
						if err := json.Unmarshal([]byte(body), &got); err != nil {
							t.Fatal(err)
						}
						for _, row := range got.Data.Rows {
							if !slices.Contains(rows, string(row)) {
								t.Errorf("%s?%s shows %s, which is not of %s", route, p.Encode(), row, network)
							}
						}
					}
				}
			}
		}
		if status, _ := (&site{t: t, url: a.url, keys: map[string]string{"x": b.keys["net-0"] + "A"}}).get("x", "users", nil); status != 401 {
			t.Errorf("a key with a letter too many = %d, want 401", status)
		}
	})
}

// TestEveryPageSize pulls with the sizes at which pages and totals disagree elsewhere.
func TestEveryPageSize(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		w := newWorld(rand.New(rand.NewPCG(41, 42)))
		s := newSite(t, db, "paginas")
		s.load(w)
		for _, route := range routes {
			q := query{network: "net-1", start: "2026-01-01", end: "2026-12-31"}
			want := s.pull(route, q, 1000)
			for _, size := range []int{1, 2, 999, len(want), len(want) + 1} {
				if got := s.pull(route, q, size); !slices.Equal(got, want) {
					t.Errorf("%s in pages of %d: %d rows, want %d", route, size, len(got), len(want))
				}
			}
			if a := s.page(route, q, 100000, 1000); len(a.Data.Rows) != 0 || a.Meta.Page.TotalRows != len(want) {
				t.Errorf("%s page 100000: %+v, want no rows and %d in all", route, a.Meta, len(want))
			}
		}
	})
}
