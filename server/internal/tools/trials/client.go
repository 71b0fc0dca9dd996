package main

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lectern-dev/lectern/auth"
)

// An answer is the answer of a server to a call. Its status is 0 if the server did not answer.
type answer struct {
	what     string
	status   int
	header   http.Header
	body     []byte
	err      error
	log      string    // of the server, if the status is 5xx
	from, to time.Time // the server's clock during the call was between them
}

func (a *answer) snapshot() string { return a.header.Get("X-Snapshot") }

// A call is a request.
type call struct {
	method, path string
	query        url.Values
	header       http.Header
	body         []byte
}

// ask sends a call to a server.
func (t *harness) ask(s *server, c call) *answer {
	target := c.path
	if len(c.query) > 0 {
		target += "?" + c.query.Encode()
	}
	a := &answer{what: c.method + " " + target, header: http.Header{}}
	req := must(http.NewRequest(c.method, "http://"+s.proxy.Addr()+target, bytes.NewReader(c.body)))
	for name, values := range c.header {
		req.Header[name] = values
	}
	req.Header.Set("User-Agent", "trials")
	a.from = s.earliest()
	res, err := t.client.Do(req)
	if err == nil {
		defer res.Body.Close()
		a.status, a.header = res.StatusCode, res.Header
		a.body, err = io.ReadAll(res.Body)
	}
	if a.to, a.err = s.latest(), err; err != nil {
		a.status = 0
	} else if a.status >= 500 {
		log := s.errs.String()
		a.log = log[max(0, len(log)-2000):]
	}
	t.counts.answers.Add(1)
	t.log("%s to %s: %d %s", a.what, s.port, a.status, a.snapshot())
	return a
}

// get sends a GET to one of the reading APIs and asks for JSON.
func (t *harness) get(s *server, k *apiKey, path string, values map[string]string) *answer {
	return t.getForm(s, k, path, values, "*/*")
}

// getForm sends a GET for a format, given by its media type.
func (t *harness) getForm(s *server, k *apiKey, path string, values map[string]string, form string) *answer {
	q := url.Values{}
	for name, v := range values {
		q.Set(name, v)
	}
	t.calls++
	return t.ask(s, call{method: "GET", path: path, query: q, header: http.Header{"X-Api-Key": {k.nth(t.calls)}, "Accept": {form}}})
}

// getAs sends a GET with a text as the key, which need not be a valid key.
func (t *harness) getAs(s *server, key, path string) *answer {
	return t.ask(s, call{method: "GET", path: path, header: http.Header{"X-Api-Key": {key}}})
}

// signed sends a signed call to the directory. The path is below its prefix, with references escaped.
func (t *partnerSide) signed(s *server, method, path string, body row) *answer {
	req := must(http.NewRequest(method, "http://lectern/api/v2/partners"+path, nil))
	var text []byte
	if body != nil {
		text, _ = json.Marshal(body)
		req.Header.Set("Content-Type", "application/json")
	}
	auth.Signer{ID: t.directoryKey.id, Secret: t.directoryKey.secret, Digest: auth.SHA256, Now: t.clock.now}.Sign(req, text)
	return t.ask(s, call{method: method, path: req.URL.EscapedPath(), query: req.URL.Query(), header: req.Header, body: text})
}

// allowed checks that a call fails only as a fault explains: without an answer or with 503 if t.trouble, with 5xx if t.damaged.
// It reports whether there is an answer to compare.
func (t *harness) allowed(a *answer) (said bool) {
	switch {
	case a.status == 503 && a.header.Get("Retry-After") == "":
		fail("%s: 503 without Retry-After: %s", a.what, a.body)
	case a.status == 0 && t.trouble, a.status == 503 && t.trouble:
		return false
	case a.status >= 500 && t.damaged:
		return false
	case a.status == 0:
		fail("%s: no answer: %v", a.what, a.err)
	case a.status >= 500:
		fail("%s: %d %s\n%s", a.what, a.status, a.body, a.log)
	}
	return true
}

// page is a page of a list of the reading APIs.
type page struct {
	rows, removed []row
	total         int
	meta, data    row
}

// decoded decodes JSON and keeps numbers as they are written.
func decoded(body []byte) (r row, err error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	err = d.Decode(&r)
	return r, err
}

// page decodes an answer that must be 200. It returns nil if a fault explains that the call failed.
func (t *harness) page(a *answer) *page {
	if !t.allowed(a) {
		return nil
	}
	r, err := decoded(a.body)
	if err != nil || a.status != 200 {
		fail("%s: %d %v %s", a.what, a.status, err, a.body)
	}
	p := &page{}
	p.meta, _ = r["meta"].(row)
	p.data, _ = r["data"].(row)
	of, _ := p.meta["page"].(row)
	p.total = num(of, "totalRows")
	list, _ := p.data["rows"].([]any)
	if entries, ok := r["entries"].([]any); ok { // of the directory
		list = entries
		p.meta, _ = r["metadata"].(row)
	}
	for _, v := range list {
		p.rows = append(p.rows, v.(row))
	}
	left, told := p.data["removed"].([]any)
	for _, v := range left {
		p.removed = append(p.removed, v.(row))
	}
	if asked := strings.Contains(a.what, "changedSince="); told != asked {
		fail("%s: data.removed is there: %v", a.what, told)
	}
	t.counts.rows.Add(int64(len(p.rows)))
	return p
}

// with returns a copy of a row, or of the values of a call, in which a member has another value.
func with[M ~map[string]V, V any](r M, name string, v V) M {
	r = maps.Clone(r)
	if r == nil {
		r = M{}
	}
	r[name] = v
	return r
}

// paged returns the parameters of a request for a page.
func paged(values map[string]string, page, size int, snapshot string) map[string]string {
	v := with(with(values, "page", strconv.Itoa(page)), "pageSize", strconv.Itoa(size))
	if snapshot != "" {
		v["snapshot"] = snapshot
	}
	return v
}

// ndjson requests a page as NDJSON and compares the rows, in any order, with the possible ones. The server's tests
// compare the formats of the same rows. Here the formats also share caches and snapshots.
func (t *tenant) ndjson(s *server, p *pull, values map[string]string, possible ...[]row) {
	a := t.getForm(s, p.key, p.path, values, "application/x-ndjson")
	if !t.allowed(a) {
		return
	}
	var got []row
	for l := range bytes.Lines(a.body) {
		r, err := decoded(l)
		if err != nil {
			fail("%s as NDJSON: %d %v: %s", a.what, a.status, err, a.body)
		}
		got = append(got, r)
	}
	sorted := func(rows []row) []string { return slices.Sorted(slices.Values(lines(rows))) }
	if !slices.ContainsFunc(possible, func(rows []row) bool { return slices.Equal(sorted(got), sorted(rows)) }) {
		fail("%s as NDJSON is %d\n%v, want one of\n%v", a.what, a.status, got, possible)
	}
}
