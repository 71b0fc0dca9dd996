package server

import (
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// TestUnansweredConnections tests that a new connection waits for a place, and is accepted without one after
// acceptWait.
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
			{second, http.StateClosed, 0}, // it has no place
			{third, http.StateNew, acceptWait},
			{first, http.StateIdle, 0},
			{second, http.StateNew, 0},
			{first, http.StateActive, 0},
			{first, http.StateClosed, 0}, // it has already given its place back
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
