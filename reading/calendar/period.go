package calendar

import "errors"

// The errors of [Asked.Schools] (S8).
var (
	// ErrStartAfterEnd says that the period starts after it ends.
	ErrStartAfterEnd = errors.New("the period starts after its end")
	// ErrBeforeHistory says that the period ends before the history starts.
	ErrBeforeHistory = errors.New("the period ends before the history starts")
)

// Period is the days from Start to End, both included. It is empty if End is before Start.
type Period struct{ Start, End Date }

// Contains reports whether d is in the period.
func (p Period) Contains(d Date) bool { return p.Start <= d && d <= p.End }

// Days returns the number of days: 1 if Start equals End.
func (p Period) Days() int { return int(max(int64(p.End)-int64(p.Start)+1, 0)) }

// Asked is the period that a client asks for. A nil date was not given.
type Asked struct{ Start, End *Date }

// schoolsDays is the length of a schools period without a given start.
const schoolsDays = 30

// Schools returns the period of a schools report, by the rules of S8 in their order. An end that is missing or in the
// future is today. A missing start makes a period of 30 days. A start before the history is moved to its beginning. The
// error is [ErrStartAfterEnd], also for a start in the future, or [ErrBeforeHistory].
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

// librariesDays is how many days before its end a libraries period without a given start begins. With its end it has
// one day more.
const librariesDays = 30

// Libraries returns the period of a libraries report (L2). A missing end is today, and a missing start is 30 days
// before the end. Dates in the wrong order are swapped. An end in the future stays. A route that refuses dates in the
// wrong order compares them before the call.
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
