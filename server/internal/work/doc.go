// Package work loads the feeds of many tenants, each as its hour comes round:
//
//	w := &work.Worker{Store: store, Folder: "/srv/feeds", Jobs: 2, Load: load, Log: log}
//	err := w.Run(ctx)
//
// The feed of a partner is the folder schools/REF, that of a library network libraries/SLUG, the reference as [FolderName] writes
// it. A feed stands there when it is whole: who writes it does so elsewhere and renames it into its place, or makes a symbolic
// link there. Names that begin with a dot are passed over.
//
// # When
//
// A tenant's feed is loaded at its minute of each hour, which its number says ([Next]), so that the loads are spread over the hour,
// and only where its files are others than those that were loaded last, by name, size and time. A tenant's first feed is loaded
// at once. What fails is tried again after a minute, and then after twice as long each time, up to an hour ([Pause]).
//
// # Who
//
// Any number of workers share a database. Who takes a tenant's work has it for a minute, by the database's clock, and says every
// quarter of that that it lives; the work of one that was killed is free after it. A worker that is stopped calls off its loads, of
// which nothing is seen, and gives the work back at once. Should two have a tenant's work nevertheless, as where one slept for
// longer, the lease of the load itself (package statedb) lets one of them write.
//
// # Design
//
// Work is taken by one statement on the tenant's row, which names the tenant as every statement does, so that tables can be
// distributed by it. SELECT … FOR UPDATE SKIP LOCKED over all tenants was weighed and left: it cannot be, and it would hold a
// transaction for as long as a load takes.
package work
