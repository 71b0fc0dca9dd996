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

// Counted is a Store that counts a request as it checks its key, in one round trip, where it knows the key's budget beforehand: that
// of a text which was good before never changes. It is safe for concurrent use.
type Counted struct {
	*Store
	Limiter *Limiter
	// Together sends two queries of a row each at once, and reports whether it could: as database.DB.Together does.
	Together func(ctx context.Context, queries [2]string, args, dest [2][]any) (did bool, err error)

	mu      sync.Mutex
	budgets map[[sha256.Size]byte]auth.Budget // by the hashes of texts; usesKeys at most
}

// Check is [Store.Check], and [Limiter.Take] with a limit where both are sent at once: q is nil where they were not, and the request is
// yet to be counted. One that is refused is not counted.
func (c *Counted) Check(ctx context.Context, text string, api auth.API, limit int) (g Grant, q *auth.Quota, err error) {
	hash := sha256.Sum256([]byte(text))
	budget, known := c.budget(hash)
	if known && limit > 0 {
		g, q, err = c.together(ctx, text, api, budget, limit)
	}
	if q == nil && err == nil {
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

// together checks the key and counts the request at once; q is nil where it could not.
func (c *Counted) together(ctx context.Context, text string, api auth.API, budget auth.Budget, limit int) (Grant, *auth.Quota, error) {
	t, number, _ := auth.ParseKey(text) // it was good before
	r := reading{row: keyRow{TenantID: t, Number: number}}
	var taken, minute int64
	count, args := c.Limiter.statement(budget)
	did, err := c.Together(ctx, [2]string{c.readStatement(), count}, [2][]any{{t, number}, args}, [2][]any{r.fields(), {&minute, &taken}})
	if !did {
		return Grant{}, nil, err
	}
	g, err := c.judged(ctx, r.grant(c.Store), err, text, api)
	if errors.Is(err, ErrKey) {
		if lost := c.Limiter.giveBack(ctx, budget, minute); lost != nil {
			err = fmt.Errorf("rate of %s of tenant %d: %w", budget.Name, budget.Tenant, lost)
		}
	}
	if err != nil {
		return Grant{}, nil, err
	}
	q := auth.NewQuota(time.UnixMilli(minute), taken, limit)
	return g, &q, nil
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
