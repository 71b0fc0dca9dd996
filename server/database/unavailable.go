package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Unavailable reports whether an error says that the data cannot be had at the moment, and not that the program is at
// fault (H13): there was no connection, or none was free in time; a server restarts, stops, is full or was demoted; a
// lock was held for too long; a disk is full or does not answer. It is unknown whether the statement was executed.
// The answer to a COMMIT may be lost after the server executed it, so only reads may be repeated.
func Unavailable(err error) bool {
	if p, ok := errors.AsType[*pgconn.PgError](err); ok {
		return unavailablePostgres(p.Code)
	}
	if s, ok := errors.AsType[*sqlite.Error](err); ok {
		return unavailableSQLite(s.Code())
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	for _, known := range []error{
		driver.ErrBadConn, sql.ErrConnDone, errLost, io.EOF, io.ErrUnexpectedEOF, context.DeadlineExceeded, net.ErrClosed,
	} {
		if errors.Is(err, known) {
			return true
		}
	}
	return err != nil && pgconn.SafeToRetry(err) // a connection that was closed before anything was sent
}

// unavailablePostgres judges an SQLSTATE, by its class if all codes of the class are trouble.
func unavailablePostgres(code string) bool {
	switch code {
	case "25006", // read-only: it was the primary when the connection was made
		"25P03", "25P04", // a transaction was idle, or went on, for too long
		"3D000",          // no such database: it is being restored, or the wrong server answers
		"40001", "40P01", // two writers conflicted
		"55P03", "55006": // a lock or an object is held
		return true
	}
	switch code[:min(2, len(code))] {
	case "08", // the connection
		"28", // who connects
		"53", // room, memory, connections
		"57", // an operator, a timeout, a start or an end
		"58": // the system below
		return true
	}
	return false
}

func unavailableSQLite(code int) bool {
	switch code & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_PROTOCOL, // others, or the time
		sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM, // the machine
		sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, // the file
		sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return true
	}
	return false
}
