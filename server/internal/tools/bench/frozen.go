package main

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// gate passes connections on to an address until it is locked. Then it passes nothing on and closes nothing, as a machine that hangs.
type gate struct {
	sync.RWMutex
	net.Listener
	to string
}

func newGate(to string) (*gate, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	g := &gate{Listener: listener, to: to}
	if err == nil {
		go g.accept()
	}
	return g, err
}

func (g *gate) accept() {
	for {
		client, err := g.Accept()
		if err != nil {
			return
		}
		if server, err := net.Dial("tcp", g.to); err == nil {
			go g.pass(client, server)
			go g.pass(server, client)
		}
	}
}

func (g *gate) pass(from, to net.Conn) {
	defer to.Close()
	piece := make([]byte, 16<<10)
	for {
		n, err := from.Read(piece)
		g.RLock()
		_, failed := to.Write(piece[:n])
		g.RUnlock()
		if err != nil || failed != nil {
			return
		}
	}
}

// frozen measures how long a server takes to leave a primary that hangs for another one: until a request is answered within a second.
func (t networks) frozen(ctx context.Context) {
	const times = 2
	var left samples
	for round := range times {
		t.each(round, func(i int, n *network) { left.add(i, n.freeze(ctx).Seconds()) })
	}
	n, worst := t.now(), left.by(slices.Max)
	n.line(fmt.Sprintf("\nA frozen primary is left after so many seconds, the worst of %d: %s.", times, worst.cell(seconds)))
	n.reached(frozenPrimary, worst.now(), "frozen")
}

// freeze starts a server that has two ways to the database, freezes the first one, and returns how long requests had no answer.
func (n *network) freeze(ctx context.Context) time.Duration {
	u := must(url.Parse(n.db))
	g := must(newGate(u.Host))
	defer g.Close()
	u.RawQuery = "sslmode=disable" // and Lectern's own time to connect
	through := *n
	through.db = strings.Replace(u.String(), u.Host, g.Addr().String()+","+u.Host, 1)
	s := through.start(ctx)
	defer s.stop()
	for range 20 {
		s.call("/users?pageSize=2", "")
	}
	g.Lock()
	defer g.Unlock()
	for start := time.Now(); ; {
		took, _, _, err := s.try("/users?pageSize=2", "")
		if left := time.Since(start); err == nil && took < 1e9 || left > time.Minute {
			return left // an earlier commit may never leave it
		}
	}
}
