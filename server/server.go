package server

import (
	"context"
	"errors"
	stdlog "log"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/schoolsdb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/internal/cache"
	"github.com/lectern-dev/lectern/server/internal/schoolsapi"
	"github.com/lectern-dev/lectern/server/internal/web"
)

const (
	workTimeout     = 55 * time.Second // of one request, a little less than the connection's
	shutdownTimeout = 15 * time.Second
)

// Server serves the APIs; make one with New.
type Server struct {
	config  Config
	handler http.Handler
	uses    *authdb.Uses
	close   func() error
}

// New opens the database when the configuration has none, brings its schema up to date and composes the APIs. It does
// not listen yet.
func New(ctx context.Context, c Config) (*Server, error) {
	c = c.withDefaults()
	s := &Server{config: c, close: func() error { return nil }}
	if c.DB == nil {
		db, err := database.Open(ctx, c.URL)
		if err != nil {
			return nil, err
		}
		s.config.DB, s.close = db, db.Close
	}
	if _, err := s.config.DB.Migrate(ctx, Schema()...); err != nil {
		s.close()
		return nil, err
	}
	s.compose()
	return s, nil
}

// Close closes the database, if New opened it.
func (s *Server) Close() error { return s.close() }

// Handler returns all APIs as one handler.
func (s *Server) Handler() http.Handler { return s.handler }

func (s *Server) compose() {
	c := s.config
	s.uses = &authdb.Uses{DB: c.DB.DB, Error: s.useFailed}
	reports := &schools.Reports{
		Store: &schoolsdb.Store{DB: c.DB.DB, Copy: c.DB.Copy},
		Cache: cache.New(c.CacheBytes),
	}
	api := &schoolsapi.API{
		Keys:    &schoolsKeys{&authdb.Store{DB: c.DB.DB, Now: c.Now}, s.uses},
		Limiter: limiter(c),
		Reports: reports,
		Answers: new(web.Answers),
		Rate:    max(c.SchoolsRate, 0),
		History: *c.SchoolsHistory,
		Now:     c.Now,
	}
	s.handler = web.Chain(mount(schoolsapi.Prefix, api.Handler()),
		web.Identify(*c.Log), web.AccessLog(), web.Recover(web.Fail), web.UserAgent(web.Fail), web.Timeout(workTimeout))
}

// mount serves the paths under prefix, and 404 elsewhere.
func mount(prefix string, api http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, prefix+"/") {
			web.Fail(w, r, web.NotFound(r))
			return
		}
		api.ServeHTTP(w, r)
	})
}

// limiter counts in the database where replicas share it, else in memory (H6).
func limiter(c Config) auth.Limiter {
	if c.DB.Engine == database.Postgres {
		return &authdb.Limiter{DB: c.DB.DB, Now: c.Now}
	}
	return &auth.MemoryLimiter{Now: c.Now}
}

// Run listens at the configured address and serves until ctx ends; see Serve.
func (s *Server) Run(ctx context.Context) error {
	ln, err := net.Listen("tcp", s.config.Addr)
	if err != nil {
		return err
	}
	return s.Serve(ctx, ln)
}

// Serve serves the connections of ln until ctx ends. It then stops accepting, gives the requests under way 15 seconds
// to finish, writes the last uses of keys to the database and returns nil. It closes ln. An error is that of ln.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	flushed := s.recordUses()
	defer flushed()
	h := s.httpServer(context.WithoutCancel(ctx))
	failed := make(chan error, 1)
	go func() { failed <- h.Serve(ln) }()
	s.config.Log.Info().Str("addr", ln.Addr().String()).Msg("serving")
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	s.config.Log.Info().Msg("stopping")
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	if err := h.Shutdown(stop); err != nil {
		s.config.Log.Warn().Err(err).Msg("requests were cut off")
		h.Close()
	}
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// recordUses writes the last uses of keys until the function that it returns is called, which waits for the last ones.
func (s *Server) recordUses() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := s.uses.Run(ctx); err != nil {
			s.useFailed(err)
		}
	})
	return func() { cancel(); wg.Wait() }
}

func (s *Server) useFailed(err error) {
	s.config.Log.Error().Err(err).Msg("last use of keys not written")
}

func (s *Server) httpServer(ctx context.Context) *http.Server {
	return &http.Server{
		Handler:                      s.handler,
		ReadHeaderTimeout:            5 * time.Second,
		ReadTimeout:                  30 * time.Second,
		WriteTimeout:                 60 * time.Second,
		IdleTimeout:                  120 * time.Second,
		MaxHeaderBytes:               64 << 10,
		DisableGeneralOptionsHandler: true, // OPTIONS * is an unknown path
		BaseContext:                  func(net.Listener) context.Context { return ctx },
		ErrorLog:                     stdlog.New(s.config.Log, "", 0),
	}
}
