// Package proxy passes TCP connections on and injects faults into them, for the trials and the benchmarks.
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
	Slow   atomic.Int64 // nanoseconds before each piece is passed on
	Frozen atomic.Bool  // nothing is passed on, and nothing is closed

	ln   net.Listener
	to   string
	mu   sync.Mutex
	open map[net.Conn]bool
}

// New returns a proxy on a free port of 127.0.0.1.
func New(to string) (*Proxy, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	p := &Proxy{ln: ln, to: to, open: map[net.Conn]bool{}}
	if err == nil {
		go p.accept()
	}
	return p, err
}

// Addr is the address at which the proxy listens.
func (p *Proxy) Addr() string { return p.ln.Addr().String() }

func (p *Proxy) accept() {
	for {
		c, err := p.ln.Accept()
		if err != nil {
			return
		}
		go p.pass(c)
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
	for _, way := range [][2]net.Conn{{c, s}, {s, c}} {
		wg.Go(func() {
			p.copy(way[1], way[0])
			way[1].Close()
		})
	}
	wg.Wait()
}

// note notes an open connection, until the function that it returns closes it.
func (p *Proxy) note(c net.Conn) func() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open[c] = true
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

// Cut closes the open connections. New ones are passed on.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.open {
		c.Close()
	}
}

// Close closes the proxy and its connections.
func (p *Proxy) Close() {
	p.ln.Close()
	p.Frozen.Store(false)
	p.Cut()
}
