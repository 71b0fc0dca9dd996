package server

import (
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/internal/api/analytics"
	"github.com/lectern-dev/lectern/server/internal/api/cache"
	"github.com/lectern-dev/lectern/server/internal/api/directoryapi"
	"github.com/lectern-dev/lectern/server/internal/api/librariesapi"
	"github.com/lectern-dev/lectern/server/internal/api/schoolsapi"
	"github.com/lectern-dev/lectern/server/internal/api/web"
)

// libraries returns the libraries reporting API.
func (s *Server) libraries(kept *cache.Cache) (place, error) {
	c := s.config
	_, store := stores(c.DB, c.Now)
	reports := &report.Reports{Store: store, Cache: kept, History: *c.LibrariesHistory}
	if c.AnalyticsURL != "" {
		source, err := s.analytics(store, kept)
		if err != nil {
			return place{}, err
		}
		reports.Channels = source
	}
	legacy := slices.Compact(slices.Sorted(slices.Values(c.LegacyPrefixes)))
	api := &librariesapi.API{
		Front:          s.front(auth.Libraries, s.limit("libraries", c.LibrariesRate)),
		Reports:        reports,
		History:        *c.LibrariesHistory,
		Outside:        reports.Channels != nil,
		Queue:          &web.Queue{AtATime: c.UsersQueue.AtATime, Waiting: c.UsersQueue.Waiting, Wait: c.UsersQueue.Wait},
		LegacyPrefixes: legacy,
	}
	prefixes := []string{librariesapi.Prefix}
	for _, p := range legacy {
		prefixes = append(prefixes, p+librariesapi.Suffix)
	}
	return place{under(prefixes...), web.UserAgent(api.Handler())}, nil
}

// analytics returns the source of sessions by channel at the configured URL.
func (s *Server) analytics(store *librariesdb.Store, kept snapshot.Cache) (*analytics.Source, error) {
	source, err := analytics.New(s.config.AnalyticsURL)
	if err != nil {
		return nil, err
	}
	source.Store, source.Cache, source.Now = store, kept, s.config.Now
	source.Alone = s.config.DB.Engine == database.SQLite
	source.Slug = func(ctx context.Context, id libraries.NetworkID) (string, error) {
		n, err := librariesdb.NetworkOf(ctx, store.DB, id)
		return n.Slug, err
	}
	source.Failed = func(err error) { s.config.Log.Warn("no sessions by channel", "error", err) }
	return source, nil
}

var legacyPrefix = regexp.MustCompile(`^(/[A-Za-z0-9_.~-]+)+$`)

// CheckLegacyPrefix returns an error for what cannot be a legacy prefix: it begins with a slash, has segments of
// letters, digits, `-`, `_`, `.` and `~`, and its paths are no other API's.
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

// UsersQueue says how many requests for users a library network may have under way in a process, how many more may wait
// for their turn, and for how long (L17). Its text is of the form 2,16,5s.
type UsersQueue struct {
	AtATime, Waiting int
	Wait             time.Duration
}

// DefaultUsersQueue is the queue where no other is set: 2,16,5s.
func DefaultUsersQueue() UsersQueue {
	return UsersQueue{AtATime: 2, Waiting: 16, Wait: 5 * time.Second}
}

var errUsersQueue = errors.New("give how many run at a time (at least 1), how many wait, and how long, such as 2,16,5s")

// check refuses what is no queue.
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

// check refuses settings that cannot be served, before anything is opened.
func (c Config) check() error {
	for _, p := range c.LegacyPrefixes {
		if err := CheckLegacyPrefix(p); err != nil {
			return err
		}
	}
	if err := c.checkKeep(); err != nil {
		return err
	}
	return c.UsersQueue.check()
}
