// Package clients has only tests. They generate clients of the three APIs from the documents of a running server, in Go
// and TypeScript, and let them pull pages. Their sums must be those of the responses. LibreOffice opens the workbooks
// of all lists: each cell must show, and be, what the JSON of the same page has. Tools of partners and operators use
// the server too. newman runs a collection that signs its requests. Prism runs between a client and the server.
// Specmatic makes requests from the documents, which a proxy signs for the directory. DuckDB sums pages in CSV and
// NDJSON. Prometheus' promtool lints the metrics.
//
//	make clients
//
// Run it after a change to a route, a parameter, a form of responses or a document, and before a release.
//
// It is a module of its own, so that the product does not depend on generators or their dependencies. What is generated
// or installed is not in the repository. golang and typescript have the programs that pull. Each prints a pulled as
// JSON. signing has the signer for Go.
package clients
