package authdb

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/paging/handle"
)

// Among is the condition that a column has one of ascending numbers, of which there is one at least, for a statement with parameters,
// and the values of those, of which the first is $n. It is of few forms, so that statements with it are prepared once: a range where
// the numbers stand close, which the engines read fastest and which finds others too; else a list, which is one parameter however long
// it is.
func Among[N ~int64](db bun.IDB, column string, n int, numbers []N) (condition string, values []any) {
	switch {
	case isRange(numbers):
		return fmt.Sprintf("%s BETWEEN $%d AND $%d", column, n, n+1), []any{int64(numbers[0]), int64(numbers[len(numbers)-1])}
	case handle.Postgres(db):
		return fmt.Sprintf("%s IN (SELECT unnest($%d::bigint[]))", column, n), []any{listed('{', numbers, '}')}
	}
	return fmt.Sprintf("%s IN (SELECT value FROM json_each($%d))", column, n), []any{listed('[', numbers, ']')}
}

// AmongKeys is [Among] for a table whose key begins with the tenant, which is $1, and the column, and what the statement reads the table
// from: PostgreSQL is told to look each number of a list up. While it has no statistics, as after the first load, it would read all rows
// of the tenant.
func AmongKeys[N ~int64](db bun.IDB, table, column string, n int, numbers []N) (from, condition string, values []any) {
	condition, values = Among(db, column, n, numbers)
	if isRange(numbers) || !handle.Postgres(db) {
		return table, condition, values
	}
	from = fmt.Sprintf(`unnest($%[3]d::bigint[]) AS asked(n) CROSS JOIN LATERAL (
		SELECT * FROM %[1]s WHERE tenant_id = $1 AND %[2]s = asked.n OFFSET 0) AS %[1]s`, table, column, n)
	return from, "TRUE", values
}

// isRange reports whether ascending numbers stand close.
func isRange[N ~int64](numbers []N) bool {
	return int64(numbers[len(numbers)-1]-numbers[0]) < 2*int64(len(numbers))
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
