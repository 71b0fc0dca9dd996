package database

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
)

const (
	// postgresConns bounds the pool of one replica. A server accepts 100 connections by default, so several replicas fit.
	// pool_max_conns in the URL sets another bound.
	postgresConns = 16
	// connectTimeout is the time limit for a connection to one host, if the URL has no connect_timeout.
	connectTimeout = 2 * time.Second
	// pingAfter is the idle time after which a connection is tried before it is used again, for pingTimeout at most.
	pingAfter   = 2 * time.Second
	pingTimeout = time.Second
)

// openPostgres opens a postgres:// URL. It does not connect yet.
func openPostgres(raw string) (*bun.DB, error) {
	config, err := poolConfig(raw)
	if err != nil {
		return nil, err
	}
	var opened atomic.Pointer[pgxpool.Pool]
	config.BeforeClose = func(c *pgx.Conn) { // if one did not answer a ping, the others will not either
		if pool := opened.Load(); pool != nil && c.IsClosed() {
			pool.Reset()
		}
	}
	conns := int(config.MaxConns)
	config.MaxConns *= 2 // a connection that a frozen server does not close keeps its place for 15 seconds
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		return nil, err
	}
	opened.Store(pool)
	never := func(context.Context, stdlib.ShouldPingParams) bool { return false } // the pool pings
	text := pgx.QueryExecModeExec
	if config.ConnConfig.DefaultQueryExecMode == pgx.QueryExecModeSimpleProtocol {
		text = pgx.QueryExecModeSimpleProtocol
	}
	std := sql.OpenDB(connector{stdlib.GetPoolConnector(pool, stdlib.OptionShouldPing(never)), pool, text})
	std.SetMaxOpenConns(conns)
	std.SetMaxIdleConns(0) // the pool keeps them
	return bun.NewDB(std, pgdialect.New()), nil
}

// poolConfig parses a URL.
func poolConfig(raw string) (*pgxpool.Config, error) {
	u, err := url.Parse(raw)
	if err != nil {
		// err shows the URL, and with it the password.
		return nil, errors.New("not a URL; write postgres://USER@HOST/NAME and %-escape the password")
	}
	config, err := pgxpool.ParseConfig(raw)
	if err != nil {
		return nil, fmt.Errorf("%w; check the parameters of the URL", err)
	}
	if conns := u.Query().Get("pool_max_conns"); conns == "" {
		config.MaxConns = postgresConns
	} else if config.MaxConns < 2 {
		// Migrate and COPY hold one connection while they use another.
		return nil, fmt.Errorf("pool_max_conns is %q; write a whole number from 2", conns)
	}
	config.ConnConfig.ConnectTimeout = cmp.Or(config.ConnConfig.ConnectTimeout, connectTimeout)
	config.ShouldPing = func(_ context.Context, p pgxpool.ShouldPingParams) bool { return p.IdleDuration > pingAfter }
	config.PingTimeout = cmp.Or(config.PingTimeout, pingTimeout)
	leaveReadOnly(config.ConnConfig)
	return config, nil
}

// leaveReadOnly closes a connection on which a write was refused because the server is read-only. The server was the
// primary once, and only a new connection finds the present one.
func leaveReadOnly(config *pgx.ConnConfig) {
	goOn := config.OnPgError
	config.OnPgError = func(c *pgconn.PgConn, err *pgconn.PgError) bool { return goOn(c, err) && err.Code != "25006" }
}
