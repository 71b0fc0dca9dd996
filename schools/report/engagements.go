package report

import (
	"context"
	"fmt"
	"slices"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/incremental"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
	"github.com/lectern-dev/lectern/schools/internal/facts"
)

// Engagements answers one page of the days with access, by date, then userId (S6). The period must be
// effective already. The error is [paging.ErrPage] or one of the store.
func (r *Reports) Engagements(ctx context.Context, a Access, period calendar.Period, f Filter, p paging.Page) (paging.List[Engagement], error) {
	v, err := r.accessDays(ctx, a, f, period)
	if err != nil {
		return paging.List[Engagement]{}, err
	}
	starts := v.groups()
	spans, err := starts.Spans(p)
	if err != nil {
		return paging.List[Engagement]{}, err
	}
	rows, err := r.engagementRows(ctx, v, spans)
	return paging.List[Engagement]{Rows: rows, Total: starts.Total()}, err
}

// attendance returns the users of every day, from the cache if it has them.
func (r *Reports) attendance(ctx context.Context, a Access) (*facts.Attendance, error) {
	return snapshot.Load(ctx, r.Cache, a.factsKey("attendance"), r.facts(a).Attendance)
}

// groups counts the users of each day, so that a page is found without reading the days before it.
func (v *accessDays) groups() paging.Groups {
	counts := make([]int, len(v.days.Days))
	for i, s := range v.days.Sets {
		counts[i] = s.Common(v.users.set)
	}
	return paging.NewGroups(counts)
}

// engagementRows returns the rows of spans of days. A span is part of one day: its rows From up to To.
func (r *Reports) engagementRows(ctx context.Context, v accessDays, spans []paging.Span) (rows []Engagement, err error) {
	n := 0
	for _, s := range spans {
		n += s.To - s.From
	}
	rows = slices.Grow(rows, n)
	var tenths facts.TenthsByDay
	var read calendar.Period
	for _, s := range spans {
		day, set := v.days.Days[s.Group], v.days.Sets[s.Group]
		if tenths == nil || !read.Contains(day) {
			read = calendar.Period{Start: day &^ (tenthsSpan - 1), End: day | (tenthsSpan - 1)} // also before 1970
			if tenths, err = r.tenths(ctx, v.Access, read); err != nil {
				return nil, err
			}
		}
		of := tenths[day]
		if of.Len() != set.Len() {
			return nil, fmt.Errorf("day %s: minutes of %d users: %w", day, set.Len(), packed.ErrCorrupt)
		}
		left := s.To - s.From
		for rank, id := range set.Ranked(v.users.set, s.From) {
			rows = append(rows, Engagement{day, id, reading.Minutes(of.At(rank))})
			if left--; left == 0 {
				break
			}
		}
	}
	return rows, nil
}

// tenthsSpan is the number of days whose tenths are read and cached together: few reads for a user's year,
// and not much more than a page of one day needs. It is a power of two.
const tenthsSpan = 16

// tenths returns the tenths of the users of some days, from the cache if it has them.
func (r *Reports) tenths(ctx context.Context, a Access, days calendar.Period) (facts.TenthsByDay, error) {
	return snapshot.Load(ctx, r.Cache, a.factsKey("minutes", days.Start), func(ctx context.Context) (facts.TenthsByDay, error) {
		return r.facts(a).Tenths(ctx, days)
	})
}

// EngagementsSince answers one page of an incremental pull of the engagements (H14).
func (r *Reports) EngagementsSince(ctx context.Context, a Access, q Pull, p paging.Page) (paging.List[Engagement], error) {
	changed, err := snapshot.Load(ctx, r.Cache, a.key("engagements since", a.Network, q), func(ctx context.Context) (incremental.Rows, error) {
		return r.engagementsChanged(ctx, a, q)
	})
	if err != nil {
		return paging.List[Engagement]{}, err
	}
	read := func(page incremental.Rows) ([]Engagement, error) { return r.engagementsOf(ctx, a, page) }
	return incremental.Page(changed, p, read, func(c incremental.Row) Engagement {
		return Engagement{Date: calendar.Date(c.A), UserID: directory.UserID(c.B)}
	})
}

// accessDays has the users that a query selects and the users with access on each day of its period.
type accessDays struct {
	Access
	users *Users
	days  facts.Attendance
}

// accessDays reads the users that pass a filter, and the users of each day of a period.
func (r *Reports) accessDays(ctx context.Context, a Access, f Filter, period calendar.Period) (accessDays, error) {
	var users *Users
	var all *facts.Attendance
	err := snapshot.Parallel(ctx,
		func(ctx context.Context) (err error) { _, users, err = r.selection(ctx, a, f); return err },
		func(ctx context.Context) (err error) { all, err = r.attendance(ctx, a); return err },
	)
	if err != nil {
		return accessDays{}, err
	}
	return accessDays{a, users, all.In(period)}, nil
}

// set returns the users with access on a day.
func (v *accessDays) set(day calendar.Date) facts.Set {
	if i, found := slices.BinarySearch(v.days.Days, day); found {
		return v.days.Sets[i]
	}
	return facts.Set{}
}

// dayRows returns the rows of a day.
func (r *Reports) dayRows(ctx context.Context, v accessDays, day calendar.Date) ([]Engagement, error) {
	n := v.set(day).Common(v.users.set)
	if n == 0 {
		return nil, nil
	}
	v.days = v.days.In(calendar.Period{Start: day, End: day})
	return r.engagementRows(ctx, v, []paging.Span{{To: n}})
}

// engagementsChanged compares the days of both snapshots one by one. The minutes of a day are read only if
// its users differ, or if a load has replaced its block.
func (r *Reports) engagementsChanged(ctx context.Context, a Access, q Pull) (incremental.Rows, error) {
	now, err := r.accessDays(ctx, a, q.Filter, q.Period)
	if err != nil {
		return nil, err
	}
	was, err := r.accessDays(ctx, q.earlier(a), q.Filter, q.Was)
	if err != nil {
		return nil, err
	}
	replaced := map[calendar.Date]bool{}
	err = r.Store.Replaced(ctx, auth.Tenant(a.Partner), facts.DayKind, q.loads(a), func(k snapshot.BlockKey) error {
		replaced[calendar.Date(k.A)] = true
		return nil
	})
	if err != nil {
		return nil, err
	}
	var changed incremental.Rows
	days := slices.Concat(was.days.Days, now.days.Days)
	slices.Sort(days)
	for _, day := range slices.Compact(days) {
		if !replaced[day] && was.set(day).Equal(now.set(day)) && was.users.set.Equal(now.users.set) {
			continue
		}
		before, err := r.dayRows(ctx, was, day)
		if err != nil {
			return nil, err
		}
		after, err := r.dayRows(ctx, now, day)
		if err != nil {
			return nil, err
		}
		if err := incremental.Diff(&changed, before, after, engagementKey, func(x, y Engagement) bool { return x == y }); err != nil {
			return nil, err
		}
	}
	return changed.Sorted(), nil
}

// engagementKey returns the key of a row.
func engagementKey(e Engagement) incremental.Row {
	return incremental.Row{A: int64(e.Date), B: int64(e.UserID)}
}

// engagementsOf returns the rows of a page of keys, which ascend.
func (r *Reports) engagementsOf(ctx context.Context, a Access, page incremental.Rows) ([]Engagement, error) {
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
		of, err := r.dayRows(ctx, accessDays{a, &Users{set: wanted}, *all}, day)
		if err != nil {
			return nil, err
		}
		rows = append(rows, of...)
	}
	return rows, nil
}
