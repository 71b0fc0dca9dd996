package server

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/server/database"
)

const (
	shutdownTimeout = 15 * time.Second

	removeEvery = time.Minute     // how often superseded rows are looked for
	removeFor   = 5 * time.Minute // the longest removal; the next one goes on, as after a database that froze
)

// Server serves the APIs; make one with New.
type Server struct {
	apis    *apis
	handler http.Handler
	remover *snapshotdb.Remover
	close   func() error

	claiming sync.Mutex
	release  func() // gives up the claim; nil = there is none
}

// New opens the database if the configuration has none, migrates its schema as Migrate does, and composes the APIs. It does not listen
// yet. New fails if a directory key was issued whose secret cannot be opened with the configuration's SecretKey. If no directory key
// was issued, the directory refuses every request, and the rest is served.
func New(ctx context.Context, c Config) (*Server, error) {
	go build() // the first answer needs it
	c = c.withDefaults()
	if err := c.check(); err != nil {
		return nil, err
	}
	s := &Server{close: func() error { return nil }}
	if c.DB == nil {
		db, err := database.Open(ctx, c.URL)
		if err != nil {
			return nil, err
		}
		c.DB, s.close = db, db.Close
	}
	if err := s.compose(ctx, c); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *Server) compose(ctx context.Context, c Config) (err error) {
	if _, err = Migrate(ctx, c.DB); err != nil {
		return err
	}
	s.remover = Remover(c.DB, c.Now)
	s.remover.Window = c.PullWindow
	if c.Keep > 0 {
		if err = s.remover.SetRetention(ctx, c.Keep); err != nil {
			return err
		}
	}
	if s.apis, err = newAPIs(c); err != nil {
		return err
	}
	retention, err := s.remover.Retention(ctx)
	if err == nil {
		s.handler, err = s.apis.handler(ctx, retention)
	}
	return err
}

// Close closes the database, if New opened it, and gives up the claim of Claim.
func (s *Server) Close() error {
	s.unclaim()
	return s.close()
}

// Handler returns all APIs as one handler. At / it serves a page that says what it is, and it answers unknown paths with 404.
func (s *Server) Handler() http.Handler { return s.handler }

// AdminHandler returns the handler of health and metrics (H9), for a program with an HTTP server of its own. Run and Serve serve it at
// Config.AdminAddr. It asks for no key.
//
//   - /healthz is 200 as long as the process answers at all.
//   - /readyz is 200 when the database answers, its schema is current, no table of a distributed database is left
//     on one node and the file with the key for secrets, if there is one, can be read. Otherwise it is 503 with the
//     reason: also if the database does not answer within two seconds, and from the moment that Serve begins to stop.
//   - /metrics serves measurements for Prometheus.
func (s *Server) AdminHandler() http.Handler { return s.apis.adminHandler() }

// Run listens at the configured address and serves until ctx ends; see Serve.
func (s *Server) Run(ctx context.Context) error {
	ln, err := net.Listen("tcp", s.apis.Addr)
	if err != nil {
		return err
	}
	return s.Serve(ctx, ln)
}

// Claim makes this process the only one that serves a SQLite file. Serve claims by itself; a program calls Claim if it does something
// first that no other server may see. The error names the process that has the claim. The claim ends when Serve ends, by Close, and
// with the process. Any number of servers may serve one PostgreSQL.
func (s *Server) Claim() (err error) {
	s.claiming.Lock()
	defer s.claiming.Unlock()
	if s.release == nil {
		s.release, err = s.apis.DB.Claim()
	}
	return err
}

// unclaim gives up the claim, if there is one.
func (s *Server) unclaim() {
	s.claiming.Lock()
	defer s.claiming.Unlock()
	if s.release != nil {
		s.release()
		s.release = nil
	}
}

// Serve serves the connections of ln, and the admin address if there is one, and runs Maintain until ctx ends. It then stops accepting,
// gives the requests under way 15 seconds to finish, writes the last uses of keys to the database and returns nil. The admin address is
// served to the end, and says that the server is not ready. Serve closes ln. An error is that of ln, of Claim, or ErrAdminAddr.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	if err := s.Claim(); err != nil {
		ln.Close()
		return err
	}
	defer s.unclaim()
	s.apis.stopping.Store(false)
	base := context.WithoutCancel(ctx)
	admin, stopAdmin, err := s.apis.serveAdmin(base)
	if err != nil {
		ln.Close()
		return err
	}
	defer stopAdmin()
	maintained, stop := context.WithCancel(base)
	var maintaining sync.WaitGroup
	maintaining.Go(func() { s.Maintain(maintained) })
	defer func() { stop(); maintaining.Wait() }()
	addresses := []any{"addr", ln.Addr().String()}
	if admin != nil {
		addresses = append(addresses, "adminAddr", admin.String())
	}
	s.apis.Log.Info("serving", addresses...)
	return s.serve(ctx, ln)
}

// serve serves the APIs until ctx ends.
func (s *Server) serve(ctx context.Context, ln net.Listener) error {
	base := context.WithoutCancel(ctx)
	h := apiServer(base, s.handler, s.apis.Log)
	failed := make(chan error, 1)
	go func() { failed <- h.Serve(ln) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	s.apis.stopping.Store(true)
	s.apis.Log.Info("stopping")
	stop, cancel := context.WithTimeout(base, shutdownTimeout)
	defer cancel()
	if err := h.Shutdown(stop); err != nil {
		s.apis.Log.Warn("requests were cut off", "error", err)
		h.Close()
	}
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Maintain does the server's regular work until ctx ends: every minute it removes superseded rows whose retention is over (G8), and it
// stores when keys were last used, at its end too. Run and Serve call it. A program that serves Handler by itself runs it as a
// goroutine and waits for its end. Several servers of one database may run it at once. Failures are logged and tried again.
func (s *Server) Maintain(ctx context.Context) {
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() {
		if err := s.apis.uses.Run(ctx); err != nil {
			s.apis.useFailed(err)
		}
	})
	tick := time.NewTicker(removeEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		if err := s.removeOnce(ctx); err != nil && ctx.Err() == nil {
			s.apis.Log.Error("superseded rows not removed", "error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

// removeOnce removes superseded rows once, and sets the metrics of those that are left.
func (s *Server) removeOnce(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, removeFor)
	defer cancel()
	err := s.remover.Remove(ctx)
	rows, err1 := s.remover.SupersededRows(ctx)
	keep, err2 := s.remover.Retention(ctx)
	if (err1 == nil || database.LeftOut(err1) != nil) && err2 == nil {
		s.apis.metrics.Kept(rows, keep)
	}
	return cmp.Or(err, err1, err2)
}
