// Package calendar has the civil days in which reading is reported, and the rules for the period of a report.
//
// A day is a civil day in Brasilia time, which is the fixed offset UTC-3 without daylight saving (G2). It lasts from
// 03:00 UTC to the next 03:00 UTC. So 1 March in Brasilia begins at 2026-03-01T03:00:00Z, and an event one second
// earlier belongs to 28 February:
//
//	calendar.Day(2026-03-01T02:59:59Z) = 2026-02-28
//	calendar.Day(2026-03-01T03:00:00Z) = 2026-03-01
//
// A [Date] is a number of days, so that days are compared, subtracted and counted with the operators of the language:
// d-29 is the day 29 days before d.
//
// A [Period] includes both its ends. The two reporting APIs choose it differently from what a client has [Asked] for. If
// today is 2026-03-10, and the history starts on 2026-01-01:
//
//	asked                       schools (S8)               libraries (L2)
//	nothing                     2026-02-09 to 2026-03-10   2026-02-08 to 2026-03-10
//	from 2026-03-01             2026-03-01 to 2026-03-10   2026-03-01 to 2026-03-10
//	to 2026-02-10               2026-01-12 to 2026-02-10   2026-01-11 to 2026-02-10
//	to 2027-01-01               2026-02-09 to 2026-03-10   2026-12-02 to 2027-01-01
//	from 2025-06-01             2026-01-01 to 2026-03-10   2025-06-01 to 2026-03-10
//	from 2026-03-09 to 03-02    ErrStartAfterEnd           2026-03-02 to 2026-03-09
//	to 2025-12-31               ErrBeforeHistory           2025-12-01 to 2025-12-31
//
// An [Asked] has a pointer for each date, which is nil if the client did not give it:
//
//	start := calendar.MustParse("2026-03-01")
//	p, err := calendar.Asked{Start: &start}.Schools(calendar.Day(time.Now()), history)
//
// The package does not read the clock, knows no other time zone and no holidays, and does not limit the length of a
// period. Routes with a limit (L2) check it with [Period.Days].
package calendar
