// Package facts has what loads make of a school network's events: forms that have the grain of the answers, each stored as a
// block, and how a user's events change them.
//
//	kind     key                  what it has                                        who reads it
//	record   user, book           days, each with its minutes and merged intervals   readings of a part of the days; loads
//	sums     user                 of each book, what all its days come to, and       readings of all days; summaries; loads
//	                              what each month covers
//	ledgers  128 users, 32 days   of each user, the books and the days of each       the number of readings of any period; loads
//	days     day                  the users with an access, and their minutes        engagements; loads
//	seen     user, 32 days        the identifiers of events                          loads: the same event again changes nothing
//
// Before you change a number, know that several kinds say the same in other words, and that one [Fold] keeps them equal: the
// ledger has the days of the records, the sums have their totals, and a day has the minutes of all records of the user.
// `lectern check --deep` compares the minutes ([Verifier]).
//
// # Example
//
// On the evening of 31 March user 7 reads book 1 for 62 seconds and book 2 for 40. [Fold] takes out the events that were seen
// before and merges the others into the records of both books. 102 seconds are 17 tenths of a minute: 10 go to book 1 and 7 to
// book 2, by largest remainder (S3). Now the day of 31 March has user 7 with 17 tenths, the records have 10 and 7, and the
// ledger has the day for both books. If user 7 later reads book 1 on the same evening, the load reads the records of both books
// ([Needed]), since the tenths of the day are shared out again.
//
// A page of the readings of March asks the ledgers which rows there are and how many: so page 1,000 costs what page 1 costs.
// Then it reads the records of its rows, or the sums of its users where all days that were ever read are of the period.
//
// # Design
//
// Each form declares its columns once, in a method Columns, which writes, reads and checks it: see
// [github.com/lectern-dev/lectern/reading/packed]. A record has the form that package reading gives it.
//
// The sums repeat what the records have. Without them a page of a thousand whole histories reads a thousand rows; with them it
// reads a row for each user. A summary by month would read every record of the network, which takes five times as long. One block for all records of a user was weighed and left: each hour would write it again, whole.
//
// A row for each user, book and day was weighed and left: counting them takes a second at 100,000 users. So was a row for each
// user and day: a day holds the same in a twentieth of the bytes, and a load replaces a few hundred rows, not millions. Ledgers
// are stored for 128 users, and seen events for 32 days, for the same reason.
//
// The ledgers of 128 users are stored in leaves of 32 days, a bit a day. For each book a leaf says when it was last read before.
// So a book of several leaves is counted on the first of them that has a day of the period. A period costs what its own leaves
// cost, and an hourly load mostly changes one leaf.
//
// Seen events take more than a third of the bytes. Identifiers mostly count up, so a series of them is stored as differences, one to
// three bytes each. Other identifiers are stored as 8 bytes of a hash. Which way is taken depends on the identifier only, so the
// stored bytes are the same whatever the order of loads.
//
// The package knows rules and bytes. It does not know feeds, reports, or where blocks are stored.
package facts
