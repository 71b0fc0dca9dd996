// Package facts aggregates the events of a library network when they are loaded, into blocks that have the grain of the
// answers. A report reads blocks and never events, so that a summary of a month reads 30 days, however many sessions they had.
//
//	kind               key A, B               what it has, and what reads it
//	attributes         block of 1,024 readers  what filters and groups need of a reader: all reports about readers
//	reader titles      reader                  what the reader did with each title, and its loans: loads, pulls of loans
//	seen events        readers, days           the identifiers that were loaded: loads only
//	network            0                       counts of each title now, totals of each day: every report, first
//	days of readers    day                     a row for each active reader: engagements, logins, summaries
//	days of titles     day                     a row for each title: the dataset books, summaries
//	readings of loans  day of the loans        seconds and progress of each loan's pair: the list of loans
//
// # Example
//
// Ana borrows a title on 1 August and reads it for 40 minutes on 3 August, up to 55 %. A load reads what is stored of Ana,
// and [Past.Fold] compares her title with what it was before. It returns a [Change]:
//
//   - Her [ReaderTitles] have the title now: 2,400 seconds, 55 %, read on 3 August, where 10 % and 50 % were reached.
//   - A [DayDelta] of 1 August has the loan, and one of 3 August has 2,400 seconds, a login, and the two shares reached.
//   - The title's [TitleCounts] have one more active loan, confirmed loan and reading.
//   - A [DayReading] of 1 August, the day of the loan, has her seconds and progress.
//
// The load keeps deltas until all readers are done, and then adds them to their days ([Day.Add]). Its last step adds what
// was counted to the [Network].
//
// # Before you change a number
//
// The result must not depend on the order of events, on the number of loads, or on repeated rows. Fold therefore never adds
// what a title means: it computes it from the title before and from the title after, and adds the difference. A test
// compares this with a slow model that computes all from all events.
//
// Each number has one place from which it is summed. What readers have is summed into the totals of their day; what only
// titles have (conversions by their day) comes from the titles; what neither has (sessions by mode, loans by status) is
// kept in the totals only, and nothing can compute it again. A count below 0 is [ErrBelowZero]: the load fails.
//
// A block is a form of package packed, which is declared once. Change its Columns method and its version, and the test that
// has its bytes. Columns that reports visit stay packed, for opening a block must cost little. A new kind needs a number, a
// line in the table of [Verifier] and one in librariesdb.Kinds.
//
// Readings of loans are apart from the days of titles: a reader reads for weeks after the loan, so that each load changes
// the readings of some 30 days, but the titles of one or two.
//
// The package knows neither feeds nor reports, nor where blocks are kept.
package facts
