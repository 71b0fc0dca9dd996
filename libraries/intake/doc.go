// Package intake settles the feed of a library network: an [Intake] checks each row by itself and against the [State] that
// there is, and of several with one key lets the one stand that F1 says (F3). A [Pile] gathers what the feed says of readers
// in bounded memory, and gives it back reader by reader, for package facts to fold.
//
// For example, a loan of 4 August comes twice, once active and once returned: both rows are good, the later line stands, and
// the reader's delivery has one loan, beside what the store knew of it before.
//
// The package knows rows, and what there is already. It does not know files and their formats, what a fold makes of a delivery,
// or who writes it.
package intake
