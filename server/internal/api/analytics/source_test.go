package analytics_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/internal/api/analytics"
	"github.com/lectern-dev/lectern/server/internal/api/cache"
)

// tool is a fake analytics tool. It gives the answer that a test sets, and records the requests.
type tool struct {
	*httptest.Server
	mu     sync.Mutex
	answer http.HandlerFunc
	asked  []string // queries
}

func newTool(t *testing.T) *tool {
	tl := &tool{}
	tl.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tl.mu.Lock()
		tl.asked = append(tl.asked, r.Method+" "+r.URL.String())
		answer := tl.answer
		tl.mu.Unlock()
		answer(w, r)
	}))
	t.Cleanup(tl.Close)
	return tl
}

// says makes the tool answer with a text from now on.
func (tl *tool) says(text string) {
	tl.does(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) })
}

func (tl *tool) does(f http.HandlerFunc) {
	tl.mu.Lock()
	defer tl.mu.Unlock()
	tl.answer = f
}

func (tl *tool) questions() []string {
	tl.mu.Lock()
	defer tl.mu.Unlock()
	return tl.asked
}

// site is a source on a database with two library networks, and a clock that tests move.
type site struct {
	*analytics.Source
	store    *librariesdb.Store
	networks [2]report.Access
	now      time.Time
	failures []error
}

func newSite(t *testing.T, db *database.DB, url string) *site {
	t.Helper()
	s := &site{store: &librariesdb.Store{DB: db.DB, Copy: db.Copy}, now: time.Date(2026, 9, 15, 17, 59, 59, 0, time.UTC)}
	for i, slug := range []string{"rede-1", "rede-2"} {
		id, err := librariesdb.CreateNetwork(t.Context(), db, slug, "Rede")
		if err != nil {
			t.Fatal(err)
		}
		s.networks[i].Network = id
	}
	s.Source = s.source(t, url)
	return s
}

// source returns another source on the site's database, like that of another replica.
func (s *site) source(t *testing.T, url string) *analytics.Source {
	t.Helper()
	source, err := analytics.New(url)
	if err != nil {
		t.Fatal(err)
	}
	source.Store, source.Cache = s.store, cache.New(1<<20)
	source.Slug = func(ctx context.Context, id libraries.NetworkID) (string, error) {
		n, err := librariesdb.NetworkOf(ctx, s.store.DB, id)
		return n.Slug, err
	}
	source.Now = func() time.Time { return s.now }
	source.Failed = func(err error) { s.failures = append(s.failures, err) }
	return source
}

var period = calendar.Period{Start: calendar.MustParse("2026-08-01"), End: calendar.MustParse("2026-08-02")}

func row(day string, c libraries.Channel, sessions int64) libraries.ChannelDay {
	return libraries.ChannelDay{Day: calendar.MustParse(day), Channel: c, Sessions: sessions, Estimated: c == libraries.App}
}

func TestRowsAreSortedAndEstimatesOverwritten(t *testing.T) {
	tl := newTool(t)
	s := newSite(t, dbtest.SQLite(t), tl.URL)
	tl.says(`[{"date":"2026-08-02","channel":"web-mobile","sessions":0,"estimated":true},
		{"channel":"app","date":"2026-08-01","sessions":31,"estimated":false,"device":"any"},
		{"date":"2026-08-01","channel":"web-tablet","sessions":9007199254740991},
		{"date":"2026-08-01","channel":"web-desktop","sessions":120,"estimated":null}]`)
	got, err := s.Channels(t.Context(), s.networks[0], period)
	want := []libraries.ChannelDay{
		row("2026-08-01", libraries.WebDesktop, 120), row("2026-08-01", libraries.WebTablet, 9007199254740991),
		row("2026-08-01", libraries.App, 31), row("2026-08-02", libraries.WebMobile, 0),
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("rows = %v, %v, want %v", got, err, want)
	}
}

// TestGoodAnswerIsStoredForTheHour tests that every replica serves a good answer from the database until the next hour,
// by network and period. The tool is not asked again (L13).
func TestGoodAnswerIsStoredForTheHour(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		tl := newTool(t)
		s := newSite(t, db, tl.URL+"/sessions?token=abc")
		replica := s.source(t, tl.URL)
		ask := func(source *analytics.Source, network int, p calendar.Period, want int64) {
			t.Helper()
			rows, err := source.Channels(t.Context(), s.networks[network], p)
			if err != nil || len(rows) != 1 || rows[0].Sessions != want {
				t.Errorf("rows = %v, %v, want %d sessions", rows, err, want)
			}
		}
		answer := func(n int) { tl.says(fmt.Sprintf(`[{"date":"2026-08-01","channel":"app","sessions":%d}]`, n)) }
		answer(1)
		ask(s.Source, 0, period, 1)
		answer(2)
		ask(s.Source, 0, period, 1)
		ask(replica, 0, period, 1)
		ask(s.Source, 1, period, 2)
		oneDay := calendar.Period{Start: period.Start, End: period.Start}
		ask(s.Source, 0, oneDay, 2)
		s.now = s.now.Add(time.Second) // 15:00 in Brasilia
		answer(3)
		ask(replica, 0, period, 3)
		ask(s.Source, 0, period, 3)

		want := []string{
			"GET /sessions?endDate=2026-08-02&library=rede-1&startDate=2026-08-01&token=abc",
			"GET /sessions?endDate=2026-08-02&library=rede-2&startDate=2026-08-01&token=abc",
			"GET /sessions?endDate=2026-08-01&library=rede-1&startDate=2026-08-01&token=abc",
			"GET /?endDate=2026-08-02&library=rede-1&startDate=2026-08-01",
		}
		if got := tl.questions(); !reflect.DeepEqual(got, want) {
			t.Errorf("questions = %q, want %q", got, want)
		}
	})
}

// TestNoSessions tests that an answer without sessions is valid, and is stored like any other.
func TestNoSessions(t *testing.T) {
	tl := newTool(t)
	s := newSite(t, dbtest.SQLite(t), tl.URL)
	tl.says(` [ ] `)
	for range 2 {
		if rows, err := s.Channels(t.Context(), s.networks[0], period); err != nil || len(rows) != 0 {
			t.Errorf("rows = %v, %v, want none", rows, err)
		}
	}
	if got := len(tl.questions()); got != 1 {
		t.Errorf("questions = %d, want 1", got)
	}
}

// TestFirstStoredAnswerWins tests that if two replicas ask at once, the answer that is stored first counts.
func TestFirstStoredAnswerWins(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		tl := newTool(t)
		s := newSite(t, db, tl.URL)
		replica := s.source(t, tl.URL)
		// While the source waits for its answer, the replica asks, gets a different answer, and stores it.
		tl.does(func(w http.ResponseWriter, r *http.Request) {
			tl.says(`[{"date":"2026-08-01","channel":"app","sessions":2}]`)
			if _, err := replica.Channels(t.Context(), s.networks[0], period); err != nil {
				t.Error(err)
			}
			fmt.Fprint(w, `[{"date":"2026-08-01","channel":"app","sessions":1}]`)
		})
		rows, err := s.Channels(t.Context(), s.networks[0], period)
		if err != nil || len(rows) != 1 || rows[0].Sessions != 2 {
			t.Errorf("rows = %v, %v, want those of the replica, which stored them first", rows, err)
		}
	})
}

func TestBadAnswers(t *testing.T) {
	const good = `{"date":"2026-08-01","channel":"app","sessions":1}`
	tests := []struct{ rule, answer, why string }{
		{"nothing", ``, "EOF"},
		{"no JSON", `<html>`, "invalid"},
		{"no array", good, "object"},
		{"null", `null`, "no array"},
		{"cut off", `[` + good, "EOF"},
		{"more than an array", `[` + good + `][]`, "after"},
		{"an element that is no object", `[1]`, "number"},
		{"no date", `[{"channel":"app","sessions":1}]`, "date"},
		{"a day not in the calendar", `[{"date":"2026-08-32","channel":"app","sessions":1}]`, "date"},
		{"a time for a day", `[{"date":"2026-08-01T00:00:00Z","channel":"app","sessions":1}]`, "date"},
		{"a day before the period", `[{"date":"2026-07-31","channel":"app","sessions":1}]`, "2026-07-31 is not in the period"},
		{"a day after the period", `[{"date":"2026-08-03","channel":"app","sessions":1}]`, "2026-08-03 is not in the period"},
		{"an unknown channel", `[{"date":"2026-08-01","channel":"tv","sessions":1}]`, "channel"},
		{"a channel in capitals", `[{"date":"2026-08-01","channel":"App","sessions":1}]`, "channel"},
		{"no channel", `[{"date":"2026-08-01","sessions":1}]`, "channel"},
		{"no sessions", `[{"date":"2026-08-01","channel":"app"}]`, "sessions"},
		{"sessions null", `[{"date":"2026-08-01","channel":"app","sessions":null}]`, "sessions"},
		{"sessions below 0", `[{"date":"2026-08-01","channel":"app","sessions":-1}]`, "sessions"},
		{"sessions with decimals", `[{"date":"2026-08-01","channel":"app","sessions":1.5}]`, "sessions"},
		{"sessions as text", `[{"date":"2026-08-01","channel":"app","sessions":"1"}]`, "sessions"},
		{"sessions too large", `[{"date":"2026-08-01","channel":"app","sessions":9007199254740992}]`, "sessions"},
		{"a member's name in capitals", `[{"date":"2026-08-01","channel":"app","Sessions":1}]`, "sessions"},
		{"a pair twice", `[` + good + `,{"date":"2026-08-01","channel":"web-mobile","sessions":1},` + good + `]`, "two rows for 2026-08-01, app"},
	}
	tl := newTool(t)
	s := newSite(t, dbtest.SQLite(t), tl.URL)
	for _, tt := range tests {
		s.failures = nil
		tl.says(tt.answer)
		rows, err := s.Channels(t.Context(), s.networks[0], period)
		if !errors.Is(err, report.ErrChannels) || rows != nil {
			t.Errorf("%s: rows = %v, %v, want ErrChannels", tt.rule, rows, err)
		}
		if len(s.failures) != 1 || !strings.Contains(s.failures[0].Error(), tt.why) || !strings.Contains(s.failures[0].Error(), "rede-1") {
			t.Errorf("%s: failures = %v, want one that says %q and the library", tt.rule, s.failures, tt.why)
		}
	}
	// None of them was stored.
	tl.says(`[` + good + `]`)
	if rows, err := s.Channels(t.Context(), s.networks[0], period); err != nil || len(rows) != 1 {
		t.Errorf("after the failures: rows = %v, %v, want the good answer", rows, err)
	}
}

func TestNoAnswer(t *testing.T) {
	tl := newTool(t)
	s := newSite(t, dbtest.SQLite(t), tl.URL+"?token=secret")
	late := func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	tests := []struct {
		rule string
		does http.HandlerFunc
		why  string
	}{
		{"503", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(503) }, "status 503"},
		{"204", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(204) }, "status 204"},
		{"a redirect is not followed", func(w http.ResponseWriter, r *http.Request) {
			tl.says(`[]`)
			http.Redirect(w, r, tl.URL+"/elsewhere", http.StatusFound)
		}, "status 302"},
		{"too late", late, "deadline"},
		{"begun in time, not ended", func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, `[`)
			w.(http.Flusher).Flush()
			late(w, r)
		}, "deadline"},
		{"the connection breaks", func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) }, "EOF"},
	}
	for _, tt := range tests {
		s.failures = nil
		tl.does(tt.does)
		if s.Timeout = time.Minute; tt.why == "deadline" {
			s.Timeout = 20 * time.Millisecond
		}
		if rows, err := s.Channels(t.Context(), s.networks[0], period); !errors.Is(err, report.ErrChannels) || rows != nil {
			t.Errorf("%s: rows = %v, %v, want ErrChannels", tt.rule, rows, err)
		}
		if len(s.failures) != 1 || !strings.Contains(s.failures[0].Error(), tt.why) || strings.Contains(s.failures[0].Error(), "secret") {
			t.Errorf("%s: failures = %v, want one that says %q and does not show the URL", tt.rule, s.failures, tt.why)
		}
	}
	for _, q := range tl.questions() {
		if strings.Contains(q, "elsewhere") {
			t.Errorf("the redirect was followed: %s", q)
		}
	}
}

func TestSizeLimit(t *testing.T) {
	tl := newTool(t)
	s := newSite(t, dbtest.SQLite(t), tl.URL)
	for _, tt := range []struct {
		size int
		ok   bool
	}{{analytics.MaxAnswer + 1, false}, {analytics.MaxAnswer, true}} {
		tl.says("[" + strings.Repeat(" ", tt.size-2) + "]")
		if _, err := s.Channels(t.Context(), s.networks[0], period); (err == nil) != tt.ok {
			t.Errorf("an answer of %d bytes = %v, want success: %v", tt.size, err, tt.ok)
		}
	}
}

func TestUnknownHost(t *testing.T) {
	tl := newTool(t)
	tl.Close()
	s := newSite(t, dbtest.SQLite(t), tl.URL)
	if _, err := s.Channels(t.Context(), s.networks[0], period); !errors.Is(err, report.ErrChannels) {
		t.Errorf("an unreachable tool = %v, want ErrChannels", err)
	}
}

// TestAskedOnceAtOnce tests that simultaneous requests for one answer ask the tool once. A request that is canceled does
// not end the question for the others.
func TestAskedOnceAtOnce(t *testing.T) {
	tl := newTool(t)
	s := newSite(t, dbtest.SQLite(t), tl.URL)
	asked, release := make(chan struct{}), make(chan struct{})
	tl.does(func(w http.ResponseWriter, r *http.Request) {
		close(asked) // a second question would panic
		<-release
		fmt.Fprint(w, `[{"date":"2026-08-01","channel":"app","sessions":1}]`)
	})
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error)
	go func() {
		_, err := s.Channels(ctx, s.networks[0], period)
		left <- err
	}()
	<-asked
	got := make(chan error, 3)
	for range cap(got) {
		go func() {
			rows, err := s.Channels(t.Context(), s.networks[0], period)
			if err == nil && len(rows) != 1 {
				err = fmt.Errorf("rows = %v, want one", rows)
			}
			got <- err
		}()
	}
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("canceled request got %v, want its own cancellation", err)
	}
	close(release)
	for range cap(got) {
		if err := <-got; err != nil {
			t.Error(err)
		}
	}
	if n := len(tl.questions()); n != 1 {
		t.Errorf("questions = %d, want 1", n)
	}
}

func TestNew(t *testing.T) {
	for _, address := range []string{"http://localhost:9000", "https://analytics.example/a?b=c#d"} {
		if _, err := analytics.New(address); err != nil {
			t.Errorf("New(%q) = %v, want nil", address, err)
		}
	}
	for _, address := range []string{"", "analytics.example", "/path", "ftp://analytics.example", "http:///path", "http://secret@%zz"} {
		if _, err := analytics.New(address); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("New(%q) = %v, want an error that does not show it", address, err)
		}
	}
}

// TestKeptInMemory tests an answer that cannot be stored while a load holds the lock of an embedded database. It is kept
// in the cache for the hour if no other process serves the database, and refused otherwise (H6, L13).
func TestKeptInMemory(t *testing.T) {
	db := dbtest.SQLite(t)
	tl := newTool(t)
	s := newSite(t, db, tl.URL)
	shared := s.source(t, tl.URL)
	s.Alone = true
	tx, err := db.BeginTx(t.Context(), nil) // takes the lock, as a load does
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	says := func(n int) { tl.says(fmt.Sprintf(`[{"date":"2026-08-01","channel":"app","sessions":%d}]`, n)) }
	ask := func(want int64) {
		t.Helper()
		if rows, err := s.Channels(t.Context(), s.networks[0], period); err != nil || len(rows) != 1 || rows[0].Sessions != want {
			t.Errorf("rows = %v, %v, want %d sessions", rows, err, want)
		}
	}
	says(1)
	ask(1)
	says(2)
	ask(1)
	if rows, err := shared.Channels(t.Context(), s.networks[0], period); !errors.Is(err, report.ErrChannels) {
		t.Errorf("rows with other processes = %v, %v, want ErrChannels", rows, err)
	}
	s.now = s.now.Add(time.Second) // 15:00 in Brasilia
	ask(2)
}
