// Package intake loads the feed of a school network: it validates rows, sorts events by user, aggregates them, and writes
// what has changed. A program that loads a folder or an fs.FS uses server.Load, which calls this package.
//
// # Read
//
// The loader reads the files in the order entities, accounts, books, evaluations, segments, accesses, so that each row
// comes after those that it refers to. The fields of a row are declared once, by the Fields method of its type.
//
// # Validate
//
// An [Intake] compares rows with the [Stored] tables of the partner. [Intake.Entities], [Intake.Accounts],
// [Intake.Books] and [Intake.Evaluations] take all rows of a file at once. Of several rows with one key the last good
// one counts (F1), a bad row is reported (F3), and a row that names something deleted is skipped (F4). Entities are
// created level by level, since a class needs the number of its school (S1). [Intake.Segment] and [Intake.Access] turn
// one row into an event, or return what is wrong with it.
//
// # Sort, aggregate, write
//
// A [Sorter] sorts events by user in bounded memory. [Load] reads what is stored of some users, adds their events to it,
// and writes the blocks that changed. Then it does the same for the days, which all users share. The last step of the
// load publishes what was written. The result does not depend on the order of the events, or on how many loads bring
// them, or on how often they come.
//
// # Example
//
// A feed has these two rows:
//
//	accounts  {"referenceId":"ana","kind":"reader","name":"Ana","entityReferenceId":"turma","active":true}
//	segments  {"segmentId":"s1","account":"ana","bookId":9,"startedAt":"2026-08-03T12:00:00Z","durationMs":60000,"from":0,"to":50,"wpm":90}
//
// Accounts gives ana the number 7. Segment finds account 7 and book 9, and makes an event: 60,000 ms at 90 words a minute
// are effective reading. The sorter puts the event into the partition of user 7. Load finds no s1 among the event ids of
// user 7, and adds it. It adds 10 tenths of a minute and the interval [0, 50) on 3 August to the record of user 7 and book
// 9. It also writes the 10 tenths into the block of 3 August. When the feed comes again, s1 is found, and the
// event is counted as repeated.
//
// # Before you change a rule
//
//   - Directory writes go on during a load. If one gives a reference to another account or deletes an account, the last
//     step validates the tables again against the later snapshot ([Intake.Rebase]). Events that then belong to another
//     account or to none are in [Moves], and Load runs again with them. So validation must be repeatable: it may depend on
//     rows and on Stored, and on nothing else.
//   - An account may be skipped and its events still read, since a later snapshot may accept the account. Such events
//     carry a number above those of all accounts until it is known.
//   - The numbers of new entities and accounts are reserved before they are written. They are given in the order of level
//     and reference (S1), not in the order of the file.
//
// # Design
//
// Events are sorted by user and not by day, since event ids, records and the index are stored by user: each is read and
// written once in a load. Sorting a second time by day costs little, because a user's day is one small record by then.
// No step needs all events in memory, as a feed may have more of them than memory holds. Accounts are in memory while their
// file is validated. Then the loader lets go of all but the numbers of their references ([Intake.TablesRead]), and once events
// are read of these too ([Intake.EventsRead]). Only accounts that are new or changed stay. If the last step validates again, it
// reads rows and accounts again.
//
// The package does not know files, formats or databases.
package intake
