package server

import (
	"container/list"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	// maxNewcomers is how many connections may be before the end of their first request at one time: each costs some 25 kB,
	// whoever opened it and whatever it sends.
	maxNewcomers = 1000
	// silentFor is how long a connection may send nothing while others wait for its place.
	silentFor = time.Second
	// newcomersWait bounds how long the next connection waits until one of so many is answered.
	newcomersWait = 5 * time.Second
)

// newcomers bounds the connections whose first request has not been answered, so that a flood of them does not take the memory.
// Where there are too many, one that has sent nothing for a while is closed; where there is none, the next connection waits
// until one is answered.
type newcomers struct {
	most int
	room chan struct{} // told when one was answered

	mu     sync.Mutex
	silent *list.List // of newcomer, those that have sent nothing, the oldest first
	at     map[net.Conn]*list.Element
	asking map[net.Conn]bool // whose first request is being answered
}

// newcomer is a connection that has sent nothing.
type newcomer struct {
	net.Conn
	since time.Time
}

func newNewcomers(most int) *newcomers {
	return &newcomers{
		most: most, room: make(chan struct{}, 1), silent: list.New(), at: map[net.Conn]*list.Element{}, asking: map[net.Conn]bool{},
	}
}

// follow is an http.Server's ConnState, which is called with a new connection before the next one is accepted.
func (n *newcomers) follow(c net.Conn, s http.ConnState) {
	switch s {
	case http.StateNew:
		if !n.enter(c) {
			n.wait()
		}
	case http.StateActive:
		n.asks(c)
	case http.StateIdle, http.StateHijacked, http.StateClosed:
		n.leave(c)
	}
}

// enter notes a new connection, and reports whether there is room for it, if need be that of one that is silent.
func (n *newcomers) enter(c net.Conn) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := time.Now()
	n.at[c] = n.silent.PushBack(newcomer{c, now})
	if len(n.at)+len(n.asking) <= n.most {
		return true
	}
	oldest := n.silent.Front().Value.(newcomer)
	if now.Sub(oldest.since) < silentFor {
		return false
	}
	n.forget(oldest.Conn)
	_ = oldest.Close()
	return true
}

// wait waits until a connection has been answered.
func (n *newcomers) wait() {
	select {
	case <-n.room:
	case <-time.After(newcomersWait):
	}
}

// asks notes that a request has come; of one that is not the connection's first nothing is known here.
func (n *newcomers) asks(c net.Conn) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.at[c] != nil {
		n.forget(c)
		n.asking[c] = true
	}
}

// leave notes that a connection has had its first answer, or is gone.
func (n *newcomers) leave(c net.Conn) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.forget(c)
	delete(n.asking, c)
	if len(n.at)+len(n.asking) <= n.most {
		select {
		case n.room <- struct{}{}:
		default:
		}
	}
}

func (n *newcomers) forget(c net.Conn) {
	if e := n.at[c]; e != nil {
		n.silent.Remove(e)
		delete(n.at, c)
	}
}
