// Package libraries has the rules of the reports of a library network, and the reports: what counts as activity and as a
// reading, what a stock of books can serve and in which order it is used up, how texts are searched, which hour and which
// days an answer is about, and how a feed becomes all that.
//
// Whoever needs a single rule finds it under the next four headings, as functions of plain values. Whoever needs the
// reports, on PostgreSQL, SQLite or data of their own, goes on to "Reports".
//
// # Readers and titles
//
// An [EventKind] says what a reader did on a day, and whether it is activity; a [Presence] is the activity of one day, with
// its first and its last event (L3). A [Pair] is what the sessions of one reader tell about one title: the time, the
// highest share of it that was reached, and the days on which that share first reached 10 and 50 percent. Each pair
// crosses each threshold once, ever (L4):
//
//	sessions of Ana and one title           readings10   readings50
//	1 August, up to 9.9999 %                -            -
//	3 August, up to 55 %                    3 August     3 August
//	4 August, from the start up to 12 %     3 August     3 August
//
// The order in which sessions arrive does not matter. If one of 2 August that reached 10 % arrives a week late, the
// first crossing moves to 2 August, and is still one. The pair also tells whether a loan was confirmed, by a session from its
// day to that of its return: Ana's loan of 4 August is, a loan of 5 August is not, nor one that was returned in July (L7). A
// Pair counts every session it is given, so its caller leaves out those that it was given before.
//
// [LoanStatus], [ReservationStatus] and [ReaderStatus] are the states of the registers; [Gender] has the canonical values.
//
// # Stock
//
// A title has lines of stock, each a [Line]. Those of the platform's collection lend without limit. An own line can serve
// its copies times the title's maxUses, 26 where it defines none; in collection external each copy once (L8). The
// confirmed readings of the title fill its own lines one after the other, the oldest first (L9). A title without maxUses
// and with 60 readings:
//
//	line       collection   purchased    copies   can serve   consumed
//	Legado 1   external     2026-07-21       10          10         10
//	Compra 2   additional   2026-07-21        1          26         26
//	Compra 3   manual       2026-08-05        1          26         24
//	                                                     62         60
//
// Legado 1 was purchased in 2024: it shows the first day of the history, and is before Compra 2 of that day by its lower
// number. The title's percentage is 60 / 62, a [Ratio] rounded once to 0.9677, and its band, taken on the exact ratio,
// 91-100 (L10). With 70 readings all lines are full, 8 readings stay unallocated, the title's percentage is 1.1290 and
// its band 101+. In Go:
//
//	own := libraries.OwnLines(lines, libraries.HistoryStart)
//	consumed := libraries.Allocate(60, own) // 10, 26, 24
//	band := libraries.BandOf(60, libraries.Capacity(own))
//
// The program examples/stock prints this for several numbers of readings.
//
// # Texts
//
// [Fold] removes accents, case and surplus spaces, for search, filters and order: "  Água   VIVA" folds to "agua viva",
// which a [Search] for "GUA vi" finds. Suggestion requests are compared by [Exact], where accents count (L15).
//
// # Hours and days
//
// Data hold from a full [Hour] on, in whose day "now" lies (L1, L2). A period is chosen by the rules of
// [github.com/lectern-dev/lectern/reading/calendar]; here are the limit of 31 days ([CheckWindow], [Window]), filters that
// are open at an end ([Between]), and the months that a period touches ([Months]).
//
// # Reports
//
// A [Reports] answers the routes from any [Store], of which package librariesdb has one:
//
//	reports := libraries.Reports{Store: store}
//	rows, err := reports.Loans(ctx, access, libraries.LoanQuery{Period: august}, paging.Page{Number: 1, Size: 100})
//
// What every answer sums up is folded when it is loaded, into forms that have the grain of the answers:
//
//   - [DayTotals] are the sums of a day, and its sheets have a row for each reader ([ReaderSheet]), title ([TitleDay]) and
//     login ([LoginDay]): the engagement rows, the usage of the titles, the rows of the dataset logins.
//   - A [Shelf] is what one reader did with each title: a Pair, and the days of each loan. Reports read it for the
//     readers of a page alone.
//   - A [Holding] is what is counted of a title now: active loans and reservations, readings, confirmed loans.
//   - [Attributes] are what filters and counts need of a reader; [Seen] has the events that were loaded, so that loading
//     them again changes nothing.
//
// Loans, reservations and suggestion requests stay rows, for they are listed; [Marks] say where each stands in its list.
//
// For example, Ana reads 40 minutes of a title on 3 August, up to 55 %. [Past.Fold] adds to the day her activity, 2,400
// seconds and the two shares first reached; to her shelf the pair; to the title one confirmed loan, if she had it
// then. [Reports.Summary] for August then sums 31 days, however many sessions they had.
//
// # Loading
//
// An [Intake] settles a feed's rows against the [State] of a network: which rows are bad, and which of several with one key
// stands (F1, F3). A [Pile] gathers them by reader in bounded memory, and Fold adds each reader's [Delivery] to its [Past].
// The result does not depend on the order of the rows, on the pieces in which they come, or on how often.
//
// # Design
//
// No float is used: shares are thousandths of a percent, ratios ten-thousandths, money cents. A share is cut off, not
// rounded, where it is read, so that 9.9999 has not reached 10; ratios are divided with 128 bits and rounded once. Bands
// are not taken from the ratio shown, where 0.1000 may stand for a little more than a tenth. Sums that no stock can
// reach stop at the largest number instead of turning negative.
//
// Days are summed at the load, and not by the database at the answer: a report reads packed days instead of events, and
// rules stay out of the statements.
//
// The package does not read the clock, keeps nothing, and knows neither HTTP nor databases.
package libraries
