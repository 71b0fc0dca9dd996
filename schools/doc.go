// Package schools answers what a school network pulls: its users, their days of access, and what they read.
//
// Events (segments of reading and access records) are folded once, when they are loaded, into forms that have the grain
// of the answers. A report is a function over a partner's register and these forms; it is the same on every store.
//
//   - A record is what a user read of a book: days, each with its minutes and its merged intervals (package reading).
//   - A [Sheet] is a day: the users with an access, and their minutes. Its rows are the engagement rows.
//   - A [Ledger] has a user's books and days alone. It counts the reading rows of any period, so that the total and the
//     place of every page are known before a record is read: page 1,000 costs what page 1 costs.
//   - [Seen] has the identifiers of a user's events: loading them again changes nothing.
//
// For example, a user reads page after page of two books on the evening of 31 March. [Fold] merges the intervals of each
// book into its record, rounds the evening's milliseconds to tenths of a minute, shares these out between the books by
// largest remainder (S3), and marks the user in the sheet of that day. [Reports.Readings] for March then finds both
// books in the ledger, and [Reports.Engagements] the evening in the sheet: the sums agree to the tenth.
//
// # Reporting
//
// A [Reports] answers the three routes from any [Store], a page at a time:
//
//	reports := schools.Reports{Store: store} // a schoolsdb.Store, a Memory, or one of your own
//	list, err := reports.Readings(ctx, access, march, schools.Filter{}, paging.Page{Number: 1, Size: 100})
//	for _, r := range list.Rows {
//		fmt.Println(r.UserID, r.Book.Title, r.Tenths, r.Percent, r.Finished) // 18.4 minutes are 184, 45.01 % are 4501
//	}
//
// An [Access] says which network may be seen, and in which state; the period must be effective already, see
// [github.com/lectern-dev/lectern/reading/calendar.Asked.Schools]. The program examples/embed folds events and reports on
// them in thirty lines, without a database: a [Memory] keeps what they were folded into.
//
// # Loading
//
// An [Intake] settles a feed's rows against the [State] of a partner, a [Pile] gathers its events by user in bounded
// memory, and [Load] folds them onto the blocks of a [github.com/lectern-dev/lectern/paging/state.Writer], in a database or in
// memory. The result does not depend on the order of the events, on
// the pieces in which they come, or on how often.
//
// # Consistency
//
// A partner's data form a line of states (G8): a version of the register and the number of the load that made the facts.
// Every read of a [Store] names the state that it wants and gets it as it was, whatever was loaded or written since. So
// nothing waits, nothing begins again, and no answer mixes two states.
//
// # Design
//
// A row for each user, book and day was weighed and left: counting them costs a second at 100,000 users, and rules creep
// into the statements. So was a row for each user and day of access: a sheet holds the same in a twentieth of the
// bytes, and a load replaces a few hundred rows instead of millions. Ledgers are stored for 128 users together, and
// seen events for eight days, for the same reason.
//
// The package knows no HTTP and no database, and the effective-reading rule itself is that of package reading.
package schools
