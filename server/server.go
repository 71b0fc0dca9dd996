package server

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/schools/report"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/internal/api/cache"
	"github.com/lectern-dev/lectern/server/internal/api/directoryapi"
	"github.com/lectern-dev/lectern/server/internal/api/schoolsapi"
	"github.com/lectern-dev/lectern/server/internal/api/web"
	"github.com/lectern-dev/lectern/server/internal/operate/metrics"
	"github.com/lectern-dev/lectern/server/internal/pages/explore"
	"github.com/lectern-dev/lectern/server/internal/pages/static"
	"github.com/lectern-dev/lectern/server/internal/pages/welcome"
	"github.com/lectern-dev/lectern/server/openapi"
)

const (
	workTimeout     = 10 * time.Second // of one request
	keyTimeout      = 4 * time.Second  // of the check of its key, so that a read has time for a second attempt
	shutdownTimeout = 15 * time.Second

	// slots is how many reports are read at once; those beyond wait. It is some times the connections to the database, so that
	// one that computes keeps nobody waiting.
	slots = 64
)

// Server serves the APIs; make one with New.
type Server struct {
	config   Config
	handler  http.Handler
	metrics  *metrics.Metrics
	uses     *authdb.Uses
	answers  *web.Answers // of the reading APIs
	secrets  *Secrets
	remover  *snapshotdb.Remover
	stopping atomic.Bool // since Serve's context ended
	close    func() error

	claiming sync.Mutex
	release  func() // gives up the claim; nil = there is none
}

// New opens the database when the configuration has none, brings its schema up to date as Migrate does and composes the
// APIs. It does not listen yet. It fails where a directory key was issued whose secret cannot be opened with the configuration's
// SecretKey; without any such key the directory refuses everybody, and the rest is served.
func New(ctx context.Context, c Config) (*Server, error) {
	go build() // the first answer needs it
	c = c.withDefaults()
	if err := c.check(); err != nil {
		return nil, err
	}
	s := &Server{config: c, close: func() error { return nil }}
	if c.DB == nil {
		db, err := database.Open(ctx, c.URL)
		if err != nil {
			return nil, err
		}
		s.config.DB, s.close = db, db.Close
	}
	_, err := Migrate(ctx, s.config.DB)
	if err == nil {
		err = s.keep(ctx)
	}
	if err == nil {
		err = s.compose(ctx)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// Close closes the database, if New opened it, and gives up the claim of Claim.
func (s *Server) Close() error {
	s.unclaim()
	return s.close()
}

// Handler returns all APIs as one handler. At / it has a page that says what it is; it answers 404 to what is no path of
// its own.
func (s *Server) Handler() http.Handler { return s.handler }

// compose joins the APIs into one handler.
func (s *Server) compose(ctx context.Context) error {
	kept := cache.New(s.config.CacheBytes) // its keys begin with the tenant, of whatever kind
	s.metrics = metrics.New(s.config.DB.DB.DB.DB, kept, s.versions)
	s.config.DB = s.config.DB.WithHook(s.metrics)
	s.uses = &authdb.Uses{DB: s.config.DB.DB, Error: s.useFailed}
	s.answers = &web.Answers{Build: build, Kept: kept, Slots: semaphore.NewWeighted(slots)}
	partners, err := s.directory(ctx)
	if err != nil {
		return err
	}
	network, err := s.libraries(kept)
	if err != nil {
		return err
	}
	documented, err := s.documented(ctx)
	if err != nil {
		return err
	}
	// The user agent is a check of the reading APIs (H5); the directory answers every client.
	nowhere := web.UserAgent(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { web.Fail(w, r, web.NotFound(r)) }))
	s.handler = web.Chain(first(
		place{under(schoolsapi.Prefix), web.UserAgent(s.schools(kept))},
		network,
		place{directoryapi.Owns, partners}, // its paths as they were sent
		place{func(u *url.URL) bool { return u.Path == welcome.Path }, welcome.Handler()},
		place{func(u *url.URL) bool { return openapi.Owns(u.Path) }, openapi.Handler(documented)}, // (H10)
		place{func(u *url.URL) bool { return static.Look.Owns(u.Path) }, static.Look},
		place{func(u *url.URL) bool { return explore.Owns(u.Path) }, explore.Handler(explore.Settings{
			SchoolsHistory: *s.config.SchoolsHistory, LibrariesHistory: *s.config.LibrariesHistory, Network: s.network,
		})},
		place{everything, nowhere},
	), web.CloseUnread, web.NoSniff, web.Identify(s.config.Log, s.config.TrustedProxies, database.Unavailable),
		web.AccessLog(s.metrics.Observe), web.Recover(web.Fail), web.Timeout(workTimeout))
	return nil
}

// place is a handler with the paths that are its own.
type place struct {
	owns func(*url.URL) bool
	http.Handler
}

func everything(*url.URL) bool { return true }

// under owns the paths below prefixes.
func under(prefixes ...string) func(*url.URL) bool {
	return func(u *url.URL) bool {
		return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(u.Path, prefix+"/") })
	}
}

// first serves a request at the first of places that owns its path; the last one owns all.
func first(places ...place) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		places[slices.IndexFunc(places, func(p place) bool { return p.owns(r.URL) })].ServeHTTP(w, r)
	})
}

func (s *Server) schools(kept *cache.Cache) http.Handler {
	c := s.config
	store, _ := stores(c.DB, c.Now)
	api := &schoolsapi.API{
		Front:   s.front(auth.Schools, s.limit("schools", c.SchoolsRate)),
		Reports: &report.Reports{Store: store, Cache: kept},
		Queue:   &web.Queue{AtATime: 2, Waiting: 16, Wait: 5 * time.Second},
		History: *c.SchoolsHistory,
	}
	return api.Handler()
}

// front stands before a reading API.
func (s *Server) front(api auth.API, limit web.Limit) web.Front {
	c := s.config
	store := &authdb.Checker{Store: &authdb.Store{DB: c.DB.DB, Now: c.Now}, API: api, Limiter: &authdb.Limiter{DB: c.DB.DB, Now: c.Now}}
	ahead := 0
	if c.DB.Engine == database.Postgres {
		store.Batch, ahead = c.DB.Batch, limit.Rate
	}
	return web.Front{
		Keys:    &keys{store, s.uses, ahead},
		Limit:   limit,
		Pulls:   &snapshotdb.Store{DB: c.DB.DB, Now: c.Now, Recent: new(snapshotdb.Recent)},
		Answers: s.answers,
		Day:     dayOf(api),
	}
}

// directory returns the handler of the partner directory. It fails where the directory could answer nobody.
func (s *Server) directory(ctx context.Context) (http.Handler, error) {
	c := s.config
	secrets, err := NewSecrets(c.DB, c.SecretKey)
	if err != nil {
		return nil, err
	}
	s.secrets = secrets
	keys := &directoryKeys{&authdb.Store{DB: c.DB.DB, Now: c.Now}, s.uses, secrets}
	if err := secrets.Verify(ctx, c.Now); database.LeftOut(err) != nil {
		c.Log.Warn("directory keys not checked", "error", err)
	} else if err != nil {
		return nil, err
	}
	api := &directoryapi.API{
		Keys:    keys,
		Limit:   s.limit("directory", max(c.DirectoryRate, 0)),
		Store:   &directorydb.Store{DB: c.DB.DB, Now: c.Now},
		Answers: new(web.Answers),
		Cursors: secrets.Cursors,
		Debug:   c.DebugSignatures,
	}
	return api.Handler(), nil
}

// documented returns the settings that the documents tell.
func (s *Server) documented(ctx context.Context) (openapi.Settings, error) {
	c := s.config
	keep, err := s.remover.Retention(ctx)
	return openapi.Settings{
		DirectoryRate: max(c.DirectoryRate, 0), SchoolsRate: max(c.SchoolsRate, 0), LibrariesRate: max(c.LibrariesRate, 0),
		SchoolsHistory: *c.SchoolsHistory, LibrariesHistory: *c.LibrariesHistory, Keep: keep,
	}, err
}

// limit counts the requests of an API in the database where replicas share it, else in memory (H6).
func (s *Server) limit(api string, rate int) web.Limit {
	c := s.config
	l := web.Limit{Limiter: &auth.MemoryLimiter{Now: c.Now}, Rate: rate, Refused: s.metrics.Refused(api)}
	if c.DB.Engine == database.Postgres {
		l.Limiter = &authdb.Limiter{DB: c.DB.DB, Now: c.Now}
	}
	return l
}

// Run listens at the configured addresses and serves until ctx ends; see Serve.
func (s *Server) Run(ctx context.Context) error {
	ln, err := net.Listen("tcp", s.config.Addr)
	if err != nil {
		return err
	}
	return s.Serve(ctx, ln)
}

// Claim makes this process the one that serves a SQLite file, as Serve does by itself, for a program that does something
// before which nobody else may serve it. The error says which process does. It is given up when Serve ends, by Close, and
// with the process; PostgreSQL is for any number of servers.
func (s *Server) Claim() (err error) {
	s.claiming.Lock()
	defer s.claiming.Unlock()
	if s.release == nil {
		s.release, err = s.config.DB.Claim()
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

// Serve serves the connections of ln, and the admin address if there is one, until ctx ends, and removes what is no longer
// kept of former states (G8). It then stops accepting, gives
// the requests under way 15 seconds to finish, writes the last uses of keys to the database and returns nil. The admin
// address is served to the end, and tells meanwhile that the server is not ready. It closes ln. An error is that of ln, of
// Claim, or ErrAdminAddr.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	if err := s.Claim(); err != nil {
		ln.Close()
		return err
	}
	defer s.unclaim()
	admin, err := s.listenAdmin()
	if err != nil {
		ln.Close()
		return err
	}
	s.stopping.Store(false)
	base := context.WithoutCancel(ctx)
	defer s.serveAdmin(base, admin)()
	defer s.maintain(base)()
	h := s.apiServer(base)
	failed := make(chan error, 1)
	go func() { failed <- h.Serve(ln) }()
	s.logAddresses(ln, admin)
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	s.stopping.Store(true)
	s.config.Log.Info("stopping")
	stop, cancel := context.WithTimeout(base, shutdownTimeout)
	defer cancel()
	if err := h.Shutdown(stop); err != nil {
		s.config.Log.Warn("requests were cut off", "error", err)
		h.Close()
	}
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func (s *Server) logAddresses(ln, admin net.Listener) {
	addresses := []any{"addr", ln.Addr().String()}
	if admin != nil {
		addresses = append(addresses, "adminAddr", admin.Addr().String())
	}
	s.config.Log.Info("serving", addresses...)
}

// maintain runs Maintain until the function that it returns is called, which waits for its end.
func (s *Server) maintain(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { s.Maintain(ctx) })
	return func() { cancel(); wg.Wait() }
}

func (s *Server) useFailed(err error) {
	s.config.Log.Error("last use of keys not written", "error", err)
}

// apiServer returns what serves the APIs.
func (s *Server) apiServer(ctx context.Context) *http.Server {
	h := s.httpServer(ctx, s.handler)
	h.ReadTimeout, h.WriteTimeout = 10*time.Second, 60*time.Second
	h.DisableGeneralOptionsHandler = true // OPTIONS * is an unknown path
	h.ConnState = boundUnanswered(maxUnanswered)
	return h
}

// httpServer returns a server of h with the limits of both addresses.
func (s *Server) httpServer(ctx context.Context, h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 3 * time.Second,
		ReadTimeout:       5 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       120 * time.Second,
		MaxHeaderBytes:    64 << 10,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ErrorLog:          slog.NewLogLogger(s.config.Log.Handler(), slog.LevelError),
	}
}
