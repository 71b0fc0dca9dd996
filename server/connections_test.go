package server

import (
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// A new connection waits for a place among those that have had no answer, and after a while it is accepted without one.
func TestUnansweredConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		state := boundUnanswered(1)
		first, second, third := &net.TCPConn{}, &net.TCPConn{}, &net.TCPConn{}
		steps := []struct {
			conn  net.Conn
			state http.ConnState
			wait  time.Duration
		}{
			{first, http.StateNew, 0},
			{first, http.StateActive, 0},
			{second, http.StateNew, acceptWait},
			{second, http.StateClosed, 0}, // it had no place
			{third, http.StateNew, acceptWait},
			{first, http.StateIdle, 0},
			{second, http.StateNew, 0},
			{first, http.StateActive, 0},
			{first, http.StateClosed, 0}, // it gave its place back before
			{first, http.StateNew, acceptWait},
			{second, http.StateHijacked, 0},
			{third, http.StateNew, 0},
		}
		for i, step := range steps {
			start := time.Now()
			if state(step.conn, step.state); time.Since(start) != step.wait {
				t.Errorf("step %d: %v waited %v, want %v", i, step.state, time.Since(start), step.wait)
			}
		}
	})
}
