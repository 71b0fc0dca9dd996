// Package server composes the product: the stores on one database, the reports over them, and the HTTP APIs in front.
//
//	db, err := database.Open(ctx, "sqlite:lectern.db")
//	s, err := server.New(ctx, server.Config{DB: db})
//	err = s.Run(ctx) // until ctx ends; then finishes the requests under way and returns nil
//
// Handler returns only the APIs, for a program with its own HTTP server; AdminHandler returns health and metrics. Such a program
// also runs Maintain, as Run and Serve do. The program examples/mount puts Handler into a mux; examples/load loads feeds and
// reads reports from Go.
//
// Several processes may serve one PostgreSQL: keys, data, versions, pulls and rate counters are in the database, and the keys of
// cached values contain the version of the data. Only one process may serve a SQLite file. A second one is refused, so that rates
// can be counted in memory, and a load never delays a request (H6).
//
// Three things are bounded over all requests: the reports that are read at once; the connections that have had no answer, whose
// memory a flood without a key would take; and the bytes of large bodies that live keys have signed (P10).
//
// # What it does not do
//
// The package has no rules: those are in the domain packages, and the routes are in internal/api/directoryapi, schoolsapi and
// librariesapi. It serves plain HTTP; a proxy in front does TLS.
package server
