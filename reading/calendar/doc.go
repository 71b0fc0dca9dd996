// Package calendar has the civil days in which reading is reported, and the rules by which a report's period is chosen.
//
// A day is a civil day in Brasilia time, which is the fixed offset UTC-3 without daylight saving (G2). It lasts from
// 03:00 UTC to the next 03:00 UTC, so that 1 March in Brasilia begins at 2026-03-01T03:00:00Z, and what happens one
// second earlier belongs to 28 February:
//
//	calendar.Day(2026-03-01T02:59:59Z) = 2026-02-28
//	calendar.Day(2026-03-01T03:00:00Z) = 2026-03-01
//
// A [Date] is a number of days, so that days are compared, subtracted and counted with the operators of the language:
// d-29 is the day 29 days before d.
//
// A [Period] has both its ends. The two reporting APIs choose it differently from what a client [Asked] for. With today
// 2026-03-10, and a history that starts on 2026-01-01:
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
// An [Asked] has a pointer for each date, nil where it was not given:
//
//	start := calendar.MustParse("2026-03-01")
//	p, err := calendar.Asked{Start: &start}.Schools(calendar.Day(time.Now()), history)
//
// The package does not read the clock, knows no time zone but this one and no holidays, and does not limit how long a
// period may be: those that have a limit (L2) check it with [Period.Days].
package calendar
