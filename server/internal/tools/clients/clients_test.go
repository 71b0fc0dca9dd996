package clients_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"syscall"
	"testing"
	"time"
)

// goGenerator generates the Go clients. The generator for TypeScript is in typescript/package.json.
const goGenerator = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2"

var apis = []string{"schools", "libraries", "directory"}

// pulled has the sums over the pages that a client pulls.
type pulled struct {
	Users, InClass, Readings int
	Minutes, Percent         float64
	Titles                   int
	Share                    float64
	Classes, Refused         int
	Removed                  int64 // the sum of the keys of users who have left
}

// TestClients generates the clients of a running server, compiles them, and lets them pull pages. Each must see every
// row and the same sums, to the last bit, as this test.
func TestClients(t *testing.T) {
	s := serve(t)
	s.environment = append(s.environment, "CLIENTS_SINCE="+s.since(t))
	left := s.leave(t)
	want := s.sums(t)
	want.Removed = left
	if want.InClass == 0 || want.InClass == want.Users || want.Readings < 100 || want.Titles < 40 || want.Classes < 51 {
		t.Fatalf("the server has %+v: too little for a meaningful test", want)
	}
	for name, pull := range map[string]func(*testing.T, *server) []byte{"Go": pullInGo, "TypeScript": pullInTypeScript} {
		t.Run(name, func(t *testing.T) {
			var got pulled
			if out := pull(t, s); json.Unmarshal(out, &got) != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("the client printed %s, want %+v", out, want)
			}
		})
	}
}

func pullInGo(t *testing.T, s *server) []byte {
	for _, api := range apis {
		dir := filepath.Join("golang", "gen", api)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		s.run(t, ".", "go", "run", goGenerator, "-generate", "types,client", "-package", api, "-o", filepath.Join(dir, api+".go"), s.document(t, api))
	}
	return s.run(t, ".", "go", "run", "-tags", "clients", "./golang")
}

func pullInTypeScript(t *testing.T, s *server) []byte {
	const dir = "typescript"
	s.run(t, dir, "npm", "ci", "--no-audit", "--no-fund")
	for _, api := range apis {
		s.run(t, dir, "npx", "--no-install", "openapi-typescript", s.document(t, api), "-o", filepath.Join("gen", api+".d.ts"))
	}
	s.run(t, dir, "npx", "--no-install", "tsc")
	return s.run(t, dir, "node", filepath.Join("gen", "out", "pull.js"))
}

// since returns the X-Snapshot of the users.
func (s *server) since(t *testing.T) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", s.url+"/api-platform/schools/v1/users", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Api-Key", s.schools)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	return res.Header.Get("X-Snapshot")
}

// leave moves some accounts to another network, and returns the sum of their keys.
func (s *server) leave(t *testing.T) int64 {
	t.Helper()
	ids := func() (sum int64) {
		s.rows(t, "/api-platform/schools/v1/users", 1000, s.schools, func(row map[string]any) { sum += int64(row["userId"].(float64)) })
		return sum
	}
	before := ids()
	text, err := os.ReadFile(filepath.Join(s.dir, "schools", "accounts.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	var moved bytes.Buffer
	for line := range bytes.Lines(text) {
		account := map[string]any{}
		if err := json.Unmarshal(line, &account); err != nil {
			t.Fatal(err)
		}
		if account["entityReferenceId"] = "elsewhere"; account["kind"] == "reader" && moved.Len() < 1000 {
			if err := json.NewEncoder(&moved).Encode(account); err != nil {
				t.Fatal(err)
			}
		}
	}
	dir := t.TempDir()
	for name, rows := range map[string][]byte{"accounts": moved.Bytes(), "entities": []byte(`{"referenceId":"elsewhere","entityType":"network","name":"Outra","degree":"F"}`)} {
		if err := os.WriteFile(filepath.Join(dir, name+".ndjson"), rows, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.lectern(t, "load", "schools", "--partner", "clients", dir)
	return before - ids()
}

// server is a running server with generated data, and the keys for it.
type server struct {
	binary, db, url string
	admin           string // where /metrics is
	environment     []string
	schools, books  string // keys
	keyID, secret   string
	dir             string
}

// serve builds the binary, loads generated data, and serves them without rate limits until the test ends.
func serve(t *testing.T) *server {
	t.Helper()
	dir := t.TempDir()
	s := &server{binary: filepath.Join(dir, "lectern"), db: "sqlite:" + filepath.Join(dir, "lectern.db"), dir: dir}
	s.run(t, filepath.Join("..", "..", "..", ".."), "go", "build", "-o", s.binary, "./server/cmd/lectern")
	first := time.Now().AddDate(0, 0, -29).Format(time.DateOnly)
	s.lectern(t, "migrate")
	s.lectern(t, "partner", "create", "clients", "--name", "Clients")
	s.lectern(t, "library", "create", "clients", "--name", "Clients")
	for kind, users := range map[string]string{"schools": "2000", "libraries": "200"} {
		s.run(t, filepath.Join("..", "..", "..", ".."), "go", "run", "./server/internal/tools/generate/feed", "-days", "20", "-first", first, "-users", users,
			kind, filepath.Join(dir, kind))
	}
	s.lectern(t, "load", "schools", "--partner", "clients", filepath.Join(dir, "schools"))
	s.lectern(t, "load", "libraries", "--library", "clients", filepath.Join(dir, "libraries"))
	s.schools = s.issue(t, "schools", "--partner", "clients", "--network", "rede-1")["apiKey"]
	s.books = s.issue(t, "libraries", "--library", "clients")["apiKey"]
	key := s.issue(t, "directory", "--partner", "clients")
	s.keyID, s.secret = key["accessKeyId"], key["secret"]
	s.start(t)
	s.environment = append(os.Environ(), "CLIENTS_URL="+s.url, "CLIENTS_SCHOOLS="+s.schools, "CLIENTS_LIBRARIES="+s.books,
		"CLIENTS_KEY_ID="+s.keyID, "CLIENTS_SECRET="+s.secret)
	return s
}

// start runs the server until the test ends, and waits until it takes connections.
func (s *server) start(t *testing.T) {
	t.Helper()
	addr := free(t)
	s.admin, s.url = free(t), "http://"+addr
	s.background(t, ".", s.binary, "serve", "--db", s.db, "--addr", addr, "--admin-addr", s.admin, "--schools-rate", "0", "--libraries-rate", "0", "--log-level", "error")
	await(t, addr)
}

// background runs a command until the test ends.
func (s *server) background(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a signal then reaches its children too
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM); cmd.Wait() })
}

// free returns an address at which nothing listens.
func free(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}

// await waits until something takes connections at an address, for as long as a busy machine may need to start it.
func await(t *testing.T, addr string) {
	t.Helper()
	for range 30_000 {
		if conn, err := net.Dial("tcp", addr); err == nil {
			conn.Close()
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("nothing accepts connections at %s", addr)
}

// run runs a command and returns what it printed.
func (s *server) run(t *testing.T, dir, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	var errs bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stderr = dir, s.environment, &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s%s", name, args, err, out, errs.Bytes())
	}
	return out
}

func (s *server) lectern(t *testing.T, args ...string) []byte {
	t.Helper()
	return s.run(t, s.dir, s.binary, append(args, "--db", s.db)...)
}

// issue issues a key and returns what the command shows of it.
func (s *server) issue(t *testing.T, api string, args ...string) (key map[string]string) {
	t.Helper()
	var shown map[string]any
	out := s.lectern(t, append([]string{"key", "issue", api}, args...)...)
	if err := json.Unmarshal(out, &shown); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	key = map[string]string{}
	for name, value := range shown {
		key[name] = fmt.Sprint(value)
	}
	return key
}

// get returns the body of a response in JSON.
func (s *server) get(t *testing.T, path, key string) []byte {
	t.Helper()
	return s.getAs(t, "application/json", path, key)
}

// getAs returns the body of a response in the accepted form.
func (s *server) getAs(t *testing.T, accept, path, key string) []byte {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", s.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Api-Key", key)
	r.Header.Set("Accept", accept)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != 200 {
		t.Fatalf("GET %s = %d %s, %v", path, res.StatusCode, body, err)
	}
	return body
}

// document writes the document of an API to a file and returns its path.
func (s *server) document(t *testing.T, api string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), api+".json")
	if err := os.WriteFile(file, s.get(t, "/openapi/"+api+".json", ""), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// sums returns what clients must print. It reads the lists by large pages, and the classes in the feed.
func (s *server) sums(t *testing.T) pulled {
	t.Helper()
	want := pulled{Refused: 2} // page and pageSize
	s.rows(t, "/api-platform/schools/v1/users", 1000, s.schools, func(row map[string]any) {
		want.Users++
		if row["class"] != nil {
			want.InClass++
		}
	})
	s.rows(t, "/api-platform/schools/v1/readings", 1000, s.schools, func(row map[string]any) {
		want.Readings++
		want.Minutes += row["readingMinutes"].(float64)
		want.Percent += row["percent"].(float64)
	})
	s.rows(t, "/api-platform/libraries/v1/datasets/stock", 100, s.books, func(row map[string]any) {
		want.Titles++
		want.Share += row["percentage"].(float64)
	})
	entities, err := os.ReadFile(filepath.Join(s.dir, "schools", "entities.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	want.Classes = bytes.Count(entities, []byte(`"entityType":"class"`))
	return want
}

// rows visits all rows of a list.
func (s *server) rows(t *testing.T, path string, size int, key string, visit func(map[string]any)) {
	t.Helper()
	for page, got, total := 1, 0, 1; got < total; page++ {
		var a struct {
			Meta struct{ Page struct{ TotalRows int } }
			Data struct{ Rows []map[string]any }
		}
		body := s.get(t, fmt.Sprintf("%s?page=%d&pageSize=%d", path, page, size), key)
		if err := json.Unmarshal(body, &a); err != nil || len(a.Data.Rows) == 0 {
			t.Fatalf("page %d of %s has no rows: %v", page, path, err)
		}
		for _, row := range a.Data.Rows {
			visit(row)
		}
		got, total = got+len(a.Data.Rows), a.Meta.Page.TotalRows
	}
}
