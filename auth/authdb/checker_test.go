package authdb_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// counting is a Checker of a database that counts how often it sends two statements together.
type counting struct {
	*authdb.Checker
	*clock
	batches int
}

func newCounting(t *testing.T, db *database.DB) *counting {
	t.Helper()
	migrate(t, db)
	c := &counting{clock: &clock{now: start}}
	c.Checker = &authdb.Checker{
		Store: &authdb.Store{DB: db.DB, Now: c.clock.Now}, API: auth.Libraries, Limiter: &authdb.Limiter{DB: db.DB, Now: c.clock.Now},
		Batch: func(ctx context.Context, queries []string, args, dest [][]any) error {
			c.batches++
			return db.Batch(ctx, queries, args, dest)
		},
	}
	return c
}

// ask checks a key as a server does: the limiter counts a request that Check has not counted. It returns what is left
// of a limit of 10.
func (c *counting) ask(t *testing.T, text string) (remaining int, err error) {
	t.Helper()
	g, q, err := c.Check(t.Context(), text, 10, authdb.Joined{})
	if err != nil {
		return 0, err
	}
	if q == nil {
		taken, err := c.Limiter.Take(t.Context(), g.Key.RateBudget(), 10)
		if err != nil {
			t.Fatal(err)
		}
		q = &taken
	}
	return q.Remaining, nil
}

// TestCountedIsExact tests that a key that was valid before is checked and counted in one round trip, as exactly as
// with two statements. A refused key takes nothing from the budget.
func TestCountedIsExact(t *testing.T) {
	db := dbtest.Postgres(t)
	c := newCounting(t, db)
	id := auth.Tenant(1)
	text, ours := issue(t, c.Store, authdb.IssueParams{Tenant: id, API: auth.Libraries})
	another, k := issue(t, c.Store, authdb.IssueParams{Tenant: id, API: auth.Libraries})
	left := func(what, text string, want, batches int) {
		t.Helper()
		before := c.batches
		if n, err := c.ask(t, text); err != nil || n != want || c.batches-before != batches {
			t.Errorf("%s: %d left, %v, in %d batches, want %d, nil, %d", what, n, err, c.batches-before, want, batches)
		}
	}
	refused := func(what, text string, batches int) {
		t.Helper()
		before := c.batches
		if _, err := c.ask(t, text); !errors.Is(err, authdb.ErrKey) || c.batches-before != batches {
			t.Errorf("%s: Check = %v, in %d batches, want ErrKey, %d", what, err, c.batches-before, batches)
		}
	}
	left("the first time", text, 9, 0)
	left("the second time", text, 8, 1)
	left("another key of the budget", another, 7, 0)
	left("again", another, 6, 1)
	refused("another secret", text[:len(text)-2]+"xx", 0)
	if err := c.Revoke(t.Context(), k.ID()); err != nil {
		t.Fatal(err)
	}
	refused("revoked", another, 1)
	refused("revoked, again", another, 0)
	left("the other key afterwards", text, 5, 1)
	c.set(start.Add(time.Minute))
	left("the next minute", text, 9, 1)
	if _, q, err := c.Check(t.Context(), text, 0, authdb.Joined{}); q != nil || err != nil {
		t.Errorf("Check without a limit = %v, %v, want nothing counted", q, err)
	}
	left("after that", text, 8, 1)
	if err := c.Revoke(t.Context(), ours.ID()); err != nil {
		t.Fatal(err)
	}
	if _, q, err := c.Check(t.Context(), text, 0, authdb.Joined{}); q != nil || !errors.Is(err, authdb.ErrKey) {
		t.Errorf("Check of a revoked key without a limit = %v, %v, want ErrKey", q, err)
	}
}

// TestCountedWithoutBatch tests that Check leaves the counting to the limiter if two statements cannot be sent at once.
func TestCountedWithoutBatch(t *testing.T) {
	c := newCounting(t, dbtest.SQLite(t))
	c.Batch = nil
	id := auth.Tenant(1)
	text, _ := issue(t, c.Store, authdb.IssueParams{Tenant: id, API: auth.Libraries})
	for range 2 {
		if g, q, err := c.Check(t.Context(), text, 10, authdb.Joined{}); err != nil || q != nil || g.Key.Tenant != id {
			t.Errorf("Check = %+v, %v, %v, want the key and no quota", g, q, err)
		}
	}
}

// TestCheckBeside tests that the columns read beside a key belong to the key's tenant, with and without counting in the
// same round trip.
func TestCheckBeside(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		c := newCounting(t, db)
		if db.Engine == database.SQLite {
			c.Batch = nil
		}
		for _, statement := range []string{
			`CREATE TABLE beside (tenant_id bigint, a bigint, b bigint)`, `INSERT INTO beside VALUES (1, 2, 3), (4, 5, 6)`,
		} {
			if _, err := db.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
		text, k := issue(t, c.Store, authdb.IssueParams{Tenant: 4, API: auth.Libraries})
		for range 2 {
			var a, b int64
			g, _, err := c.Check(t.Context(), text, 10, authdb.Joined{Table: "beside", Columns: "v.b, v.a", Dest: []any{&b, &a}})
			if err != nil || g.Key.ID() != k.ID() || a != 5 || b != 6 {
				t.Errorf("Check = %+v, %v with the columns %d and %d, want key %s with 5 and 6", g, err, a, b, k.ID())
			}
		}
	})
}
