package report

import (
	"context"

	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/internal/facts"
)

// SummaryQuery has the parameters of a summary (S10). The period must be effective already.
type SummaryQuery struct {
	Period  calendar.Period
	Filter  Filter
	GroupBy GroupBy
}

// GroupBy says what the groups of a summary are. The zero GroupBy makes none.
type GroupBy uint8

// The groupings, in the order of the contract.
const (
	ByDay GroupBy = iota + 1
	ByMonth
	BySchool
	ByClass
	ByBook
)

var groupings = [...]string{ByDay: "day", ByMonth: "month", BySchool: "school", ByClass: "class", ByBook: "book"}

// String returns the name of the grouping in queries, empty for none.
func (g GroupBy) String() string {
	if int(g) < len(groupings) {
		return groupings[g]
	}
	return ""
}

// HasUsers reports whether the groups count users and accesses. Books do not: a book has readers only.
func (g GroupBy) HasUsers() bool { return g != ByBook }

// HasReadings reports whether the groups count reading rows. Days do not: the percentage of a row belongs to
// a period.
func (g GroupBy) HasReadings() bool { return g != ByDay }

// Metrics are the counts of a summary. Each is what the rows of a list add up to, for the same period and
// filter.
type Metrics struct {
	Users, Active          int64 // accounts that pass the filter, and those of them that are active
	WithAccess, AccessDays int64 // users with an engagement, and engagements
	Readers                int64 // users with a reading
	Minutes                reading.Minutes
	Readings, Finished     int64
	DistinctBooks          int64
}

// Group is one group of a summary. The key of the group of users without the attribute is empty.
type Group struct {
	Key, Label string
	Metrics    Metrics
}

// Summary is the answer of a summary: the totals, and a page of the groups.
type Summary struct {
	General Metrics
	Groups  paging.List[Group]
}

// Summary answers a summary and one page of its groups (S10). The groups are counted once for all pages. The
// error is [paging.ErrPage] or one of the store.
func (r *Reports) Summary(ctx context.Context, a Access, q SummaryQuery, p paging.Page) (Summary, error) {
	key := a.key("summary", a.Network, q.Period, q.Filter, q.GroupBy)
	s, err := snapshot.Load(ctx, r.Cache, key, func(ctx context.Context) (*summary, error) { return r.summarize(ctx, a, q) })
	if err != nil {
		return Summary{}, err
	}
	groups, err := paging.ListOf(s.groups, p)
	return Summary{s.general, groups}, err
}

// summary is a summary while it is counted.
type summary struct {
	reports *Reports
	Access
	SummaryQuery
	userBooks
	general Metrics
	groups  []Group
	parts   []facts.Window   // the whole period, then each day or month that is a group
	of      []int32          // the group of each user, if groups are schools or classes
	titles  map[int64]*title // the books that were read

	records map[snapshot.Span][]wantedTotal // rows that are counted from their records, by days that these have
	numbers []int64                         // of books; its memory is used again
}

// title is a book that was read. A group counts it once.
type title struct {
	book    *schools.Book
	place   int    // of the group, if groups are books
	counted []bool // by group, otherwise
}

// Bytes returns the approximate size in memory of a counted summary.
func (s *summary) Bytes() int {
	n := 200
	for _, g := range s.groups {
		n += 120 + len(g.Key) + len(g.Label)
	}
	return n
}

// summarize counts a summary. Accesses and minutes come from the blocks of days, readings from the index, the
// sums and the records: the same sources as those of the lists. The two halves run at the same time and write
// different metrics.
func (r *Reports) summarize(ctx context.Context, a Access, q SummaryQuery) (*summary, error) {
	v, err := r.userBooks(ctx, a, q.Filter, q.Period)
	if err != nil {
		return nil, err
	}
	s := &summary{reports: r, Access: a, SummaryQuery: q, userBooks: v, parts: []facts.Window{facts.WindowOf(q.Period)}, titles: map[int64]*title{}}
	s.begin(v.accounts)
	if err := snapshot.Parallel(ctx, s.countDays, s.countReadings); err != nil {
		return nil, err
	}
	return &summary{general: s.general, groups: s.groups}, nil
}
