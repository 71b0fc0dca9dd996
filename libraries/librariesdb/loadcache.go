package librariesdb

import (
	"context"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect"
)

// pageCache is the memory in KiB that SQLite may keep pages in during a load: a load writes all over the indexes of loans,
// and what does not fit is written and read again and again.
const pageCache = 192 << 10

// withPageCache gives a connection that a load runs on its pages' memory, and returns what takes it back. PostgreSQL has
// its own.
func withPageCache(ctx context.Context, conn bun.Conn) (restore func(), err error) {
	if conn.Dialect().Name() != dialect.SQLite {
		return func() {}, nil
	}
	var was int
	if err := conn.NewRaw(`PRAGMA cache_size`).Scan(ctx, &was); err != nil {
		return nil, err
	}
	set := func(ctx context.Context, size int) error {
		_, err := conn.NewRaw(`PRAGMA cache_size = ?`, size).Exec(ctx)
		return err
	}
	restore = func() { _ = set(context.WithoutCancel(ctx), was) }
	return restore, set(ctx, -pageCache)
}
