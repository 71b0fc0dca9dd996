// Package openapi describes the three APIs as OpenAPI 3.1 documents, one for each, made here and served by the binary
// (H10).
//
//	document := openapi.Schools() // JSON, ready to be sent
//
// A document is complete: every route, parameter with its limits, field, header and error, with examples that are real
// answers over the data of lectern demo. Tests hold the documents against the code in both directions, and every answer
// of the end-to-end tests against the documents.
//
// The documents are written in Go, in the order in which they are read: tables of parameters and fields, in the words of
// the specifications.
package openapi

import "sync"

// Directory returns the document of the partner directory.
var Directory = sync.OnceValue(func() []byte { return directory().bytes() })

// Schools returns the document of the schools reading API.
var Schools = sync.OnceValue(func() []byte { return schools().bytes() })

// Libraries returns the document of the libraries reporting API.
var Libraries = sync.OnceValue(func() []byte { return libraries().bytes() })
