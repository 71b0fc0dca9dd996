package database_test

import (
	"context"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// proxy forwards connections to a server, and can freeze. Then it accepts connections, as the kernel does for a stopped
// process, but forwards nothing.
type proxy struct {
	net.Listener
	to string

	mu     sync.Mutex
	frozen bool
	conns  []net.Conn
}

// newProxy starts a proxy to the server of a database, and returns it with the database's URL through it. Connecting
// may take one second.
func newProxy(t *testing.T, db *database.DB) (*proxy, *url.URL) {
	t.Helper()
	u, err := url.Parse(db.URL)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{Listener: ln, to: u.Host}
	t.Cleanup(p.close)
	go p.serve()
	u.Host = ln.Addr().String()
	u.RawQuery = "sslmode=disable&connect_timeout=1"
	return p, u
}

func (p *proxy) serve() {
	for {
		c, err := p.Accept()
		if err != nil {
			return
		}
		p.mu.Lock()
		p.conns = append(p.conns, c)
		frozen := p.frozen
		p.mu.Unlock()
		if !frozen {
			go p.pass(c)
		}
	}
}

// pass connects c to the server.
func (p *proxy) pass(c net.Conn) {
	server, err := net.Dial("tcp", p.to)
	if err != nil {
		c.Close()
		return
	}
	go func() { p.copy(server, c); server.Close() }()
	p.copy(c, server)
	c.Close()
}

// copy is io.Copy until the proxy freezes.
func (p *proxy) copy(to io.Writer, from io.Reader) {
	b := make([]byte, 4096)
	for {
		n, err := from.Read(b)
		p.mu.Lock()
		frozen := p.frozen
		p.mu.Unlock()
		if frozen {
			select {} // until the test process ends
		}
		if err != nil {
			return
		}
		if _, err := to.Write(b[:n]); err != nil {
			return
		}
	}
}

func (p *proxy) freeze() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.frozen = true
}

// thaw forwards what later connections send. Frozen connections stay frozen.
func (p *proxy) thaw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.frozen = false
}

func (p *proxy) close() {
	p.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		c.Close()
	}
}

// TestFrozenServer tests a statement that times out on a frozen server. The other connections to it are dropped too,
// and the next statements go to the next host of the URL.
func TestFrozenServer(t *testing.T) {
	t.Parallel()
	p, u := newProxy(t, dbtest.Postgres(t))
	u.Host += "," + p.to
	db, err := database.Open(t.Context(), u.String())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	defer p.close() // first: a pool that closes would wait 15 s for a silent connection
	for _, text := range []string{`SELECT 1`, `SELECT 1 WHERE $1 = 1`} {
		var open []bun.Conn
		for range 3 {
			conn, err := db.Conn(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			open = append(open, conn)
		}
		for _, conn := range open {
			conn.Close()
		}
		args := make([]any, strings.Count(text, "$"))
		for i := range args {
			args[i] = 1
		}
		p.freeze()
		short, cancel := context.WithTimeout(t.Context(), time.Second) // time enough to send the statement
		defer cancel()
		if _, err := db.Pool().ExecContext(short, text, args...); !database.Unavailable(err) {
			t.Errorf("%s on a frozen server = %v, want an unavailable database", text, err)
		}
		for range 4 {
			if _, err := db.Pool().ExecContext(t.Context(), text, args...); err != nil {
				t.Errorf("%s after the timeout = %v, want nil", text, err)
			}
		}
		p.thaw()
		if _, err := db.ExecContext(t.Context(), `SELECT pg_terminate_backend(pg_backend_pid())`); !database.Unavailable(err) {
			t.Errorf("an ended connection = %v, want an unavailable database", err)
		}
	}
}

// TestConnectTimeout tests the default of two seconds to connect to a host, which leaves time for the next host of the
// URL.
func TestConnectTimeout(t *testing.T) {
	t.Parallel()
	p, u := newProxy(t, dbtest.Postgres(t))
	p.freeze()
	u.Host += "," + p.to
	u.RawQuery = strings.ReplaceAll(u.RawQuery, "&connect_timeout=1", "")
	db, err := database.Open(t.Context(), u.String())
	if err != nil {
		t.Fatalf("Open with a silent host before the live one = %v", err)
	}
	db.Close()
	u.Host, u.RawQuery = p.Addr().String(), u.RawQuery+"&connect_timeout=1"
	if db, err := database.Open(t.Context(), u.String()); !database.Unavailable(err) {
		t.Errorf("Open of a silent host = %v, %v, want an unavailable database", db, err)
	}
}

// TestLostAnswer tests that a statement is not sent again if its connection breaks before the answer: it may have been
// executed.
func TestLostAnswer(t *testing.T) {
	direct := dbtest.Postgres(t)
	mustExec(t, direct, `CREATE TABLE things (id bigint)`)
	id := 0
	for _, mode := range []string{"", "&default_query_exec_mode=simple_protocol"} {
		p, u := newProxy(t, direct)
		u.RawQuery += mode
		db, err := database.Open(t.Context(), u.String())
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		for _, run := range []func() error{
			func() error { _, err := db.ExecContext(t.Context(), lostInsert, id); return err },
			func() error { return db.QueryRowContext(t.Context(), lostInsert+` RETURNING id`, id).Scan(new(int)) },
		} {
			id++ // ignores what an insert before this one may have left
			holder, err := direct.Conn(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := holder.ExecContext(t.Context(), `SELECT pg_advisory_lock(7)`); err != nil {
				t.Fatal(err)
			}
			go p.breakWhen(t, direct, holder)
			if err := run(); !database.Unavailable(err) {
				t.Errorf("mode %q: a statement without an answer = %v, want an unavailable database", mode, err)
			}
			direct.SetMaxOpenConns(4)
			var n int
			if err := direct.QueryRowContext(t.Context(), `SELECT count(*) FROM things WHERE id = ?`, id).Scan(&n); err != nil || n > 1 {
				t.Errorf("mode %q: rows = %d, %v, want one at most", mode, n, err)
			}
		}
	}
}

// lostInsert waits for a lock, so that it is still running when its connection breaks.
const lostInsert = `INSERT INTO things SELECT ? FROM (SELECT pg_advisory_xact_lock(7)) AS locked`

// breakWhen breaks all connections of the proxy once the insert is running, and then releases the lock of holder.
func (p *proxy) breakWhen(t *testing.T, direct *database.DB, holder bun.Conn) {
	defer func() {
		_, _ = holder.ExecContext(context.WithoutCancel(t.Context()), `SELECT pg_advisory_unlock(7)`)
		holder.Close()
	}()
	for n := 0; n == 0 && t.Context().Err() == nil; {
		err := direct.QueryRowContext(t.Context(),
			`SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND wait_event = 'advisory' AND datname = current_database()`).Scan(&n)
		if err != nil {
			return // the test has ended
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		c.Close()
	}
}
