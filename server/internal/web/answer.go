package web

import (
	"crypto/sha256"
	"encoding/base64"
	"iter"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/lectern-dev/lectern/server/internal/wire"
)

// Answers writes the successful answers of GET (H8). The zero value is ready; it holds pools and must not be copied.
type Answers struct {
	// Build returns a text that no two programs share which may write other bytes of the same; nil is for one program alone.
	Build func() string
	// Kept keeps bodies as they were sent, but for those that show people; nil keeps none.
	Kept Bodies

	bodies  sync.Pool // of *[]byte
	coder   coder
	makings makings
}

// keptBuffer is the largest buffer that goes back into the pool, so that one huge answer does not hold its memory.
const keptBuffer = 4 << 20

// WriteJSON answers 200 with the object whose members a function writes, or 304 without a body when the client has it already.
// The body is complete in memory before the status is sent. Its entity tag is weak and depends on its text alone, not on
// the coding, so that a client may change the codings it accepts.
func (a *Answers) WriteJSON(w http.ResponseWriter, r *http.Request, members func(*wire.Writer)) {
	buf := a.buffer()
	*buf = wire.AppendJSON((*buf)[:0], members)
	s := sent{tag: entityTag(*buf), contentType: jsonType}
	if !s.had(r) {
		s.coding = wantedBy(r, false).of(len(*buf))
		buf = a.pack(buf, s.coding)
	}
	s.body = *buf
	s.write(w, r)
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

// sent is an answer as it is sent. It has no body where the client has it.
type sent struct {
	tag, contentType, coding string
	body                     []byte
}

// had reports whether the client has the answer already.
func (s sent) had(r *http.Request) bool { return matches(r.Header.Values("If-None-Match"), s.tag) }

func (s sent) write(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("ETag", s.tag)
	h.Set("Cache-Control", "private, no-cache")
	h.Set("Vary", "Accept, Accept-Encoding, Authorization, X-Api-Key")
	if s.had(r) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if s.coding != identity {
		h.Set("Content-Encoding", s.coding)
	}
	if s.contentType == wire.XLSXType { // the name of the route: a person has it as a file
		h.Set("Content-Disposition", `attachment; filename="`+path.Base(r.URL.Path)+`.xlsx"`)
	}
	h.Set("Content-Type", s.contentType)
	h.Set("Content-Length", strconv.Itoa(len(s.body)))
	w.WriteHeader(http.StatusOK)
	w.Write(s.body)
}

// pack returns a body in a coding; the buffer is given up for the one returned.
func (a *Answers) pack(body *[]byte, coding string) *[]byte {
	if coding == identity {
		return body
	}
	packed := a.buffer()
	*packed = a.coder.encode((*packed)[:0], coding, *body)
	a.release(body)
	return packed
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

// entityTag returns the weak tag of a body.
func entityTag(body []byte) string { return `W/"` + digest(body) + `"` }

// digest is 128 bits of a SHA-256, as text.
func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// matches reports whether an If-None-Match header names the tag, by weak comparison, or any tag by `*`.
func matches(lines []string, tag string) bool {
	tag = strings.TrimPrefix(tag, "W/")
	for t := range entityTags(lines) {
		if t == tag || t == "*" {
			return true
		}
	}
	return false
}

// entityTags yields the tags of an If-None-Match header in their quotes, or `*`, which ends the list. What is no list of entity tags
// ends it too.
func entityTags(lines []string) iter.Seq[string] {
	return func(yield func(string) bool) {
		list := strings.Join(lines, ",")
		for {
			list = strings.TrimLeft(list, " \t,")
			if strings.HasPrefix(list, "*") {
				yield("*")
				return
			}
			list = strings.TrimPrefix(list, "W/")
			if !strings.HasPrefix(list, `"`) {
				return
			}
			end := strings.IndexByte(list[1:], '"')
			if end < 0 || !yield(list[:end+2]) {
				return
			}
			list = list[end+2:]
		}
	}
}
