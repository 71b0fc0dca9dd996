package web

import (
	"net/http"
	"path"
	"slices"
	"strconv"
	"sync"

	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/server/internal/api/wire"
	"golang.org/x/sync/semaphore"
)

// Answers writes the successful answers of GET (H8). The zero value is ready.
type Answers struct {
	// Build returns a text that differs between programs that may write other bytes for the same data; nil is for a single
	// program.
	Build func() string
	// Kept keeps bodies as they were sent, except those that show people; nil keeps none.
	Kept snapshot.Cache
	// Slots bounds how many replies are read at once, since each takes memory and database connections. Nil sets no bound.
	Slots *semaphore.Weighted
}

// keptBuffer is the largest buffer that goes back into the pool, so that one huge answer does not keep its memory.
const keptBuffer = 4 << 20

const jsonType = "application/json; charset=utf-8"

// WriteJSON answers 200 with the object whose members a function writes, or 304 without a body if the client has it already. The
// body is complete in memory before the status is sent. Its entity tag is weak and depends only on the text, not on the coding,
// so that a client may change the codings it accepts.
func (a *Answers) WriteJSON(w http.ResponseWriter, r *http.Request, members func(*wire.Writer)) {
	text := texts.Get().(*[]byte)
	defer release(text)
	*text = wire.AppendJSON((*text)[:0], members)
	b := pack(*text, acceptedCodings(r.Header.Values("Accept-Encoding")), false)
	b.tag = entityTag(*text)
	b.write(w, r, jsonType)
}

// WriteJSON sends an object with a status other than 200. It is complete before the status is sent, has no entity tag and is not
// compressed.
func WriteJSON(w http.ResponseWriter, status int, members func(*wire.Writer)) {
	body := wire.AppendJSON(nil, members)
	h := w.Header()
	h.Set("Content-Type", jsonType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	w.Write(body)
}

// body is a body as it is sent, with the total and the entity tag of its answer. It has no bytes if the client has them.
type body struct {
	bytes       []byte
	coding, tag string
	total       int64
}

// Bytes implements snapshot.Value.
func (b *body) Bytes() int { return len(b.bytes) + len(b.tag) + 64 }

func (b *body) write(w http.ResponseWriter, r *http.Request, contentType string) {
	h := w.Header()
	h.Set("ETag", b.tag)
	h.Set("Cache-Control", "private, no-cache")
	h.Set("Vary", "Accept, Accept-Encoding, Authorization, X-Api-Key")
	if matches(r.Header.Values("If-None-Match"), b.tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if b.coding != identity {
		h.Set("Content-Encoding", b.coding)
	}
	if contentType == wire.XLSXType { // the name of the route: a person has it as a file
		h.Set("Content-Disposition", `attachment; filename="`+path.Base(r.URL.Path)+`.xlsx"`)
	}
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", strconv.Itoa(len(b.bytes)))
	w.WriteHeader(http.StatusOK)
	w.Write(b.bytes)
}

// pack returns the body of a text, which it copies. A text that is compressed already is sent as it is if the client allows that.
func pack(text []byte, q codings, compressed bool) *body {
	b := &body{coding: q.choose(compressed || len(text) < plainBelow)}
	if b.coding == identity {
		b.bytes = slices.Clone(text)
	} else {
		b.bytes = encode(make([]byte, 0, len(text)/4), b.coding, text)
	}
	return b
}

// texts has buffers for bodies before they are packed.
var texts = sync.Pool{New: func() any { return new([]byte) }}

// release gives a buffer back, unless it is larger than keptBuffer.
func release(b *[]byte) {
	if cap(*b) <= keptBuffer {
		texts.Put(b)
	}
}
