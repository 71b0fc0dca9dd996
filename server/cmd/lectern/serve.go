package main

import (
	"cmp"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/rs/zerolog"

	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
)

// history is the flag of the commands that know where the schools' reports begin.
type history struct {
	SchoolsHistory calendar.Date `default:"${history}" placeholder:"DATE" help:"First day of the schools' reports (default ${default})."`
}

// serving are the flags of the commands that serve.
type serving struct {
	history
	Addr            string        `default:"127.0.0.1:8080" help:"Address to listen at."`
	SchoolsRate     uint16        `default:"30" placeholder:"N" help:"Requests a minute for each schools key; 0 lifts the limit (default ${default})."`
	DirectoryRate   uint16        `default:"0" placeholder:"N" help:"Requests a minute for each directory key; 0 sets no limit (default ${default})."`
	DebugSignatures bool          `help:"Let the directory's 401 tell the string that the signature should have been made of."`
	LogLevel        zerolog.Level `default:"info" placeholder:"LEVEL" help:"Least level to log: debug, info, warn, error or disabled (default ${default})."`
}

type serveCmd struct{ serving }

// Run serves until the session's context ends.
func (c *serveCmd) Run(s *session) error {
	db, err := s.open()
	if err != nil {
		return err
	}
	defer db.Close()
	return c.serve(s, db, nil)
}

// serve serves a database. It calls ready, if not nil, with the address once it listens.
func (c *serving) serve(s *session, db *database.DB, ready func(addr string) error) error {
	log := newLog(s.stderr, c.LogLevel)
	key, err := secretKey()
	if err != nil {
		return err
	}
	srv, err := server.New(s.ctx, server.Config{
		DB:              db,
		SchoolsRate:     cmp.Or(int(c.SchoolsRate), -1),
		SchoolsHistory:  &c.SchoolsHistory,
		DirectoryRate:   int(c.DirectoryRate),
		DebugSignatures: c.DebugSignatures,
		SecretKey:       key,
		Log:             &log,
	})
	if err != nil {
		return err
	}
	ln, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return fmt.Errorf("%w; choose another address with --addr", err)
	}
	if ready != nil {
		if err := ready(ln.Addr().String()); err != nil {
			ln.Close()
			return err
		}
	}
	return srv.Serve(s.ctx, ln)
}

// newLog logs as text on a terminal and as JSON elsewhere.
func newLog(w io.Writer, level zerolog.Level) zerolog.Logger {
	if isTerminal(w) {
		w = zerolog.ConsoleWriter{Out: w, TimeFormat: time.TimeOnly}
	}
	return zerolog.New(w).Level(level).With().Timestamp().Logger()
}
