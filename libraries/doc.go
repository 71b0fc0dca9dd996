// Package libraries has the rules and the records of a library network: what counts as activity and as a reading, how texts
// are searched, which hour and which days an answer is about, and what a reader, a loan or a reservation is.
//
// Whoever needs a single rule finds it under the next four headings, as functions of plain values. Whoever needs the
// reports, on PostgreSQL, SQLite or data of their own, goes on to "Rooms".
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
// Package [github.com/lectern-dev/lectern/libraries/stock] has the rules of stock: what the copies of a title can serve, in
// which order they are used up, and the bands of consumption. A title without maxUses and with 60 readings:
//
//	line       collection   purchased    copies   can serve   consumed
//	Legado 1   external     2026-07-21       10          10         10
//	Compra 2   additional   2026-07-21        1          26         26
//	Compra 3   manual       2026-08-05        1          26         24
//	                                                     62         60
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
// # Rooms
//
// The rules know nothing of how data are kept, loaded or shown. Around them are, each on those before it alone:
//
//   - libraries/stock and libraries/metric: the rules of stock, and the numbers of an engagement row.
//   - libraries/internal/facts: the packed forms into which events are folded when they are loaded, with the grain of the
//     answers. This module's own.
//   - libraries/intake: how a feed's rows become settled changes. This module's own too.
//   - [github.com/lectern-dev/lectern/libraries/report]: the reports, from any store, of which package librariesdb has one.
//
// # Design
//
// No float is used: shares are thousandths of a percent, ratios ten-thousandths, money cents. A share is cut off, not
// rounded, where it is read, so that 9.9999 has not reached 10; ratios are divided with 128 bits and rounded once. Bands
// are not taken from the ratio shown, where 0.1000 may stand for a little more than a tenth. Sums that no stock can
// reach stop at the largest number instead of turning negative.
//
// The package does not read the clock, keeps nothing, and knows neither HTTP nor databases.
package libraries
