package snapshotdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// DefaultRetention is how long a superseded snapshot stays readable. MinRetention is the least that an operator may set
// (G8).
const (
	DefaultRetention = 2 * time.Hour
	MinRetention     = 15 * time.Minute
)

// Retention returns how long superseded snapshots are retained, as it is set for the database.
func (s *Store) Retention(ctx context.Context) (time.Duration, error) {
	var text string
	err := s.DB.NewRaw(`SELECT value FROM settings WHERE name = 'keep'`).Scan(ctx, &text)
	if errors.Is(err, sql.ErrNoRows) {
		return DefaultRetention, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read the retention: %w", err)
	}
	return time.ParseDuration(text)
}

// SetRetention sets the retention for all servers of the database. It writes nothing if the value is the same, so that
// a server can start while a node of a cluster is down.
func (s *Store) SetRetention(ctx context.Context, keep time.Duration) error {
	if was, err := s.Retention(ctx); err == nil && was == keep {
		return nil
	}
	_, err := s.DB.NewRaw(`
		INSERT INTO settings (name, value)
		VALUES ('keep', ?)
		    ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value`, keep.String()).Exec(ctx)
	if err != nil {
		return fmt.Errorf("set the retention: %w", err)
	}
	return nil
}
