package server

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	libraryreport "github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools/report"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/internal/api/analytics"
	"github.com/lectern-dev/lectern/server/internal/api/cache"
	"github.com/lectern-dev/lectern/server/internal/api/directoryapi"
	"github.com/lectern-dev/lectern/server/internal/api/librariesapi"
	"github.com/lectern-dev/lectern/server/internal/api/schoolsapi"
	"github.com/lectern-dev/lectern/server/internal/api/web"
	"github.com/lectern-dev/lectern/server/internal/operate/metrics"
	"github.com/lectern-dev/lectern/server/internal/pages/explore"
	"github.com/lectern-dev/lectern/server/internal/pages/static"
	"github.com/lectern-dev/lectern/server/internal/pages/welcome"
	"github.com/lectern-dev/lectern/server/openapi"
)

const (
	workTimeout = 10 * time.Second // of one request
	keyTimeout  = 4 * time.Second  // of the check of its key, so that a read has time for a second attempt

	// slots is how many reports are read at once; those beyond wait. It is several times the number of database connections, so
	// that a report that computes keeps no connection idle.
	slots = 64
)

// apis makes the handlers of the APIs and pages from a configuration, and has what they share.
type apis struct {
	Config
	cache    *cache.Cache // its keys begin with the tenant, of whatever kind
	metrics  *metrics.Metrics
	uses     *authdb.Uses
	answers  *web.Answers // of the reporting APIs
	secrets  *Secrets
	stopping atomic.Bool // since Serve's context ended
}

func newAPIs(c Config) (*apis, error) {
	a := &apis{Config: c, cache: cache.New(c.CacheBytes)}
	a.metrics = metrics.New(c.DB.Pool(), a.cache, a.versions)
	a.DB = c.DB.WithHook(a.metrics)
	a.uses = &authdb.Uses{DB: a.DB.DB, Error: a.useFailed}
	a.answers = &web.Answers{Build: build, Kept: a.cache, Slots: semaphore.NewWeighted(slots)}
	var err error
	a.secrets, err = NewSecrets(a.DB, c.SecretKey)
	return a, err
}

func (a *apis) useFailed(err error) { a.Log.Error("last use of keys not written", "error", err) }

// handler returns all APIs and pages as one handler. retention is what the documents tell of the snapshots.
func (a *apis) handler(ctx context.Context, retention time.Duration) (http.Handler, error) {
	if err := a.secrets.Verify(ctx, a.Now); database.LeftOut(err) != nil {
		a.Log.Warn("directory keys not checked", "error", err)
	} else if err != nil {
		return nil, err
	}
	reports, err := a.libraries()
	if err != nil {
		return nil, err
	}
	legacy := []string{librariesapi.Prefix}
	for _, p := range a.LegacyPrefixes {
		legacy = append(legacy, p+librariesapi.Suffix)
	}
	// The reporting APIs refuse some user agents (H5); the directory answers every client.
	schools, libraries, directory := web.UserAgent(a.schools()), web.UserAgent(reports), a.directory()
	unknown := web.UserAgent(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { web.Fail(w, r, web.NotFound(r)) }))
	documents, start := openapi.Handler(a.documented(retention)), welcome.Handler()
	numbers := explore.Handler(explore.Settings{SchoolsHistory: *a.SchoolsHistory, LibrariesHistory: *a.LibrariesHistory, Network: a.network})
	route := func(w http.ResponseWriter, r *http.Request) {
		handler, path := unknown, r.URL.Path
		switch {
		case strings.HasPrefix(path, schoolsapi.Prefix+"/"):
			handler = schools
		case slices.ContainsFunc(legacy, func(prefix string) bool { return strings.HasPrefix(path, prefix+"/") }):
			handler = libraries
		case directoryapi.Owns(r.URL): // its paths as they were sent
			handler = directory
		case path == welcome.Path:
			handler = start
		case openapi.Owns(path):
			handler = documents
		case static.Look.Owns(path):
			handler = static.Look
		case explore.Owns(path):
			handler = numbers
		}
		handler.ServeHTTP(w, r)
	}
	return web.Chain(http.HandlerFunc(route), web.CloseUnread, web.NoSniff, web.Identify(a.Log, a.TrustedProxies, database.Unavailable),
		web.AccessLog(a.metrics.Observe), web.Recover(web.Fail), web.Timeout(workTimeout)), nil
}

// schools returns the schools reading API.
func (a *apis) schools() http.Handler {
	store, _ := stores(a.DB, a.Now)
	api := &schoolsapi.API{
		Front:   a.front(auth.Schools, a.SchoolsRate),
		Reports: &report.Reports{Store: store, Cache: a.cache},
		Queue:   &web.Queue{AtATime: 2, Waiting: 16, Wait: 5 * time.Second},
		History: *a.SchoolsHistory,
	}
	return api.Handler()
}

// libraries returns the libraries reporting API.
func (a *apis) libraries() (http.Handler, error) {
	_, store := stores(a.DB, a.Now)
	reports := &libraryreport.Reports{Store: store, Cache: a.cache, History: *a.LibrariesHistory}
	if a.AnalyticsURL != "" {
		source, err := a.analytics(store)
		if err != nil {
			return nil, err
		}
		reports.Channels = source
	}
	api := &librariesapi.API{
		Front:          a.front(auth.Libraries, a.LibrariesRate),
		Reports:        reports,
		History:        *a.LibrariesHistory,
		Outside:        reports.Channels != nil,
		Queue:          &web.Queue{AtATime: a.UsersQueue.AtATime, Waiting: a.UsersQueue.Waiting, Wait: a.UsersQueue.Wait},
		LegacyPrefixes: slices.Compact(slices.Sorted(slices.Values(a.LegacyPrefixes))),
	}
	return api.Handler(), nil
}

// analytics returns the source of sessions by channel at the configured URL.
func (a *apis) analytics(store *librariesdb.Store) (*analytics.Source, error) {
	source, err := analytics.New(a.AnalyticsURL)
	if err != nil {
		return nil, err
	}
	source.Store, source.Cache, source.Now = store, a.cache, a.Now
	source.Alone = a.DB.Engine == database.SQLite
	source.Slug = func(ctx context.Context, id libraries.NetworkID) (string, error) {
		n, err := librariesdb.NetworkOf(ctx, store.DB, id)
		return n.Slug, err
	}
	source.Failed = func(err error) { a.Log.Warn("no sessions by channel", "error", err) }
	return source, nil
}

// front returns the checks in front of a reporting API.
func (a *apis) front(api auth.API, rate int) web.Front {
	limit := a.limit(api, rate)
	store := &authdb.Checker{Store: a.keyStore(), API: api, Limiter: a.sharedLimiter()}
	if a.DB.Engine == database.Postgres {
		store.Batch = a.DB.Batch
	}
	return web.Front{
		Keys:    &reportKeys{store, a.uses, limit.Rate},
		Limit:   limit,
		Pulls:   &snapshotdb.Store{DB: a.DB.DB, Now: a.Now, Recent: new(snapshotdb.Recent)},
		Answers: a.answers,
		Day:     dayOf(api),
	}
}

// directory returns the partner directory.
func (a *apis) directory() http.Handler {
	api := &directoryapi.API{
		Keys:    &directoryKeys{a.keyStore(), a.uses, a.secrets},
		Limit:   a.limit(auth.Directory, max(a.DirectoryRate, 0)),
		Store:   &directorydb.Store{DB: a.DB.DB, Now: a.Now},
		Answers: new(web.Answers),
		Cursors: a.secrets.Cursors,
		Debug:   a.DebugSignatures,
	}
	return api.Handler()
}

// documented returns the settings that the documents tell.
func (a *apis) documented(retention time.Duration) openapi.Settings {
	return openapi.Settings{
		DirectoryRate: max(a.DirectoryRate, 0), SchoolsRate: max(a.SchoolsRate, 0), LibrariesRate: max(a.LibrariesRate, 0),
		SchoolsHistory: *a.SchoolsHistory, LibrariesHistory: *a.LibrariesHistory, Keep: retention,
	}
}

// limit counts the requests of an API in the database if replicas share it, else in memory (H6).
func (a *apis) limit(api auth.API, rate int) web.Limit {
	l := web.Limit{Limiter: &auth.MemoryLimiter{Now: a.Now}, Rate: rate, Refused: a.metrics.Refused(string(api))}
	if a.DB.Engine == database.Postgres {
		l.Limiter = a.sharedLimiter()
	}
	return l
}

func (a *apis) sharedLimiter() *authdb.Limiter { return &authdb.Limiter{DB: a.DB.DB, Now: a.Now} }

func (a *apis) keyStore() *authdb.Store { return &authdb.Store{DB: a.DB.DB, Now: a.Now} }

// network returns the network that the text of a key of a reading API is for, and the zero Network for any other text.
func (a *apis) network(ctx context.Context, text string) (explore.Network, error) {
	soon, cancel := context.WithTimeout(ctx, keyTimeout)
	defer cancel()
	db := a.DB.DB
	for api, name := range map[auth.API]string{
		auth.Schools:   `SELECT name FROM entities WHERE tenant_id = ?0 AND entity_id = ?1`,
		auth.Libraries: `SELECT name FROM tenants WHERE tenant_id = ?0`,
	} {
		g, err := (&authdb.Store{DB: db, Now: a.Now}).Check(soon, text, api)
		if errors.Is(err, authdb.ErrKey) {
			continue
		}
		n := explore.Network{Report: string(api), Today: calendar.Day(g.Now)}
		if err == nil {
			err = db.QueryRowContext(soon, name, g.Key.Tenant, g.Key.Network).Scan(&n.Name)
		}
		return n, err
	}
	return explore.Network{}, nil
}
