//go:build unix

package server_test

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// pooled returns the URL of a database behind a PgBouncer in transaction mode, which runs until the test ends.
// PgBouncer gives each transaction one of three connections, and does not know prepared statements.
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
		t.Fatalf("%v; install PgBouncer, or run `make verify`, which does", err)
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

// TestPooler tests all routes, loads and writes behind PgBouncer in transaction mode, with a URL that turns prepared
// statements off. It tests that reads also work with a URL that does not.
func TestPooler(t *testing.T) {
	if testing.Short() {
		t.Skip("needs PgBouncer, which make verify provides")
	}
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
	d.checkExamples(t)
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

// owner returns the user that runs PostgreSQL if the test runs as root, which PgBouncer refuses, and otherwise nil.
func owner(tb testing.TB) *syscall.Credential {
	tb.Helper()
	if os.Geteuid() != 0 {
		return nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		tb.Fatal(err)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil || err2 != nil {
		tb.Fatal(err, err2)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}
