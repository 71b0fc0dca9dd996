// Package report answers the routes of a library network: the summary, the engagements, the users and the datasets.
//
// A [Reports] answers from any [Store], of which package librariesdb has one:
//
//	reports := report.Reports{Store: store}
//	rows, err := reports.Loans(ctx, access, report.LoanQuery{Period: august}, paging.Page{Number: 1, Size: 100})
//
// An [Access] says which network may be seen, and in which state. Every read names the state that it wants and gets it as it
// was, whatever was loaded since: nothing waits, and no answer mixes two states. What every answer sums up was folded when it
// was loaded, into packed days: [Reports.Summary] for August sums 31 of them, however many sessions they had. Loans,
// reservations and suggestion requests stay rows, for they are listed; the totals of the days say on which day, and behind how
// many of its rows, a page begins, so that page 1,000 costs what page 1 costs.
//
// # Rounds
//
// What has changed in a list between two states is found by comparing both, where they may differ (H14): blocks and rows that no load
// between the two has touched are the same in both. A loan shows what its reader did with the title, a reservation the queue of its
// title, and both the title: those of readers, queues and titles that are others are listed too. Rows are named by their keys, which are
// kept for the pages of the round; what they show is read for a page.
//
//	rows, err := reports.LoansSince(ctx, access, then, report.LoanQuery{Period: august}, paging.Page{Number: 1, Size: 100})
//
// The package knows the rules, the packed forms and what a query asks. It does not know how facts come about, HTTP and its
// texts, or databases, and it keeps nothing but what its cache keeps.
package report
