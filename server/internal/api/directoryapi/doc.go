// Package directoryapi answers the partner directory under Prefix, as the specification and part P of the contract
// describe it: the entities and teachers of a partner, and the lists of them. It parses requests, calls a
// directory.Store and writes the result. The rules are in package directory.
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
// A request is checked in the order of P10: path (404), method (405), size (413), signature (401), rate (429),
// content type (415), body (400), validation (422). Every error has the shape {"errors":{…}}. The user agent is not
// checked, because H5 concerns the other two APIs.
//
// A body is read only if its length is allowed and a live key has signed the request's header, which contains the
// body's hash. A request that is refused earlier ends its connection. All bodies in memory have 64 MiB together,
// counted by their announced lengths; a body that does not fit gets 503.
//
// # Paths
//
// A reference is one segment of the path, percent-encoded, including `%2F`. So the path is split as it was sent, each
// segment is escaped again in the usual way, and the router, which neither cleans nor redirects, looks up the result.
// A path with an empty segment or a malformed escape is unknown.
//
// # Design
//
// The signature is checked in two parts. Only the header shows whether the sender knows a secret. If not, no byte of
// the body is read, and the time of the check does not tell whether the key exists.
//
// A list parameter that is sent twice is invalid, because the client's intention is not known. Unknown parameters are
// ignored (P10).
//
// # What it does not do
//
// It keeps no keys, counters or rows and does not know the database: see Keys, web.Limit and directory.Store.
package directoryapi
