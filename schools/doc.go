// Package schools has the rules and records of a school network: what a segment of reading and an access count for on
// their day, and who is a student or a teacher.
//
// # The rules
//
// [NewSegment] makes an [Event] of a segment of reading. The event belongs to the Brasilia day on which the segment
// starts (S2), and makes it a day with access (S6). If the segment is effective by the rule of package reading, the event
// also counts in time and coverage. [NewAccess] makes an event of an access record: a login makes a day with access, a
// recommendation that was received does not.
//
// # An example
//
// Ana has these events on 3 August:
//
//	20:00  segment, 5,000 words in 20 minutes   250 words a minute     a day with access, 20.0 minutes, 5,000 units
//	21:00  segment, 5,000 words in 2 minutes    2,500 words a minute   a day with access, not effective
//	23:59  segment, 100 words in 1 minute       100 words a minute     a day with access, 1.0 minutes, all on 3 August
//	23:59  recommendation received                                     nothing
//
// So 3 August is one engagement of Ana with 21.0 minutes, and one reading for each book. If a feed brings the first
// segment again, its [EventID] is known for Ana and that day, and nothing changes (F1).
//
// # Around the rules
//
// The rules do not know how data is stored, loaded or shown. Each of these packages imports only those before it:
//
//   - schools/internal/facts aggregates events into stored blocks. It is not for other modules.
//   - [github.com/lectern-dev/lectern/schools/intake] validates a feed's rows and loads them.
//   - [github.com/lectern-dev/lectern/schools/report] answers the lists and the summary from any store.
//   - [github.com/lectern-dev/lectern/schools/schoolsdb] is such a store, on PostgreSQL and SQLite.
//
// # Before you change a number
//
// Events are not stored. A load decides how they count, so a changed rule holds for later loads
// only, and a network has to be loaded again to have one answer. Event ids are stored too: if [NewEventID] changes, a
// feed that is loaded again counts twice.
//
// # Design
//
// An event has no time but its day and second: no report needs more, and an identifier is compared within one user and
// day only. Identifiers are not stored as they are. Most count up, as s-ana-17 and s-ana-18 do, and take one to three
// bytes each as the numbers of a series; others take 8 bytes of a hash. Storing them whole was weighed and left: even so
// event ids take more than a third of the stored bytes.
//
// The package knows no HTTP and no database.
package schools
