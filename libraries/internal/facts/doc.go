// Package facts has what is folded of a library network's events when they are loaded: packed forms that have the grain of
// the answers, how they are stored, and how a reader's events change them.
//
//   - [DayTotals] are the sums of a day, and its sheets have a row for each reader ([ReaderSheet]), title ([TitleDay]) and
//     login ([LoginDay]): the engagement rows, the usage of the titles, the rows of the dataset logins.
//   - [ReaderTitles] are what one reader did with each title: a Pair, and the days of each loan. Reports read them for the
//     readers of a page alone.
//   - [LoanReadings] are what was read of the loans of a day, for the lists of loans.
//   - [TitleCounts] are what is counted of a title now: active loans and reservations, readings, confirmed loans.
//   - [Attributes] are what filters and counts need of a reader; an [EventSet] has the events that were loaded, so that loading
//     them again changes nothing.
//
// For example, Ana reads 40 minutes of a title on 3 August, up to 55 %. [Past.Fold] adds to the day her activity, 2,400
// seconds and the two shares first reached; to her titles the pair; to the title one confirmed loan, if she had it
// then. A summary of August then sums 31 days, however many sessions they had. The result of a fold does not depend on the
// order of the events, on the pieces in which they come, or on how often.
//
// Days are summed at the load, and not by the database at the answer: a report reads packed days instead of events, and
// rules stay out of the statements.
//
// The package knows the rules and the bytes. It does not know feeds and their rows, reports, or where blocks are kept. A
// form has a version and takes only what it writes; all else is [github.com/lectern-dev/lectern/reading/packed.ErrCorrupt].
package facts
