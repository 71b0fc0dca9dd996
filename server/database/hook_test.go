package database_test

import (
	"context"
	"testing"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// counter counts statements.
type counter int

func (n *counter) BeforeQuery(ctx context.Context, _ *bun.QueryEvent) context.Context { return ctx }
func (n *counter) AfterQuery(context.Context, *bun.QueryEvent)                        { *n++ }

// TestWithHook tests that every way of running a statement calls the hook once, even if the statement fails.
func TestWithHook(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		var n counter
		db = db.WithHook(&n)
		one := 0
		for _, run := range []struct {
			rule string
			do   func() error
		}{
			{"a query with its values in the text", func() error { return db.NewSelect().ColumnExpr("?", 1).Scan(t.Context(), &one) }},
			{"a prepared query", func() error { return db.QueryRowContext(t.Context(), "SELECT CAST(? AS integer)", 1).Scan(&one) }},
			{"the same query again", func() error { return db.QueryRowContext(t.Context(), "SELECT CAST(? AS integer)", 1).Scan(&one) }},
			{"a statement", func() error { _, err := db.ExecContext(t.Context(), "CREATE TABLE seen (i integer)"); return err }},
			{"a statement that fails", func() error {
				if _, err := db.ExecContext(t.Context(), "CREATE TABLE seen (i integer)"); err == nil {
					t.Error("a table was made twice")
				}
				return nil
			}},
		} {
			n = 0
			if err := run.do(); err != nil || n != 1 {
				t.Errorf("%s: %v, and %d calls of the hook, want 1", run.rule, err, n)
			}
		}
	})
}
