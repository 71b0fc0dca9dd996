//go:build unix

package server_test

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/internal/directoryapi"
)

// pooled returns the URL of a database through a PgBouncer in transaction mode, which gives each transaction one of three
// connections and knows nothing of prepared statements. It runs until the test ends.
func pooled(t *testing.T, raw string) string {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		program = "/usr/sbin/pgbouncer"
	}
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := ln.Addr().(*net.TCPAddr)
	ln.Close()
	file, err := os.CreateTemp("", "lectern-pgbouncer-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(file.Name()) })
	fmt.Fprintf(file, `[databases]
* = host=%s port=%s user=%s
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 3
`, u.Hostname(), u.Port(), u.User.Username(), address.Port)
	if err := file.Chmod(0o644); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-q", file.Name())
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: owner(t)} // it refuses to run as root
	if err := cmd.Start(); err != nil {
		t.Fatalf("%v; install PgBouncer, or run the tests with `make test`, which does", err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	for end := time.Now().Add(10 * time.Second); ; {
		c, err := net.Dial("tcp", address.String())
		if err == nil {
			c.Close()
			break
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
	u.Host = address.String()
	return u.String()
}

// askAll asks for every example of the schools and the libraries.
func (d *demo) askAll(t *testing.T) map[string]string {
	answers := map[string]string{}
	for _, e := range examples {
		if e.method == "GET" && !strings.HasPrefix(e.path, directoryapi.Prefix) {
			answers[e.name] = d.example(t, e.name, e.method, e.path)
		}
	}
	return answers
}

// Behind PgBouncer in transaction mode all routes answer, loads and writes succeed, where the URL says that statements are not
// prepared. Who reads is answered, too, where it does not.
func TestPooler(t *testing.T) {
	raw := pooled(t, dbtest.Postgres(t).URL)
	open := func(mode string) *database.DB {
		db, err := database.Open(t.Context(), raw+mode)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		return db
	}
	d := newDemo(t, open("&default_query_exec_mode=cache_describe"), &clock{demoTime()})
	d.holdExamples(t)
	unsaid, err := server.New(t.Context(), server.Config{DB: open(""), SecretKey: secretKey, SchoolsRate: -1, LibrariesRate: -1, Now: d.clock.time})
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range []http.Handler{d.handler, unsaid.Handler()} {
		d.handler = h
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 3 {
					d.askAll(t)
				}
			})
		}
		wg.Wait()
	}
}

// A migration that changes the types of columns, as another version may run it, is not seen by who reads: a statement that was
// prepared before is asked again.
func TestTypesChange(t *testing.T) {
	direct := dbtest.Postgres(t)
	db, err := database.Open(t.Context(), direct.URL+"&pool_max_conns=2")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	d := newDemo(t, db, &clock{demoTime()})
	d.holdExamples(t)
	before := d.askAll(t)
	for _, column := range []string{"keys.api", "accounts.name", "accounts.email", "libraries_readers.name", "entities.name"} {
		table, column, _ := strings.Cut(column, ".")
		if _, err := direct.ExecContext(t.Context(), fmt.Sprintf(`ALTER TABLE %s ALTER COLUMN %s TYPE varchar(400)`, table, column)); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		for name, got := range d.askAll(t) {
			if got != before[name] {
				t.Errorf("%s after the migration\n got %s\nwant %s", name, got, before[name])
			}
		}
	}
	if r := d.call(t, "PUT", "/entities/turma-9b", `{"name":"9B"}`); r.status != 200 {
		t.Errorf("a write after the migration = %d %s, want 200", r.status, r.body)
	}
}
