// Package snapshotdb stores tenants and the snapshots of their data in PostgreSQL or SQLite. Nothing is overwritten
// while it can be read (G8).
//
// A row that a load writes carries since, the number of that load, and until, the number of the load that replaced it.
// It is visible in the snapshots [since, until). A load therefore writes beside all readers, in transactions of its
// own, and none of its rows are visible before its last, short step publishes them:
//
//	load, err := store.Begin(ctx, tenant, nil) // excludes other loads of the tenant, and nobody else
//	err = load.Write(ctx, changes...)          // any number of times
//	current, err := load.Publish(ctx, func(ctx context.Context, tx bun.Tx, now time.Time, current *snapshotdb.Current) error {
//		current.Facts, current.From = load.Number(), now
//		return nil
//	})
//	err = load.Close(ctx)                      // undoes what was not published
//
// # Tenants
//
// The list of tenants is one of the few tables that tenants share (G4). Every other one leads its primary key with the
// tenant, and every statement names it.
//
// A tenant's row says which snapshot is current ([Current]): a version of its tables and the number of the load that
// made its facts. It also has the facts that wait for their hour, and the oldest retained snapshot. Both numbers grow
// by a random step, so that a number lost in a failover is not given again. A transaction that writes a tenant's data
// locks the row ([Lock]) and publishes the next snapshot ([Current.Publish]). A request reads the row together with its
// key, in one statement, and makes facts that are due current ([Current.PublishDue]). The table snapshots lists all
// retained ones.
//
// # Loads that die
//
// A load has a lease, which it renews as it works. Each of its transactions checks the lease. A load that was killed
// leaves rows above the last published number, and the next load undoes them first. A load that slept while another
// took over finds its lease gone, and cannot write.
//
// # Removal
//
// A superseded snapshot is readable for the retention, and for as long as a pull uses it. [Remover.Remove] deletes its
// rows after that.
//
// # What it does not do
//
// It opens no database, does not know what a block or a table contains, and does not decide who may read.
//
// # Design
//
// One database transaction for a whole load was rejected: on PostgreSQL an open transaction of minutes slows every
// other tenant down, and on SQLite it blocks all other writers.
package snapshotdb
