// Package directorydb stores partners, their entities and their accounts in PostgreSQL or SQLite, through bun. The rules
// are those of package directory.
//
//	partner, err := directorydb.CreatePartner(ctx, db, "rede-sul", "Rede Sul")
//	w := &directorydb.Write{IDB: tx, Partner: partner, Version: version}
//	err = w.PutEntities(ctx, entities)
//	entities, err := directorydb.Latest(db, partner).Entities(ctx)
//
// Every function takes a bun.IDB, so that several fit into one transaction, and names the partner, whose number leads
// every key (G4). [Store] is the directory.Store for the writes of partners through the API.
//
// # Writes
//
// A write is one transaction. It locks the partner's row, reads what the rules need, decides in Go, writes, raises the
// version and commits. Loads lock the same row in their short steps, and so do other servers, so everything that a write
// has read stays true until it commits.
//
// In one process the writes of a partner follow one another before they take a connection. While a load has the lock,
// the pool is free for readers and for other partners.
//
// # Numbers and versions
//
// The partner's row has the last numbers of its entities and accounts ([Partner], [Write.SetCounters]), so a
// transaction that fails uses no number (S1). Each row has the version that wrote it. A reader that knows an earlier
// version reads what has changed since ([View]). A write copies the rows that it replaces to a side table, with its
// version, so that an earlier snapshot can be read for as long as it is retained. Package snapshotdb has the versions,
// and the lock that a writer must take first.
//
// # Tables
//
// The columns of an entity, an account and an evaluation are those that package directory declares for them (package
// row). Reading, writing, replacing and keeping superseded rows are written once, for a table of any such record.
//
// # References that move
//
// A reference is unique among live rows (P2), and an engine checks that row by row. If two accounts exchange their
// references in one call, the first row would collide with the second. So the rows that give up their reference are
// first marked as deleted, which takes them out of the unique index, and then all rows are written. Nobody sees the
// state in between. A collision that remains is real, and the call fails.
//
// An event of a feed belongs to the account that owned its reference at the event's time (F4), so that a feed that is
// loaded again counts nothing twice. [RefOwners] returns that history. It contains only references that moved or were
// given up, and costs no row for the others.
//
// # Lists
//
// A page is a range of an index that ends in the number of the row, so it costs the same at any depth. The entities
// below a network would need two joins, so every entity has its network in a column, which [Write.PutEntities] and the
// Store maintain.
//
// # What it does not do
//
// It opens no database. Outside of Store it checks only rules that a database would enforce, and raises no version.
//
// # Design
//
// Several writes in one transaction, and reading before the lock, were tried and rejected: they allow 2 to 4 times as
// many writes a second, for 600 lines. A write in 2 ms is enough.
package directorydb
