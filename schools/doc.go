// Package schools has the rules and records of what a school network pulls: what a segment and an access make of a day, and who
// counts as a student or a teacher.
//
// [NewSegment] makes an [Event] of a segment of reading: it belongs to the day on which it starts (S2), makes it a day with
// access (S6), and, where it is effective, counts in time and coverage. [NewAccess] does so of an access record: a login makes
// a day with access, a recommendation that was received does not.
//
//	segment of 20:00, 5,000 words in 20 minutes   250 words a minute: a day with access, 20.0 minutes, 5,000 units
//	segment of 21:00, 5,000 words in 2 minutes    2,500 words a minute: a day with access, nothing more
//
// The effective-reading rule itself is that of package reading. An [EventID] stands for an event's identifier: loading one
// twice changes nothing (F1).
//
// # Rooms
//
// The rules know nothing of how data are kept, loaded or shown. Around them are, each on those before it alone:
//
//   - schools/internal/facts: the packed forms into which events are folded when they are loaded. This module's own.
//   - [github.com/lectern-dev/lectern/schools/intake]: how a feed's rows become settled changes, and a load: what takes a feed.
//   - [github.com/lectern-dev/lectern/schools/report]: the reports, from any store, of which package schoolsdb has one.
//
// The package knows no HTTP and no database.
package schools
