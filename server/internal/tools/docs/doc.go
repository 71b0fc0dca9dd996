// Package docs looks at what a server tells of itself from outside: the OpenAPI documents with a validator, and the pages / and
// /docs in a browser.
//
// It is a module of its own, whose tests alone matter, so that who imports the packages of Lectern does not download the
// validator and the browser's driver. `make verify` runs them.
package docs
