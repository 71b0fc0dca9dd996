// Package docs tests the documents and pages of a server from outside: the OpenAPI documents with a validator, and the pages `/`,
// `/docs` and `/explore` in a browser.
//
// The package has only tests. It is a module of its own, so that programs that import Lectern do not download the validator and the
// browser's driver. `make verify` runs it.
package docs
