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
// # Paths
//
// A reference is one segment of the path, percent-encoded, `%2F` included. So the path is split as it was sent and its
// segments are decoded one by one; nothing is cleaned and nothing redirects. A segment with a malformed escape, and an
// empty one, is an unknown path.
//
// # Design
//
// The routes are a table that is searched from top to bottom: there are seven, and no router at hand leaves an escaped
// slash alone.
//
// A parameter of a list that is sent twice is invalid, not the first or the last of the two, for what the client meant
// is not known. An unknown one is ignored (P10).
//
// # What it does not do
//
// It keeps no keys, no counters and no rows, and knows no database: see Keys, auth.Limiter and directory.Store.
package directoryapi
