package main

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// counts is how much the scenarios have done so far.
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
	trouble  bool // a fault is under way: 503 and lost connections are to be expected
	log      func(format string, args ...any)

	partners  []*partnerSide
	libraries []*librarySide
	tenants   []*tenant // all of these
	dead      []string  // keys that ended
	promoted  bool
	damaged   bool // a bit is flipped, or the disk is full: 500 is to be expected
	disk      *disk
}

// server is a running lectern serve, behind a proxy.
type server struct {
	*command
	port  string
	proxy *proxy
	db    string        // where it is not that of the trial
	since time.Duration // its clock is at most so much behind that of the trial, as it was when it began
	off   time.Duration
	mu    sync.Mutex // of the two: a server may be started again in the middle of a call
}

func (s *server) latest() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Now().Add(s.off)
}

func (s *server) earliest() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Now().Add(s.off - s.since)
}

// runs notes when a server's clock began, and how long it may have taken.
func (s *server) runs(off, since time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.off, s.since = off, since
}

// secretKey seals the secrets of directory keys.
const secretKey = "LECTERN_SECRET_KEY=dHJpYWxzdHJpYWxzdHJpYWxzdHJpYWxzdHJpYWxzISE="

// env is what commands have in their environment.
func (t *harness) env() []string {
	return []string{secretKey, "LECTERN_DB=" + t.store.url(), "TMPDIR=" + t.dir}
}

// newHarness prepares a scenario on a new database.
func newHarness(p *product, s Scenario, f *counts, pg *cluster) (*harness, error) {
	dir, err := workFolder()
	if err != nil {
		return nil, err
	}
	t := &harness{product: p, scenario: s, dir: dir, counts: f, log: func(string, ...any) {}}
	t.store = &store{engine: s.Engine, dir: dir, pg: pg, name: fmt.Sprintf("trial_%d", time.Now().UnixNano())}
	t.client = &http.Client{Timeout: patience, Transport: &http.Transport{DisableCompression: true, TLSClientConfig: &tls.Config{}, MaxIdleConnsPerHost: 4}}
	if s.Disk && s.Engine == sqlite {
		if t.disk = newDisk(dir); t.disk != nil {
			t.store.dir = t.disk.at
		}
	}
	c := newChance(s.Seed)
	t.clock.put(time.Date(2026, 9, 10+c.IntN(12), 8+c.IntN(15), 5+c.IntN(15), 0, 0, brasilia))
	return t, nil
}

// close ends what runs and removes what was written.
func (t *harness) close() {
	for _, s := range t.servers {
		s.kill()
		s.proxy.close()
	}
	t.client.CloseIdleConnections()
	t.store.remove()
	t.disk.unmount()
	_ = os.RemoveAll(t.dir)
}

// lectern runs a command to its end.
func (t *harness) lectern(args ...string) (*command, error) {
	at := t.clock.now()
	for _, s := range t.servers { // clocks that were put since the servers began are those of loads
		if e := s.earliest(); e.Before(at) {
			at = e
		}
	}
	c, err := t.product.start(t.env(), at, args...)
	if err != nil {
		return nil, err
	}
	if err := c.ended(); errors.Is(err, errHangs) {
		return c, differs("%v: %v", err, c)
	}
	return c, nil
}

// must runs a command that must do well, and reads the JSON that it prints.
func (t *harness) must(v any, args ...string) error {
	c, err := t.lectern(args...)
	if err != nil {
		return err
	}
	if c.err != nil {
		return differs("%v", c)
	}
	if v != nil {
		if err := json.Unmarshal([]byte(c.out.String()), v); err != nil {
			return differs("%v: %v", err, c)
		}
	}
	return nil
}

// begin makes the database, its tenants and keys, and starts the servers.
func (t *harness) begin() error {
	if err := t.store.create(); err != nil {
		return err
	}
	for _, name := range []string{"acme", "bravo"} {
		if err := t.beginPartner(name); err != nil {
			return err
		}
		if err := t.beginLibrary(name); err != nil {
			return err
		}
	}
	n := 1
	if t.scenario.Engine == postgres {
		n = 2
	}
	for range n {
		port, err := freePort()
		if err != nil {
			return err
		}
		p, err := newProxy("127.0.0.1:" + port)
		if err != nil {
			return err
		}
		s := &server{port: port, proxy: p}
		t.servers = append(t.servers, s)
		if err := t.serve(s); err != nil {
			return err
		}
	}
	return nil
}

// serve starts a server and waits until it listens.
func (t *harness) serve(s *server) error {
	off, began := t.clock.offset, time.Now()
	s.runs(off, 0)
	args := []string{"serve", "--addr", "127.0.0.1:" + s.port, "--admin-addr=", "--log-level", "error"}
	for _, api := range []string{"directory", "schools", "libraries"} {
		args = append(args, "--"+api+"-rate", strconv.Itoa(t.scenario.rate()))
	}
	env := t.env()
	if s.db != "" {
		env = append(env, "LECTERN_DB="+s.db)
	}
	c, err := t.product.start(env, t.clock.now(), args...)
	if err != nil {
		return err
	}
	s.command = c
	for time.Since(began) < patience {
		if conn, err := net.Dial("tcp", "127.0.0.1:"+s.port); err == nil {
			s.runs(off, time.Since(began))
			return conn.Close()
		}
		select {
		case <-c.done:
			return differs("%v", c)
		case <-time.After(3 * time.Millisecond):
		}
	}
	return differs("does not listen: %v", c)
}

// kill ends a server at once.
func (s *server) kill() {
	if s.command != nil {
		_ = s.Process.Kill()
		<-s.done
	}
}

// restart ends a server, at once or as an operator does, and starts it again at the clock of now.
func (t *harness) restart(s *server, atOnce bool) error {
	if atOnce {
		s.kill()
		t.counts.kills.Add(1)
	} else {
		_ = s.Process.Signal(syscall.SIGTERM)
		if err := s.ended(); err != nil {
			return differs("after SIGTERM: %v", s.command)
		}
	}
	t.client.CloseIdleConnections()
	return t.serve(s)
}

// calm waits until every server answers after a fault.
func (t *harness) calm() error {
	t.trouble = true
	until := time.Now().Add(patience)
	for _, s := range t.servers {
		for {
			a := t.get(s, t.partners[0].keys[0], schoolsPrefix+"/users", map[string]string{"pageSize": "7"}) // as no pull asks, which this would begin anew
			if a.status == 200 {
				break
			}
			if time.Now().After(until) {
				return differs("%v after the fault: %s: %d %s %v", patience, a.what, a.status, a.body, a.err)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	t.trouble = false
	return nil
}

// recovered holds that after a fault everything is answered, and right.
func (t *harness) recovered() error {
	if err := t.calm(); err != nil {
		return err
	}
	return t.everything(t.servers[0])
}

func (t *harness) file(name string) string { return filepath.Join(t.dir, name) }
