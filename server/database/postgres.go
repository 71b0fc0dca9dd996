package database

import (
	"context"
	"crypto/tls"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
)

// postgresConns bounds the pool of one replica: a server takes 100 connections
// as it comes, so that several replicas fit. pool_max_conns in the URL sets
// another bound.
const postgresConns = 16

// openPostgres opens a postgres:// URL. The hint is for a failed first use.
func openPostgres(raw string, seen *seen) (db *bun.DB, hint string, err error) {
	u, err := url.Parse(raw)
	if err != nil {
		// err shows the URL, and with it the password.
		return nil, "", errors.New("not a URL; write postgres://USER@HOST/NAME and %-escape the password")
	}
	conns, err := takeMaxConns(u)
	if err != nil {
		return nil, "", err
	}
	config, err := pgx.ParseConfig(u.String())
	if err != nil {
		return nil, "", fmt.Errorf("%w; check the parameters of the URL", err)
	}
	binary := !u.Query().Has("default_query_exec_mode")
	if binary {
		config.DefaultQueryExecMode = pgx.QueryExecModeExec
	}
	leaveReadOnly(config)
	watched := watchHosts(config)
	inner := stdlib.GetConnector(*config, stdlib.OptionBeforeConnect(watched.order), stdlib.OptionShouldPing(watched.doubtful))
	pool := sql.OpenDB(connector{inner, binary, new(preparing), seen})
	pool.SetMaxOpenConns(conns)
	// All of them may be idle: closed after each use, those above a lower bound would be opened again while many are needed.
	pool.SetMaxIdleConns(conns)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	pool.SetConnMaxLifetime(time.Hour) // follows a failover or a rebalanced pooler
	return bun.NewDB(pool, pgdialect.New()), "check that the server runs, and the URL's host, user, password and database", nil
}

// takeMaxConns removes pool_max_conns from u, which the server would refuse as a
// setting it does not know, and returns it or the default.
func takeMaxConns(u *url.URL) (int, error) {
	q := u.Query()
	if !q.Has("pool_max_conns") {
		return postgresConns, nil
	}
	n, err := strconv.Atoi(q.Get("pool_max_conns"))
	if err != nil || n < 2 {
		// Migrate and COPY hold one connection while they use another.
		return 0, fmt.Errorf("pool_max_conns is %q; write a whole number from 2", q.Get("pool_max_conns"))
	}
	q.Del("pool_max_conns")
	u.RawQuery = q.Encode()
	return n, nil
}

// leaveReadOnly closes a connection on which a write was refused since the server is read-only: it was the primary once, and
// only a new connection finds the one that is now.
func leaveReadOnly(config *pgx.ConnConfig) {
	goOn := config.OnPgError
	config.OnPgError = func(c *pgconn.PgConn, err *pgconn.PgError) bool { return goOn(c, err) && err.Code != "25006" }
}

// connector makes connections of the pgx driver, with binary results or as they are.
type connector struct {
	driver.Connector
	binary    bool
	preparing *preparing
	seen      *seen
}

const (
	fullWait  = 30 * time.Second       // for a server that has no connection left, of who waits without a bound of its own
	fullEvery = 100 * time.Millisecond // it is asked again
)

// Connect opens a connection. Where the server has none left it waits for one (H13).
func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, fullWait)
	defer cancel()
	for {
		dc, err := c.connect(ctx)
		var p *pgconn.PgError
		if !errors.As(err, &p) || p.Code != "53300" {
			return dc, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(fullEvery):
		}
	}
}

func (c connector) connect(ctx context.Context) (driver.Conn, error) {
	dc, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	w := watched{Conn: dc.(*stdlib.Conn), seen: c.seen}
	w.wire = wireOf(w.Conn.Conn().PgConn().Conn())
	if c.binary {
		return binaryConn{w, c.preparing}, nil
	}
	return w, nil
}

// wireOf is the watched connection under one that may be of TLS.
func wireOf(c net.Conn) *watchedConn {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	return c.(*watchedConn)
}

// pgxConn is the pgx connection under a driver's connection.
func pgxConn(dc any) (*pgx.Conn, error) {
	switch c := dc.(type) {
	case binaryConn:
		return c.Conn.Conn(), nil
	case watched:
		return c.Conn.Conn(), nil
	}
	return nil, fmt.Errorf("not a PostgreSQL connection: %T", dc)
}
