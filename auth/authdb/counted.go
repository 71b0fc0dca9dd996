package authdb

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/lectern-dev/lectern/auth"
)

// Counted is a Store that checks the keys of many requests at once, and counts a request as it checks its key, where it knows the key's
// budget beforehand: that of a text which was good before never changes. It is safe for concurrent use.
type Counted struct {
	*Store
	Limiter *Limiter
	// Together sends queries of a row each at once, and reports whether it could: as database.DB.Together does. It is nil where it never could.
	Together func(ctx context.Context, queries []string, args, dest [][]any) (did bool, err error)

	mu      sync.Mutex
	budgets map[[sha256.Size]byte]auth.Budget // by the hashes of texts; usesKeys at most
}

// Check is [Store.Check], and [Limiter.Take] with a limit where both are sent at once: q is nil where they were not, and the request is
// yet to be counted. One that is refused is not counted.
func (c *Counted) Check(ctx context.Context, text string, api auth.API, limit int) (g Grant, q *auth.Quota, err error) {
	hash := sha256.Sum256([]byte(text))
	budget, known := c.budget(hash)
	var did bool
	if known && c.Together != nil {
		g, q, did, err = c.together(ctx, text, api, budget, limit)
	}
	if !did && err == nil {
		g, err = c.Store.Check(ctx, text, api)
	}
	switch {
	case err == nil && !known:
		c.know(hash, g.Key.RateBudget())
	case known && errors.Is(err, ErrKey):
		c.forget(hash)
	}
	return g, q, err
}

// together checks the key and counts the request, if there is a limit, at once; or it did not.
func (c *Counted) together(ctx context.Context, text string, api auth.API, b auth.Budget, limit int) (g Grant, q *auth.Quota, did bool, err error) {
	t, number, _ := auth.ParseKey(text) // it was good before
	r := reading{row: keyRow{TenantID: t, Number: number}}
	queries, args, dest := []string{c.readStatement()}, [][]any{{t, number}}, [][]any{r.fields()}
	var taken, minute int64
	if limit > 0 {
		count, counted := c.Limiter.statement(b)
		queries, args, dest = append(queries, count), append(args, counted), append(dest, []any{&minute, &taken})
	}
	if did, err = c.Together(ctx, queries, args, dest); !did {
		return g, nil, false, err
	}
	if err == nil {
		g = r.grant(c.Store)
	}
	g, err = c.judged(ctx, g, err, text, api)
	if limit > 0 && errors.Is(err, ErrKey) {
		if lost := c.Limiter.giveBack(ctx, b, minute); lost != nil {
			err = fmt.Errorf("rate of %s of tenant %d: %w", b.Name, b.Tenant, lost)
		}
	}
	if err != nil {
		return Grant{}, nil, true, err
	}
	if limit > 0 {
		counted := auth.NewQuota(time.UnixMilli(minute), taken, limit)
		q = &counted
	}
	return g, q, true, nil
}

// budget returns the budget of a text that was good.
func (c *Counted) budget(hash [sha256.Size]byte) (auth.Budget, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	b, ok := c.budgets[hash]
	return b, ok
}

func (c *Counted) know(hash [sha256.Size]byte, b auth.Budget) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.budgets == nil {
		c.budgets = make(map[[sha256.Size]byte]auth.Budget)
	}
	if len(c.budgets) < usesKeys {
		c.budgets[hash] = b
	}
}

func (c *Counted) forget(hash [sha256.Size]byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.budgets, hash)
}
