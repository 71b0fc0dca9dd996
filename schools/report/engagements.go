package report

import (
	"context"
	"fmt"
	"slices"

	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools/internal/facts"
)

// Engagements answers one page of the days with access, by date, then userId. The period must be effective already.
func (r *Reports) Engagements(ctx context.Context, a Access, period calendar.Period, f Filter, p paging.Page) (List[Engagement], error) {
	var users *Users
	var all *facts.Attendance
	err := state.Together(
		func() (err error) { _, users, err = r.selection(ctx, a, f); return err },
		func() (err error) { all, err = r.attendance(ctx, a); return err },
	)
	if err != nil {
		return List[Engagement]{}, err
	}
	days := all.In(period)
	key := a.key(fmt.Sprintf("engagements %s %s %s", period.Start, period.End, a.filter(f)))
	starts, err := state.Load(ctx, r.Cache, key, func(context.Context) (paging.Groups, error) {
		return attendanceGroups(days, users), nil
	})
	if err != nil {
		return List[Engagement]{}, err
	}
	return r.engagements(ctx, a, page{days, users, starts, p})
}

// attendance returns the users of every day.
func (r *Reports) attendance(ctx context.Context, a Access) (*facts.Attendance, error) {
	return state.Load(ctx, r.Cache, a.loaded("attendance"), func(ctx context.Context) (*facts.Attendance, error) {
		return r.facts(a).Attendance(ctx)
	})
}

// attendanceGroups counts the users of each day.
func attendanceGroups(a facts.Attendance, u *Users) paging.Groups {
	counts := make([]int, len(a.Days))
	for i, s := range a.Sets {
		counts[i] = s.Common(u.Set)
	}
	return paging.NewGroups(counts)
}

// page is what one page of engagements is cut from.
type page struct {
	days   facts.Attendance
	users  *Users
	starts paging.Groups
	page   paging.Page
}

func (r *Reports) engagements(ctx context.Context, a Access, g page) (List[Engagement], error) {
	list := List[Engagement]{Total: g.starts.Total()}
	spans := slices.Collect(g.starts.Spans(g.page))
	days := make([]calendar.Date, len(spans))
	for i, s := range spans {
		days[i] = g.days.Days[s.Group]
	}
	minutes, err := r.minutes(ctx, a, days)
	if err != nil {
		return list, err
	}
	for i, s := range spans {
		set := g.days.Sets[s.Group]
		if err := minutes[i].Check(set.Len()); err != nil {
			return list, fmt.Errorf("day %s: %w", days[i], err)
		}
		left := s.To - s.From
		for rank, id := range set.Ranked(g.users.Set, s.From) {
			list.Rows = append(list.Rows, Engagement{days[i], id, minutes[i].At(rank)})
			if left--; left == 0 {
				break
			}
		}
	}
	return list, nil
}

// minutesOf returns the minutes of a day, which are of so many users.
func (r *Reports) minutesOf(ctx context.Context, a Access, day calendar.Date, users facts.Set) (facts.Minutes, error) {
	minutes, err := r.minutes(ctx, a, []calendar.Date{day})
	if err == nil {
		err = minutes[0].Check(users.Len())
	}
	if err != nil {
		return nil, fmt.Errorf("day %s: %w", day, err)
	}
	return minutes[0], nil
}

// minutesSpan is the number of days whose minutes are read and kept together: few reads for one user's year, and not
// much more than needed for a page of one day. It is a power of two.
const minutesSpan = 16

// minutes returns the minutes of the days.
func (r *Reports) minutes(ctx context.Context, a Access, days []calendar.Date) ([]facts.Minutes, error) {
	all := make([]facts.Minutes, 0, len(days))
	var span facts.MinutesByDay
	var held calendar.Period
	for _, d := range days {
		if span == nil || !held.Contains(d) {
			first := d &^ (minutesSpan - 1) // down, also before 1970
			held = calendar.Period{Start: first, End: first + minutesSpan - 1}
			key := a.loaded("minutes " + first.String())
			var err error
			span, err = state.Load(ctx, r.Cache, key, func(ctx context.Context) (facts.MinutesByDay, error) {
				return r.facts(a).Minutes(ctx, held)
			})
			if err != nil {
				return nil, err
			}
		}
		all = append(all, span[d])
	}
	return all, nil
}
