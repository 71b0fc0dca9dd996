package directoryapi

import (
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

const (
	// lingerFor is how long a client may say nothing, and lingerAll how long all of its saying may take.
	lingerFor = 2 * time.Second
	lingerAll = 10 * time.Second
	// lingerBytes is how much of what it says is read: the whole of a body that is not much too large, as most such are.
	lingerBytes = 2 * maxBody
	// maxLingering is how many connections are waited for at a time.
	maxLingering = 1000
)

// lingering counts the connections that are waited for. The zero value is ready to use.
type lingering struct{ n atomic.Int32 }

// letGo takes the connection of a request that was answered before its body was read away from net/http, which would keep all
// that it has of the request while it waits for the client to read the answer: in a flood of such requests, most of the
// memory. It does nothing where the body was read, and where the connection is not the server's to take, as with HTTP/2.
func (l *lingering) letGo(w http.ResponseWriter) {
	if w.Header().Get("Connection") != "close" {
		return
	}
	c := http.NewResponseController(w)
	if c.Flush() != nil {
		return
	}
	conn, _, err := c.Hijack()
	if err != nil {
		return
	}
	go func() {
		defer conn.Close()
		defer l.n.Add(-1)
		if l.n.Add(1) <= maxLingering {
			linger(conn)
		}
	}()
}

// linger reads what is on its way for a while before its connection is closed: closed at once, it would be reset, and the
// answer with it, for a client that sends the whole of a body before it reads.
func linger(conn net.Conn) {
	if half, ok := conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
	end := time.Now().Add(lingerAll)
	some := make([]byte, 512)
	for n := 0; n < lingerBytes; {
		until := time.Now().Add(lingerFor)
		if end.Before(until) {
			until = end
		}
		if conn.SetReadDeadline(until) != nil {
			return
		}
		m, err := conn.Read(some)
		if err != nil {
			return
		}
		n += m
	}
}
