package server

import (
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestNewcomers: of too many connections one that has sent nothing for a second is closed, the oldest; one whose first request
// is under way is not, and one that had its first answer counts no more, whatever it does next.
func TestNewcomers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNewcomers(3)
		var theirs, ours [5]net.Conn
		for i := range ours {
			theirs[i], ours[i] = net.Pipe()
			defer theirs[i].Close()
			defer ours[i].Close()
		}
		closed := func(i int) bool {
			_ = ours[i].SetReadDeadline(time.Now())
			_, err := ours[i].Read(make([]byte, 1))
			return errors.Is(err, io.ErrClosedPipe)
		}
		n.follow(ours[0], http.StateNew)
		n.follow(ours[0], http.StateActive)
		n.follow(ours[0], http.StateIdle) // answered
		n.follow(ours[0], http.StateActive)
		n.follow(ours[1], http.StateNew)
		n.follow(ours[1], http.StateActive)
		n.follow(ours[2], http.StateNew)
		n.follow(ours[3], http.StateNew)
		time.Sleep(silentFor)
		n.follow(ours[4], http.StateNew) // one too many
		got := []bool{closed(0), closed(1), closed(2), closed(3), closed(4)}
		if want := []bool{false, false, true, false, false}; !slices.Equal(got, want) {
			t.Errorf("closed connections: %v, want %v", got, want)
		}
	})
}

// TestNewcomersWait: where all have sent their request, the next connection waits for an answer, or for a while.
func TestNewcomersWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNewcomers(1)
		first, second, third := &net.TCPConn{}, &net.TCPConn{}, &net.TCPConn{}
		n.follow(first, http.StateNew)
		n.follow(first, http.StateActive)
		start := time.Now()
		go func() {
			time.Sleep(100 * time.Millisecond)
			n.follow(first, http.StateHijacked)
		}()
		n.follow(second, http.StateNew)
		if took := time.Since(start); took != 100*time.Millisecond {
			t.Errorf("the second waited %v, want until the first was answered", took)
		}
		n.follow(second, http.StateActive)
		start = time.Now()
		n.follow(third, http.StateNew)
		if took := time.Since(start); took != newcomersWait {
			t.Errorf("the third waited %v, want %v", took, newcomersWait)
		}
		for _, c := range []net.Conn{second, third} {
			n.follow(c, http.StateClosed)
		}
		if len(n.at)+len(n.asking)+n.silent.Len() != 0 {
			t.Errorf("after all have left %d and %d are known", len(n.at), len(n.asking))
		}
	})
}
