package main

import (
	"bytes"
	"slices"
)

// ndjson requests values of a path as NDJSON and compares the rows, in any order. Formats of the same rows are compared by the tests
// of the server: NDJSON is requested here so that formats share caches and snapshots.
func (t *tenant) ndjson(s *server, p *pull, values map[string]string, want []row) {
	a := t.getForm(s, p.key, p.path, values, "application/x-ndjson")
	if !t.allowed(a) {
		return
	}
	var got []string
	for l := range bytes.Lines(a.body) {
		r, err := decoded(l)
		if err != nil {
			fail("%s as NDJSON: %d %v: %s", a.what, a.status, err, a.body)
		}
		got = append(got, line(r))
	}
	if want := lines(want); !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))) {
		fail("%s as NDJSON is %d\n%v, want\n%v", a.what, a.status, got, want)
	}
}
