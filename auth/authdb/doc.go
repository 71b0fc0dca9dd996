// Package authdb keeps tenants, their versions, API keys and shared rate counters
// in PostgreSQL or SQLite, through bun. The rules are those of package auth.
//
//	store := &authdb.Store{DB: db}
//	tenant, err := store.CreateTenant(ctx, db, authdb.Library, "central", "Central")
//	text, key, err := store.Issue(ctx, authdb.IssueParams{Tenant: tenant, API: auth.Libraries})
//	grant, err := store.Check(ctx, text, auth.Libraries) // grant.Key.Tenant, grant.Held
//
// A directory key signs (P11). Its id is public, its secret is stored sealed:
//
//	box, err := auth.NewBox(secretKey) // 32 bytes, kept apart from the database
//	secret, key, err := store.IssueDirectory(ctx, authdb.IssueParams{Tenant: partner}, box)
//	grant, err := store.Secret(ctx, key.ID(), box)
//	err = signed.Verify(grant.Secret, grant.Now)
//
// # Tenants and versions
//
// The list of tenants is the only table that tenants share (G4). Every other
// table leads its primary key with the tenant and every statement names it.
//
// A tenant has two versions, counters of what was committed: of its registers and
// of its facts. Who writes the tenant's data raises them in the same transaction
// ([Raise]), who reads gets them with the key check, in one statement, and so
// knows whether what it holds is still true. [Lock] makes writers of one tenant
// wait for each other, and for nobody else.
//
// # Clock
//
// On PostgreSQL the clock is the database's, so that expiry and minutes agree on
// all replicas; on SQLite it is the process's. A Now function, where a struct has
// one, replaces either; leave it nil outside of tests.
//
// # What it does not do
//
// It opens no database (server/database does), writes neither the text of a
// key nor a secret anywhere in the clear, and does not log. On SQLite there is no [Limiter]: [auth.MemoryLimiter] counts
// there, so that a load never holds up a request (H6).
package authdb
