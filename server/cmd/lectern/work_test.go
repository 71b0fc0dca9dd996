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
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// workers are processes of lectern work on one database, by a clock of their own.
type workers struct {
	*testing.T
	db      *database.DB
	tenants int64
	clock   time.Time
	dir     string
	running []*worker
}

type worker struct {
	*exec.Cmd
	log logged
}

// logged is a log that is read while it is written.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

// count counts the lines of a message, by tenant.
func (l *logged) count(message string) map[string]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	counts := map[string]int{}
	for line := range bytes.Lines(l.text.Bytes()) {
		var said struct{ Message, Kind, Reference string }
		if json.Unmarshal(line, &said) == nil && said.Message == message {
			counts[said.Kind+" "+said.Reference]++
		}
	}
	return counts
}

// start starts a worker.
func (w *workers) start() *worker {
	w.Helper()
	p := &worker{Cmd: child(w.T, "--db", w.db.URL, "work", "--jobs", "2", w.dir)}
	p.Env, p.Stderr = append(p.Env, "LECTERN_CLOCK="+w.clock.Format(time.RFC3339)), &p.log
	if err := p.Start(); err != nil {
		w.Fatal(err)
	}
	w.running = append(w.running, p)
	w.Cleanup(func() { _ = p.Process.Kill() })
	return p
}

// feeds puts a new feed of every tenant into its place.
func (w *workers) feeds(hour int) {
	w.Helper()
	for i := range w.tenants {
		place, name := "schools", fmt.Sprintf("p%d", i)
		text := fmt.Sprintf(`{"bookId":%d,"title":"Iracema %d","length":100}`, i+1, hour)
		if i%3 == 0 {
			place, text = "libraries", fmt.Sprintf(`{"userId":%d,"name":"Ana %d","status":"active","registeredAt":"2031-01-01T10:00:00-03:00","updatedAt":"2031-01-01T10:00:00-03:00"}`, i+1, hour)
		}
		file := map[string]string{"schools": "books.ndjson", "libraries": "readers.ndjson"}[place]
		hidden, at := filepath.Join(w.dir, place, ".new"), filepath.Join(w.dir, place, name)
		writeFile(w.T, filepath.Join(hidden, file), text+"\n")
		if err := cmp.Or(os.RemoveAll(at), os.Rename(hidden, at)); err != nil {
			w.Fatal(err)
		}
	}
}

// known is how many tenants' work meets a condition.
func (w *workers) known(where string, args ...any) int64 {
	w.Helper()
	n, err := w.db.NewSelect().Table("work").Where(where, args...).Count(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	return n
}

// until waits until something is so.
func (w *workers) until(what string, is func() bool) {
	w.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !is(); {
		if time.Now().After(deadline) {
			for _, p := range w.running {
				w.Logf("a worker says:\n%s", p.log.text.String())
			}
			w.Fatalf("never so: %s", what)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// idle waits until the work of all tenants is done.
func (w *workers) idle() {
	w.Helper()
	w.until("all tenants are loaded", func() bool {
		return w.known("due > ? AND expires = 0 AND failures = 0", w.clock.UnixMicro()) == w.tenants
	})
}

// TestWork has two workers of many tenants, of which one is killed in the middle: every tenant is loaded once in each hour that
// brings a feed, and none by two at once; what the killed one had is loaded when its lease has run out. Then the others are told to
// stop, and do.
func TestWork(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		w := &workers{T: t, db: db, tenants: int64(trials(t, "LECTERN_TEST_WORK", 30)), clock: time.Date(2031, 5, 1, 12, 0, 0, 0, time.UTC), dir: t.TempDir()}
		ok(t, "--db", db.URL, "migrate")
		store := &authdb.Store{DB: db.DB}
		w.create(store)
		w.feeds(1)
		first, second := w.start(), w.start()
		w.until("some are loaded by the first", func() bool { return len(first.log.count("loaded")) >= 3 })
		if err := first.Process.Signal(syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		_ = first.Wait()
		w.until("the second has loaded all but what the first had", func() bool { return w.known("due > 0 AND expires = 0") >= w.tenants-2 })
		w.stop(second) // by the clock of the next one its leases have run out, too
		w.clock = w.clock.Add(10 * time.Minute)
		third := w.start()
		w.idle()
		w.stop(third)
		w.check(1, first, second, third)

		w.feeds(2)
		w.clock = w.clock.Add(2 * time.Hour)
		first, second = w.start(), w.start()
		w.idle()
		w.stop(first, second)
		w.check(2, first, second)
	})
}

// create creates the tenants: of three, two are partners.
func (w *workers) create(store *authdb.Store) {
	w.Helper()
	for i := range w.tenants {
		kind := "partner"
		if i%3 == 0 {
			kind = "library"
		}
		ok(w.T, "--db", w.db.URL, kind, "create", fmt.Sprintf("p%d", i), "--name", "P")
	}
}

// stop stops workers, which exit 0.
func (w *workers) stop(running ...*worker) {
	w.Helper()
	for _, p := range running {
		w.until("a worker has begun", func() bool { return len(p.log.count("looking for feeds")) > 0 })
		if err := p.Process.Signal(syscall.SIGTERM); err != nil {
			w.Error(err)
		}
		if err := p.Wait(); err != nil {
			w.Errorf("a worker that is stopped: %v, it says:\n%s", err, p.log.text.String())
		}
	}
}

// check checks what workers say they have loaded: every tenant, and none twice but what a killed one had not given back.
func (w *workers) check(hour int, running ...*worker) {
	w.Helper()
	all, waited := map[string]int{}, 0
	for _, p := range running {
		for tenant, n := range p.log.count("loaded") {
			all[tenant] += n
		}
		waited += len(p.log.count("another load of the tenant is under way and is waited for"))
		if failed := p.log.count("load failed"); len(failed) > 0 {
			w.Errorf("hour %d: failed: %v, the worker says:\n%s", hour, failed, p.log.text.String())
		}
	}
	again := 0
	for _, n := range all {
		again += n - 1
	}
	if int64(len(all)) != w.tenants || again > 2 || hour > 1 && again > 0 || waited > 0 {
		w.Errorf("hour %d: %d tenants were loaded, %d of them again, %d waited for another, want %d once, but for what a killed worker had",
			hour, len(all), again, waited, w.tenants)
	}
	if out := ok(w.T, "--db", w.db.URL, "status", "--json"); strings.Count(out, `"work":{"due"`) != int(w.tenants) {
		w.Errorf("status = %s, want the work of each tenant", out)
	}
}
