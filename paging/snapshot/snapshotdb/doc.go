// Package snapshotdb keeps tenants and the snapshots of their data in PostgreSQL or SQLite: nothing is overwritten while it can be
// read (G8).
//
// A row that a load writes carries since, the number of that load, and until, the number of the load that replaced it. What
// is read at a load's number is what that load left: since <= number and until > number. So a load writes beside all
// readers, in transactions of its own, and nothing of it can be seen before its last, short step makes it hold.
//
//	load, err := store.Begin(ctx, tenant, nil)      // excludes other loads of the tenant, and nobody else
//	err = load.Write(ctx, changes...)               // any number of times
//	err = load.Hold(ctx, func(ctx context.Context, tx bun.Tx, h *snapshotdb.Current) error { … })
//	err = load.Close(ctx)                           // undoes what was not made to hold
//
// # Tenants
//
// The list of tenants is one of the few tables that tenants share (G4). Every other one leads its primary key with the
// tenant, and every statement names it.
//
// A tenant's row says which snapshot is current ([Current]): a version of its registers and the number of the load that made its
// facts, with those that wait for their hour, and the oldest snapshot that is kept. Both numbers grow by a random step, so that one
// which a failover lost is not given again. A transaction that writes a tenant's data locks the row ([Lock]) and publishes the next
// snapshot ([Current.Publish]). A request reads the row with the check of its key, in one statement, and makes facts that are due
// current ([Current.PublishDue]). The table states has the snapshots that there were.
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
package snapshotdb
