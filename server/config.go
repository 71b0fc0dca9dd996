// Package server composes the product: the stores on one database, the reports over them, and the HTTP APIs in front.
//
//	db, err := database.Open(ctx, "sqlite:lectern.db")
//	s, err := server.New(ctx, server.Config{DB: db})
//	err = s.Run(ctx) // until ctx ends; then finishes what was begun and returns nil
//
// Handler returns only the APIs, for a program with its own HTTP server; AdminHandler returns health and metrics. Such a
// program runs Maintain beside it, as Run and Serve do. The program examples/mount puts Handler into a mux;
// examples/pull is a client.
//
// Several processes may serve one PostgreSQL: keys, data, versions, pulls and the counters of the rate limit are in the
// database, what is cached in memory is named by its version. A SQLite file is served by one process, and a second one is refused;
// the counters live in it, so that a load never holds up a request (H6).
//
// Three things are bounded over all requests: the reports that are read at once, the connections that have had no answer, whose
// memory a flood without a key would take, and the bytes of large bodies that live keys have signed (P10).
//
// The package holds no rule: those are in the domain packages, and the routes in internal/api/directoryapi, schoolsapi and
// librariesapi. It serves plain HTTP; TLS is the work of a proxy in front.
package server

import (
	"cmp"
	"io/fs"
	"log/slog"
	"net/netip"
	"time"

	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/schoolsdb"
	"github.com/lectern-dev/lectern/server/database"
)

// Defaults of Config, which the command line shows too.
const (
	DefaultAddr          = "127.0.0.1:8080"
	DefaultAdminAddr     = "127.0.0.1:8081" // of lectern serve; Config has none
	DefaultURL           = "sqlite:lectern.db"
	DefaultSchoolsRate   = 30
	DefaultLibrariesRate = 60
	DefaultCacheBytes    = 256 << 20
)

// Config says what to serve and how. Its zero value serves DefaultURL at DefaultAddr.
type Config struct {
	// Addr is where Run listens; empty is DefaultAddr.
	Addr string
	// AdminAddr is where Run and Serve answer /healthz, /readyz and /metrics; empty is nowhere. It asks for no key: let
	// only those reach it who may.
	AdminAddr string
	// DB is the database. The server does not close it. database.OnPool makes one of a pool of the caller's own.
	DB *database.DB
	// URL names the database to open when DB is nil; empty is DefaultURL. Close closes it.
	URL string
	// SchoolsRate is the number of requests a minute that a schools key may make: 0 is DefaultSchoolsRate, a negative
	// number lifts the limit.
	SchoolsRate int
	// LibrariesRate is the number of requests a minute that a library network may make with all its keys: 0 is
	// DefaultLibrariesRate, a negative number lifts the limit.
	LibrariesRate int
	// DirectoryRate is the number of requests a minute that a directory key may make; 0 and below set no limit.
	DirectoryRate int
	// SecretKey is the key under which the secrets of directory keys are stored, 32 bytes; see Secrets. Nil is, with
	// SQLite, the key in the file beside the database, and with PostgreSQL none.
	SecretKey []byte
	// DebugSignatures makes the directory's 401 tell why it refuses, and the canonical string that the signature should have
	// been made of.
	DebugSignatures bool
	// TrustedProxies are the networks of the proxies in front, whose X-Forwarded-For says in the log who the client is; empty
	// believes nobody.
	TrustedProxies []netip.Prefix
	// SchoolsHistory is the first day of the schools' reports. Nil is schools.HistoryStart.
	SchoolsHistory *calendar.Date
	// LibrariesHistory is the first day of the libraries' reports. Nil is libraries.HistoryStart.
	LibrariesHistory *calendar.Date
	// LegacyPrefixes are the paths P under which P/libraries/v1 answers too (H1), such as /rede-antiga; see
	// CheckLegacyPrefix.
	LegacyPrefixes []string
	// UsersQueue bounds the users route of the libraries; its zero value is DefaultUsersQueue.
	UsersQueue UsersQueue
	// AnalyticsURL is where sessions by channel are asked for (L13). Empty takes them from the channels feed.
	AnalyticsURL string
	// CacheBytes bounds what the reports keep in memory; 0 is DefaultCacheBytes.
	CacheBytes int64
	// Keep is how long a state that was replaced stays readable, for all servers of the database; at least snapshotdb.MinRetention, unless
	// Now is set. 0 leaves what was set before, at first snapshotdb.DefaultRetention.
	Keep time.Duration
	// PullWindow is how long a pull that asks for nothing keeps its state longer than that; 0 is snapshotdb.DefaultPullWindow.
	PullWindow time.Duration
	// Now is the clock of the periods, the keys, the pulls, the rates and the states. Nil is time.Now with SQLite, and with
	// PostgreSQL the database's clock, which all replicas share.
	Now func() time.Time
	// Log is where requests and errors go; nil writes nothing.
	Log *slog.Logger
}

func (c Config) withDefaults() Config {
	c.Addr = cmp.Or(c.Addr, DefaultAddr)
	c.URL = cmp.Or(c.URL, DefaultURL)
	c.SchoolsRate = cmp.Or(c.SchoolsRate, DefaultSchoolsRate)
	c.LibrariesRate = cmp.Or(c.LibrariesRate, DefaultLibrariesRate)
	c.SchoolsHistory = cmp.Or(c.SchoolsHistory, new(schools.HistoryStart()))
	c.LibrariesHistory = cmp.Or(c.LibrariesHistory, new(libraries.HistoryStart))
	c.UsersQueue = cmp.Or(c.UsersQueue, DefaultUsersQueue())
	c.CacheBytes = cmp.Or(c.CacheBytes, DefaultCacheBytes)
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	return c
}

// Schema returns the migrations of all stores, for database.DB.Migrate and SchemaCurrent.
func Schema() []fs.FS {
	return []fs.FS{authdb.Migrations, snapshotdb.Migrations, directorydb.Migrations, schoolsdb.Migrations, librariesdb.Migrations}
}
