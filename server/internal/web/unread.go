package web

import (
	"io"
	"net/http"
	"time"

	"golang.org/x/sync/semaphore"
)

const (
	// discardTimeout is how long the server goes on reading a body that it does not want, and discardBytes how much of it.
	discardTimeout = 5 * time.Second
	discardBytes   = 2 << 20
	// maxDiscards is how many connections it does so for at a time: each keeps the memory of its request meanwhile.
	maxDiscards = 100
)

// CloseUnread closes the connection of a request whose body is not read, as soon as it is answered. net/http would first wait for
// the body, so that the connection can be used again. A handler that has read the body deletes the header Connection.
//
// A connection that is closed while its client still sends is reset, and the answer may be lost with it. So the server reads
// what comes for a while, for some connections at a time; those beyond are closed at once.
func CloseUnread(next http.Handler) http.Handler {
	places := semaphore.NewWeighted(maxDiscards)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength == 0 {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Connection", "close")
		next.ServeHTTP(w, r)
		if w.Header().Get("Connection") == "close" {
			discard(w, r, places)
		}
	})
}

// discard sends the answer, and reads what the client still sends where there is a place.
func discard(w http.ResponseWriter, r *http.Request, places *semaphore.Weighted) {
	c := http.NewResponseController(w)
	if c.Flush() != nil {
		return
	}
	if places.TryAcquire(1) {
		defer places.Release(1)
		if c.SetReadDeadline(time.Now().Add(discardTimeout)) == nil {
			_, _ = io.CopyN(io.Discard, r.Body, discardBytes)
		}
	}
	_ = c.SetReadDeadline(time.Now()) // ends net/http's own reading
}
