package web

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/lectern-dev/lectern/server/internal/wire"
)

// Answers writes the successful answers of GET (H8). The zero value is ready; it holds pools and must not be copied.
type Answers struct {
	bodies sync.Pool // of *[]byte
	coder  coder
}

// plainBelow is the size under which a body is sent as it is: smaller ones gain nothing by compression.
const plainBelow = 1 << 10

// keptBuffer is the largest buffer that goes back into the pool, so that one huge answer does not hold its memory.
const keptBuffer = 4 << 20

// WriteJSON answers 200 with the object whose members a function writes, or 304 without a body when the client has it already.
// The body is complete in memory before the status is sent. Its entity tag is weak and depends on its text alone, not on
// the coding, so that a client may change the codings it accepts.
func (a *Answers) WriteJSON(w http.ResponseWriter, r *http.Request, members func(*wire.Writer)) {
	buf := a.buffer()
	*buf = wire.AppendJSON((*buf)[:0], members)
	a.write(w, r, jsonType, *buf)
	a.release(buf)
}

const jsonType = "application/json; charset=utf-8"

// WriteJSON answers with a status other than 200 of a GET: the object whose members a function writes, complete before the
// status is sent, without an entity tag and not compressed.
func WriteJSON(w http.ResponseWriter, status int, members func(*wire.Writer)) {
	body := wire.AppendJSON(nil, members)
	h := w.Header()
	h.Set("Content-Type", jsonType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	w.Write(body)
}

func (a *Answers) write(w http.ResponseWriter, r *http.Request, contentType string, body []byte) {
	tag := entityTag(body)
	h := w.Header()
	h.Set("ETag", tag)
	h.Set("Cache-Control", "private, no-cache")
	h.Set("Vary", "Accept, Accept-Encoding, Authorization, X-Api-Key")
	if matches(r.Header.Values("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	packed := contentType == wire.XLSXType
	coding := negotiate(r.Header.Values("Accept-Encoding"), packed || len(body) < plainBelow)
	if coding != identity {
		buf := a.buffer()
		defer a.release(buf)
		*buf = a.coder.encode((*buf)[:0], coding, body)
		body = *buf
		h.Set("Content-Encoding", coding)
	}
	if packed { // the name of the route: a person has it as a file
		h.Set("Content-Disposition", `attachment; filename="`+path.Base(r.URL.Path)+`.xlsx"`)
	}
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	w.Write(body)
}

func (a *Answers) buffer() *[]byte {
	if b, ok := a.bodies.Get().(*[]byte); ok {
		return b
	}
	return new([]byte)
}

func (a *Answers) release(b *[]byte) {
	if cap(*b) <= keptBuffer {
		a.bodies.Put(b)
	}
}

// entityTag returns the weak tag of a body: 128 bits of its SHA-256.
func entityTag(body []byte) string {
	sum := sha256.Sum256(body)
	return `W/"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`
}

// matches reports whether an If-None-Match header names the tag, by weak comparison, or any tag by `*`. What is no list
// of entity tags ends it.
func matches(lines []string, tag string) bool {
	tag = strings.TrimPrefix(tag, "W/")
	list := strings.Join(lines, ",")
	for {
		list = strings.TrimLeft(list, " \t,")
		if strings.HasPrefix(list, "*") {
			return true
		}
		list = strings.TrimPrefix(list, "W/")
		if !strings.HasPrefix(list, `"`) {
			return false
		}
		end := strings.IndexByte(list[1:], '"')
		if end < 0 {
			return false
		}
		if list[:end+2] == tag {
			return true
		}
		list = list[end+2:]
	}
}
