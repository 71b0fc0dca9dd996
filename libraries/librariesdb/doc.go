// Package librariesdb keeps the registers and the folded facts of library networks in PostgreSQL or SQLite. It stores,
// orders and filters rows; every rule is in package libraries.
//
// A network is a tenant and a row of libraries_networks, which CreateNetwork makes together. Registers, loans, reservations
// and suggestion requests are rows. What a load folds is stored packed, in forms that package libraries reads and writes:
//
//	libraries_attributes  what filters and counts need of 1,024 neighbouring readers
//	libraries_shelves     what one reader did with each title
//	libraries_days        a day: its totals, and sheets of its readers, titles and logins
//	libraries_networks    what is counted now of every title, and the hour of the state
//	libraries_seen        which events were loaded
//
// Reads lock nothing. Each reads what it needs, then confirms that the network is still in the state that it was asked for,
// and is told of another state by a *state.MovedError.
package librariesdb
