package handle

import (
	"context"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect"
)

// Postgres reports whether a database is PostgreSQL, or one of its kind, and not SQLite.
func Postgres(idb bun.IDB) bool { return idb.Dialect().Name() == dialect.PG }

// Clock reads the time in whole microseconds, which both engines keep. It is that of now, or, where now is nil, of the database with
// PostgreSQL, so that all servers agree, and of the process with SQLite.
func Clock(ctx context.Context, idb bun.IDB, now func() time.Time) (at time.Time, err error) {
	switch {
	case now != nil:
		at = now()
	case Postgres(idb):
		err = idb.NewRaw(`SELECT clock_timestamp()`).Scan(ctx, &at)
	default:
		at = time.Now()
	}
	return at.UTC().Truncate(time.Microsecond), err
}
