package work_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/internal/work"
)

var noon = time.Date(2031, 5, 1, 12, 0, 0, 0, time.UTC)

// TestNext: each tenant has an instant of its own in each hour, and those of many are spread over it.
func TestNext(t *testing.T) {
	quarters := make([]int, 4)
	for id := range auth.Tenant(2000) {
		due := work.Next(id, noon, false)
		if !due.After(noon) || due.After(noon.Add(time.Hour)) {
			t.Fatalf("Next(%d) = %v, want it in the hour after %v", id, due, noon)
		}
		if again := work.Next(id, due, false); !again.Equal(due.Add(time.Hour)) {
			t.Fatalf("Next(%d) after %v = %v, want an hour later", id, due, again)
		}
		if first := work.Next(id, due.Add(-time.Minute), true); !first.Equal(due.Add(time.Hour)) {
			t.Fatalf("Next(%d) after a first load at %v = %v, want it not within half an hour", id, due.Add(-time.Minute), first)
		}
		quarters[due.Sub(noon)/(15*time.Minute)%4]++
	}
	for i, n := range quarters {
		if n < 400 || n > 600 {
			t.Errorf("%d of 2,000 tenants in quarter %d, want about 500", n, i)
		}
	}
}

func TestPause(t *testing.T) {
	var got []time.Duration
	for failures := range 9 {
		got = append(got, work.Pause(failures+1)/time.Minute)
	}
	if want := []time.Duration{1, 2, 4, 8, 16, 32, 60, 60, 60}; !slices.Equal(got, want) {
		t.Errorf("pauses = %v, want %v minutes", got, want)
	}
}

func TestFolderName(t *testing.T) {
	for reference, want := range map[string]string{"acme": "acme", "ana/é": "ana%2F%C3%A9", ".x": "%2Ex", "a b": "a%20b", "%2Ex": "%252Ex"} {
		if got := work.FolderName(reference); got != want {
			t.Errorf("FolderName(%q) = %q, want %q", reference, got, want)
		}
	}
}

// site is a database, feeds, and what workers load of them.
type site struct {
	*testing.T
	db     *database.DB
	folder string

	mu     sync.Mutex
	now    time.Time
	under  map[string]bool // loads under way
	loaded map[string]int
	fails  map[string]bool
	hangs  map[string]bool // until it is called off
	log    lines
}

// lines is a log.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func each(t *testing.T, f func(s *site)) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		if _, err := db.Migrate(t.Context(), authdb.Migrations); err != nil {
			t.Fatal(err)
		}
		f(&site{T: t, db: db, folder: t.TempDir(), now: noon, under: map[string]bool{}, loaded: map[string]int{}, fails: map[string]bool{}, hangs: map[string]bool{}})
	})
}

func (s *site) store(db *database.DB) *authdb.Store {
	return &authdb.Store{DB: db.DB, Now: func() time.Time {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.now
	}}
}

func (s *site) later(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(d)
}

// feed puts a feed into its place, as operators are told to.
func (s *site) feed(place, name, text string) {
	s.Helper()
	hidden, at := filepath.Join(s.folder, place, ".new"), filepath.Join(s.folder, place, name)
	err := errors.Join(os.MkdirAll(hidden, 0o700), os.WriteFile(filepath.Join(hidden, "books.ndjson"), []byte(text), 0o600), os.RemoveAll(at), os.Rename(hidden, at))
	if err != nil {
		s.Fatal(err)
	}
}

func (s *site) tenant(kind authdb.Kind, reference string) {
	s.Helper()
	if _, err := s.store(s.db).CreateTenant(s.Context(), s.db.DB, authdb.Tenant{Kind: kind, Reference: reference}); err != nil {
		s.Fatal(err)
	}
}

// start starts a worker, as a process of its own is, and returns what stops it.
func (s *site) start(jobs int) (stop func()) {
	s.Helper()
	db, err := database.Open(s.Context(), s.db.URL)
	if err != nil {
		s.Fatal(err)
	}
	w := &work.Worker{Store: s.store(db), Folder: s.folder, Jobs: jobs, Every: time.Millisecond, Load: s.load, Log: slog.New(slog.NewTextHandler(io.Writer(&s.log), nil))}
	ctx, cancel := context.WithCancel(s.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	return func() {
		s.Helper()
		cancel()
		if err := <-ended; err != nil {
			s.Error(err)
		}
		db.Close()
	}
}

// load is what workers do.
func (s *site) load(ctx context.Context, t authdb.Tenant, folder string) (authdb.Load, error) {
	name := string(t.Kind) + " " + t.Reference
	s.mu.Lock()
	if s.under[name] {
		s.Errorf("%s is loaded twice at once", name)
	}
	s.under[name] = true
	fails, hangs := s.fails[name], s.hangs[name]
	s.mu.Unlock()
	if hangs {
		<-ctx.Done()
	}
	text, err := os.ReadFile(filepath.Join(folder, "books.ndjson"))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.under[name] = false
	switch {
	case hangs:
		return authdb.Load{}, ctx.Err()
	case fails:
		return authdb.Load{}, errors.New("books.ndjson line 1: field length: must be a number")
	}
	s.loaded[name]++
	return authdb.Load{Rows: int64(len(text))}, err
}

// until waits until something is so.
func (s *site) until(what string, is func() bool) {
	s.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; {
		s.mu.Lock()
		done := is()
		s.mu.Unlock()
		if done {
			return
		}
		if time.Now().After(deadline) {
			s.Fatalf("never so: %s; the log:\n%s", what, s.log.String())
		}
		time.Sleep(time.Millisecond)
	}
}

// settled waits until nothing is due of what has a feed.
func (s *site) settled() {
	s.Helper()
	s.until("nothing is due", func() bool {
		n, err := s.db.NewSelect().Table("work").Where("due <= ? OR expires > 0", s.now.UnixMicro()).Count(s.Context())
		return err == nil && n == 0
	})
}

// TestHours has some dozens of tenants on two workers: each is loaded at once, and then once in every hour that brings a new feed.
func TestHours(t *testing.T) {
	const tenants = 40
	each(t, func(s *site) {
		names := make([]string, tenants)
		feeds := func(text string) {
			for i := range tenants {
				s.feed([]string{"schools", "libraries"}[i%2], fmt.Sprint("t", i), text)
			}
		}
		for i := range tenants {
			kind := []authdb.Kind{authdb.Partner, authdb.Library}[i%2]
			s.tenant(kind, fmt.Sprint("t", i))
			names[i] = fmt.Sprint(kind, " t", i)
		}
		feeds("one")
		for _, stop := range []func(){s.start(2), s.start(3)} {
			defer stop()
		}
		for hour := 1; hour <= 3; hour++ {
			s.until(fmt.Sprint("all loaded ", hour, " times"), func() bool {
				return !slices.ContainsFunc(names, func(name string) bool { return s.loaded[name] < hour })
			})
			s.settled()
			s.later(90 * time.Minute) // all come round, and find what they have
			s.settled()
			feeds(strings.Repeat("x", hour))
			s.later(time.Hour)
		}
		s.settled()
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, name := range names {
			if s.loaded[name] != 4 {
				t.Errorf("%s was loaded %d times, want once for each of 4 feeds", name, s.loaded[name])
			}
		}
	})
}

// TestFailures: what fails is tried again after growing pauses, hinders nobody, and is known until it succeeds.
func TestFailures(t *testing.T) {
	each(t, func(s *site) {
		s.tenant(authdb.Partner, "bad")
		s.tenant(authdb.Partner, "good")
		s.feed("schools", "bad", "x")
		s.feed("schools", "good", "x")
		s.feed("schools", "nobody", "x")
		s.fails["partner bad"] = true
		defer s.start(1)()
		known := func(failures int) func() bool {
			return func() bool {
				w, _, err := authdb.WorkOf(s.Context(), s.db, 1)
				return err == nil && w.Failures == failures && (failures == 0) == (w.Problem == "") && w.Due.Sub(s.now) >= work.Pause(max(1, failures))
			}
		}
		s.until("one failure, and the other loaded", func() bool { return known(1)() && s.loaded["partner good"] == 1 })
		s.later(time.Minute)
		s.until("two failures", known(2))
		s.later(time.Minute)
		s.later(time.Minute)
		s.until("three failures", known(3))
		s.mu.Lock()
		s.fails = nil
		s.mu.Unlock()
		s.later(4 * time.Minute)
		s.until("no failure", known(0))
		if log := s.log.String(); strings.Count(log, "load failed") != 3 || strings.Count(log, "msg=loaded") != 2 || strings.Count(log, "there is no partner of this name") != 1 {
			t.Errorf("the log is\n%s\nwant a line for each load, and one for the folder of nobody", log)
		}
	})
}

// TestStops: a worker that is stopped calls off its load, and another takes it at once.
func TestStops(t *testing.T) {
	each(t, func(s *site) {
		s.tenant(authdb.Partner, "a")
		s.feed("schools", "a", "x")
		s.hangs["partner a"] = true
		stop := s.start(1)
		s.until("it is under way", func() bool { return s.under["partner a"] })
		stop()
		s.mu.Lock()
		s.hangs = nil
		s.mu.Unlock()
		defer s.start(1)()
		s.until("the other has loaded it, at the same time", func() bool { return s.loaded["partner a"] == 1 })
		if log := s.log.String(); strings.Contains(log, "load failed") || strings.Count(log, "load called off") != 1 {
			t.Errorf("the log is\n%s\nwant a load that was called off", log)
		}
	})
}

// TestNoFolder: a worker without a folder says so.
func TestNoFolder(t *testing.T) {
	err := (&work.Worker{Folder: filepath.Join(t.TempDir(), "nowhere")}).Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "name the folder that has schools and libraries") {
		t.Errorf("Run = %v, want what to do", err)
	}
}
