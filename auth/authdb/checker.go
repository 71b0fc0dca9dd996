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

// Checker checks the keys of one API. If it knows the budget of a key, it also counts the request, in the same round
// trip: the budget of a key never changes. It is safe for concurrent use.
type Checker struct {
	*Store
	API     auth.API
	Limiter *Limiter
	// Batch sends queries of one row each in one round trip, as database.DB.Batch does. If it is nil, Check counts
	// nothing.
	Batch func(ctx context.Context, queries []string, args, dest [][]any) error

	mu      sync.Mutex
	budgets map[[sha256.Size]byte]auth.Budget // by the hashes of texts that were valid; usesKeys at most
}

// Check is [Store.Check], which also reads the joined row, and [Limiter.Take] with a limit if both can be sent at once.
// q is nil if the request is still to be counted. A refused request is not counted.
func (c *Checker) Check(ctx context.Context, text string, limit int, b Joined) (g Grant, q *auth.Quota, err error) {
	hash := sha256.Sum256([]byte(text))
	c.mu.Lock()
	budget, known := c.budgets[hash]
	c.mu.Unlock()
	if known && c.Batch != nil && limit > 0 {
		g, q, err = c.checkAndCount(ctx, text, budget, limit, b)
	} else {
		g, err = c.check(ctx, text, c.API, b)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case known && errors.Is(err, ErrKey):
		delete(c.budgets, hash)
	case err == nil && !known && len(c.budgets) < usesKeys:
		if c.budgets == nil {
			c.budgets = make(map[[sha256.Size]byte]auth.Budget)
		}
		c.budgets[hash] = g.Key.RateBudget()
	}
	return g, q, err
}

// checkAndCount checks the key and counts the request in one round trip.
func (c *Checker) checkAndCount(ctx context.Context, text string, spends auth.Budget, limit int, b Joined) (g Grant, q *auth.Quota, err error) {
	t, number, _ := auth.ParseKey(text) // it was valid before
	r := reading{row: keyRow{TenantID: t, Number: number}}
	var taken, minute int64
	count, counted := c.Limiter.statement(spends)
	// The count comes first: it is given back if the key is not valid.
	err = c.Batch(ctx, []string{count, c.readStatement(b)}, [][]any{counted, {t, number}}, [][]any{{&minute, &taken}, r.fields(b)})
	if err == nil {
		g, err = r.grant(ctx, c.Store)
	}
	g, err = g.judged(err, text, c.API)
	if minute > 0 && errors.Is(err, ErrKey) {
		if lost := c.Limiter.giveBack(ctx, spends, minute); lost != nil {
			err = fmt.Errorf("rate of %s of tenant %d: %w", spends.Name, spends.Tenant, lost)
		}
	}
	if err != nil {
		return Grant{}, nil, err
	}
	quota := auth.NewQuota(time.UnixMilli(minute), taken, limit)
	return g, &quota, nil
}
