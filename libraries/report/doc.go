// Package report answers the routes of a library network: its engagements, its users, the datasets, and a summary of
// these.
//
// A [Reports] answers from any [Store], a page at a time:
//
//	reports := report.Reports{Store: store} // a librariesdb.Store, or one of your own
//	list, err := reports.Loans(ctx, access, report.LoanQuery{Period: august}, paging.Page{Number: 1, Size: 100})
//	for _, l := range list.Rows {
//		fmt.Println(l.Loan.Reader, l.Title.Book.Title, l.Seconds, l.Highest) // 7 Iracema 2400 55.00
//	}
//
// An [Access] names a network and a snapshot. Every read of a [Store] names that snapshot and gets the data as they were
// then, whatever was loaded since. So a report never waits for a load, and no answer mixes two snapshots (G8).
//
// # Example
//
// A network has 100,000 readers and 400,000 loans. [Reports.Loans] from August to November, page 300 of 1,000 rows,
// takes three steps:
//
//  1. The totals of the days tell how many loans each day has: 298,000 before 28 October, and 3,400 on that day. So
//     the page begins after 1,000 loans of 28 October.
//  2. It reads the 1,000 loans from there.
//  3. It adds the titles, which are cached, and what was read of each loan, from the blocks of the days of these loans.
//
// So page 300 costs what page 1 costs. The pages of engagements and logins are found in the same way. Books and stock
// are few enough to be sorted as a whole, and the sorted indexes are cached.
//
// # Summary
//
// [Reports.Summary] for August scans the 31 blocks of the days of readers, however many sessions the days had. Each
// reader has a rank and a group, so a scan adds up columns of numbers. The parts that the filters do not narrow come
// from the totals of the days and from the blocks of the days of titles. Two goroutines scan, each in 8 days at a time.
//
// # Incremental pulls
//
// [Reports.LoansSince] lists what has changed since an earlier snapshot (H14). It compares both snapshots only where
// loads have replaced rows or blocks. A loan also shows its reader's progress and its title, and a reservation shows
// the queue of its title, so a change of those lists it too. Between the pages of a pull only keys are kept; the rows
// of a page are read when a client asks for it.
//
// # Before you change a number
//
//   - A number that the engagements and the summary show comes from one column of the facts. The trials compare every
//     group of a summary with what the lists add up to.
//   - A cached value is named by the snapshot and by all that it depends on. Pass the whole query to key: a parameter
//     that is not in the key gives one client the answer of another.
//   - Names and e-mails are never cached. They are read for the rows of a page, so that erasing a person takes effect
//     at once (P7).
//
// # Design
//
// Reports are Go functions over stored blocks and not SQL, so they are the same on every database, and a rule is at one
// place. Libraries as rows were measured: a summary that was not asked before takes 0.1 to 1 s instead of 20 ms.
//
// Attributes of readers are columns and not structs. A filter compares each value of a column once, not once for each
// reader, and the readers of a network take a few megabytes.
//
// A breakdown by city may have a group for each reader. So the titles that a group has read are a set of small pages,
// and at most two scans run at a time.
//
// The package does not know how facts are loaded, HTTP, or databases.
package report
