// Package server composes the product: the stores on one database, the reports over them, and the HTTP APIs in front.
//
//	db, err := database.Open(ctx, "sqlite:lectern.db")
//	s, err := server.New(ctx, server.Config{DB: db})
//	err = s.Run(ctx) // until ctx ends; then finishes what was begun and returns nil
//
// Handler returns only the APIs, for a program with its own HTTP server; AdminHandler returns health and metrics. Such a
// program runs Maintain beside it, as Run and Serve do. The program examples/mount puts Handler into a mux;
// examples/pull is a client.
//
// Several processes may serve one PostgreSQL: keys, data, versions, pulls and the counters of the rate limit are in the
// database, what is cached in memory is named by its version. A SQLite file is served by one process, and a second one is refused;
// the counters live in it, so that a load never holds up a request (H6).
//
// Three things are bounded over all requests: the reports that are read at once, the connections that have had no answer, whose
// memory a flood without a key would take, and the bytes of large bodies that live keys have signed (P10).
//
// The package holds no rule: those are in the domain packages, and the routes in internal/api/directoryapi, schoolsapi and
// librariesapi. It serves plain HTTP; TLS is the work of a proxy in front.
package server
