package clients_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// TestTools runs third-party tools against a running server: those that partners and BI people use, and promtool, which
// operators use. The versions of the former are in tools/package.json.
func TestTools(t *testing.T) {
	s := serve(t)
	s.attachMany(t)
	// It installs what the lock has. npm ci would need DuckDB's packages for every system, and a registry may have only some.
	s.run(t, "tools", "npm", "install", "--no-save", "--no-audit", "--no-fund")
	t.Run("newman", s.newman)
	t.Run("prism", s.prism)
	t.Run("specmatic", s.specmatic)
	t.Run("promtool", s.promtool)
	t.Run("duckdb", s.duckdb)
}

// newman runs a collection of requests as Postman does: pages of a list, and calls of the directory that the collection's own script signs
// with each digest.
func (s *server) newman(t *testing.T) {
	want := s.sums(t)
	variables := map[string]string{"url": s.url, "schools": s.schools, "keyId": s.keyID, "secret": s.secret, "page": "1", "users": fmt.Sprint(want.Users), "school": s.school(t)}
	args := []string{"--no-install", "newman", "run", "collection.json", "--reporters", "cli,json", "--reporter-json-export", filepath.Join(t.TempDir(), "report.json")}
	for name, value := range variables {
		args = append(args, "--env-var", name+"="+value)
	}
	s.run(t, "tools", "npx", args...)
	var report struct {
		Run struct {
			Stats    struct{ Requests, Assertions struct{ Total, Failed int } }
			Failures []json.RawMessage
		}
	}
	text, err := os.ReadFile(args[7])
	if err != nil || json.Unmarshal(text, &report) != nil {
		t.Fatalf("the report has %d bytes, %v", len(text), err)
	}
	pages := (want.Users + 299) / 300
	if stats := report.Run.Stats; stats.Requests.Total != pages+18 || stats.Assertions.Total != pages+19 || len(report.Run.Failures) > 0 {
		t.Errorf("%+v, failures %s, want %d requests", stats, report.Run.Failures, pages+18)
	}
}

// school returns the reference of a school in the feed.
func (s *server) school(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, "schools", "entities.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var e struct{ ReferenceID, EntityType string }
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		if e.EntityType == "school" {
			return e.ReferenceID
		}
	}
	t.Fatal("the feed has no school")
	return ""
}

// prism pulls lists through a proxy that refuses requests and responses that the document does not allow. The lists
// must be the same as without it.
func (s *server) prism(t *testing.T) {
	for _, api := range []string{"schools", "libraries"} {
		url := s.proxy(t, api)
		lists := 0
		for path, key := range s.lists(t) {
			if !strings.Contains(path, "/"+api+"/") {
				continue
			}
			for page := 1; page <= s.pages(t, path, key); page++ {
				path := fmt.Sprintf("%spageSize=100&page=%d", path, page)
				direct := s.get(t, path, key)
				through := s.through(t, url+path, key)
				if !sameJSON(through, direct) {
					t.Errorf("%s through the proxy is %.200s, want %.200s", path, through, direct)
				}
			}
			lists++
		}
		if lists < 3 {
			t.Errorf("%d lists of %s were pulled, want at least 3", lists, api)
		}
		// The proxy itself refuses what the document does not know, which shows that it validates.
		if answer := s.through(t, url+"/api-platform/"+api+"/v1/users?page=none", s.schools); !bytes.Contains(answer, []byte("stoplight.io/prism")) {
			t.Errorf("answer to a page that is not a number = %s, want one from the proxy", answer)
		}
	}
	t.Run("directory", s.prismDirectory)
}

// proxy starts a proxy that validates traffic against the document of an API, and returns its URL.
func (s *server) proxy(t *testing.T, api string) string {
	t.Helper()
	addr := free(t)
	_, port, _ := strings.Cut(addr, ":")
	s.background(t, "tools", "npx", "--no-install", "prism", "proxy", s.document(t, api), s.url, "--errors", "--host", "127.0.0.1", "--port", port)
	await(t, addr)
	return "http://" + addr
}

// sameJSON reports whether two documents are equal as JSON: the proxy writes 20.0 as 20.
func sameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// through returns the body of a proxy's response, whatever its status.
func (s *server) through(t *testing.T, url, key string) []byte {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Api-Key", key)
	r.Header.Set("Accept", "application/json")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var body bytes.Buffer
	if _, err := body.ReadFrom(res.Body); err != nil {
		t.Fatal(err)
	}
	return body.Bytes()
}

// promtool requests a page, reads the metrics as Prometheus does, and lints them.
func (s *server) promtool(t *testing.T) {
	s.get(t, "/api-platform/schools/v1/users", s.schools)
	res, err := http.Get("http://" + s.admin + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var text bytes.Buffer
	if _, err := text.ReadFrom(res.Body); err != nil || bytes.Count(text.Bytes(), []byte("\n")) < 100 {
		t.Fatalf("metrics of %d bytes, %v", text.Len(), err)
	}
	check := exec.CommandContext(t.Context(), "promtool", "check", "metrics")
	check.Stdin = &text
	if out, err := check.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("promtool: %v\n%s", err, out)
	}
}

// duckdb sums readings that were pulled in CSV and in NDJSON. The sums must be those of the JSON, to the last digit.
func (s *server) duckdb(t *testing.T) {
	dir := t.TempDir()
	rows, finished, tenths, hundredths := 0, 0, int64(0), int64(0)
	users, isbns, first := map[float64]bool{}, map[any]bool{}, ""
	const path = "/api-platform/schools/v1/readings"
	s.rows(t, path, 1000, s.schools, func(row map[string]any) {
		if rows++; row["finished"] == true {
			finished++
		}
		tenths += int64(row["readingMinutes"].(float64)*10 + 0.5)
		hundredths += int64(row["percent"].(float64)*100 + 0.5)
		users[row["userId"].(float64)] = true
		if isbn := row["book"].(map[string]any)["isbn"]; isbn != nil {
			isbns[isbn] = true
		}
		if at := row["firstReadAt"].(string); first == "" || at < first {
			first = at
		}
	})
	for page := 1; (page-1)*1000 < rows; page++ {
		for form, accept := range map[string]string{"csv": "text/csv", "ndjson": "application/x-ndjson"} {
			s.write(t, filepath.Join(dir, fmt.Sprintf("%d.%s", page, form)), s.getAs(t, accept, fmt.Sprintf("%s?page=%d&pageSize=1000", path, page), s.schools))
		}
	}
	tools, err := filepath.Abs("tools")
	if err != nil {
		t.Fatal(err)
	}
	at, err := time.Parse(time.RFC3339, first)
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf(`{"rows":%d,"minutes":"%d.%d","percent":"%d.%02d","finished":%d,"users":%d,"first":"%s","isbns":%d}`, rows, tenths/10, tenths%10,
		hundredths/100, hundredths%100, finished, len(users), at.Format(time.DateTime), len(isbns))
	var got map[string]json.RawMessage
	if out := s.run(t, dir, "node", filepath.Join(tools, "sums.mjs")); json.Unmarshal(out, &got) != nil || len(got) != 2 {
		t.Fatalf("DuckDB printed %s", out)
	}
	for form, sums := range got {
		if string(sums) != want {
			t.Errorf("sums of %s = %s, want %s", form, sums, want)
		}
	}
}
