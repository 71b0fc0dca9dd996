// Package libraries has the rules and the records of a library network: what counts as activity and as a reading, how
// texts are searched, which hour and days an answer is about, and what a reader, a loan or a reservation is.
//
// Each rule is a function of plain values, so a program can use one without the others.
//
// # Readers and titles
//
// An [EventKind] says what a reader did on a day, and whether it is activity. A [Presence] is the activity of one day,
// with its first and last event (L3). A [Pair] has what the sessions of one reader tell about one title: the time, the
// highest share of the title that was reached, and the days on which that share first reached 10 and 50 percent. Each
// pair counts once at each share, ever (L4):
//
//	sessions of Ana and one title           readings10   readings50
//	1 August, up to 9.9999 %                -            -
//	3 August, up to 55 %                    3 August     3 August
//	4 August, from the start up to 12 %     3 August     3 August
//
// The order in which sessions arrive does not matter. If a session of 2 August that reached 10 % arrives a week late,
// the reading moves to 2 August and is still one. A session of the title during a loan confirms the loan (L7): it
// confirms Ana's loan of 3 August, but not a loan of 5 August, or one that she returned in July. A Pair counts every
// session that it is given, so its caller leaves out repeated ones.
//
// [LoanStatus], [ReservationStatus] and [ReaderStatus] are the states of the records. [Gender] has the canonical values.
//
// # Stock
//
// Package [github.com/lectern-dev/lectern/libraries/stock] says what the copies of a title can serve, in which order
// they are used up, and which band of consumption the title is in.
//
// # Texts
//
// Texts are searched, filtered and ordered folded: without case, accents and surplus spaces. A [Search] for "GUA vi"
// finds "  Água   VIVA". Suggestion requests are compared by [Exact], where accents count (L15).
//
// # Hours and days
//
// A snapshot is current from a full [Hour] on, and the day of that hour is "now" (L1, L2). Package
// [github.com/lectern-dev/lectern/reading/calendar] chooses periods. This package has the limit of 31 days
// ([CheckWindow], [Window]), filters that are open at an end ([Between]), and the months of a period ([Months]).
//
// # Packages around it
//
// The rules do not know how data are stored, loaded or shown. Each of these packages imports only those before it:
//
//   - libraries/stock and libraries/metric: the rules of stock, and the numbers of an engagement row
//   - libraries/internal/facts: aggregates events into blocks that have the grain of the answers
//   - libraries/intake: validates the rows of a feed and loads them
//   - [github.com/lectern-dev/lectern/libraries/report]: the reports, from any store; package librariesdb has one
//
// # Design
//
// No float is used: shares are thousandths of a percent, ratios ten-thousandths, money cents. A share is cut off where
// it is read and not rounded, so that 9.9999 has not reached 10. It is rounded once, where it is shown.
//
// An event is known by 8 bytes of a hash and not by its identifier, which may have 64 characters: see [EventID].
//
// The package does not read the clock and keeps no state. It does not know HTTP or databases.
package libraries
