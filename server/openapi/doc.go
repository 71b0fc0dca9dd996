// Package openapi describes the three APIs as OpenAPI 3.1 documents, one for each, made here and served by the binary
// (H10).
//
//	document := openapi.Schools(openapi.Settings{SchoolsRate: 30}) // JSON, ready to be sent
//
// A document is complete: every route, parameter with its limits, field, header and error, with examples that are real
// answers over the data of lectern demo. Tests hold the documents against the code in both directions, and every answer
// of the end-to-end tests against the documents.
//
// A document gives the rates, the history and the retention of the server that sends it. The server makes it on the first request,
// so loads and other requests do not wait for it.
//
// The code that reads parameters and writes answers also describes them ([web.Params], [wire.Schemas]). This package describes the
// rest: errors, headers, authentication, and the bodies that the directory takes.
package openapi

import (
	"fmt"
	"time"

	"github.com/lectern-dev/lectern/reading/calendar"
)

// Settings are what the operator sets and the documents tell.
type Settings struct {
	// DirectoryRate, SchoolsRate and LibrariesRate are the requests a minute of a directory key, of a schools key, and of a
	// library network with all its keys. 0 means unlimited.
	DirectoryRate, SchoolsRate, LibrariesRate int
	// SchoolsHistory and LibrariesHistory are the first days of the reports.
	SchoolsHistory, LibrariesHistory calendar.Date
	// Keep is how long a superseded snapshot stays readable.
	Keep time.Duration
}

// Directory returns the document of the partner directory.
func Directory(s Settings) []byte { return directory(s).bytes() }

// Schools returns the document of the schools reading API.
func Schools(s Settings) []byte { return schools(s).bytes() }

// Libraries returns the document of the libraries reporting API.
func Libraries(s Settings) []byte { return libraries(s).bytes() }

// allowance is the sentence that tells a rate.
func allowance(rate int, of string) string {
	switch rate {
	case 0:
		return "There is no limit of requests. "
	case 1:
		return "One request a minute " + of + ". "
	}
	return fmt.Sprintf("%d requests a minute %s. ", rate, of)
}

// Version is the version of Lectern, which the documents and lectern --version tell.
const Version = "0.1.0"
