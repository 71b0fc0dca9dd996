package database

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"golang.org/x/sync/singleflight"
)

const (
	// connectTimeout is for one host to take a connection, where the URL has no connect_timeout.
	connectTimeout = 5 * time.Second
	// patience is how long a host may say nothing while an answer of it is waited for, before it is asked whether it lives.
	patience = 2 * time.Second
)

var (
	// errSilent ends what waits for a server that takes no connections any more.
	errSilent = errors.New("the database server does not answer")
	// errLost is of a statement that was sent on a connection which then broke.
	errLost = errors.New("the connection to the database broke; whether the statement was carried out is not known")
)

// hosts watches the PostgreSQL servers that a URL names. One that freezes, or whose machine is gone, resets nothing: what
// waits for its answers would wait until its own time is over, and each connection of the pool again. A server of which
// nothing comes is therefore asked on a connection of its own, and when it does not answer there either all connections
// to it are closed. A statement may take as long as it likes, since the server answers meanwhile.
type hosts struct {
	dial    pgconn.DialFunc
	lookup  pgconn.LookupFunc
	timeout time.Duration
	broke   atomic.Int64 // when a connection last broke, in nanoseconds since 1970

	mu    sync.Mutex
	all   map[string]*host  // by address
	names map[string]string // of IP addresses that were looked up
}

// watchHosts makes a configuration connect through hosts, and bounds the time that a connection may take.
func watchHosts(config *pgx.ConnConfig) *hosts {
	config.ConnectTimeout = cmp.Or(config.ConnectTimeout, connectTimeout)
	h := &hosts{
		dial: config.DialFunc, lookup: config.LookupFunc, timeout: config.ConnectTimeout,
		all: make(map[string]*host), names: make(map[string]string),
	}
	config.DialFunc, config.LookupFunc = h.connect, h.resolve
	goOn := config.OnPgError
	config.OnPgError = func(c *pgconn.PgConn, err *pgconn.PgError) bool {
		ok := goOn(c, err)
		if !ok {
			h.broke.Store(time.Now().UnixNano())
		}
		return ok
	}
	return h
}

// doubtful reports whether a connection is to be tried before it is used again: after a second, as pgx does by itself, and
// where another one broke since it was used, for a restart breaks all.
func (h *hosts) doubtful(_ context.Context, c stdlib.ShouldPingParams) bool {
	return c.IdleDuration > time.Second || time.Now().Add(-c.IdleDuration).UnixNano() <= h.broke.Load()
}

// order puts the hosts that failed last behind the others, so that not every connection waits for a dead one first. It is
// called with a copy of the configuration before each connection.
func (h *hosts) order(_ context.Context, config *pgx.ConnConfig) error {
	list := append([]*pgconn.FallbackConfig{{Host: config.Host, Port: config.Port, TLSConfig: config.TLSConfig}}, config.Fallbacks...)
	h.mu.Lock()
	failed := make(map[string]int64)
	for address, host := range h.all {
		failed[h.nameOf(address)] = max(failed[h.nameOf(address)], host.failed.Load())
	}
	h.mu.Unlock()
	at := func(f *pgconn.FallbackConfig) int64 {
		_, address := pgconn.NetworkAddress(f.Host, f.Port)
		return failed[address]
	}
	slices.SortStableFunc(list, func(a, b *pgconn.FallbackConfig) int { return cmp.Compare(at(a), at(b)) })
	config.Host, config.Port, config.TLSConfig, config.Fallbacks = list[0].Host, list[0].Port, list[0].TLSConfig, list[1:]
	return nil
}

// nameOf returns an address as the URL has it.
func (h *hosts) nameOf(address string) string {
	ip, port, err := net.SplitHostPort(address)
	if name, ok := h.names[ip]; err == nil && ok {
		n, _ := strconv.ParseUint(port, 10, 16)
		_, address = pgconn.NetworkAddress(name, uint16(n))
	}
	return address
}

// resolve looks a name up, and remembers whose address it found.
func (h *hosts) resolve(ctx context.Context, name string) ([]string, error) {
	addresses, err := h.lookup(ctx, name)
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, a := range addresses {
		h.names[a] = name
	}
	return addresses, err
}

// connect opens a watched connection.
func (h *hosts) connect(ctx context.Context, network, address string) (net.Conn, error) {
	h.mu.Lock()
	to := h.all[address]
	if to == nil {
		to = &host{hosts: h, network: network, address: address}
		h.all[address] = to
	}
	h.mu.Unlock()
	c, err := h.dial(ctx, network, address)
	if err != nil {
		if !errors.Is(ctx.Err(), context.Canceled) {
			to.failed.Store(time.Now().UnixNano())
		}
		return nil, err
	}
	w := &watchedConn{Conn: c, host: to}
	to.conns.Store(w, nil)
	return w, nil
}

// host is one server, at one address.
type host struct {
	hosts            *hosts
	network, address string
	heard            atomic.Int64 // when something last came from it, in nanoseconds since 1970
	failed           atomic.Int64 // when it last did not answer, likewise; 0 = never
	asking           singleflight.Group
	conns            sync.Map // by *watchedConn
}

// check closes the connections to a host that is silent and takes no new one.
func (h *host) check() {
	h.asking.Do("", func() (any, error) {
		began := time.Now().UnixNano()
		if began-h.heard.Load() < int64(patience) || h.ask() || h.heard.Load() >= began {
			return nil, nil
		}
		h.failed.Store(time.Now().UnixNano())
		for c := range h.conns.Range {
			c.(*watchedConn).silence()
		}
		return nil, nil
	})
}

// sslRequest asks a server whether it speaks TLS, which it answers with one byte before it knows who asks.
var sslRequest = []byte{0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f}

// ask reports whether the host takes a connection and answers on it, whatever it is that it says.
func (h *host) ask() bool {
	ctx, cancel := context.WithTimeout(context.Background(), h.hosts.timeout)
	defer cancel()
	c, err := h.hosts.dial(ctx, h.network, h.address)
	if err != nil {
		return false
	}
	defer c.Close()
	deadline, _ := ctx.Deadline()
	if c.SetDeadline(deadline) != nil {
		return false
	}
	if _, err = c.Write(sslRequest); err == nil {
		_, err = c.Read(make([]byte, 1))
	}
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		return false
	}
	h.heard.Store(time.Now().UnixNano())
	return true
}

// watchedConn is a connection that ends when its host is silent.
type watchedConn struct {
	net.Conn
	host     *host
	answered atomic.Bool // something has come on it
	sent     atomic.Int64
	silent   atomic.Bool // its host was, and it is closed
}

// Read reads; what waits long for something to come has the host checked.
func (c *watchedConn) Read(b []byte) (int, error) {
	defer c.watch()()
	n, err := c.Conn.Read(b)
	now := time.Now().UnixNano()
	switch late := errors.Is(err, os.ErrDeadlineExceeded); {
	case n > 0:
		c.host.heard.Store(now)
		c.answered.Store(true)
	case late && !c.answered.Load(): // not even its first word came in time
		c.host.failed.Store(now)
	case err != nil && !late:
		c.host.hosts.broke.Store(now)
	}
	return n, c.explain(err)
}

// Write writes; where the host takes nothing more it is checked too.
func (c *watchedConn) Write(b []byte) (int, error) {
	defer c.watch()()
	n, err := c.Conn.Write(b)
	c.sent.Add(int64(n))
	return n, c.explain(err)
}

// Close closes the connection.
func (c *watchedConn) Close() error {
	c.host.conns.Delete(c)
	return c.Conn.Close()
}

// silence closes the connection to a host that says nothing, for whoever waits on it.
func (c *watchedConn) silence() {
	c.silent.Store(true)
	c.Conn.Close()
}

// lost returns the error of a statement before which so many bytes were sent. Pgx says of one whose answer did not come that it
// may be tried again, as it does of one that was never sent, and database/sql would try it: a write, too.
func (c *watchedConn) lost(err error, sent int64) error {
	if !errors.Is(err, driver.ErrBadConn) || c.sent.Load() == sent {
		return err
	}
	return c.explain(errLost)
}

func (c *watchedConn) explain(err error) error {
	if err != nil && c.silent.Load() {
		return fmt.Errorf("%w: %s", errSilent, c.host.address)
	}
	return err
}

// watch checks the host again and again until the function that it returns is called.
func (c *watchedConn) watch() (stop func()) {
	var ended atomic.Bool
	var timer atomic.Pointer[time.Timer]
	var look func()
	look = func() {
		if c.host.check(); !ended.Load() {
			timer.Store(time.AfterFunc(patience, look))
		}
	}
	timer.Store(time.AfterFunc(patience, look))
	return func() {
		ended.Store(true)
		timer.Load().Stop()
	}
}
