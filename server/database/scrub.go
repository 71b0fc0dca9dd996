package database

import (
	"context"
	"errors"
)

// ErrJournal says that the journal of an embedded database still has what was erased.
var ErrJournal = errors.New("somebody reads the database as it was before: its journal (the file that ends in -wal) still has what was erased")

// Scrub lets what was just erased leave more of an embedded database than its rows: SQLite has overwritten it in the file already
// (secure_delete), and its journal is written back and cut here. The error is ErrJournal where a reader is in the way. PostgreSQL does
// the rest by itself: autovacuum removes the former rows, no statistics are taken of columns with names (see the migrations), and its
// files, as those of its own journal, keep bytes until they are written over.
func (db *DB) Scrub(ctx context.Context) error {
	if db.Engine == Postgres {
		return nil
	}
	err := patiently(ctx, func() error {
		var busy, pages, done int
		err := db.Writer.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &pages, &done)
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
