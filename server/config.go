package server

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/internal/api/directoryapi"
	"github.com/lectern-dev/lectern/server/internal/api/librariesapi"
	"github.com/lectern-dev/lectern/server/internal/api/schoolsapi"
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
	// AdminAddr is where Run and Serve answer /healthz, /readyz and /metrics; empty serves them nowhere. It asks for no key: let
	// only the operator's tools reach it.
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
	// SecretKey is the key under which the secrets of directory keys are stored, 32 bytes; see Secrets. With nil, SQLite uses the
	// key in the file beside the database, and PostgreSQL has no key.
	SecretKey []byte
	// DebugSignatures makes a 401 of the directory say why it refuses, and which canonical string the signature should have been
	// made of.
	DebugSignatures bool
	// TrustedProxies are the networks of the proxies in front. The log takes the client's address from their X-Forwarded-For;
	// with none, it is the connection's.
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
	// AnalyticsURL is asked for sessions by channel (L13). If it is empty, they come from the channels feed.
	AnalyticsURL string
	// CacheBytes bounds what the reports keep in memory; 0 is DefaultCacheBytes.
	CacheBytes int64
	// Keep is how long a superseded snapshot stays readable, for all servers of the database. It is at least
	// snapshotdb.MinRetention, unless Now is set. 0 keeps the value that was set before, at first snapshotdb.DefaultRetention.
	Keep time.Duration
	// PullWindow is how much longer an idle pull keeps its snapshot; 0 is snapshotdb.DefaultPullWindow.
	PullWindow time.Duration
	// Now is the clock of periods, keys, pulls, rates and snapshots. Nil is time.Now with SQLite, and with PostgreSQL the
	// database's clock, which all replicas share.
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

// check refuses settings that cannot be served, before anything is opened.
func (c Config) check() error {
	for _, p := range c.LegacyPrefixes {
		if err := CheckLegacyPrefix(p); err != nil {
			return err
		}
	}
	if c.Keep < 0 || c.PullWindow < 0 || c.Keep > 0 && c.Keep < snapshotdb.MinRetention && c.Now == nil {
		return fmt.Errorf("keep %v, pull window %v: snapshots are kept for at least %v; give more, such as 2h", c.Keep, c.PullWindow, snapshotdb.MinRetention)
	}
	return c.UsersQueue.check()
}

var legacyPrefix = regexp.MustCompile(`^(/[A-Za-z0-9_.~-]+)+$`)

// CheckLegacyPrefix returns an error unless p can be a legacy prefix: it begins with a slash, its segments have letters, digits,
// `-`, `_`, `.` and `~`, and no other API has its paths.
func CheckLegacyPrefix(p string) error {
	if !legacyPrefix.MatchString(p) || path.Clean(p) != p {
		return fmt.Errorf("legacy prefix %q: give a path such as /rede-antiga, of letters, digits, -, _, . and ~, without a slash at its end", p)
	}
	for _, api := range []string{directoryapi.Prefix, schoolsapi.Prefix, librariesapi.Prefix} {
		if full := p + librariesapi.Suffix; full == api || strings.HasPrefix(full, api+"/") {
			return fmt.Errorf("legacy prefix %q: the paths under %s are an API's already; give another", p, api)
		}
	}
	return nil
}

// UsersQueue says how many requests for a library network's users run at a time in a process, how many more may wait for a slot,
// and for how long (L17). Its text has the form 2,16,5s.
type UsersQueue struct {
	AtATime, Waiting int
	Wait             time.Duration
}

// DefaultUsersQueue is the queue if no other is set: 2,16,5s.
func DefaultUsersQueue() UsersQueue {
	return UsersQueue{AtATime: 2, Waiting: 16, Wait: 5 * time.Second}
}

var errUsersQueue = errors.New("give how many run at a time (at least 1), how many wait, and how long, such as 2,16,5s")

// check refuses a queue that no request could pass.
func (q UsersQueue) check() error {
	if q.AtATime < 1 || q.Waiting < 0 || q.Wait < 0 {
		return fmt.Errorf("users queue %v: %w", q, errUsersQueue)
	}
	return nil
}

// String returns the text of the queue.
func (q UsersQueue) String() string { return fmt.Sprintf("%d,%d,%v", q.AtATime, q.Waiting, q.Wait) }

// UnmarshalText reads the text of a queue.
func (q *UsersQueue) UnmarshalText(text []byte) error {
	parts := strings.Split(string(text), ",")
	if len(parts) != 3 {
		return fmt.Errorf("users queue %q: %w", text, errUsersQueue)
	}
	atATime, err1 := strconv.ParseUint(parts[0], 10, 16)
	waiting, err2 := strconv.ParseUint(parts[1], 10, 16)
	wait, err3 := time.ParseDuration(parts[2])
	read := UsersQueue{int(atATime), int(waiting), wait}
	if err1 != nil || err2 != nil || err3 != nil || read.check() != nil {
		return fmt.Errorf("users queue %q: %w", text, errUsersQueue)
	}
	*q = read
	return nil
}
