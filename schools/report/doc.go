// Package report answers the routes of a school network: its users, their days of access, what they read, and a summary of these.
//
// A [Reports] answers from any [Store], a page at a time:
//
//	reports := report.Reports{Store: store} // a schoolsdb.Store, or one of your own
//	list, err := reports.Readings(ctx, access, march, report.Filter{}, paging.Page{Number: 1, Size: 100})
//	for _, r := range list.Rows {
//		fmt.Println(r.UserID, r.Book.Title, r.Minutes, r.Percent, r.Finished) // 18.4 45.01 false
//	}
//
// An [Access] says which network may be seen, and in which snapshot: a version of the register, and the number of a load. Every read
// of a [Store] names that snapshot and gets the data as they were in it, whatever was loaded or written since. So a report never
// waits for a load, and no answer mixes two snapshots (G8). The period must be effective already, see
// [github.com/lectern-dev/lectern/reading/calendar.Asked.Schools].
//
// # Example
//
// [Reports.Readings] for March, page 3 of 100 rows, takes three steps. It reads the users that pass the filter, the books, and the
// index of who read which book on which day. The index says how many rows each user has in March, so rows 201 to 300 are known by
// user and book. Only the records of those 100 are read and summed: the cost of a page does not depend on its depth.
//
// # Summary
//
// [Reports.Summary] counts the rows that the three lists have, without making them. The days have the accesses and the minutes, and the
// ledgers have the reading rows. The sums of a user tell which of those are finished; a record is read only where they do not tell,
// mostly of a book that was read across an end of the period. So a summary reads some rows for each user, and few users are in memory
// at once.
//
// # Incremental pulls
//
// [Reports.ReadingsSince] lists what has changed since an earlier snapshot (H14). It compares both snapshots where they may differ:
// accounts that were written, days and records that a load has replaced, books, and the names of schools and classes. Only keys are
// kept between the pages of a pull; the rows of a page are read when it is asked for. An account that was written is listed without
// being compared: what was erased from it was erased in both snapshots, and a copy still has it.
//
// The package knows the register, the blocks and the filters. It does not know how facts are loaded, HTTP, or databases.
package report
