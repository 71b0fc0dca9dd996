package main

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"github.com/lectern-dev/lectern/server/database"
)

// floor is what is read by hand, by a prepared statement whose parameter is the tenant: no page that reads the same takes less.
type floor struct{ name, sql string }

// twentyFifths stands in a statement for a thousand of the readers, as far apart as those of a library.
const twentyFifths = "TWENTYFIFTHS"

// floors times what the database and its driver take for what pages read, without the product.
func (n *network) floors(ctx context.Context) error {
	db, err := database.Open(ctx, n.db)
	if err != nil {
		return err
	}
	defer db.Close()
	n.heading("read by hand", "time", "rows")
	far, err := apart(ctx, db)
	if err != nil {
		return err
	}
	for _, f := range append([]floor{{"a row of a key", "SELECT * FROM versions WHERE tenant_id = $1"}}, n.read...) {
		var times []time.Duration
		rows := 0
		for range repeats {
			start := time.Now()
			if rows, err = readAll(ctx, db.DB.DB.DB, strings.Replace(f.sql, twentyFifths, far, 1), 1); err != nil {
				return err
			}
			times = append(times, time.Since(start))
		}
		n.row(f.name, ms(median(times)), whole(float64(rows)))
	}
	return nil
}

// apart lists every 25th reader of a library network, a thousand at most.
func apart(ctx context.Context, db *database.DB) (string, error) {
	var all, some []string
	err := db.NewRaw("SELECT user_id FROM libraries_readers WHERE tenant_id = 1 ORDER BY user_id LIMIT 25000").Scan(ctx, &all)
	for i := 0; i < len(all); i += 25 {
		some = append(some, all[i])
	}
	return strings.Join(some, ","), err
}

// readAll reads all rows of a query, and throws them away.
func readAll(ctx context.Context, db *sql.DB, query string, args ...any) (n int, err error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	columns, err := rows.Columns()
	if err != nil {
		return 0, err
	}
	dest := make([]any, len(columns))
	for i := range dest {
		dest[i] = new(any)
	}
	for ; rows.Next(); n++ {
		if err := rows.Scan(dest...); err != nil {
			return n, err
		}
	}
	return n, rows.Err()
}
