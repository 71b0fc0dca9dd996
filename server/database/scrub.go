package database

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// ErrJournal says that the journal of an embedded database still has what was erased.
var ErrJournal = errors.New("somebody reads the database as it was before: its journal (the file that ends in -wal) still has what was erased")

// Scrub lets what was just erased from tables leave more than their rows. SQLite has overwritten it in the file already
// (secure_delete), and its journal is written back and cut here; the error is ErrJournal where a reader is in the way. PostgreSQL
// removes the former rows, and takes the statistics of the columns anew, which quote values; its files, as those of its own journal,
// keep bytes until they are written over.
func (db *DB) Scrub(ctx context.Context, tables ...string) error {
	if db.Engine == Postgres {
		_, err := db.ExecContext(ctx, `VACUUM (ANALYZE) `+strings.Join(tables, ", "))
		if err != nil {
			return fmt.Errorf("vacuum: %w", err)
		}
		return nil
	}
	err := patiently(ctx, func() error {
		var busy, pages, done int
		err := db.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &pages, &done)
		if err == nil && busy != 0 {
			err = ErrJournal
		}
		return err
	})
	if ctx.Err() != nil { // in the middle of a wait
		return ErrJournal
	}
	return err
}
