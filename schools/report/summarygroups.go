package report

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/fold"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools/internal/facts"
)

// begin makes the groups, except books, and counts the users of each.
func (s *summary) begin(accounts *Accounts) {
	switch s.GroupBy {
	case ByDay:
		s.splitPeriod(len("YYYY-MM-DD"))
	case ByMonth:
		s.splitPeriod(len("YYYY-MM"))
	case BySchool:
		s.splitUsers(accounts, accounts.tree.School)
	case ByClass:
		s.splitUsers(accounts, accounts.tree.Class)
	}
	for part := range s.parts {
		for _, id := range s.users.IDs {
			active := accounts.accounts[id].active
			s.each(part, id, func(m *Metrics) {
				m.Users++
				if active {
					m.Active++
				}
			})
		}
	}
}

// splitPeriod makes a group of each run of days whose dates begin with the same keyLen characters.
func (s *summary) splitPeriod(keyLen int) {
	start := s.Period.Start
	for day := s.Period.Start; day <= s.Period.End; day++ {
		key := day.String()[:keyLen]
		if n := len(s.groups); n == 0 || s.groups[n-1].Key != key {
			s.groups, s.parts = append(s.groups, Group{Key: key, Label: key}), append(s.parts, facts.Window{})
			start = day
		}
		s.parts[len(s.parts)-1] = facts.WindowOf(calendar.Period{Start: start, End: day})
	}
}

// withoutUnit is the label of the group of users without a school or class.
const withoutUnit = "Não informado"

// splitUsers makes a group of the users of each school or class, in the order of folded names. unitOf returns
// the school or class of an entity.
func (s *summary) splitUsers(accounts *Accounts, unitOf func(directory.EntityID) directory.EntityID) {
	unit := func(id directory.UserID) directory.EntityID { return unitOf(accounts.accounts[id].entity) }
	groups := map[directory.EntityID]int32{}
	folded := map[string]string{} // by key
	for _, id := range s.users.IDs {
		u := unit(id)
		if _, ok := groups[u]; ok {
			continue
		}
		groups[u] = 0
		g := Group{Label: withoutUnit}
		if e, ok := accounts.tree.Entity(u); ok {
			g = Group{Key: strconv.FormatInt(int64(u), 10), Label: e.Name}
			folded[g.Key] = fold.Text(e.Name)
		}
		s.groups = append(s.groups, g)
	}
	slices.SortFunc(s.groups, func(a, b Group) int {
		if a.Key == "" || b.Key == "" {
			return cmp.Compare(b.Key, a.Key) // the empty key is the last one
		}
		return cmp.Or(cmp.Compare(folded[a.Key], folded[b.Key]), cmp.Compare(a.Key, b.Key))
	})
	for i, g := range s.groups {
		u, _ := strconv.ParseInt(g.Key, 10, 64) // 0 for the empty key
		groups[directory.EntityID(u)] = int32(i)
	}
	s.of = make([]int32, len(accounts.accounts))
	for _, id := range s.users.IDs {
		s.of[id] = groups[unit(id)]
	}
}

// group returns the number of the group that counts a user's rows in a part of the period, from 1 on, or 0
// for none.
func (s *summary) group(part int, id directory.UserID) int {
	if s.of != nil {
		return int(s.of[id]) + 1
	}
	return part
}

// each calls add with all metrics that count a user's rows in a part of the period: the totals and those of
// the group.
func (s *summary) each(part int, id directory.UserID, add func(*Metrics)) {
	if part == 0 {
		add(&s.general)
	}
	if g := s.group(part, id); g > 0 {
		add(&s.groups[g-1].Metrics)
	}
}

// title returns the title of a book that was read, or nil if there is no such book. A new title is also a new
// group if groups are books.
func (s *summary) title(number int64) *title {
	t := s.titles[number]
	if t == nil {
		book := s.books.Book(number)
		if book == nil {
			return nil
		}
		t = &title{book: book, place: len(s.titles)}
		s.titles[number] = t
		if s.GroupBy == ByBook {
			s.groups = append(s.groups, Group{Key: strconv.FormatInt(number, 10), Label: book.Title})
		} else {
			t.counted = make([]bool, len(s.groups))
		}
	}
	return t
}

// orderBooks orders the groups that are books by readers, most first, then by identifier.
func (s *summary) orderBooks() {
	slices.SortFunc(s.groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Metrics.Readers, a.Metrics.Readers), cmp.Compare(len(a.Key), len(b.Key)), cmp.Compare(a.Key, b.Key))
	})
}
