package main

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// proxy passes connections on, slowly or not at all.
type proxy struct {
	ln     net.Listener
	to     string
	slow   atomic.Int64 // nanoseconds before each piece is passed on
	frozen atomic.Bool  // nothing is passed on, and nothing is closed
	mu     sync.Mutex
	open   map[net.Conn]bool
}

func newProxy(to string) *proxy {
	p := &proxy{ln: must(net.Listen("tcp", "127.0.0.1:0")), to: to, open: map[net.Conn]bool{}}
	go p.accept()
	return p
}

func (p *proxy) addr() string { return p.ln.Addr().String() }

func (p *proxy) accept() {
	for {
		c, err := p.ln.Accept()
		if err != nil {
			return
		}
		go p.pass(c)
	}
}

func (p *proxy) pass(c net.Conn) {
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
func (p *proxy) note(c net.Conn) func() {
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

func (p *proxy) copy(to io.Writer, from io.Reader) {
	piece := make([]byte, 16<<10)
	for {
		n, err := from.Read(piece)
		time.Sleep(time.Duration(p.slow.Load()))
		for p.frozen.Load() {
			time.Sleep(time.Millisecond)
		}
		if _, wrong := to.Write(piece[:n]); err != nil || wrong != nil {
			return
		}
	}
}

// cut closes what is open; new connections are passed on.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.open {
		c.Close()
	}
}

func (p *proxy) close() {
	p.ln.Close()
	p.frozen.Store(false)
	p.cut()
}
