package web

import (
	"net/http"
	"time"
)

// unreadWait is how long the server goes on reading a body that it does not want. A connection that is closed while its client
// still sends is reset, and the answer may be lost with it.
const unreadWait = 500 * time.Millisecond

// CloseUnread closes the connection of a request whose body is not read, soon after it is answered. net/http would wait longer for
// the body, so that the connection can be used again. A handler that has read the body deletes the header Connection.
func CloseUnread(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength == 0 {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Connection", "close")
		next.ServeHTTP(w, r)
		if c := http.NewResponseController(w); w.Header().Get("Connection") == "close" && c.Flush() == nil {
			_ = c.SetReadDeadline(time.Now().Add(unreadWait)) // of net/http's own reading
		}
	})
}
