package calendar

import "errors"

// The errors of [Asked.Schools] (S8).
var (
	// ErrStartAfterEnd says that the period would start after it ends.
	ErrStartAfterEnd = errors.New("the period starts after its end")
	// ErrBeforeHistory says that the period ends before the history starts.
	ErrBeforeHistory = errors.New("the period ends before the history starts")
)

// Period is a run of days that has both its ends. It has no day where End is before Start.
type Period struct{ Start, End Date }

// Contains reports whether d is one of the period's days.
func (p Period) Contains(d Date) bool { return p.Start <= d && d <= p.End }

// Days returns the number of the period's days: 1 where it starts and ends on the same one.
func (p Period) Days() int { return int(max(int64(p.End)-int64(p.Start)+1, 0)) }

// Asked is the period that a client asks for. A nil end was not given.
type Asked struct{ Start, End *Date }

// schoolsDays is the length in days of a schools period whose start was not given.
const schoolsDays = 30

// Schools returns the period of a schools report, in the order of the rules of S8: an end in the future, or none, is
// today; a start that was not given makes it the 30 days that end there; a start before the history is moved up to it.
// The error is [ErrStartAfterEnd], also where a start alone lies in the future, or else [ErrBeforeHistory].
func (a Asked) Schools(today, history Date) (Period, error) {
	p := Period{End: today}
	if a.End != nil {
		p.End = min(*a.End, today)
	}
	p.Start = p.End - (schoolsDays - 1)
	if a.Start != nil {
		p.Start = *a.Start
	}
	if p.Start > p.End {
		return Period{}, ErrStartAfterEnd
	}
	if p.End < history {
		return Period{}, ErrBeforeHistory
	}
	p.Start = max(p.Start, history)
	return p, nil
}

// librariesDays is how many days before its end a libraries period starts where no start was given: with its end it
// has one day more.
const librariesDays = 30

// Libraries returns the period of a libraries report (L2): an end that was not given is today, a start that was not
// given 30 days before the end, and ends in the wrong order are swapped. An end in the future stays. Where a route takes
// no period in the wrong order, its caller compares the two given days beforehand.
func (a Asked) Libraries(today Date) Period {
	p := Period{End: today}
	if a.End != nil {
		p.End = *a.End
	}
	p.Start = p.End - librariesDays
	if a.Start != nil {
		p.Start = *a.Start
	}
	if p.Start > p.End {
		p.Start, p.End = p.End, p.Start
	}
	return p
}
