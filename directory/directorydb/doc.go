// Package directorydb keeps partners, their entities and their accounts in PostgreSQL or SQLite, through bun. The rules
// are those of package directory.
//
//	partner, err := directorydb.CreatePartner(ctx, db, "rede-sul", "Rede Sul")
//	w := &directorydb.Write{IDB: tx, Partner: partner, Version: version}
//	err = w.PutEntities(ctx, entities)
//	entities, err := directorydb.Latest(db, partner).Entities(ctx)
//
// All takes a bun.IDB, so that it composes in one transaction, and names the partner, whose number leads every key (G4).
//
// [Store] is the directory.Store on them, for what partners write through the API.
//
// # Writes
//
// A write is one transaction: it locks the partner's row, reads what the rules need, decides in Go, writes, raises the version and
// commits. Loads lock the same row in their short steps, and so do other servers. What a write has read is true until it commits.
//
// The writes of a partner follow one another in the process, before they take a connection: while a load holds the lock, the
// pool is left to readers and to other partners.
//
// One transaction for several writes was tried, and looking before the lock: 2 to 4 times as many writes a second, for 600
// lines. A write in 2 ms is enough.
//
// # Numbers and versions
//
// The numbers of entities and accounts are counted in the partner's own row ([Partner], [Write.SetCounters]), so that a
// transaction that fails takes none (S1). A row keeps the version of the registers that wrote it; who holds the state
// of an earlier version reads what changed since ([View]). What a write replaces is copied to a side table
// with the version that replaced it, so that an earlier state can still be read, as long as it is kept. The versions themselves are
// snapshotdb's, as is the lock that makes the writers of a partner follow one another; take it before you write.
//
// # Tables
//
// The columns of an entity, an account and an evaluation are those that package directory declares of them (paging/row): reading,
// writing, replacing and keeping what was replaced are written once, for a table of such records. What bun's builder can say of a
// statement, it says; where one is raw, the reason stands beside it. Small tables, which hold no records, are bun's models.
//
// # References that move
//
// A reference is unique among live rows (P2), and an engine checks that row by row: two accounts that exchange their
// references in one call would stumble over each other. So the rows that are to give up their reference are first
// marked as deleted, which takes them out of the unique index, and then all are written as they shall be. Nobody sees
// the state between. What collides afterwards collides in truth, and the call fails.
//
// # Carriers
//
// An event of a feed is of the account that carried its reference at the event's time (F4), so that a feed that comes again
// counts nothing twice. [Carriers] is that history. It has the references alone that changed hands or were given up: the
// others, nearly all, mean the one account that has them, and cost no row.
//
// # Lists
//
// A page is a range of an index that ends in the number of the row, so that it costs the same at any depth. What lies
// below a network would be two steps of a join; so every entity has its network in a column, which [Write.PutEntities] and the
// Store keep right. How the statements see to it that both engines use the index is told where they are made.
//
// # What it does not do
//
// It opens no database. Outside of Store it checks no rule but what a database would refuse, and raises no version.
package directorydb
