// Package state keeps a tenant's data as a line of states: nothing is overwritten while it can be read (G8).
//
// Every read names the state that it wants by its [Versions], and a load writes beside all readers: what it changes can be
// seen once it holds, and nobody waits. The packed forms of what was loaded are [Blocks], which a load writes through a
// [Writer]; package statedb keeps them in a database.
//
// What a state's answers are computed from is kept in a [Cache], under keys that begin with the tenant and name the state, so
// that nothing has ever to be withdrawn:
//
//	days, err := state.Load(ctx, cache, state.Key{Tenant: tenant, At: at, What: "days"}, readDays)
package state

import (
	"cmp"
	"context"
	"sync"
)

// Tenant is the number of a tenant: of a partner, or of a library network.
type Tenant int64

// Versions names one state of a tenant's data: the version of its registers, and the number of the load that made its facts.
type Versions struct{ Registers, Facts int64 }

// Together runs functions at once and returns the first error in their order: after a restart a report reads several
// parts of the data, and none needs another. A panic goes on in the caller, where it can be recovered.
func Together(fs ...func() error) error {
	errs, panics := make([]error, len(fs)), make([]any, len(fs))
	var wg sync.WaitGroup
	for i, f := range fs {
		wg.Go(func() {
			defer func() { panics[i] = recover() }()
			errs[i] = f()
		})
	}
	wg.Wait()
	if p := cmp.Or(panics...); p != nil {
		panic(p)
	}
	return cmp.Or(errs...)
}

// LoadsAfter is the span of the numbers of the loads that lie between a state's facts and later ones, whose own is the last.
func LoadsAfter(facts, later int64) Span { return Span{facts + 1, later + 1} }

// Cache keeps what a state's answers are computed from, bounded in bytes. Load returns the value of a key, made by load
// when it is not there; calls for one key at once make it once. A failed load keeps nothing. A value is never changed:
// goroutines share it.
type Cache interface {
	Load(ctx context.Context, key Key, load func(context.Context) (Value, error)) (Value, error)
}

// Key begins with the tenant by type, so that no value can be served to another. At has the versions that the value
// depends on, and zeros in place of the others.
type Key struct {
	Tenant Tenant
	At     Versions
	What   string
}

// Value is a value that knows about how many bytes it holds.
type Value interface{ Bytes() int }

// Load returns the value of a key from the cache, made by load when it is not there. Without a cache it is always made.
// All values of one key must be of one type.
func Load[T Value](ctx context.Context, c Cache, key Key, load func(context.Context) (T, error)) (T, error) {
	if c == nil {
		return load(ctx)
	}
	v, err := c.Load(ctx, key, func(ctx context.Context) (Value, error) { return load(ctx) })
	if err != nil {
		var none T
		return none, err
	}
	return v.(T), nil
}
