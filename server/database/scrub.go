package database

import (
	"context"
	"errors"
)

// ErrJournal is the error if the journal of an embedded database still has erased data.
var ErrJournal = errors.New("somebody reads the database as it was before: its journal (the file that ends in -wal) still has what was erased")

// Scrub removes erased data from the files of an embedded database. SQLite has overwritten it in the database file
// already (secure_delete); Scrub writes the journal back and truncates it. The error is ErrJournal if a reader
// prevents that. PostgreSQL removes the rows by itself: autovacuum removes earlier versions of rows, no statistics
// are collected of columns with names (see the migrations), and its files keep bytes until they are overwritten.
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
