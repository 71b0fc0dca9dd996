// Package librariesdb stores the tables and the aggregated facts of library networks in PostgreSQL or SQLite. It
// stores, orders and filters rows; every rule is in package libraries.
//
// A network is a tenant, which CreateNetwork creates. Terms, books, lines, readers, loans, reservations and
// suggestion requests are rows. A load aggregates everything else into blocks, whose kinds and forms belong to
// package libraries/internal/facts. Rows and blocks carry the numbers of the loads that made and replaced them, so a
// read sees one snapshot while others are loaded: see package snapshotdb.
package librariesdb
