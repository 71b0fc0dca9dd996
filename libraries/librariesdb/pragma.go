package librariesdb

import (
	"context"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect"
)

// withPragma changes a setting of a connection to SQLite from what it was, and returns what changes it back. Other engines
// have no such setting, and nothing is changed.
func withPragma(ctx context.Context, conn bun.Conn, name string, change func(was int) int) (restore func(), err error) {
	if conn.Dialect().Name() != dialect.SQLite {
		return func() {}, nil
	}
	var was int
	if err := conn.NewRaw(`PRAGMA ?`, bun.Ident(name)).Scan(ctx, &was); err != nil {
		return nil, err
	}
	set := func(ctx context.Context, value int) error {
		_, err := conn.NewRaw(`PRAGMA ? = ?`, bun.Ident(name), value).Exec(ctx)
		return err
	}
	restore = func() { _ = set(context.WithoutCancel(ctx), was) }
	return restore, set(ctx, change(was))
}
