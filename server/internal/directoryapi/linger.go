package directoryapi

import (
	"net"
	"net/http"
	"time"
)

const (
	lingerFor   = 500 * time.Millisecond
	lingerBytes = 256 << 10
)

// letGo takes the connection of a request that was answered before its body was read away from net/http, which would keep all
// that it has of the request while it waits for the client to read the answer: in a flood of such requests, most of the
// memory. It does nothing where the body was read, and where the connection is not the server's to take, as with HTTP/2.
func letGo(w http.ResponseWriter) {
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
	go linger(conn)
}

// linger reads what is on its way for a moment before it closes the connection: closed at once, it would be reset, and the
// answer with it.
func linger(conn net.Conn) {
	defer conn.Close()
	if half, ok := conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
	_ = conn.SetDeadline(time.Now().Add(lingerFor))
	some := make([]byte, 512)
	for n := 0; n < lingerBytes; {
		m, err := conn.Read(some)
		if err != nil {
			return
		}
		n += m
	}
}
