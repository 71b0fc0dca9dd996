package server_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/internal/load"
)

const librariesPrefix = "/api-platform/libraries/v1"

// libraryFeed is a network with a title that one reader borrowed and listened to, and another has reserved.
var libraryFeed = map[string]string{
	"libraries":    `{"id":1,"name":"Central"}`,
	"ageGroups":    `{"id":2,"name":"Adulto"}`,
	"publishers":   `{"id":3,"name":"Garnier"}`,
	"categories":   `{"id":4,"name":"Romance"}`,
	"subjects":     `{"id":5,"name":"Ciúme"}`,
	"books":        `{"bookId":10,"title":"Dom Casmurro","isbn":"9788500000000","author":"Machado de Assis","publisherId":3,"categoryIds":[4],"subjectIds":[5],"hasEbook":true,"hasAudiobook":true,"hasVideo":false,"maxUses":null,"publicationYear":1899}`,
	"lines":        `{"lineId":1,"bookId":10,"collection":"additional","kind":"purchase","number":12,"modality":null,"copies":2,"unitPrice":12.5,"totalPrice":25,"purchasedAt":"2026-08-01","expiresAt":null}`,
	"readers":      `{"userId":7,"name":"Ana","email":"ana@rede.example","libraryId":1,"ageGroupId":2,"city":"Belém","state":"PA","ra":"Norte","gender":"Feminino","registeredAt":"2026-08-01","status":"active","deletedAt":null,"updatedAt":"2026-08-01T12:00:00Z","confirmedAt":null,"lastSignInAt":null}` + "\n" + `{"userId":8,"name":"Bia","email":null,"libraryId":null,"ageGroupId":null,"city":null,"state":null,"ra":null,"gender":null,"registeredAt":"2020-01-01","status":"active","deletedAt":null,"updatedAt":"2026-08-02T12:00:00Z","confirmedAt":null,"lastSignInAt":null}`,
	"loans":        `{"loanId":20,"userId":7,"bookId":10,"borrowedAt":"2026-09-01T10:00:00-03:00","dueAt":"2026-09-15","returnedAt":null,"status":"active"}`,
	"reservations": `{"reservationId":30,"userId":8,"bookId":10,"status":"waiting","position":1,"reservedAt":"2026-09-02T10:00:00-03:00","resolvedAt":null}`,
	"sessions":     `{"sessionId":"s1","userId":7,"bookId":10,"startedAt":"2026-09-01T11:00:00-03:00","seconds":600,"mode":"online","format":"audiobook","progress":12.5}`,
	"channels":     `{"date":"2026-09-01","channel":"app","sessions":3,"estimated":true}`,
	"suggestions":  `{"requestId":40,"userId":8,"title":"Iracema","author":null,"publisher":null,"searchTerm":null,"availability":"marketplace","requestedAt":"2026-09-03T10:00:00-03:00"}`,
}

// network is a server on a database with a loaded library network and an empty one.
type network struct {
	*testing.T
	db           *database.DB
	clock        *clock
	keys         *authdb.Store
	server       *server.Server
	north, south libraries.NetworkID // loaded, and empty
	key, empty   string              // their keys
}

func newNetwork(t *testing.T, db *database.DB, c server.Config) *network {
	t.Helper()
	n := &network{T: t, db: db, clock: &clock{time.Date(2026, 9, 15, 17, 0, 30, 0, time.UTC)}}
	n.keys = &authdb.Store{DB: db.DB, Now: n.clock.time}
	c.DB, c.Now = db, n.clock.time
	var err error
	if n.server, err = server.New(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	n.north, n.south = n.create("norte"), n.create("sul")
	n.load(libraryFeed)
	n.key, n.empty = n.issue(n.north), n.issue(n.south)
	return n
}

func (n *network) create(slug string) libraries.NetworkID {
	n.Helper()
	id, err := librariesdb.CreateNetwork(n.Context(), n.db, slug, "Rede "+slug)
	if err != nil {
		n.Fatal(err)
	}
	return id
}

// load loads a feed into the first network, at once.
func (n *network) load(feed map[string]string) {
	n.Helper()
	_, err := load.Libraries(n.Context(), &librariesdb.Store{DB: n.db.DB, Copy: n.db.Copy, Now: n.clock.time}, n.north, os.DirFS(n.folder(feed)), load.Options{Now: n.clock.time, Immediately: true})
	if err != nil {
		n.Fatal(err)
	}
}

// folder writes a feed into a new folder and returns the folder.
func (n *network) folder(feed map[string]string) string {
	n.Helper()
	dir := n.TempDir()
	for name, rows := range feed {
		if err := os.WriteFile(filepath.Join(dir, name+".ndjson"), []byte(rows), 0o600); err != nil {
			n.Fatal(err)
		}
	}
	return dir
}

func (n *network) issue(id libraries.NetworkID) string {
	n.Helper()
	text, _, err := n.keys.Issue(n.Context(), n.keys.DB, authdb.IssueParams{Tenant: auth.Tenant(id), API: auth.Libraries})
	if err != nil {
		n.Fatal(err)
	}
	return text
}

// get sends GET for a target with a key and returns the response. Headers are pairs of name and value.
func (n *network) get(key, target string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", target, nil)
	r.Header.Set("X-Api-Key", key)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	documented(n, n.server.Handler()).ServeHTTP(w, r)
	return w
}

// answers checks that a route returns 200 and a body that ends with end.
func (n *network) answers(key, route, end string) {
	n.Helper()
	w := n.get(key, librariesPrefix+route)
	if w.Code != 200 || !strings.HasSuffix(w.Body.String(), end) {
		n.Errorf("GET %s = %d\n%s\nwant 200\n…%s", route, w.Code, w.Body, end)
	}
}

// TestLibrariesTenants tests that routes are empty without a load, and show nothing of another network (G3).
func TestLibrariesTenants(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		n := newNetwork(t, db, server.Config{})
		for _, route := range []string{"/users?userId=7", "/engagements?startDate=2026-09-01&endDate=2026-09-01", "/datasets/books?bookId=10", "/datasets/stock",
			"/datasets/loans?userId=7", "/datasets/reservations?bookId=10", "/datasets/logins", "/datasets/channels", "/datasets/suggestions", "/datasets/suggestion-requests"} {
			n.answers(n.empty, route, `"data":{"rows":[]}}`)
		}
		n.answers(n.empty, "/dimensions?", `"publicationYears":[]}}`)
		if w := n.get(n.empty, librariesPrefix+"/summary"); w.Code != 200 || !strings.Contains(w.Body.String(), `"updatedAt":null`) {
			t.Errorf("summary before the first load = %d %s, want 200 and no hour", w.Code, w.Body)
		}
	})
}

func TestLibrariesKeys(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db, server.Config{})
		n := newNetwork(t, db, server.Config{})
		status := func(rule, key, target string, want int) {
			t.Helper()
			if w := n.get(key, target); w.Code != want {
				t.Errorf("%s: GET %s = %d %s, want %d", rule, target, w.Code, w.Body, want)
			}
		}
		status("issued", n.key, librariesPrefix+"/dimensions", 200)
		status("altered", altered(n.key), librariesPrefix+"/dimensions", 401)
		status("a schools key", f.north, librariesPrefix+"/dimensions", 401)
		status("a libraries key on the schools API", n.key, prefix+"/users", 401)
		if err := n.keys.Revoke(t.Context(), keyID(n.key)); err != nil {
			t.Fatal(err)
		}
		status("revoked", n.key, librariesPrefix+"/dimensions", 401)
		status("another network's", n.empty, librariesPrefix+"/dimensions", 200)
	})
}

// TestLibrariesRate tests that 60 requests a minute pass and the 61st does not, with any key of the network (H6).
func TestLibrariesRate(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		n := newNetwork(t, db, server.Config{})
		second := n.issue(n.north)
		for i := range server.DefaultLibrariesRate {
			key := []string{n.key, second}[i%2]
			w := n.get(key, librariesPrefix+"/dimensions")
			if left := fmt.Sprint(server.DefaultLibrariesRate - 1 - i); w.Code != 200 || w.Header().Get("x-ratelimit-remaining-public-default") != left {
				t.Fatalf("request %d = %d with %v, want 200 and %s left", i+1, w.Code, w.Header(), left)
			}
		}
		for _, key := range []string{n.key, second} {
			if w := n.get(key, librariesPrefix+"/dimensions"); w.Code != 429 || w.Header().Get("Retry-After") != "30" {
				t.Errorf("request 61 = %d, Retry-After %q, want 429, 30", w.Code, w.Header().Get("Retry-After"))
			}
		}
		if w := n.get(n.empty, librariesPrefix+"/dimensions"); w.Code != 200 {
			t.Errorf("another network = %d, want 200", w.Code)
		}
		n.clock.now = n.clock.now.Add(30 * time.Second)
		if w := n.get(n.key, librariesPrefix+"/dimensions"); w.Code != 200 {
			t.Errorf("in the next minute = %d, want 200", w.Code)
		}
	})
}

func TestLibrariesSettings(t *testing.T) {
	history := calendar.MustParse("2026-09-02")
	n := newNetwork(t, dbtest.SQLite(t), server.Config{
		LibrariesRate: -1, LibrariesHistory: &history, LegacyPrefixes: []string{"/rede-antiga", "/velha/rede", "/rede-antiga"},
	})
	for _, p := range []string{"/api-platform", "/rede-antiga", "/velha/rede"} {
		if w := n.get(n.key, p+"/libraries/v1/users"); w.Code != 200 || w.Header().Get("x-ratelimit-limit-public-default") != "" {
			t.Errorf("GET under %s = %d %v, want 200 without a limit", p, w.Code, w.Header())
		}
	}
	for _, path := range []string{"/velha/libraries/v1/users", "/rede-antiga/libraries/v2/users", "/rede-antiga/users", "/rede-antiga/libraries/v1"} {
		if w := n.get(n.key, path); w.Code != 404 {
			t.Errorf("GET %s = %d, want 404", path, w.Code)
		}
	}
	// The monthly list begins at the configured history (L12).
	if w := n.get(n.key, librariesPrefix+"/summary?startDate=2026-07-01"); strings.Contains(w.Body.String(), `"month":"2026-08"`) || !strings.Contains(w.Body.String(), `"month":"2026-09"`) {
		t.Errorf("summary = %s, want no month before the history", w.Body)
	}
}

func TestLibrariesUserAgent(t *testing.T) {
	n := newNetwork(t, dbtest.SQLite(t), server.Config{})
	r := httptest.NewRequest("GET", librariesPrefix+"/nothing", nil)
	r.Header.Set("User-Agent", "Python-urllib/3.12")
	w := httptest.NewRecorder()
	documented(n, n.server.Handler()).ServeHTTP(w, r)
	if w.Code != 403 {
		t.Errorf("the default agent of Python = %d, want 403 before the path", w.Code)
	}
}

// TestLibrariesAnalytics tests that sessions by channel come from AnalyticsURL and are cached for the hour (L13). If
// that fails, the dataset returns 503, and the summary shows no sessions.
func TestLibrariesAnalytics(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		answer, questions := "", 0
		tool := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			questions++
			if got := r.URL.Query().Encode(); got != "endDate=2026-09-15&library=norte&startDate=2026-09-01" {
				t.Errorf("the tool gets the query %s", got)
			}
			fmt.Fprint(w, answer)
		}))
		defer tool.Close()
		n := newNetwork(t, db, server.Config{AnalyticsURL: tool.URL})
		const period = "?startDate=2026-09-01&endDate=2026-09-15"
		w := n.get(n.key, librariesPrefix+"/datasets/channels"+period)
		if want := `{"statusCode":503,"error":"Service Unavailable","message":"the analytics source is not available; try again later"}`; w.Code != 503 || w.Body.String() != want {
			t.Errorf("channels without an answer = %d %s, want 503 %s", w.Code, w.Body, want)
		}
		w = n.get(n.key, librariesPrefix+"/summary"+period)
		if want := `"channels":{"available":false,"appEstimated":false,"total":0,"web":0,"app":0,"webMobile":0,"webDesktop":0,"webTablet":0}`; w.Code != 200 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("summary without an answer = %d %s, want %s", w.Code, w.Body, want)
		}
		answer = `[{"date":"2026-09-02","channel":"app","sessions":2},{"date":"2026-09-02","channel":"web-desktop","sessions":5}]`
		const rows = `"data":{"rows":[{"date":"2026-09-02","channel":"web-desktop","sessions":5,"estimated":false},{"date":"2026-09-02","channel":"app","sessions":2,"estimated":true}]}}`
		n.answers(n.key, "/datasets/channels"+period, rows)
		asked := questions
		answer = "gone"
		n.answers(n.key, "/datasets/channels"+period, rows)
		n.answers(n.key, "/datasets/channels"+period+"&channel=app", `"data":{"rows":[{"date":"2026-09-02","channel":"app","sessions":2,"estimated":true}]}}`)
		w = n.get(n.key, librariesPrefix+"/summary"+period)
		if want := `"channels":{"available":true,"appEstimated":true,"total":7,"web":5,"app":2`; !strings.Contains(w.Body.String(), want) {
			t.Errorf("summary with an answer = %s, want %s", w.Body, want)
		}
		if questions != asked {
			t.Errorf("the tool got %d more queries within the hour, want none", questions-asked)
		}
		n.clock.now = n.clock.now.Add(time.Hour)
		if w := n.get(n.key, librariesPrefix+"/datasets/channels"+period); w.Code != 503 {
			t.Errorf("channels in the next hour = %d, want 503: the tool is queried again", w.Code)
		}
	})
}

func TestLegacyPrefix(t *testing.T) {
	for _, p := range []string{"/rede-antiga", "/a/b.c/~d_E9", "/api", "/api-platform/libraries", "/api-platform/schools", "/api/v2"} {
		if err := server.CheckLegacyPrefix(p); err != nil {
			t.Errorf("CheckLegacyPrefix(%q) = %v, want nil", p, err)
		}
	}
	for _, p := range []string{"", "/", "rede", "/rede/", "//rede", "/re:de", "/*", "/re de", "/rede%2f", "/açaí", "/a/./b", "/..", "/a?b",
		"/api-platform", "/api-platform/libraries/v1", "/api-platform/schools/v1", "/api-platform/schools/v1/x", "/api/v2/partners", "/api/v2/partners/x"} {
		if err := server.CheckLegacyPrefix(p); err == nil {
			t.Errorf("CheckLegacyPrefix(%q) = nil, want an error", p)
		}
		if _, err := server.New(t.Context(), server.Config{URL: "sqlite:" + filepath.Join(t.TempDir(), "a.db"), LegacyPrefixes: []string{p}}); err == nil {
			t.Errorf("New with the legacy prefix %q = nil, want an error", p)
		}
	}
}

func TestUsersQueueText(t *testing.T) {
	tests := map[string]server.UsersQueue{
		"2,16,5s":       server.DefaultUsersQueue(),
		"1,0,0s":        {AtATime: 1},
		"1,1,1m30s":     {AtATime: 1, Waiting: 1, Wait: 90 * time.Second},
		"65535,65535,0": {AtATime: 65535, Waiting: 65535},
	}
	for text, want := range tests {
		var got server.UsersQueue
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want {
			t.Errorf("users queue %q = %v, %v, want %v", text, got, err, want)
		}
		var again server.UsersQueue
		if err := again.UnmarshalText([]byte(want.String())); err != nil || again != want {
			t.Errorf("users queue %q = %v, %v, want %v", want.String(), again, err, want)
		}
	}
	for _, text := range []string{"", "2", "2,16", "0,16,5s", "-1,16,5s", "2,-1,5s", "2,16,-5s", "2,16,5", "2,16,5s,1", "a,b,c", "65536,1,1s", "2 ,16,5s"} {
		q := server.DefaultUsersQueue()
		if err := q.UnmarshalText([]byte(text)); err == nil || q != server.DefaultUsersQueue() {
			t.Errorf("users queue %q = %v, %v, want an error and no change", text, q, err)
		}
	}
	if _, err := server.New(t.Context(), server.Config{URL: "sqlite:" + filepath.Join(t.TempDir(), "a.db"), UsersQueue: server.UsersQueue{Waiting: 1}}); err == nil {
		t.Error("New with a queue without slots = nil, want an error")
	}
}

func TestAnalyticsURL(t *testing.T) {
	if _, err := server.New(t.Context(), server.Config{URL: "sqlite:" + filepath.Join(t.TempDir(), "a.db"), AnalyticsURL: "analytics.example"}); err == nil {
		t.Error("New with an invalid analytics URL = nil, want an error")
	}
}

// with adds a parameter to a target.
func with(target, param string) string {
	if strings.Contains(target, "?") {
		return target + "&" + param
	}
	return target + "?" + param
}

// moreOfTheLibrary returns a feed that changes a reader and adds a session.
func moreOfTheLibrary(i int) map[string]string {
	return map[string]string{
		"readers":  fmt.Sprintf(`{"userId":7,"name":"Ana %d","email":"ana@rede.example","libraryId":1,"ageGroupId":2,"city":"Belém","state":"PA","ra":"Norte","gender":"Feminino","registeredAt":"2026-08-01","status":"active","deletedAt":null,"updatedAt":"2026-09-1%dT12:00:00Z","confirmedAt":null,"lastSignInAt":null}`, i, i),
		"sessions": fmt.Sprintf(`{"sessionId":"more %d","userId":7,"bookId":10,"startedAt":"2026-09-0%dT11:00:00-03:00","seconds":600,"mode":"online","format":"audiobook","progress":%d.5}`, i, i+2, 20+i),
	}
}
