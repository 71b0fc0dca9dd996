package web_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/server/internal/api/web"
)

// TestCloseUnread tests that a request is answered before its body arrives. The connection is then closed, unless the
// handler has read the body.
func TestCloseUnread(t *testing.T) {
	s := httptest.NewServer(web.CloseUnread(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "PUT" {
			io.Copy(io.Discard, r.Body)
			w.Header().Del("Connection")
		}
		w.Header().Set("Content-Length", "1")
		io.WriteString(w, "a")
	})))
	defer s.Close()
	large := strings.Repeat("x", 2_000_000)
	tests := []struct {
		rule, head string
		before     string // the part of the body sent before the answer is read
		after      string
		closed     bool
	}{
		{"no body", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "", "", false},
		{"an empty body", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", "", "", false},
		{"a body that is read", "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n", "123456789", "", false},
		{"a body that comes late", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n", "", "123456789", true},
		{"a body that comes only in part", "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n\r\n", "12345", large[5:], true},
		{"a body without a length", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n", "", "123456789\r\n0\r\n\r\n", true},
		{"a large body before the answer is read", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n\r\n", large, "", true},
	}
	for _, tt := range tests {
		conn, err := net.Dial("tcp", s.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprint(conn, tt.head)
		if _, err := io.WriteString(conn, tt.before); err != nil {
			t.Errorf("%s: write of the body: %v", tt.rule, err)
		}
		answers := bufio.NewReader(conn)
		res, err := http.ReadResponse(answers, nil)
		if err != nil {
			t.Fatalf("%s: %v", tt.rule, err)
		}
		text, err := io.ReadAll(res.Body)
		if string(text) != "a" || err != nil || res.Close != tt.closed {
			t.Errorf("%s: %q, %v, Close %t, want a and %t", tt.rule, text, err, res.Close, tt.closed)
		}
		if !tt.closed {
			continue
		}
		io.WriteString(conn, tt.after)
		if rest, err := io.ReadAll(answers); len(rest) > 0 || err != nil {
			t.Errorf("%s: after the answer %q, %v, want the end of the connection", tt.rule, rest, err)
		}
	}
}
