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

// want is the model's answer.
func (w *world) want(route string, q query) []string {
	switch route {
	case "users":
		return w.users(q)
	case "engagements":
		return w.engagements(q)
	}
	return w.readings(q)
}

// someQuery asks for a random period and filters, among them some that match nothing.
func someQuery(r *rand.Rand) query {
	q := query{network: fmt.Sprintf("net-%d", r.IntN(2))}
	a, b := r.IntN(worldDays+2)-1, r.IntN(worldDays+2)-1
	q.start = first.AddDate(0, 0, min(a, b)).Format("2006-01-02")
	q.end = first.AddDate(0, 0, max(a, b)).Format("2006-01-02")
	if r.IntN(3) == 0 {
		q.user = 1 + r.IntN(30)
	}
	if r.IntN(3) == 0 {
		q.school = 1 + r.IntN(8)
	}
	if r.IntN(3) == 0 {
		q.profile = pick(r, []string{"student", "teacher"})
	}
	return q
}

// TestAnswersFollowTheSpecification loads random networks, in pieces, out of order and with repeats, and compares every
// row of every route with the model: S1 to S7, the period, the filters, the pages and the numbers' forms.
func TestAnswersFollowTheSpecification(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		for seed := range uint64(3) {
			r := rand.New(rand.NewPCG(seed, 7))
			w := newWorld(r)
			s := newSite(t, db, directory.Ref(fmt.Sprint("parceiro-", seed)))
			loadInPieces(s, w, r)
			for i := range 25 {
				q := someQuery(r)
				if i < 8 {
					s.summaries(w, q)
				}
				tenths := map[string]int{}
				for _, route := range routes {
					got, want := s.pull(route, q, pick(r, []int{1, 2, 7, 999, 1000})), w.want(route, q)
					if !slices.Equal(got, want) {
						t.Fatalf("seed %d %s %+v\n got %s\nwant %s", seed, route, q, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
					}
					tenths[route] = sumTenths(t, got)
				}
				if tenths["engagements"] != tenths["readings"] {
					t.Errorf("%+v: engagements sum to %d tenths of a minute, readings to %d", q, tenths["engagements"], tenths["readings"])
				}
			}
		}
	})
}

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

// sumTenths adds up readingMinutes, in tenths.
func sumTenths(t *testing.T, rows []string) int {
	t.Helper()
	sum := 0
	for _, row := range rows {
		var v struct{ ReadingMinutes json.Number }
		if err := json.Unmarshal([]byte(row), &v); err != nil {
			t.Fatal(err)
		}
		if v.ReadingMinutes == "" {
			return 0
		}
		var whole, tenth int
		if _, err := fmt.Sscanf(string(v.ReadingMinutes), "%d.%1d", &whole, &tenth); err != nil {
			t.Fatalf("readingMinutes %s: %v", v.ReadingMinutes, err)
		}
		sum += whole*10 + tenth
	}
	return sum
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

// TestRegistersInPieces loads entities and accounts in several pieces, so that other identifiers are assigned: the answers
// are those of one load once these are mapped by reference.
func TestRegistersInPieces(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		w := newWorld(rand.New(rand.NewPCG(51, 52)))
		s := newSite(t, db, "aos-poucos")
		half := len(w.entities) / 2 // a network with all that is below it
		s.load(&world{entities: w.entities[half:], books: w.books})
		s.load(&world{entities: w.entities, accounts: w.accounts[len(w.accounts)/3:]})
		s.load(&world{accounts: w.accounts, segments: w.segments, accesses: w.accesses})
		once := w.want("readings", query{network: "net-0", start: "2026-01-01", end: "2026-12-31"})
		w.assigned = s.assigned()
		for n := range 2 {
			q := query{network: fmt.Sprintf("net-%d", n), start: "2026-01-01", end: "2026-12-31"}
			for _, route := range routes {
				want := w.want(route, q)
				if got := s.pull(route, q, 1000); !slices.Equal(got, want) {
					t.Errorf("%s\n got %s\nwant %s", route, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
				}
				if n == 0 && route == "readings" && slices.Equal(want, once) {
					t.Error("the pieces assigned the identifiers of one load: the test shows nothing")
				}
			}
		}
	})
}

// assigned reads the identifiers that the service assigned.
func (s *site) assigned() *identifiers {
	s.t.Helper()
	ids := &identifiers{map[string]int{}, map[string]int{}}
	entities, err := directorydb.Entities(s.t.Context(), s.db, s.partner)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, e := range entities {
		ids.entities[string(e.Ref)] = int(e.ID)
	}
	err = directorydb.Latest(s.db, s.partner).AccountRefs(s.t.Context(), func(a directory.Account) error {
		ids.accounts[string(a.Ref)] = int(a.ID)
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return ids
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
		for n := range 2 {
			network := fmt.Sprintf("net-%d", n)
			for _, route := range routes {
				q := query{network: network, start: "2026-01-01", end: "2026-12-31"}
				rows := a.pull(route, q, 1000)
				if want := mine.want(route, q); !slices.Equal(rows, want) {
					t.Fatalf("%s of %s\n got %s\nwant %s", route, network, strings.Join(rows, "\n     "), strings.Join(want, "\n     "))
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

// TestLoadBetweenPages loads events between any two pages of a pull: no row that was there is skipped.
func TestLoadBetweenPages(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		r := rand.New(rand.NewPCG(31, 32))
		w := newWorld(r)
		for _, route := range []string{"engagements", "readings"} {
			s := newSite(t, db, directory.Ref("entre-"+route))
			s.load(w)
			q := query{network: "net-0", start: "2026-01-01", end: "2026-12-31"}
			missed := map[string]bool{}
			for _, row := range s.pull(route, q, 1000) {
				missed[rowKey(t, row)] = true
			}
			for number := 1; ; number++ {
				a := s.page(route, q, number, 10)
				for _, row := range a.Data.Rows {
					delete(missed, rowKey(t, string(row)))
				}
				if len(a.Data.Rows) == 0 {
					break
				}
				more := *w
				more.segments, more.accesses = nil, nil
				more.someEvents(r, 8)
				for i := range more.segments {
					more.segments[i].ID = fmt.Sprint("later", number, "-", i)
				}
				s.load(&more)
			}
			if len(missed) > 0 {
				t.Errorf("%s: pages skipped %d rows that were there: %v", route, len(missed), missed)
			}
		}
	})
}

// rowKey names a row by its identity.
func rowKey(t *testing.T, row string) string {
	t.Helper()
	var v struct {
		Date   string
		UserID int `json:"userId"`
		Book   struct{ ID int }
	}
	if err := json.Unmarshal([]byte(row), &v); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(v.Date, " ", v.UserID, " ", v.Book.ID)
}

// TestEveryPageSize pulls with the sizes at which pages and totals disagree elsewhere.
func TestEveryPageSize(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		w := newWorld(rand.New(rand.NewPCG(41, 42)))
		s := newSite(t, db, "paginas")
		s.load(w)
		for _, route := range routes {
			q := query{network: "net-1", start: "2026-01-01", end: "2026-12-31"}
			want := w.want(route, q)
			for _, size := range []int{1, 2, 999, 1000, len(want), len(want) + 1} {
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
