package server_test

import (
	"net/http"
	"net/http/httptest"
)

// Entity tags in the model of pulls (H8): whatever was loaded, written, erased, withdrawn or removed, whatever the clock says and
// whichever server answers, no tag ever names other bytes than before; and who sends one back has a 304 from each server exactly as
// long as it is that of the answer.

// tags are what every tag named, and the last tag of each request.
type tags struct {
	named map[string]string
	last  map[string]string
}

func newTags() *tags { return &tags{map[string]string{}, map[string]string{}} }

// tagged holds an answer against all those before. The request may be repeated with other headers, at a server.
func (m *pulling) tagged(r *http.Request, w *httptest.ResponseRecorder, send func(h http.Handler, header, value string) *httptest.ResponseRecorder) {
	tag, text := w.Header().Get("ETag"), w.Header().Get("Content-Type")+"\n"+w.Body.String()
	if had, ok := m.tags.named[tag]; tag == "" || ok && had != text {
		m.Fatalf("GET %s: the tag %s names\n%s\nand named\n%s", r.URL, tag, text, had)
	}
	m.tags.named[tag] = text
	request := r.URL.String() + r.Header.Get("X-Api-Key") + r.Header.Get("Accept")
	for _, h := range m.servers {
		had := send(h, "If-None-Match", tag)
		if had.Code != 304 || had.Body.Len() > 0 {
			m.Fatalf("GET %s with its tag = %d %s", r.URL, had.Code, had.Body)
		}
		for _, name := range []string{"ETag", "X-Snapshot", "X-Total-Rows"} {
			if had.Header().Get(name) != w.Header().Get(name) {
				m.Fatalf("GET %s with its tag has the %s %q, without it %q", r.URL, name, had.Header().Get(name), w.Header().Get(name))
			}
		}
		if last := m.tags.last[request]; last != "" && last != tag {
			if w := send(h, "If-None-Match", last); w.Code != 200 || w.Header().Get("Content-Type")+"\n"+w.Body.String() != text {
				m.Fatalf("GET %s with a former tag = %d\n%s\nwithout it\n%s", r.URL, w.Code, w.Body, text)
			}
		}
	}
	m.tags.last[request] = tag
}
