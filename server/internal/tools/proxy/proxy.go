// Package proxy passes TCP connections on and injects faults into them, for tests, the trials and the benchmarks.
package proxy

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// A Proxy passes connections on to an address, slowly or not at all.
type Proxy struct {
	Slow   atomic.Int64 // nanoseconds to wait before each piece of data is passed on
	Frozen atomic.Bool  // nothing is passed on, and nothing is closed

	ln      net.Listener
	to      string
	answers func(to io.Writer, from io.Reader)
	mu      sync.Mutex
	open    map[net.Conn]bool // nil after Close
	ended   sync.WaitGroup
}

// New returns a proxy on a free port of 127.0.0.1. If answers is not nil, it passes on what the server sends.
func New(to string, answers func(to io.Writer, from io.Reader)) (*Proxy, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	p := &Proxy{ln: ln, to: to, answers: answers, open: map[net.Conn]bool{}}
	if answers == nil {
		p.answers = p.copy
	}
	if err == nil {
		p.ended.Go(p.accept)
	}
	return p, err
}

// Addr returns the address on which the proxy listens.
func (p *Proxy) Addr() string { return p.ln.Addr().String() }

func (p *Proxy) accept() {
	for {
		c, err := p.ln.Accept()
		if err != nil {
			return
		}
		p.ended.Go(func() { p.pass(c) })
	}
}

func (p *Proxy) pass(c net.Conn) {
	defer p.note(c)()
	s, err := net.Dial("tcp", p.to)
	if err != nil {
		return
	}
	defer p.note(s)()
	var wg sync.WaitGroup
	wg.Go(func() {
		p.copy(s, c)
		s.Close()
	})
	p.answers(c, s)
	c.Close()
	wg.Wait()
}

// note records an open connection. The function that it returns closes and removes it.
func (p *Proxy) note(c net.Conn) func() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open == nil {
		c.Close()
	} else {
		p.open[c] = true
	}
	return func() {
		c.Close()
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.open, c)
	}
}

func (p *Proxy) copy(to io.Writer, from io.Reader) {
	piece := make([]byte, 16<<10)
	for {
		n, err := from.Read(piece)
		time.Sleep(time.Duration(p.Slow.Load()))
		for p.Frozen.Load() {
			time.Sleep(time.Millisecond)
		}
		if _, wrong := to.Write(piece[:n]); err != nil || wrong != nil {
			return
		}
	}
}

// Cut closes the open connections. The proxy still accepts new ones.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.open {
		c.Close()
	}
}

// Close closes the proxy and its connections, and waits until nothing is passed on.
func (p *Proxy) Close() {
	p.ln.Close()
	p.Frozen.Store(false)
	p.mu.Lock()
	open := p.open
	p.open = nil
	p.mu.Unlock()
	for c := range open {
		c.Close()
	}
	p.ended.Wait()
}
