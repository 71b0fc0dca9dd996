package examples_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/server"
)

var update = flag.Bool("update", false, "write what the examples print into their output.txt")

// bin is the folder of the programs under test: the examples, and lectern itself.
var bin string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	flag.Parse()
	dir, err := os.MkdirTemp("", "examples-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	// Without debug information they link in half the time.
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", dir, "./...", "../server/cmd/lectern")
	if out, err := build.CombinedOutput(); err != nil {
		panic("go build: " + err.Error() + "\n" + string(out))
	}
	bin = dir
	return m.Run()
}

// TestOutput runs every example that needs no server, and compares what it prints with its output.txt.
func TestOutput(t *testing.T) {
	folders, err := filepath.Glob("*/main.go")
	if err != nil || len(folders) != 7 {
		t.Fatalf("examples = %v, %v", folders, err)
	}
	for _, main := range folders {
		name := filepath.Dir(main)
		if name == "pull" || name == "incremental" { // TestPull, TestIncremental
			continue
		}
		t.Run(name, func(t *testing.T) {
			if b, err := os.ReadFile(main); err != nil || bytes.Count(b, []byte("\n")) > 40 {
				t.Errorf("%s has %d lines, %v, want 40 at most", main, bytes.Count(b, []byte("\n")), err)
			}
			got := program(t, name)
			file := filepath.Join(name, "output.txt")
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("it prints\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// TestPull pulls from a server that allows two requests a minute: what comes out is what the API answers on one page.
func TestPull(t *testing.T) {
	base, key, refused := serve(t)
	got := program(t, "pull", "-key", key, "-year", "2026", "-size", "2", base)
	if refused.Load() != 2 { // before the third and the fifth page
		t.Errorf("%d requests were refused, want 2", refused.Load())
	}
	url := base + "/api-platform/schools/v1/readings?startDate=2026-01-01&endDate=2026-12-31&pageSize=1000"
	if want := get(t, url, key, "text/csv"); !bytes.Equal(got, want) {
		t.Errorf("it prints\n%s\nthe API answers\n%s", got, want)
	}
	var list struct {
		Data struct{ Rows []json.RawMessage }
	}
	if err := json.Unmarshal(get(t, url, key, "application/json"), &list); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(bytes.NewReader(got)).ReadAll()
	if err != nil || len(list.Data.Rows) != 9 || len(lines) != 1+9 {
		t.Errorf("%d lines, %v, of %d rows, want a header and 9", len(lines), err, len(list.Data.Rows))
	}
}

// feed has three pupils with three books each.
var feed = map[string]string{
	"entities.csv": "referenceId,entityType,name,degree\nrede,network,Rede,F\n",
	"accounts.csv": "referenceId,kind,name,entityReferenceId,active\n" +
		"ana,reader,Ana,rede,true\nbia,reader,Bia,rede,true\ncaio,reader,Caio,rede,true\n",
	"books.csv": "bookId,title,length\n1,\"Grande sertão: veredas\",900\n2,\"Sagarana, \"\"contos\"\"\",600\n3,Primeiras estórias,300\n",
	"segments.csv": "segmentId,account,bookId,startedAt,durationMs,from,to,wpm\n" +
		"1,ana,1,2026-01-05T10:00:00-03:00,61000,0,300,200\n2,ana,2,2026-01-06T10:00:00-03:00,62000,0,300,200\n" +
		"3,ana,3,2026-02-05T10:00:00-03:00,63000,0,300,200\n4,bia,1,2026-02-06T10:00:00-03:00,64000,0,300,200\n" +
		"5,bia,2,2026-03-05T10:00:00-03:00,65000,0,300,200\n6,bia,3,2026-03-05T11:00:00-03:00,66000,0,300,200\n" +
		"7,caio,1,2026-03-06T10:00:00-03:00,67000,0,300,200\n8,caio,2,2026-03-07T10:00:00-03:00,68000,0,300,200\n" +
		"9,caio,3,2026-03-08T10:00:00-03:00,69000,0,300,200\n",
}

// loadFeed loads a feed of the partner into a database.
func loadFeed(t *testing.T, url string, feed map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, rows := range feed {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(rows), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	program(t, "lectern", "load", "schools", "--partner", "ana", dir, "--db", url)
}

// loaded returns a database with the feed, and a key of its network.
func loaded(t *testing.T) (url, key string) {
	t.Helper()
	url = "sqlite:" + filepath.Join(t.TempDir(), "lectern.db")
	program(t, "lectern", "partner", "create", "ana", "--name", "Ana", "--db", url)
	loadFeed(t, url, feed)
	var issued struct{ APIKey string }
	line := program(t, "lectern", "key", "issue", "schools", "--partner", "ana", "--network", "rede", "--db", url)
	if err := json.Unmarshal(line, &issued); err != nil {
		t.Fatal(err)
	}
	return url, issued.APIKey
}

// serve serves the feed and returns a key of its network, and how many requests were refused so far. Its clock stands one
// second before a full minute, so that a refused client is told to wait for one, and goes on to the next minute then.
func serve(t *testing.T) (base, key string, refused *atomic.Int64) {
	t.Helper()
	url, key := loaded(t)
	refused = new(atomic.Int64)
	now := func() time.Time {
		return time.Date(2026, 4, 1, 10, 0, 59, 0, time.UTC).Add(time.Duration(refused.Load()) * time.Minute)
	}
	s, err := server.New(t.Context(), server.Config{URL: url, SchoolsRate: 2, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.Handler().ServeHTTP(&refusals{w, refused}, r)
	}))
	t.Cleanup(site.Close)
	return site.URL, key, refused
}

// refusals counts the answers with status 429.
type refusals struct {
	http.ResponseWriter
	refused *atomic.Int64
}

func (w *refusals) WriteHeader(status int) {
	if status == http.StatusTooManyRequests {
		w.refused.Add(1)
	}
	w.ResponseWriter.WriteHeader(status)
}

// program runs a program in the folder of the module and returns what it prints.
func program(t *testing.T, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(bin, name), args...)
	var stderr bytes.Buffer
	cmd.Dir, cmd.Stderr = "..", &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, stderr.Bytes())
	}
	return out
}

// get returns the answer to a request, which must be 200; it is made again where it is refused.
func get(t *testing.T, url, key, accept string) []byte {
	t.Helper()
	for range 2 {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Api-Key", key)
		req.Header.Set("Accept", accept)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if res.StatusCode == http.StatusOK {
			return body
		}
	}
	t.Fatalf("GET %s is refused", url)
	return nil
}
