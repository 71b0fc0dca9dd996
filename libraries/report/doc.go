// Package report answers the routes of a library network: the summary, the engagements, the users and the datasets.
//
// A [Reports] answers from any [Store], of which package librariesdb has one:
//
//	reports := report.Reports{Store: store}
//	loans, err := reports.Loans(ctx, access, report.LoanQuery{Period: august}, paging.Page{Number: 1, Size: 100})
//
// An [Access] says which network may be seen, and in which snapshot. Every read names that snapshot, so a report never waits for a
// load and never mixes two snapshots.
//
// # Example
//
// [Reports.Summary] for August takes three steps. It reads the tables of the snapshot: titles, readers, and the counts of each day.
// It visits the 31 blocks of August, one for each day, however many sessions a day had. It adds up what they say of each reader and
// each title. The tables and the blocks stay in the cache for the next report of the snapshot.
//
// [Reports.Loans] reads rows, which are not aggregated. The counts of the days say on which day a page begins, and after how many of
// its loans. So page 1,000 costs what page 1 costs.
//
// # Incremental pulls
//
// [Reports.LoansSince] lists what has changed since an earlier snapshot (H14). It compares the two snapshots where they may differ:
// blocks and rows that no load between them has touched are the same in both. A loan also shows its reader's progress and its title,
// and a reservation shows the queue of its title, so a change of those lists it too. Only keys are kept between the pages of a pull;
// the rows of a page are read when it is asked for.
//
// The package knows the rules, the blocks and the queries. It does not know how facts are loaded, HTTP, or databases.
package report
