// Package state keeps a tenant's data as a line of states: nothing is overwritten while it can be read (G8).
//
// Every read names the state that it wants by its [Versions], and a load writes beside all readers: what it changes can be
// seen once it holds, and nobody waits. The packed forms of what was loaded are [Blocks], which a load writes through a
// [Writer]; they stand in a database, package statedb, or in a [Memory]:
//
//	load := memory.Load(tenant)
//	err := load.Write(ctx, state.Change{Kind: kind, Gone: replaced, Put: blocks})
//	number, err := load.Hold() // what Scan reads at
//
// What a state's answers are computed from is kept in a [Cache], under keys that begin with the tenant and name the state,
// so that nothing has ever to be withdrawn.
package state

import (
	"cmp"
	"errors"
	"fmt"
	"sync"
)

// Tenant is the number of a tenant: of a partner, or of a library network.
type Tenant int64

// Versions names one state of a tenant's data: a write to the registers raises the first, a load both.
type Versions struct{ Registers, Facts int64 }

// MovedError says that a tenant's data are now in another state than the one asked for.
type MovedError struct{ Now Versions }

func (e *MovedError) Error() string {
	return fmt.Sprintf("the data have moved on to version %d.%d", e.Now.Registers, e.Now.Facts)
}

// ErrBusy is returned when a tenant's data moved on again and again while one answer was computed.
var ErrBusy = errors.New("the data kept changing while the answer was computed")

// attempts is how often a report begins again when loads overtake it.
const attempts = 5

// Settled runs a report until it has read one state from beginning to end, at first that of at.
func Settled[T any](at Versions, report func(Versions) (T, error)) (T, error) {
	for range attempts {
		v, err := report(at)
		var moved *MovedError
		if !errors.As(err, &moved) {
			return v, err
		}
		at = moved.Now
	}
	var none T
	return none, ErrBusy
}

// Steady runs a store's read and confirms that the data were in the state that same accepts to its end: versions only grow,
// so one that is unchanged afterwards was so throughout, whatever the number of statements. now reads the versions. The
// error is a *MovedError where the data have moved on, whatever the read said; else that of the read, or of now.
func Steady(read func() error, now func() (Versions, error), same func(Versions) bool) error {
	err := read()
	v, verr := now()
	if verr != nil {
		return cmp.Or(err, verr)
	}
	if !same(v) {
		return &MovedError{Now: v}
	}
	return err
}

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
