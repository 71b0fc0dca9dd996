package report

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/fold"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools"
)

// begin makes the groups, except books, and counts the users.
func (s *summary) begin(reg *Accounts) {
	switch s.GroupBy {
	case ByDay:
		s.splitPeriod(len("YYYY-MM-DD"))
	case ByMonth:
		s.splitPeriod(len("YYYY-MM"))
	case BySchool:
		s.splitUsers(reg, reg.tree.School)
	case ByClass:
		s.splitUsers(reg, reg.tree.Class)
	}
	for part := range s.parts {
		for _, id := range s.users.IDs {
			active := reg.accounts[id].active
			s.each(part, id, func(m *Metrics) {
				m.Users++
				if active {
					m.Active++
				}
			})
		}
	}
}

// splitPeriod makes a group of each run of days whose dates begin with the same key.
func (s *summary) splitPeriod(keyLen int) {
	for day := s.Period.Start; day <= s.Period.End; day++ {
		key := day.String()[:keyLen]
		if n := len(s.groups); n == 0 || s.groups[n-1].Key != key {
			s.groups = append(s.groups, Group{Key: key, Label: key})
			s.parts = append(s.parts, calendar.Period{Start: day})
		}
		s.parts[len(s.parts)-1].End = day
	}
}

// withoutUnit is the label of the group of users without a school or class.
const withoutUnit = "Não informado"

// splitUsers makes a group of the users of each school or class, which unitOf returns for an entity, by folded name.
func (s *summary) splitUsers(reg *Accounts, unitOf func(directory.EntityID) directory.EntityID) {
	unit := func(id directory.UserID) directory.EntityID { return unitOf(reg.accounts[id].entity) }
	groups := map[directory.EntityID]int32{}
	folded := map[string]string{} // by key
	for _, id := range s.users.IDs {
		u := unit(id)
		if _, ok := groups[u]; ok {
			continue
		}
		groups[u] = 0
		g := Group{Label: withoutUnit}
		if e, ok := reg.tree.Entity(u); ok {
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
	s.of = make([]int32, len(reg.accounts))
	for _, id := range s.users.IDs {
		s.of[id] = groups[unit(id)]
	}
}

// group returns the group that counts a user's rows in a part of the period, from 1 on, or 0.
func (s *summary) group(part int, id directory.UserID) int {
	if s.of != nil {
		return int(s.of[id]) + 1
	}
	return part
}

// each calls add with the metrics that count a user's rows in a part of the period.
func (s *summary) each(part int, id directory.UserID, add func(*Metrics)) {
	if part == 0 {
		add(&s.general)
	}
	if g := s.group(part, id); g > 0 {
		add(&s.groups[g-1].Metrics)
	}
}

// usersByGroup returns the users, those of one school or class after one another.
func (s *summary) usersByGroup() []directory.UserID {
	if s.of == nil {
		return s.users.IDs
	}
	return slices.SortedStableFunc(slices.Values(s.users.IDs), func(x, y directory.UserID) int { return cmp.Compare(s.of[x], s.of[y]) })
}

// title returns the place of a book among those that were read. Where groups are books, it has the place of its group.
func (s *summary) title(book int64) int {
	place, ok := s.places[book]
	if !ok {
		place = len(s.titles)
		s.places[book] = place
		s.titles = append(s.titles, title{book, make([]int, len(s.parts))})
		if s.GroupBy == ByBook {
			s.groups = append(s.groups, Group{Key: strconv.FormatInt(book, 10)})
		}
	}
	return place
}

// nameBooks labels the groups that are books and orders them by readers.
func (s *summary) nameBooks(books *schools.Books) {
	for i, t := range s.titles {
		s.groups[i].Label = books.Book(t.book).Title
	}
	slices.SortFunc(s.groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Metrics.Readers, a.Metrics.Readers), cmp.Compare(len(a.Key), len(b.Key)), cmp.Compare(a.Key, b.Key))
	})
}
