// Package auth has the rules of access: who a tenant is, which API key is valid, how a request is signed, and how many
// requests a minute a key may make. It imports only the standard library, and needs no database and no server.
//
// # Keys
//
// The text of a key contains its tenant, its number within the tenant and 256 random bits:
//
//	7-3-q2Zc…43 characters…
//	│ │ └ secret
//	│ └ number: the third key of the tenant
//	└ tenant
//
// "7-3" is the [Key.ID]. It is not secret: lists and revocations name a key by it. Only the SHA-256 of the whole text is
// stored ([Key.Hash]), so that a copy of the database contains no usable key. The tenant comes first, so that a server
// knows at once in which tenant's rows to look (G4). A plain hash is enough: a password needs a slow one because it can
// be guessed, and 256 random bits cannot.
//
// A key is valid while it is neither revoked nor expired ([Key.Live]). A key that replaces another by rotation shares
// its rate budget: 7-9, the successor of 7-3, counts on "schools/3" (G3).
//
// # Signatures
//
// The keys of the partner directory are not sent. They sign requests (P11), as the client libraries of the api_auth
// family do:
//
//	Authorization: APIAuth 7-3:uPnYbP7h0g3MohPsgodfCK2RP6g=
//
// After the key's id comes the HMAC, with the key's secret, of the canonical string:
//
//	GET,application/json,47DEQ…SuFU=,/api/v2/partners/entities/1,Thu, 03 Oct 2024 12:49:15 GMT
//
// [Signed.Canonical] makes it from a request's method, content type, hash of the body, target and date. A server takes
// the parts of an http.Request with [SignedFrom] and checks them with [Signed.Verify], or with [Signed.VerifyHeader]
// before it reads the body and [Signed.VerifyBody] after. A client signs with a [Signer]:
//
//	auth.Signer{ID: "7-3", Secret: secret}.Sign(request, body)
//
// A request is valid for 15 minutes before and after its date ([DateWindow]). It may be repeated within them, since no
// request is remembered.
//
// The package closes the holes of the convention. It refuses a body whose hash is not signed, and a comma in a hash, or
// in a content type outside quotes: there one canonical string could be that of two requests. An empty hash header
// counts as absent, so that it cannot replace the one that protects the body.
//
// An HMAC needs the secret itself, not its hash. [Box] seals it for the database.
//
// # Rates
//
// Requests are counted in full minutes of the clock (H6), not in a sliding window: with a limit of 30, thirty requests
// at 10:00:59 and thirty more at 10:01:00 are all allowed. [MemoryLimiter] counts in one process. A store that several
// servers share implements the same [Limiter].
//
// # What it does not do
//
// It does not store keys (package authdb does), reads only the headers of a signature, and decides nothing about what a
// key may see beyond its tenant, API and network.
package auth
