package librariesdb

import (
	"context"

	"github.com/uptrace/bun"
)

// pageCache is the memory in KiB that SQLite may keep pages in during a load: a load writes all over the indexes of loans,
// and what does not fit is written and read again and again.
const pageCache = 192 << 10

// withPageCache gives a connection that a load runs on its pages' memory, and returns what takes it back. PostgreSQL has
// its own.
func withPageCache(ctx context.Context, conn bun.Conn) (restore func(), err error) {
	return withPragma(ctx, conn, "cache_size", func(int) int { return -pageCache })
}
