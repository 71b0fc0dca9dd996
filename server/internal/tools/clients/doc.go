// Package clients holds no code but tests: clients of the three APIs are generated from the documents of a running server, in Go
// and in TypeScript, compiled, and pull pages from it. What they sum must be what the answers say. LibreOffice opens the
// workbooks of all lists: each cell must show, and be, what the JSON of the same page
// has. And others' tools, as partners and operators have them, use the server: newman a collection that signs by itself, Prism between a
// client and the server, Specmatic with requests that it makes of the documents, which a proxy signs for the directory, DuckDB on what was
// pulled as CSV and NDJSON, and Prometheus' promtool.
//
//	make clients
//
// Run it after a change to a route, a parameter, a form of answers or a document, and before a release.
//
// It is a module of its own, so that the product does not depend on generators or what they need; what is generated and
// installed stays out of the repository. golang and typescript have the programs that pull; each prints one pulled as JSON. signing has
// the signer of Go.
package clients
