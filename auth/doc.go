// Package auth holds the rules of access: who a tenant is, which API key is
// good, and how many requests a minute it may make. It is pure: no database, no
// HTTP, the standard library alone.
//
// # Keys
//
// The text of a key carries its tenant, its number within the tenant and 256
// random bits:
//
//	7-3-q2Zc…43 characters…
//	│ │ └ secret
//	│ └ number: the third key of the tenant
//	└ tenant
//
// "7-3" is the [Key.ID], which is no secret: lists and revocations name a key by
// it. Only the SHA-256 of the whole text is stored ([Key.Hash]), so that a copy
// of the database opens nothing. Because the tenant stands in front, whoever
// checks a key knows at once on which tenant's rows to look (G4). A plain hash
// is enough: a password needs a slow one because it can be guessed, 256 random
// bits cannot.
//
// A key is good while it is not revoked and not expired ([Key.Live]). A key that
// succeeds another by rotation shares its rate budget: 7-9, the successor of
// 7-3, counts on "schools/3" (G3).
//
// # Rates
//
// Requests are counted in full minutes of the clock (H6), not in a sliding
// window: with a limit of 30, thirty requests at 10:00:59 and thirty more at
// 10:01:00 all pass. [MemoryLimiter] counts in one process; a store that several
// replicas share implements the same [Limiter].
//
// # What it does not do
//
// It does not store keys (package authdb does), reads no header, and decides
// nothing about what a key may see beyond its tenant, API and network.
package auth
