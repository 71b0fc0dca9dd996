// Package intake takes in the feed of a library network: it validates its rows, sorts what they say of readers by reader, aggregates
// it, and writes what changes.
//
// # Read
//
// A [Feed] has the files in the order in which the loader (package server, Load) reads them: each after those that its rows refer to.
// The fields of a row are declared once, by the Fields method of its type.
//
// # Validate
//
// An [Intake] knows the [State] of the network's registers. It checks each row by itself and against what it refers to (F3). Terms,
// books, lines and channels are settled when all rows of the file are there: of several rows with one key the last good one counts
// (F1). Which row of a reader counts is known by its updatedAt, when the reader's rows are aggregated. An event before the history is
// skipped (G6).
//
// Loans and reservations change later, but never their reader, title or beginning. So their rows are first sorted by identifier and
// compared, some hundreds of neighbours at a time, with what the store has of them; what is new or changed is then sorted by reader.
//
// # Sort, aggregate, write
//
// A [Sorter] sorts all that is said of readers by reader in bounded memory. [Load] makes a delivery of what it says of one reader,
// aggregates it onto what is stored of the reader, and sets aside by day what it says of days, which all readers share; the days are
// aggregated then, and last the counts of the titles. What it writes is published from a full hour on (L1).
//
// For example, a feed has the loan 5 of reader 1 twice, first active and then returned:
//
//	loans  {"loanId":5,"userId":1,"bookId":9,"borrowedAt":"2026-08-04T12:00:00Z","status":"active"}
//	loans  {"loanId":5,"userId":1,"bookId":9,"borrowedAt":"2026-08-04T12:00:00Z","returnedAt":"2026-08-20T12:00:00Z","status":"returned"}
//
// Both rows are good. Sorted by identifier they stand together, the later one counts, and the store has no loan 5: it is new. In the
// delivery of reader 1 it adds a loan of title 9 on 4 August, a return on 20 August, and the days from one to the other, in which
// readings of the title use up a line of stock. The row itself goes to the loans of 4 August. When the feed comes again, the loan is
// as the store has it, and nothing changes.
//
// # Design
//
// A loan is packed for each sorter that it passes. Its row could go to its day as soon as it is settled, and the sorter by reader have
// only what aggregation needs; but that is all of the row except dueAt, so that nothing would become smaller, and the load would need
// a third sorter from its beginning on.
//
// The package does not know files, formats or databases.
package intake
