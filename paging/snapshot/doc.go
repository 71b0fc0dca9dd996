// Package snapshot describes a tenant's data as numbered snapshots. Nothing is overwritten while it can be read (G8).
//
// Every read names its snapshot by [Versions]: the version of the tenant's tables, and the number of the load that made
// its facts. A load writes beside all readers, and its changes become visible when it publishes them, so nobody waits.
// Loaded events are kept as [Blocks], loaded records as rows of a [Table]. A load writes both through a [Writer].
// Package snapshotdb stores them in a database.
//
// # An example
//
// The days of a shelf are blocks of one kind, each with the number of its day as key. A load replaces one of them and
// adds another:
//
//	days := snapshot.Kind{Number: 900, Name: "shelf day"}
//	puts := snapshot.Puts{Kind: days}
//	puts.Add(snapshot.BlockKey{A: 20_512}, true, data)   // in place of the stored block
//	puts.Add(snapshot.BlockKey{A: 20_513}, false, other) // new
//	err := load.Write(ctx, snapshot.WrittenOf(tenant, &puts).Changes...)
//
// If the load has the number 7 and the one before it the number 5, a reader at 5 still sees the earlier block of the
// day 20,512, and none of the day 20,513:
//
//	err := store.Scan(ctx, tenant, 5, days, snapshot.Range{A: snapshot.Between(20_512, 20_513)}, visit)
//
// # Values
//
// Values computed from a snapshot are kept in a [Cache]. Their keys begin with the tenant and name the snapshot, so an
// entry never has to be invalidated:
//
//	list, err := snapshot.Load(ctx, cache, snapshot.Key{Tenant: tenant, At: at, What: "days"}, readDays)
//
// # What it does not do
//
// It stores nothing, and does not know what a block contains. It does not say which snapshot is current, or how long
// one is retained.
//
// # Design
//
// Numbers grow by a random step of up to [Step]. With a step of 1, a server that was promoted without the last load
// would give that load's number to other data. Clients and caches with data of the lost load would not notice.
//
// A checksum covers the place of a block as well as its data ([Seal]), so that a block in the wrong place is found as
// corrupt.
package snapshot
