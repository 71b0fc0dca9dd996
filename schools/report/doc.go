// Package report answers the three routes of a school network: its users, their days of access, and what they read.
//
// A [Reports] answers from any [Store], a page at a time:
//
//	reports := report.Reports{Store: store} // a schoolsdb.Store, or one of your own
//	list, err := reports.Readings(ctx, access, march, report.Filter{}, paging.Page{Number: 1, Size: 100})
//	for _, r := range list.Rows {
//		fmt.Println(r.UserID, r.Book.Title, r.Minutes, r.Percent, r.Finished) // 18.4 45.01 false
//	}
//
// An [Access] says which network may be seen, and in which state; the period must be effective already, see
// [github.com/lectern-dev/lectern/reading/calendar.Asked.Schools].
//
// # Consistency
//
// A partner's data form a line of states (G8): a version of the register and the number of the load that made the facts.
// Every read of a [Store] names the state that it wants and gets it as it was, whatever was loaded or written since. So
// nothing waits, nothing begins again, and no answer mixes two states.
//
// # Rounds
//
// What has changed in a list between two states is found by comparing both, where they may differ (H14): accounts that were written,
// units that are shown otherwise, days whose users or minutes are others, users whose ledgers are, records and books that a load has
// replaced. An earlier state is read whole, as every state that is kept. Rows are named by their keys, which are kept for the pages of
// the round; what they show is read for a page. A row of the register that was written is listed without being compared: what was
// erased from it was erased in both states, and a copy has it still.
//
//	list, err := reports.ReadingsSince(ctx, access, report.Round{Since: then, Was: march, Period: march}, paging.Page{Number: 1, Size: 100})
//
// The package knows the register, the packed forms and what a filter asks. It does not know how facts come about,
// HTTP and its texts, or databases.
package report
