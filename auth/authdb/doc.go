// Package authdb stores API keys and shared rate counters in PostgreSQL or SQLite, through bun. The rules are those of
// package auth.
//
//	store := &authdb.Store{DB: db}
//	text, key, err := store.Issue(ctx, tx, authdb.IssueParams{Tenant: tenant, API: auth.Libraries})
//	grant, err := store.Check(ctx, text, auth.Libraries) // grant.Key.Tenant
//
// A directory key signs requests (P11). Its id is public, and its secret is stored sealed:
//
//	box, err := auth.NewBox(secretKey) // 32 bytes that are not in the database
//	store := &authdb.Store{DB: db, Box: box}
//	secret, key, err := store.Issue(ctx, tx, authdb.IssueParams{Tenant: partner, API: auth.Directory})
//	grant, err := store.Secret(ctx, key.ID(), box)
//	err = signed.Verify(grant.Secret, grant.Now)
//
// # Tenants
//
// Another store, such as package snapshotdb, has the list of tenants and their current snapshots. A transaction that
// issues or rotates a key locks the tenant there. The statement that checks a key may also read the tenant's row there
// ([Joined]).
//
// # Clock
//
// On PostgreSQL the clock is the database's, so that expiry and minutes are the same on all servers. On SQLite it is the
// process's. A Now function replaces either; set it only in tests.
//
// # One round trip
//
// A request needs the check of its key and a place in the minute. These are two statements, and the second needs the
// budget that the first finds. [Checker] remembers the budgets of valid keys and sends both at once. If the key is no
// longer valid it gives the place back. One statement for both was rejected: a distributed database takes twice as long.
//
// # What it does not do
//
// It opens no database (server/database does), never stores the text of a key or an unsealed secret, and does not log.
// It has no [Limiter] for SQLite: [auth.MemoryLimiter] counts there, so that a load never delays a request (H6).
package authdb
