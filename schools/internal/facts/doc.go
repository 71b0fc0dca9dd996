// Package facts aggregates the events of a school network, when they are loaded, into blocks that have the grain of the
// answers. Reports read blocks and never events. So a page of March costs the same whether Ana read in three segments
// or in three hundred.
//
//	kind       key                  content                                          read by
//	record     user, book           days, each with minutes and merged intervals     readings of a part of the days; loads
//	sums       user                 totals over all days of each book, and what      readings of all days; summaries; loads
//	                                each month covers
//	index      128 users, 32 days   the books of each user and the days of each      the number of readings in any period; loads
//	days       day                  the users with an access, and their minutes      engagements; loads
//	event ids  user, 32 days        the identifiers of the events that were loaded   loads: a repeated event changes nothing
//
// # Example
//
// On the evening of 31 March user 7 reads book 1 for 62 seconds and book 2 for 40 seconds. [Aggregate] leaves out the
// events that were loaded before, and merges the others into the records of both books. 102 seconds are 17 tenths of a
// minute: 10 go to book 1 and 7 to book 2, by largest remainder (S3). Then:
//
//   - The records have 10 and 7 tenths on 31 March.
//   - The block of that day has user 7 with 17 tenths.
//   - The index has 31 March for both books.
//   - The sums of user 7 have the new totals of both books, and what March covers of each.
//
// Later the same user reads book 1 for 16 seconds more. The load needs the records of both books ([Needed]), since the
// tenths of the day are shared out again: 118 seconds are 20 tenths, 13 for book 1 and 7 for book 2.
//
// A page of the readings of March asks the index which rows there are. It skips whole users by their number of rows, so
// page 1,000 costs what page 1 costs. Then it reads the records of its rows. If all days of the index are in the period,
// it reads the sums of its users instead.
//
// # Before you change a number
//
//   - Several kinds say the same in other words, and one function, [Aggregate], keeps them equal: the index has the days
//     of the records, the sums have their totals, and a day has the minutes of all records. `lectern check --deep`
//     compares the minutes ([Verifier]). A new number needs one place from which it is counted, and a comparison.
//   - Aggregate must not depend on the order of events, on the number of loads, or on repeated rows.
//   - A form declares its columns once, in its method Columns, which writes, reads and checks it: see
//     [github.com/lectern-dev/lectern/reading/packed]. Changing it means a new version byte and new bytes in the test.
//     The record has the form of package reading.
//
// # Design
//
// Sums repeat what the records have. Without them a page of 1,000 whole histories reads 1,000 rows, with them one row
// for each user. A summary by month would read every record of the network, which takes five times as long. One block
// for all records of a user was weighed and left: each hourly load would write it again as a whole.
//
// One row for each user, book and day was weighed and left: counting them takes a second at 100,000 users. So was one
// row for each user and day: a block of a day has the same content in a twentieth of the bytes, and a load replaces a few
// hundred rows instead of millions. The index is stored for 128 users and event ids for 32 days for the same reason.
//
// A page of the index has 32 days, a bit for each. For each book it also says how long ago the user last read it before
// the page. So a book that is on several pages is counted once, on the first page that has a day of the period. A period
// costs what its own pages cost, and an hourly load mostly changes one page.
//
// The columns of sums and of index pages stay packed in memory, since an answer needs few of their numbers. Decoding all
// of them takes more than half of the time of a first summary of a year.
//
// Event ids take more than a third of the bytes. Identifiers mostly count up, so a series of them is stored as
// differences, one to three bytes each. Other identifiers are stored as 8 bytes of a hash. Only the identifier decides
// which way is taken, so the stored bytes do not depend on the order of loads.
//
// The package knows rules and bytes. It does not know feeds, reports, or where blocks are stored.
package facts
