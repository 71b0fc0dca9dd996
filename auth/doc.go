// Package auth holds the rules of access: who a tenant is, which API key is good,
// how a request is signed, and how many requests a minute a key may make. It is
// pure: no database, no server, the standard library alone.
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
// # Signatures
//
// The partner directory's keys are not sent but sign (P11), as the client
// libraries of the api_auth family do:
//
//	Authorization: APIAuth 7-3:uPnYbP7h0g3MohPsgodfCK2RP6g=
//
// 7-3 is the key's id, what follows the HMAC, under the key's secret, of
//
//	GET,application/json,47DEQ…SuFU=,/api/v2/partners/entities/1,Thu, 03 Oct 2024 12:49:15 GMT
//
// which [Signed.Canonical] makes of a request: method, content type, hash of the
// body, target and date. [Signed.Verify] judges a request, or [Signed.VerifyHeader]
// before its body is read and [Signed.VerifyBody] after it; [Sign] and [Signer] sign
// one, [SignedFrom] reads an http.Request. A request is good for 15 minutes either
// way ([DateWindow]); within them it may be repeated, for none is remembered.
//
// Where the convention leaves a hole it is closed: a body whose hash is not signed
// is refused, and so is a comma where it would let one canonical string stand for
// two requests: in a hash, and in a content type outside of quotes. A hash header
// that is empty counts as absent, so that it cannot stand in front of the one that
// protects the body.
//
// An HMAC needs the secret itself, not its hash. [Box] seals it for the database.
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
// It does not store keys (package authdb does), reads no header but those of a
// signature, and decides nothing about what a key may see beyond its tenant, API
// and network.
package auth
