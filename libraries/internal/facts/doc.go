// Package facts aggregates the events of a library network, when they are loaded, into blocks that have the grain of the
// answers. Reports read blocks and never events. So a summary of a month reads 30 days, however many sessions they had.
//
//	kind               key                      content                                        read by
//	attributes         1,024 readers            what filters and groups need of each reader    all reports about readers; loads
//	reader titles      reader                   what the reader did with each title; loans     loads; pulls of loans
//	event ids          128 readers, 8 days      the identifiers of the events that were        loads: a repeated event changes
//	                                            loaded                                         nothing
//	network            0                        counts of each title now, totals of each day   every report, first; loads
//	days of readers    day                      a row for each active reader                   engagements; logins; summaries; loads
//	days of titles     day                      a row for each title                           books; summaries; loads
//	readings of loans  day on which loans       seconds and progress of the reader and title   loans; loads
//	                   were made                of each loan
//
// # Example
//
// Ana borrows a title on 1 August and reads it for 40 minutes on 3 August, up to 55 %. A load reads what is stored of Ana
// ([Stored]), and [Stored.Aggregate] returns a [Change]:
//
//   - Her [ReaderTitles] have the title now: 2,400 seconds, 55 %, a session on 3 August, on which 10 % and 50 % were reached.
//   - A [DayDelta] of 1 August has the loan, and one of 3 August has 2,400 seconds, a login, and both shares.
//   - The [TitleCounts] of the title have one more active loan, confirmed loan and reading.
//   - A [DayReading] of 1 August, the day of the loan, has her seconds and progress.
//
// The load keeps the deltas until all readers are aggregated. Then it adds them to their days ([Day.Add]), and what it counted
// to the [Network].
//
// Later a feed brings a session of 2 August in which she reached 12 %. So 10 % was first reached on 2 August. Aggregate
// compares the title before with the title after: the delta of 3 August has -1 in that column, and that of 2 August has 1.
//
// # Before you change a number
//
//   - Aggregate must not depend on the order of events, on the number of loads, or on repeated rows. So it never adds what one
//     event means to a count of titles. It computes the count from the title before and from the title after, and adds the
//     difference.
//   - Each number has one place from which it is summed. The totals of a day are summed from its readers; what only titles have
//     (conversions by their day) from its titles; what neither has (sessions by mode, loans by status) is only in the totals,
//     and nothing can compute it again. `lectern check --deep` compares the seconds of days with those of titles ([Verifier]).
//   - A count below 0 is [ErrBelowZero], and the load fails: what it takes back was never added.
//   - A form declares its columns once, in its method Columns, which writes, reads and checks it: see
//     [github.com/lectern-dev/lectern/reading/packed]. Changing it means a new version and new bytes in the test. A new kind
//     needs a number, a line in the table of [Verifier] and one in librariesdb.Kinds.
//
// # Design
//
// Attributes, days of readers and days of titles keep columns packed, since a report visits few columns of many blocks.
//
// Readings of loans could be columns of the days of titles. They are apart because a reader reads for weeks after the loan: each
// hourly load changes the readings of some 30 days, but the titles of one or two. So there are seven kinds and not six.
//
// A day is not stored for readers and titles together: most reports need one of the two. Event ids are apart from reader
// titles, which they would make twice as large for every report that reads those.
//
// The package knows rules and bytes. It does not know feeds, reports, or where blocks are stored.
package facts
