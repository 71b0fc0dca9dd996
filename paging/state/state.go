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
