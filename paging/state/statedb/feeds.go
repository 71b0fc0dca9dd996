package statedb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/paging/state"
)

// LastFeed returns the digest of the feed that was loaded last into a tenant, or "" where none was.
func (s *Store) LastFeed(ctx context.Context, t state.Tenant) (digest string, err error) {
	err = s.DB.QueryRowContext(ctx, `SELECT files FROM feeds WHERE tenant_id = ?`, t).Scan(&digest)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return digest, ofTenant(t, err)
}

// LastFeed returns the digest of the feed that was loaded before this load.
func (l *Load) LastFeed(ctx context.Context) (string, error) { return l.store.LastFeed(ctx, l.tenant) }

// SetFeed says of which feed the load is, by a digest of its files. The last step writes that.
func (l *Load) SetFeed(digest string) { l.feed = digest }

// NoteFeed writes that the feed was loaded, where the load changes nothing and has no last step.
func (l *Load) NoteFeed(ctx context.Context) error {
	return l.Alone(ctx, func(ctx context.Context, tx bun.Tx, _ time.Time, _ Current) error { return l.noteFeed(ctx, tx) })
}

func (l *Load) noteFeed(ctx context.Context, tx bun.Tx) error {
	if l.feed == "" {
		return nil
	}
	_, err := tx.NewRaw(`INSERT INTO feeds (tenant_id, files) VALUES (?, ?) ON CONFLICT (tenant_id) DO UPDATE SET files = excluded.files`, l.tenant, l.feed).Exec(ctx)
	if err != nil {
		return fmt.Errorf("note the feed: %w", err)
	}
	return nil
}
