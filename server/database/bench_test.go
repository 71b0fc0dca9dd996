package database_test

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/uptrace/bun"
)

// BenchmarkPostgresMode reads one page of facts, 1,000 rows of about 300 bytes by
// their ids, in each of pgx's modes. The ids are other ones each time, as in
// service, so that no cache of statements helps.
func BenchmarkPostgresMode(b *testing.B) {
	db := dbtest.Postgres(b)
	mustExec(b, db, `CREATE TABLE facts (tenant_id bigint, user_id bigint, facts bytea, PRIMARY KEY (tenant_id, user_id))`)
	mustExec(b, db, `INSERT INTO facts SELECT 1, i, convert_to(repeat(md5(i::text), 9) || 'facts', 'UTF8') FROM generate_series(1, 200000) i`)
	mustExec(b, db, `VACUUM ANALYZE facts`)
	for _, mode := range []string{"", "exec", "simple_protocol", "cache_describe", "describe_exec", "cache_statement"} {
		b.Run("mode="+mode, func(b *testing.B) {
			url := db.URL
			if mode != "" {
				url += "&default_query_exec_mode=" + mode
			}
			db, err := database.Open(b.Context(), url)
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			for name, where := range wheres {
				b.Run(name, func(b *testing.B) {
					for b.Loop() {
						readFacts(b, db, `SELECT tenant_id, user_id, facts FROM facts WHERE tenant_id = 1 AND `+where(1+rand.IntN(190_000)))
					}
				})
			}
			b.Run("row", func(b *testing.B) {
				for b.Loop() {
					var facts []byte
					err := db.QueryRowContext(b.Context(), `SELECT facts FROM facts WHERE tenant_id = 1 AND user_id = ?`, 1+rand.IntN(190_000)).Scan(&facts)
					if err != nil {
						b.Fatal(err)
					}
				}
			})
		})
	}
}

// wheres are three ways to ask for 1,000 rows from an id.
var wheres = map[string]func(first int) string{
	"in":    func(first int) string { return `user_id IN (` + ids(first) + `)` },
	"array": func(first int) string { return `user_id = ANY ('{` + ids(first) + `}'::bigint[])` },
	"range": func(first int) string { return fmt.Sprintf(`user_id >= %d AND user_id < %d`, first, first+1000) },
}

// ids is a list of every second id from first.
func ids(first int) string {
	list := make([]string, 1000)
	for i := range list {
		list[i] = strconv.Itoa(first + 2*i)
	}
	return strings.Join(list, ",")
}

func readFacts(b *testing.B, db *database.DB, query string) {
	rows, err := db.QueryContext(b.Context(), query)
	if err != nil {
		b.Fatal(err)
	}
	defer rows.Close()
	n := 0
	for rows.Next() {
		var tenant, user int64
		var facts sql.RawBytes
		if err := rows.Scan(&tenant, &user, &facts); err != nil {
			b.Fatal(err)
		}
		if n++; len(facts) != 293 {
			b.Fatalf("%d bytes", len(facts))
		}
	}
	if err := rows.Err(); err != nil || n != 1000 {
		b.Fatal(n, err)
	}
}

// BenchmarkCopy writes 20,000 rows of facts in a transaction, on each engine.
func BenchmarkCopy(b *testing.B) {
	for name, open := range map[string]func(testing.TB) *database.DB{"sqlite": dbtest.SQLite, "postgres": dbtest.Postgres} {
		b.Run(name, func(b *testing.B) {
			db := open(b)
			typ := map[database.Engine]string{database.SQLite: "BLOB", database.Postgres: "bytea"}[db.Engine]
			mustExec(b, db, `CREATE TABLE facts (tenant_id bigint, user_id bigint, book_id bigint, facts `+typ+`, PRIMARY KEY (tenant_id, user_id, book_id))`)
			facts := make([]byte, 300)
			tenant := int64(0)
			for b.Loop() {
				tenant++
				rows := func(yield func([]any) bool) {
					row := make([]any, 4)
					for i := range int64(20_000) {
						row[0], row[1], row[2], row[3] = tenant, i/50, i%50, facts
						if !yield(row) {
							return
						}
					}
				}
				err := db.InTx(b.Context(), func(ctx context.Context, conn bun.Conn, _ bun.Tx) error {
					_, err := db.Copy(ctx, conn, "facts", []string{"tenant_id", "user_id", "book_id", "facts"}, rows)
					return err
				})
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)*20_000/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
