package handle

import (
	"context"
	"database/sql"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"
)

// QueryContext runs a query that reads. Its placeholders and arguments are those of bun, which may be parts of a query.
// Values become parameters, so that the driver prepares a text once on each connection and sends binary values. A list
// of numbers is one value: see [In].
func (db *DB) QueryContext(ctx context.Context, query string, args ...any) (rows *sql.Rows, err error) {
	query, args = db.Parameters(query, args)
	return rows, db.Tell(ctx, query, args, func(ctx context.Context) error {
		if st := db.prepared(ctx, query); st != nil {
			rows, err = st.QueryContext(ctx, args...)
		} else {
			rows, err = db.Pool().QueryContext(ctx, query, args...)
		}
		return err
	})
}

// QueryRowContext is QueryContext for one row.
func (db *DB) QueryRowContext(ctx context.Context, query string, args ...any) (row *sql.Row) {
	query, args = db.Parameters(query, args)
	_ = db.Tell(ctx, query, args, func(ctx context.Context) error {
		if st := db.prepared(ctx, query); st != nil {
			row = st.QueryRowContext(ctx, args...)
		} else {
			row = db.Pool().QueryRowContext(ctx, query, args...)
		}
		return row.Err()
	})
	return row
}

// maxPrepared bounds the number of prepared texts.
const maxPrepared = 200

// prepared returns a statement that database/sql prepares once on each connection: on SQLite preparing takes as long as
// a look-up. It returns nil if the driver prepares by itself, as pgx does.
func (db *DB) prepared(ctx context.Context, text string) *sql.Stmt {
	if Postgres(db) {
		return nil
	}
	db.mu.Lock()
	st, ok := db.statements[text]
	full := len(db.statements) >= maxPrepared
	db.mu.Unlock()
	if ok || full {
		return st
	}
	st, err := db.Pool().PrepareContext(ctx, text)
	if err != nil {
		return nil
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	if had, ok := db.statements[text]; ok { // another goroutine has prepared it, too
		st.Close()
		return had
	}
	if db.statements == nil {
		db.statements = make(map[string]*sql.Stmt)
	}
	db.statements[text] = st
	return st
}

// Tell runs a statement that bun does not run, and calls the hooks.
func (db *DB) Tell(ctx context.Context, query string, args []any, run func(context.Context) error) error {
	e := &bun.QueryEvent{DB: db.DB, Query: query, QueryArgs: args, StartTime: time.Now()}
	for _, h := range db.hooks {
		ctx = h.BeforeQuery(ctx, e)
	}
	e.Err = run(ctx)
	for _, h := range db.hooks {
		h.AfterQuery(ctx, e)
	}
	return e.Err
}

// Parameters converts a query of bun to one with the parameters $1, $2 and so on, and returns their values.
func (db *DB) Parameters(query string, args []any) (text string, values []any) {
	args = parameters(args, &values)
	return db.QueryGen().FormatQuery(query, args...), values
}

// parameters replaces each value among the arguments of a query with a parameter.
func parameters(args []any, values *[]any) []any {
	args = slices.Clone(args)
	for i, a := range args {
		switch a := a.(type) {
		case schema.QueryWithArgs:
			args[i] = schema.QueryWithArgs{Query: a.Query, Args: parameters(a.Args, values)}
		case schema.QueryAppender: // an identifier, or a part without values
		default:
			*values = append(*values, a)
			args[i] = bun.Safe("$" + strconv.Itoa(len(*values)))
		}
	}
	return args
}

// Among is [In] for a non-empty list of ascending numbers. If they are close together it is a range, which the engines
// read fastest, and which may contain other numbers too.
func Among[N ~int32 | ~int64](db bun.IDB, column string, numbers []N) schema.QueryWithArgs {
	if isRange(numbers) {
		return bun.SafeQuery("? BETWEEN ? AND ?", bun.Ident(column), numbers[0], numbers[len(numbers)-1])
	}
	return In(db, column, numbers)
}

// In returns the condition that a column has one of the numbers, which are sent as one value.
func In[N ~int32 | ~int64](db bun.IDB, column string, numbers []N) schema.QueryWithArgs {
	if Postgres(db) {
		return bun.SafeQuery("? = ANY (?::bigint[])", bun.Ident(column), listed('{', numbers, '}'))
	}
	return bun.SafeQuery("? IN (SELECT value FROM json_each(?))", bun.Ident(column), listed('[', numbers, ']'))
}

// Row returns a row of values to compare columns with.
func Row(values []int64) schema.QueryWithArgs {
	args := make([]any, len(values))
	for i, v := range values {
		args[i] = v
	}
	return bun.SafeQuery("(?"+strings.Repeat(", ?", len(values)-1)+")", args...)
}

// AmongOf is [Among] for a table whose key has the column behind the columns of front, a condition such as tenant_id = 1.
// It returns the table to read from, and the condition. PostgreSQL is made to look up each number: without statistics, as
// after the first load, it would read all rows that meet front.
func AmongOf[N ~int64](db bun.IDB, table string, front schema.QueryWithArgs, column string, numbers []N) (from, condition schema.QueryWithArgs) {
	if isRange(numbers) || !Postgres(db) {
		return bun.SafeQuery("?", bun.Ident(table)), Among(db, column, numbers)
	}
	return bun.SafeQuery(`unnest(?3::bigint[]) AS asked(n) CROSS JOIN LATERAL (
		SELECT * FROM ?0 WHERE ?1 AND ?2 = asked.n OFFSET 0) AS ?0`,
		bun.Ident(table), front, bun.Ident(column), listed('{', numbers, '}')), bun.SafeQuery("TRUE")
}

// isRange reports whether ascending numbers are close together.
func isRange[N ~int32 | ~int64](numbers []N) bool {
	return int64(numbers[len(numbers)-1]-numbers[0]) < 2*int64(len(numbers))
}

// listed returns a list of numbers as a literal of the engine.
func listed[N ~int32 | ~int64](begin byte, numbers []N, end byte) string {
	text := slices.Grow([]byte{begin}, 8*len(numbers))
	for i, n := range numbers {
		if i > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendInt(text, int64(n), 10)
	}
	return string(append(text, end))
}
