// Package facts has what is folded of a school network's events when they are loaded: packed forms that have the grain of the
// answers, how they are stored, and how a user's events change them.
//
//   - A record is what a user read of a book: days, each with its minutes and its merged intervals (package reading).
//   - [Sums] are what each book of a user comes to over all days: a page of whole histories reads a row for each user.
//   - A [Sheet] is a day: the users with an access, and their minutes. Its rows are the engagement rows.
//   - A [Ledger] has a user's books and days alone. [Ledgers] count the reading rows of any period, so that the total and the
//     place of every page are known before a record is read: page 1,000 costs what page 1 costs.
//   - [Seen] has the identifiers of a user's events: loading them again changes nothing.
//
// For example, a user reads page after page of two books on the evening of 31 March. [Fold] merges the intervals of each
// book into its record, rounds the evening's milliseconds to tenths of a minute, shares these out between the books by
// largest remainder (S3), and marks the user in the sheet of that day. The readings of March then find both books in the
// ledger, and its engagements the evening in the sheet: the sums agree to the tenth.
//
// # Design
//
// A row for each user, book and day was weighed and left: counting them costs a second at 100,000 users, and rules creep
// into the statements. So was a row for each user and day of access: a sheet holds the same in a twentieth of the
// bytes, and a load replaces a few hundred rows instead of millions. Ledgers are stored for 128 users together, and
// seen events for 32 days, for the same reason.
//
// The ledgers of 128 users are stored in leaves of 32 days, a bit a day, each of which says of every book when it was last read
// before. So a book that was read on several leaves is counted on the first of them that has a day of the period, and a period
// costs what its own leaves cost, exact to the day; what an hourly load changes is mostly on one leaf. A count for each month
// was weighed and left: periods begin and end on any day, and the months at both ends would be gone through all the same.
//
// Seen events take most of the disk. Identifiers mostly count up, so that of a series of them the differences are kept, one to three
// bytes each, and exactly; the others by 8 bytes of a hash. That each be kept so depends on its text alone, and not on what else is
// there: whatever the order of loads, the stored bytes are the same.
//
// The package knows the rules and the bytes. It does not know feeds and their rows, reports, or where blocks are kept. A
// form has a version and takes only what it writes; all else is [github.com/lectern-dev/lectern/reading/packed.ErrCorrupt].
package facts
