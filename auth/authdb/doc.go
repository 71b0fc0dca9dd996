// Package authdb keeps API keys and shared rate counters in PostgreSQL or SQLite,
// through bun. The rules are those of package auth.
//
//	store := &authdb.Store{DB: db}
//	text, key, err := store.Issue(ctx, tx, authdb.IssueParams{Tenant: tenant, API: auth.Libraries})
//	grant, err := store.Check(ctx, text, auth.Libraries) // grant.Key.Tenant
//
// A directory key signs (P11). Its id is public, its secret is stored sealed:
//
//	box, err := auth.NewBox(secretKey) // 32 bytes, kept apart from the database
//	store := &authdb.Store{DB: db, Box: box}
//	secret, key, err := store.Issue(ctx, tx, authdb.IssueParams{Tenant: partner, API: auth.Directory})
//	grant, err := store.Secret(ctx, key.ID(), box)
//	err = signed.Verify(grant.Secret, grant.Now)
//
// # Tenants
//
// The list of tenants and what is current of them are another store's, such as package snapshotdb. Whoever
// issues or rotates a key locks the tenant there, and the statement that checks a key may read the tenant's row
// there too ([Joined]).
//
// # Clock
//
// On PostgreSQL the clock is the database's, so that expiry and minutes agree on
// all replicas; on SQLite it is the process's. A Now function, where a struct has
// one, replaces either; leave it nil outside of tests.
//
// # One round trip
//
// A request needs the check of its key and a place in the minute: two statements,
// of which the second names the budget that the first finds. [Checker] remembers
// the budgets of keys that were good and has both sent at once. It gives a place
// back that a key took which is good no more. One statement for both was tried: a
// distributed database takes twice as long for it.
//
// # What it does not do
//
// It opens no database (server/database does), writes neither the text of a
// key nor a secret anywhere in the clear, and does not log. On SQLite there is no [Limiter]: [auth.MemoryLimiter] counts
// there, so that a load never holds up a request (H6).
package authdb
