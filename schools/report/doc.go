// Package report answers the routes of a school network: its users, their days with access, what they read, and a
// summary of these.
//
// A [Reports] answers from any [Store], a page at a time:
//
//	reports := report.Reports{Store: store} // a schoolsdb.Store, or one of your own
//	list, err := reports.Readings(ctx, access, march, report.Filter{}, paging.Page{Number: 1, Size: 100})
//	for _, r := range list.Rows {
//		fmt.Println(r.UserID, r.Book.Title, r.Minutes, r.Percent, r.Finished) // 7 Iracema 18.4 45.01 false
//	}
//
// An [Access] names a network and a snapshot: a version of the accounts and entities, and the number of a load. Every
// read of a [Store] names that snapshot and gets the data as it was then, whatever was loaded or written since. So a
// report never waits for a load, and no answer mixes two snapshots (G8). Periods must be effective already: see
// [github.com/lectern-dev/lectern/reading/calendar.Asked.Schools].
//
// # Example
//
// A network has 10,000 users who read 30,000 books in March, each of 3 books. [Reports.Readings] for March, page 3 of
// 100 rows, takes three steps:
//
//  1. It gets the users that pass the filter, the books, and the index of who read which book on which day. All three
//     are cached for the snapshot.
//  2. The index gives the number of rows of each user. Users 67 to 100 have rows 199 to 300, so rows 201 to 300 are known
//     by user and book.
//  3. It reads the records of those 100 rows, and adds up their days of March.
//
// So page 300 costs what page 1 costs, and a repeated page costs step 3 only.
//
// # Summary
//
// [Reports.Summary] counts the rows of the three lists without making them. The blocks of days give the accesses and the
// minutes, the index gives the reading rows. The sums of a user mostly tell which rows are finished. A record is read
// only if they do not, usually for a book that was read across an end of the period. In a long period the scan skips the
// records of other books. Users are counted 4,096 at a time, so memory does not grow with the network.
//
// # Incremental pulls
//
// [Reports.ReadingsSince] lists the rows that have changed since an earlier snapshot (H14). It compares both snapshots
// where they may differ: accounts that were written, days and records that loads have replaced, books, and the names of
// schools and classes. Between the pages of a pull only keys are kept; the rows of a page are read when a client asks for
// it. An account that was written is listed without a comparison. If it was erased, both snapshots lack its e-mail, but
// the client's copy has it.
//
// # Before you change a number
//
//   - A number that a list and the summary show comes from one place in the facts, and both must change together. The
//     trials compare every group of a summary with what the lists add up to.
//   - A cached value is named by the snapshot and by all that it depends on: the network, the filter, the period. A
//     parameter that is not in the key gives one client the answer of another.
//   - Names and e-mails are never cached. They are read for the rows of a page, so that erasing a person takes effect at
//     once (P7).
//
// # Design
//
// Reports are Go functions over stored blocks and not SQL, so they are the same on every database, and a rule is at one
// place. Counting rows in SQL was weighed and left: at 100,000 users one count takes more than a second.
//
// The minutes of a page of engagements come from blocks of 16 days. One day at a time would be 365 reads for a user's
// year; a month at a time would read 30 days for a page of one.
//
// The package does not know how facts are loaded, HTTP, or databases.
package report
