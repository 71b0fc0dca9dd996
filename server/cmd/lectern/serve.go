package main

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/internal/load/progress"
)

// history is the flag of commands that use the first day of the schools' reports.
type history struct {
	SchoolsHistory calendar.Date `default:"${history}" placeholder:"DATE" help:"First day of the schools' reports (default ${default})."`
}

// librariesHistory is the flag of commands that use the first day of the libraries' reports.
type librariesHistory struct {
	LibrariesHistory calendar.Date `default:"${librariesHistory}" placeholder:"DATE" help:"First day of the libraries' reports (default ${default})."`
}

// serving are the flags of the commands that serve.
type serving struct {
	history
	librariesHistory
	Addr            string            `default:"127.0.0.1:8080" help:"Address to listen on."`
	SchoolsRate     count             `default:"30" placeholder:"N" help:"Requests a minute for each schools key; 0 is no limit (default ${default})."`
	LibrariesRate   count             `default:"60" placeholder:"N" help:"Requests a minute for each library network; 0 is no limit (default ${default})."`
	DirectoryRate   count             `default:"0" placeholder:"N" help:"Requests a minute for each directory key; 0 is no limit (default ${default})."`
	UsersQueue      server.UsersQueue `default:"${usersQueue}" placeholder:"N,N,TIME" help:"Requests for a library network's users: how many run, how many wait, and how long (default ${default})."`
	LegacyPrefix    []string          `placeholder:"PATH" help:"Another path before /libraries/v1 for the libraries API; can be repeated."`
	AnalyticsURL    string            `name:"analytics-url" placeholder:"URL" help:"Where to ask for sessions by channel (default: the channels feed)."`
	Keep            *time.Duration    `placeholder:"TIME" help:"How long superseded snapshots stay readable (default: as set before, or 2h)."`
	PullWindow      time.Duration     `default:"15m" placeholder:"TIME" help:"How long an idle pull keeps its snapshot readable (default ${default})."`
	DebugSignatures bool              `help:"Tell in the directory's 401 answers why, and what should have been signed."`
	TrustedProxies  proxies           `placeholder:"ADDR,…" help:"Addresses and networks of trusted proxies: the log takes the client from their X-Forwarded-For (default none)."`
	LogLevel        string            `default:"info" placeholder:"LEVEL" enum:"debug,info,warn,error,disabled" help:"Lowest level to log: debug, info, warn, error or disabled (default ${default})."`
}

// Validate refuses a malformed legacy prefix, and times that are not positive.
func (c *serving) Validate() error {
	if c.PullWindow <= 0 || c.Keep != nil && *c.Keep <= 0 {
		return errors.New("--keep and --pull-window: give a time such as 2h or 30m")
	}
	for _, p := range c.LegacyPrefix {
		if err := server.CheckLegacyPrefix(p); err != nil {
			return err
		}
	}
	return nil
}

type serveCmd struct {
	serving
	AdminAddr string `default:"127.0.0.1:8081" placeholder:"ADDR" help:"Address of /healthz, /readyz and /metrics; empty is none (default ${default})."`
}

// Run serves until the session's context ends.
func (c *serveCmd) Run(s *session) error {
	db, err := s.open(migrated)
	if err != nil {
		return err
	}
	return c.serve(s, db, front{adminAddr: c.AdminAddr})
}

// front is how a database is served.
type front struct {
	adminAddr string                  // empty: none
	ln        net.Listener            // of the APIs; nil: at the address of the flag
	ready     func(addr string) error // if not nil, called with the address of the APIs once it listens
}

// listen listens at the address of the flag.
func (c *serving) listen() (net.Listener, error) {
	ln, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return nil, fmt.Errorf("%w; choose another address with --addr, such as 127.0.0.1:8090", err)
	}
	return ln, nil
}

// serveMemory is the memory above which the collector works harder: the cache, and as much again for requests.
const serveMemory = 2 * server.DefaultCacheBytes

// serve serves a database.
func (c *serving) serve(s *session, db *database.DB, f front) error {
	keep := cmp.Or(c.Keep, new(time.Duration))
	if c.Keep != nil && *keep < snapshotdb.MinRetention && s.clock == nil {
		return fmt.Errorf("--keep: snapshots are kept for at least %v; give that or more", snapshotdb.MinRetention)
	}
	boundMemory(serveMemory)
	key, err := server.EnvironmentKey()
	if err != nil {
		return err
	}
	srv, err := server.New(s.ctx, server.Config{
		DB:               db,
		AdminAddr:        f.adminAddr,
		SchoolsRate:      cmp.Or(int(c.SchoolsRate), -1),
		SchoolsHistory:   &c.SchoolsHistory,
		LibrariesRate:    cmp.Or(int(c.LibrariesRate), -1),
		LibrariesHistory: &c.LibrariesHistory,
		LegacyPrefixes:   c.LegacyPrefix,
		UsersQueue:       c.UsersQueue,
		AnalyticsURL:     c.AnalyticsURL,
		DirectoryRate:    int(c.DirectoryRate),
		DebugSignatures:  c.DebugSignatures,
		TrustedProxies:   c.TrustedProxies,
		SecretKey:        key,
		Keep:             *keep,
		PullWindow:       c.PullWindow,
		Now:              s.clock,
		Log:              progress.NewLog(s.stderr, c.LogLevel),
	})
	if err != nil {
		return err
	}
	defer srv.Close() // its claim; the database is the caller's
	if err := srv.Claim(); err != nil {
		return err
	}
	if f.ln == nil {
		if f.ln, err = c.listen(); err != nil {
			return err
		}
	}
	if f.ready != nil {
		if err := f.ready(f.ln.Addr().String()); err != nil {
			f.ln.Close()
			return err
		}
	}
	return srv.Serve(s.ctx, f.ln)
}
