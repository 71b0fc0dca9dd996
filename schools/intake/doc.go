// Package intake takes in the feed of a school network: it validates its rows, sorts its events by user, aggregates them, and writes
// what changes.
//
// # Read
//
// The loader (package server, Load) reads the files in the order entities, accounts, books, evaluations, segments, accesses, so that
// each row comes after those that it refers to. The fields of a row are declared once, by the Fields method of its type.
//
// # Validate
//
// An [Intake] knows the [State] of the partner's registers. [Intake.Entities], Accounts, Books and Evaluations settle the rows of a
// register: of several rows with one key the last good one counts (F1), a bad row is reported (F3), and a row that names something
// deleted is skipped (F4). Entities are settled by level, so that a school has its number before a class of it asks for that (S1).
// [Intake.Segment] and [Intake.Access] make an event of a row, or say what is wrong with it.
//
// # Sort, aggregate, write
//
// A [Sorter] sorts events by user in bounded memory. [Load] reads what was aggregated before of some users, adds their events to it,
// and writes the blocks that change; then it does the same for the days, which all users share. What it writes is published by the
// load's last step. The result does not depend on the order of the events, on the pieces in which they come, or on how often.
//
// For example, a feed says
//
//	accounts  {"referenceId":"ana","kind":"reader","name":"Ana","entityReferenceId":"turma","active":true}
//	segments  {"segmentId":"s1","account":"ana","bookId":9,"startedAt":"2026-08-03T12:00:00Z","durationMs":60000,"from":0,"to":50,"wpm":90}
//
// Accounts gives ana the number 7. Segment finds 7 for ana, the book 9 among the books, and 90 words a minute: the event reads
// effectively. The sorter keeps it in the partition of user 7. Load finds no event s1 of that user: it adds a minute of book 9 on
// 3 August to the record of user 7, s1 to the user's event ids, and a minute of user 7 to the day. When the feed comes again, s1 is
// among the event ids, and is counted as repeated.
//
// # Events of others
//
// Directory writes go on during a load. Where they give a reference to another account, or delete one, the last step settles the
// registers again and finds events that are others' now, or nobody's: [Moves] say which. Load then aggregates again, with the events
// under the accounts that they belong to.
//
// The package does not know files, formats or databases.
package intake
