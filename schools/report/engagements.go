package report

import (
	"context"
	"fmt"
	"slices"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/round"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools/internal/facts"
)

// Engagements answers one page of the days with access, by date, then userId. The period must be effective already.
func (r *Reports) Engagements(ctx context.Context, a Access, period calendar.Period, f Filter, p paging.Page) (List[Engagement], error) {
	v, err := r.access(ctx, a, f, period)
	if err != nil {
		return List[Engagement]{}, err
	}
	key := a.key(fmt.Sprintf("engagements %s %s %s", period.Start, period.End, a.filter(f)))
	starts, err := state.Load(ctx, r.Cache, key, func(context.Context) (paging.Groups, error) { return v.groups(), nil })
	if err != nil {
		return List[Engagement]{}, err
	}
	return r.engagements(ctx, v, starts, p)
}

// attendance returns the users of every day.
func (r *Reports) attendance(ctx context.Context, a Access) (*facts.Attendance, error) {
	return state.Load(ctx, r.Cache, a.loaded("attendance"), func(ctx context.Context) (*facts.Attendance, error) {
		return r.facts(a).Attendance(ctx)
	})
}

// groups counts the users of each day.
func (v *access) groups() paging.Groups {
	counts := make([]int, len(v.days.Days))
	for i, s := range v.days.Sets {
		counts[i] = s.Common(v.users.Set)
	}
	return paging.NewGroups(counts)
}

// engagements cuts one page from what a state knows.
func (r *Reports) engagements(ctx context.Context, v access, starts paging.Groups, p paging.Page) (List[Engagement], error) {
	list := List[Engagement]{Total: starts.Total()}
	spans, err := starts.Spans(p)
	if err != nil {
		return list, err
	}
	days := make([]calendar.Date, len(spans))
	for i, s := range spans {
		days[i] = v.days.Days[s.Group]
	}
	minutes, err := r.minutes(ctx, v.Access, days)
	if err != nil {
		return list, err
	}
	list.Rows = slices.Grow(list.Rows, rowsOf(spans))
	for i, s := range spans {
		set := v.days.Sets[s.Group]
		if err := minutes[i].Check(set.Len()); err != nil {
			return list, fmt.Errorf("day %s: %w", days[i], err)
		}
		left := s.To - s.From
		for rank, id := range set.Ranked(v.users.Set, s.From) {
			list.Rows = append(list.Rows, Engagement{days[i], id, minutes[i].At(rank)})
			if left--; left == 0 {
				break
			}
		}
	}
	return list, nil
}

// rowsOf is the number of rows in spans.
func rowsOf(spans []paging.Span) (n int) {
	for _, s := range spans {
		n += s.To - s.From
	}
	return n
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
			held = calendar.Period{Start: d &^ (minutesSpan - 1), End: d | (minutesSpan - 1)} // also before 1970
			key := a.loaded("minutes " + held.Start.String())
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

// EngagementsSince answers one page of a round of the engagements.
func (r *Reports) EngagementsSince(ctx context.Context, a Access, q Round, p paging.Page) (List[Engagement], error) {
	changed, err := state.Load(ctx, r.Cache, q.key(a, "engagements"), func(ctx context.Context) (round.Rows, error) {
		return r.engagementsChanged(ctx, a, q)
	})
	if err != nil {
		return List[Engagement]{}, err
	}
	read := func(page round.Rows) ([]Engagement, error) { return r.engagementsOf(ctx, a, page) }
	return pageOf(changed, p, read, func(c round.Row) Engagement {
		return Engagement{Date: calendar.Date(c.A), UserID: directory.UserID(c.B)}
	})
}

// access is what a state knows of who came when, as far as a question asks for it.
type access struct {
	Access
	users *Users
	days  facts.Attendance
}

// access reads what a state knows of who came when in a period.
func (r *Reports) access(ctx context.Context, a Access, f Filter, period calendar.Period) (access, error) {
	v := access{Access: a}
	var all *facts.Attendance
	err := state.Together(
		func() (err error) { _, v.users, err = r.selection(ctx, a, f); return err },
		func() (err error) { all, err = r.attendance(ctx, a); return err },
	)
	if err == nil {
		v.days = all.In(period)
	}
	return v, err
}

// set returns the users of a day.
func (v *access) set(day calendar.Date) facts.Set {
	if i, found := slices.BinarySearch(v.days.Days, day); found {
		return v.days.Sets[i]
	}
	return facts.Set{}
}

// engagementsChanged compares the days of both states, one by one. Of a day that has the same users, and whose minutes no load has
// replaced, the minutes are not read.
func (r *Reports) engagementsChanged(ctx context.Context, a Access, q Round) (round.Rows, error) {
	now, err := r.access(ctx, a, q.Filter, q.Period)
	if err != nil {
		return nil, err
	}
	was, err := r.access(ctx, q.then(a), q.Filter, q.Was)
	if err != nil {
		return nil, err
	}
	replaced := map[calendar.Date]bool{}
	err = r.Store.Replaced(ctx, state.Tenant(a.Partner), facts.MinutesKind, q.loads(a), func(k state.BlockKey) error {
		replaced[calendar.Date(k.A)] = true
		return nil
	})
	if err != nil {
		return nil, err
	}
	var changed round.Rows
	days := slices.Concat(was.days.Days, now.days.Days)
	slices.Sort(days)
	for _, day := range slices.Compact(days) {
		if !replaced[day] && was.set(day).Equal(now.set(day)) && was.users.Set.Equal(now.users.Set) {
			continue
		}
		if err := r.dayChanged(ctx, &changed, day, was, now); err != nil {
			return nil, err
		}
	}
	return changed.Sorted(), nil
}

// dayChanged adds what differs on a day.
func (r *Reports) dayChanged(ctx context.Context, changed *round.Rows, day calendar.Date, was, now access) error {
	before, err := r.dayRows(ctx, day, was)
	if err != nil {
		return err
	}
	after, err := r.dayRows(ctx, day, now)
	if err != nil {
		return err
	}
	return round.Diff(changed, before, after, engagementKey, func(x, y Engagement) bool { return x == y })
}

func engagementKey(e Engagement) round.Row {
	return round.Row{A: int64(e.Date), B: int64(e.UserID)}
}

// dayRows returns the rows of a day.
func (r *Reports) dayRows(ctx context.Context, day calendar.Date, v access) ([]Engagement, error) {
	set := v.set(day)
	rows := make([]Engagement, 0, set.Common(v.users.Set))
	if cap(rows) == 0 {
		return nil, nil
	}
	minutes, err := r.minutesOf(ctx, v.Access, day, set)
	if err != nil {
		return nil, err
	}
	for rank, id := range set.Ranked(v.users.Set, 0) {
		rows = append(rows, Engagement{day, id, minutes.At(rank)})
	}
	return rows, nil
}

// engagementsOf returns the rows of the keys of a page, which ascend.
func (r *Reports) engagementsOf(ctx context.Context, a Access, page round.Rows) ([]Engagement, error) {
	all, err := r.attendance(ctx, a)
	if err != nil {
		return nil, err
	}
	rows := make([]Engagement, 0, len(page))
	for len(page) > 0 {
		day, wanted := calendar.Date(page[0].A), facts.Set{}
		for len(page) > 0 && page[0].A == int64(day) {
			wanted.Add(directory.UserID(page[0].B))
			page = page[1:]
		}
		v := access{a, &Users{Set: wanted}, all.In(calendar.Period{Start: day, End: day})}
		of, err := r.dayRows(ctx, day, v)
		if err != nil {
			return nil, err
		}
		rows = append(rows, of...)
	}
	return rows, nil
}
