// Package intake loads the feed of a library network: it validates rows, sorts what they say of readers by reader, aggregates
// it, and writes what has changed. A program that loads a folder or an fs.FS uses server.Load, which calls this package.
//
// # Read
//
// The loader reads the files in the order vocabularies, books, lines, channels, readers, loans, and then the others, so that
// each row comes after those that it refers to. The fields of a row are declared once, by the Fields method of its type.
//
// # Validate
//
// An [Intake] compares rows with the [Stored] tables of the network. A bad row is reported (F3), and an event before the
// history is skipped (G6). The size of its table decides what a row is compared with:
//
//   - Terms, books, lines and channels are few. A [Table] knows all of them, and validates all rows of a file at once: of
//     several rows with one key the last good one counts (F1).
//   - Loans and reservations are too many for memory, and their reader, title and start never change (F1). A [RecordSorter]
//     sorts the rows by identifier, and compares those of some hundred neighbours at a time with one another and with the
//     store. The records that are new or changed go on.
//   - Readers and events go on as they are. Which row of a reader counts is decided by updatedAt when the reader is aggregated.
//
// # Sort, aggregate, write
//
// A [Sorter] sorts by reader in bounded memory. [Load] reads what is stored of some readers, adds what the feed says of them
// (package facts), and writes the blocks that changed. Then it does the same for the days, which all readers share, and writes
// the rows of loans, reservations and requests with them, since their tables are ordered by day. Last it adds what it counted
// to the network. Its rows are published from a full hour on (L1). The result does not depend on the order of rows, or on
// how many loads bring them, or on how often they come.
//
// # Example
//
// A feed has loan 5 of reader 1 twice, first active and then returned:
//
//	loans  {"loanId":5,"userId":1,"bookId":9,"borrowedAt":"2026-08-04T12:00:00Z","status":"active"}
//	loans  {"loanId":5,"userId":1,"bookId":9,"borrowedAt":"2026-08-04T12:00:00Z","returnedAt":"2026-08-20T12:00:00Z","status":"returned"}
//
// Both rows are good. Sorted by identifier they are neighbours, the later one counts, and the store has no loan 5: it is new.
// A third row that named reader 2 would be bad: "userId must not change". The sorter puts the loan into the partition of
// reader 1. Load adds a loan of title 9 on 4 August and a return on 20 August, and from now on a session of title 9 between
// the two days confirms the loan (L7). The second pass adds both to their days, and writes the row to the loans of 4 August.
// When the feed comes again, the loan is the one that is stored, and nothing changes.
//
// # Before you change a rule
//
//   - A rule of one row belongs to the method of Intake with its name. It may read the tables, but not change them: rows are
//     validated on several goroutines.
//   - All rows are validated, also those that a later row supersedes, so that a feed in pieces is refused where it is refused
//     as a whole.
//   - Aggregate runs on several goroutines too. Only [snapshot.Written.Counted] may touch what the whole load counts.
//   - No e-mail of a deleted reader may reach a sorter, which spills to files (L18).
//
// # Design
//
// Loans are sorted twice, by identifier and then by reader. These ways to sort them once were weighed and left:
//
//   - Look each identifier up in the store while rows are read, and sort by reader only. A stored loan of another reader is
//     found that way; two new rows of the feed that name two readers are not. They would be in two partitions, of which each
//     adds a loan.
//   - Remember the reader of each identifier in memory. 20 million loans take 320 MB. A filter of their hashes is smaller, but
//     its answer "perhaps" would still need a second reading of the file.
//   - Sort by identifier only what never changes, and by reader the rows. That is two sorters as before, two look-ups of each
//     stored loan in place of one, the second in no order, and bad rows that are found after the rows were passed on.
//   - Find the conflict when days are merged. Both readers are written by then.
//
// A loan is encoded for each of the sorters. Handing on the bytes of its row would save less than a hundredth of the load, and
// every function on the way would carry them. The row could leave for its day before aggregation; but aggregation needs all of
// it but dueAt, so nothing becomes smaller.
//
// Rows of loans and reservations are written with their days, last. Writing them earlier was measured, both when they are
// reconciled and while readers are aggregated. The transactions then touch more pages of the indexes, and the load is no
// faster.
//
// The package does not know files, formats or databases.
package intake
