// Package directoryapi answers the partner directory under Prefix, as the specification and the P parts of the contract
// have it: the entities and teachers that a partner keeps, and the lists of them. It reads requests, calls a
// directory.Store and writes what it returns; the rules are in package directory.
//
//	POST /api/v2/partners/entities
//	{"name":"Rede Norte","entity_type":"network","degree":"F","reference_id":"rede/norte","parent_reference_id":"ana"}
//
//	201 {"data":{"name":"Rede Norte",…},"errors":null,"pagination":null}
//
//	GET /api/v2/partners/entities/rede%2Fnorte/subtree
//
//	200 {"entries":[…],"metadata":{"after":null,"before":null,"limit":50}}
//
// A request is checked in the order of P10: path (404), method (405), size (413), signature (401), rate (429), content
// type (415), body (400), validation (422). Every error is in the shape {"errors":{…}}; the user agent is not looked at,
// since H5 is about the other two APIs.
//
// Nothing of a body is read before its length is allowed and the header of its request, the body's hash in it, is signed by
// a live key; what is refused before ends its connection. The bodies in memory have 64 MiB together, counted by the length that
// they announce; what does not fit is 503.
//
// # Paths
//
// A reference is one segment of the path, percent-encoded, `%2F` included. So the path is split as it was sent, each segment
// is spelled anew with the usual escapes, and the router looks that up, which neither cleans nor redirects. A segment with a
// malformed escape, and an empty one, is an unknown path.
//
// # Design
//
// The signature is checked in two parts, since the header alone says whether the sender knows a secret: who does not has no
// byte read, and learns nothing of the id it names, for the work is the same.
//
// A parameter of a list that is sent twice is invalid, not the first or the last of the two, for what the client meant
// is not known. An unknown one is ignored (P10).
//
// # What it does not do
//
// It keeps no keys, no counters and no rows, and knows no database: see Keys, web.Limit and directory.Store.
package directoryapi
