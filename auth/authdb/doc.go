// Package authdb keeps tenants, their versions, API keys and shared rate counters
// in PostgreSQL or SQLite, through bun. The rules are those of package auth.
//
//	store := &authdb.Store{DB: db}
//	tenant, err := store.CreateTenant(ctx, db, authdb.Tenant{Kind: authdb.Library, Reference: "central", Name: "Central"})
//	text, key, err := store.Issue(ctx, authdb.IssueParams{Tenant: tenant, API: auth.Libraries})
//	grant, err := store.Check(ctx, text, auth.Libraries) // grant.Key.Tenant, grant.Held
//
// A directory key signs (P11). Its id is public, its secret is stored sealed:
//
//	box, err := auth.NewBox(secretKey) // 32 bytes, kept apart from the database
//	store := &authdb.Store{DB: db, Box: box}
//	secret, key, err := store.Issue(ctx, authdb.IssueParams{Tenant: partner, API: auth.Directory})
//	grant, err := store.Secret(ctx, key.ID(), box)
//	err = signed.Verify(grant.Secret, grant.Now)
//
// # Tenants and versions
//
// The list of tenants is the only table that tenants share (G4). Every other
// table leads its primary key with the tenant and every statement names it.
//
// A tenant's data form a line of states (G8). Its row in the table versions says
// which one holds ([Held]): a version of its registers and the number of the load
// that made its facts, with those that wait for their hour, and the oldest state
// that is kept. Both numbers only grow, by a random step, so that one which a
// failover lost is not given again. Who writes a tenant's data locks the row
// ([Lock]) and makes the next state hold in the same transaction ([Held.Hold]); who
// reads gets the row with the key check, in one statement, which also raises it
// where waiting facts are due. The table states has those that were.
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
// of which the second names the budget that the first finds. [Counted] remembers
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
