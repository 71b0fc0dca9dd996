package authdb

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect"
)

// Statements are run with parameters, $1 and on.
type Statements interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Prepared runs statements past bun, which writes values into their text: those of few texts that many requests run. They are parsed and
// planned once a connection.
func Prepared(idb bun.IDB) Statements {
	switch idb := idb.(type) {
	case bun.Tx:
		return idb.Tx
	case bun.Conn:
		return idb.Conn
	}
	return idb.NewSelect().DB().DB
}

// Among is the condition that a column has one of ascending numbers, of which there is one at least, for a statement with parameters,
// and the values of those, of which the first is $n. It is of few forms, so that statements with it are prepared once: a range where
// the numbers stand close, which the engines read fastest and which finds others too; else a list, which is one parameter however long
// it is. There a range besides tells PostgreSQL to use the key while it has no statistics, as after the first load; SQLite would read
// all of it, and is told none.
func Among[N ~int64](idb bun.IDB, column string, n int, numbers []N) (condition string, values []any) {
	first, last := int64(numbers[0]), int64(numbers[len(numbers)-1])
	between := fmt.Sprintf("%s BETWEEN $%d AND $%d", column, n, n+1)
	if last-first < 2*int64(len(numbers)) {
		return between, []any{first, last}
	}
	if idb.Dialect().Name() != dialect.PG {
		return fmt.Sprintf("%s IN (SELECT value FROM json_each($%d))", column, n), []any{listed('[', numbers, ']')}
	}
	return fmt.Sprintf("%s AND %s = ANY($%d::bigint[])", between, column, n+2), []any{first, last, listed('{', numbers, '}')}
}

// listed is a list of numbers as the engines read it.
func listed[N ~int64](begin byte, numbers []N, end byte) string {
	text := slices.Grow([]byte{begin}, 8*len(numbers))
	for i, n := range numbers {
		if i > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendInt(text, int64(n), 10)
	}
	return string(append(text, end))
}
