package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/lectern-dev/lectern/server/internal/tools/proxy"
)

// counts counts what all scenarios have done.
type counts struct {
	steps, kills, answers, rows, loads, writes atomic.Int64
}

// A harness runs one scenario: servers, clients and the models of the tenants.
type harness struct {
	product  *product
	scenario Scenario
	store    *store
	dir      string
	clock    clock
	servers  []*server
	client   *http.Client
	counts   *counts
	calls    int
	trouble  bool // a fault is under way: 503 and lost connections are expected
	log      func(format string, args ...any)

	partners  []*partnerSide
	libraries []*librarySide
	tenants   []*tenant // of partners and libraries
	dead      []string  // keys that are no longer valid
	promoted  bool
	damaged   bool // a bit is flipped, or the disk is full: 500 is expected
	disk      *disk
}

// server is a running lectern serve, behind a proxy.
type server struct {
	*command
	port  string
	proxy *proxy.Proxy
	db    string                      // its database's URL, if not the scenario's
	began atomic.Pointer[serverClock] // a server may be restarted in the middle of a call
}

// serverClock is the clock that a server was started with. The server's clock is behind it by at most the time that the start took.
type serverClock struct{ offset, start time.Duration }

func (s *server) latest() time.Time   { return time.Now().Add(s.began.Load().offset) }
func (s *server) earliest() time.Time { return s.latest().Add(-s.began.Load().start) }

// secretKey seals the secrets of directory keys.
const secretKey = "LECTERN_SECRET_KEY=dHJpYWxzdHJpYWxzdHJpYWxzdHJpYWxzdHJpYWxzISE="

// env returns the environment of commands.
func (t *harness) env() []string {
	return []string{secretKey, "LECTERN_DB=" + t.store.url(), "TMPDIR=" + t.dir}
}

// newHarness prepares a scenario on a new database.
func newHarness(p *product, s Scenario, f *counts, pg *cluster) *harness {
	t := &harness{product: p, scenario: s, dir: must(workFolder()), counts: f, log: func(string, ...any) {}}
	t.store = &store{engine: s.Engine, dir: t.dir, pg: pg, name: fmt.Sprintf("trial_%d", time.Now().UnixNano())}
	t.client = &http.Client{Timeout: patience, Transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 4}}
	if s.Disk && s.Engine == sqlite {
		if t.disk = newDisk(t.dir); t.disk != nil {
			t.store.dir = t.disk.at
		}
	}
	c := newChance(s.Seed)
	t.clock.put(time.Date(2026, 9, 10+c.IntN(12), 8+c.IntN(15), 5+c.IntN(15), 0, 0, brasilia))
	return t
}

// close ends all processes and removes all files.
func (t *harness) close() {
	for _, s := range t.servers {
		s.kill()
		s.proxy.Close()
	}
	t.client.CloseIdleConnections()
	t.store.remove()
	t.disk.unmount()
	_ = os.RemoveAll(t.dir)
}

// now returns the time at which commands run, except loads: that of the servers. leaseEnds moves only the clock of loads.
func (t *harness) now() time.Time {
	at := t.clock.now()
	for _, s := range t.servers {
		if e := s.earliest(); e.Before(at) {
			at = e
		}
	}
	return at
}

// lectern runs a command to its end.
func (t *harness) lectern(args ...string) *command {
	c := t.product.start(t.env(), t.now(), args...)
	if errors.Is(c.ended(), errHangs) {
		fail("hangs: %v", c)
	}
	return c
}

// must runs a command that must succeed, and decodes the JSON that it prints into v, unless v is nil.
func (t *harness) must(v any, args ...string) {
	c := t.lectern(args...)
	err := c.err
	if err == nil && v != nil {
		err = json.Unmarshal([]byte(c.out.String()), v)
	}
	if err != nil {
		fail("%v: %v", err, c)
	}
}

// begin creates the database, its tenants and keys, and starts the servers.
func (t *harness) begin() {
	t.store.create()
	for _, name := range []string{"acme", "bravo"} {
		t.beginPartner(name)
		t.beginLibrary(name)
	}
	for range map[string]int{sqlite: 1, postgres: 2}[t.scenario.Engine] {
		s := t.newServer()
		t.servers = append(t.servers, s)
		t.serve(s)
	}
}

// newServer returns a server that is not started yet.
func (t *harness) newServer() *server {
	s := &server{}
	s.port, s.proxy = behindProxy()
	return s
}

// serve starts a server and waits until it listens.
func (t *harness) serve(s *server) {
	offset, began := t.clock.offset, time.Now()
	s.began.Store(&serverClock{offset: offset})
	args := []string{"serve", "--addr", "127.0.0.1:" + s.port, "--admin-addr=", "--log-level", "error"}
	for _, api := range []string{"directory", "schools", "libraries"} {
		args = append(args, "--"+api+"-rate", strconv.Itoa(t.scenario.rate()))
	}
	s.command = t.product.start(append(t.env(), "LECTERN_DB="+cmp.Or(s.db, t.store.url())), t.clock.now(), args...)
	for s.runs() && time.Since(began) < patience {
		if conn, err := net.Dial("tcp", "127.0.0.1:"+s.port); err == nil {
			s.began.Store(&serverClock{offset, time.Since(began)})
			_ = conn.Close()
			return
		}
		time.Sleep(3 * time.Millisecond)
	}
	fail("does not listen: %v", s.command)
}

// kill kills a server.
func (s *server) kill() {
	if s.command != nil {
		_ = s.Process.Kill()
		<-s.done
	}
}

// restart kills a server, or ends it by SIGTERM as an operator does, and starts it again with the current clock.
func (t *harness) restart(s *server, kill bool) {
	if kill {
		s.kill()
		t.counts.kills.Add(1)
	} else {
		_ = s.Process.Signal(syscall.SIGTERM)
		if s.ended() != nil {
			fail("after SIGTERM: %v", s.command)
		}
	}
	t.client.CloseIdleConnections()
	t.serve(s)
}

// calm waits until every server answers after a fault.
func (t *harness) calm() {
	t.trouble = true
	until := time.Now().Add(patience)
	for _, s := range t.servers {
		for {
			a := t.get(s, t.partners[0].keys[0], schoolsPrefix+"/users", map[string]string{"pageSize": "7"}) // no pull has this size, so that this begins none again
			if a.status == 200 {
				break
			}
			if time.Now().After(until) {
				fail("%v after the fault: %s: %d %s %v", patience, a.what, a.status, a.body, a.err)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	t.trouble = false
}

// recovered waits until the servers answer after a fault, and compares the answers to all queries.
func (t *harness) recovered() {
	t.calm()
	t.everything(t.servers[0])
}
