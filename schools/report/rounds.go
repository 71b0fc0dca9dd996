package report

import (
	"fmt"

	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/round"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// Round asks what has changed in a report since an earlier state (H14), whose copy the client has. A period that ends today was
// another one then: Was is the effective period of that state's day. Users have neither.
type Round struct {
	Since       state.Versions // not above those of the access
	Was, Period calendar.Period
	Filter      Filter
}

// then is the access to the earlier state.
func (q Round) then(a Access) Access {
	a.At = q.Since
	return a
}

// loads are those that lie between the two states.
func (q Round) loads(a Access) state.Span { return state.LoadsAfter(q.Since.Facts, a.At.Facts) }

// key names a value that depends on the two states and the question.
func (q Round) key(a Access, what string) state.Key {
	return a.key(fmt.Sprintf("%s since %d %d %s %s %s %s %s", what, q.Since.Registers, q.Since.Facts,
		q.Was.Start, q.Was.End, q.Period.Start, q.Period.End, a.filter(q.Filter)))
}

// pageOf returns a page of a round.
func pageOf[T any](changed round.Rows, p paging.Page, read func(round.Rows) ([]T, error), gone func(round.Row) T) (List[T], error) {
	rows, removed, err := round.Read(changed, p, read, gone)
	return List[T]{Rows: rows, Total: int64(len(changed)), Removed: removed}, err
}
