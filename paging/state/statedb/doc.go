// Package statedb keeps the states of tenants' data in PostgreSQL or SQLite: nothing is overwritten while it can be read
// (G8).
//
// A row that a load writes carries since, the number of that load, and until, the number of the load that replaced it. What
// is read at a load's number is what that load left: since <= number and until > number. So a load writes beside all
// readers, in transactions of its own, and nothing of it can be seen before its last, short step makes it hold.
//
//	load, err := store.Begin(ctx, tenant, nil)      // excludes other loads of the tenant, and nobody else
//	err = load.Write(ctx, changes...)               // any number of times
//	err = load.Hold(ctx, func(ctx context.Context, tx bun.Tx, h *authdb.Held) error { … })
//	err = load.Close(ctx)                           // undoes what was not made to hold
//
// # Loads that die
//
// A load holds a lease, which it renews as it works; each of its transactions looks whether it still has it. One that was
// killed leaves rows above the last number that was committed: the next load undoes them first. One that slept and woke up
// when another had taken over finds its lease gone, and can write nothing.
//
// # Removal
//
// Rows of states that are no longer kept are deleted for good by [Remover.Remove].
package statedb
