// Package intake settles the feed of a school network: an [Intake] settles a feed's rows against the [State] of a partner, a
// [Pile] gathers its events by user in bounded memory, and [Load] folds them onto the blocks of a
// [github.com/lectern-dev/lectern/paging/state.Writer], in a database or in memory. The result does not depend on the order of
// the events, on the pieces in which they come, or on how often.
//
// For example, a feed names a class below a school that it names too: entities are settled by level, so that the school has
// its number before the class asks for it (S1), whatever the order of the rows.
//
// The package knows rows, and what there is already. It does not know files and their formats, reports, or databases.
package intake
