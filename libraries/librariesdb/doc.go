// Package librariesdb keeps the registers and the folded facts of library networks in PostgreSQL or SQLite. It stores,
// orders and filters rows; every rule is in package libraries.
//
// A network is a tenant, which CreateNetwork makes. Registers, loans, reservations and suggestion requests are rows. What a
// load folds are blocks, in forms that package libraries reads and writes, of the kinds that it names: AttributesKind to
// TitleCountsKind. Both carry the loads that made and replaced them, so that a read sees one state whatever is loaded meanwhile:
// see package snapshotdb.
package librariesdb
