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

// usersByGroup returns the users so that those of one school or class follow one another.
func (s *summary) usersByGroup() []directory.UserID {
	if s.of == nil {
		return s.users.IDs
	}
	return slices.SortedStableFunc(slices.Values(s.users.IDs), func(x, y directory.UserID) int { return cmp.Compare(s.of[x], s.of[y]) })
}

// title returns the index of a book in titles, and adds it if it is new. If groups are books, the group has
// the same index.
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

// nameBooks labels the groups that are books, and orders them by readers, most first, then by identifier.
func (s *summary) nameBooks(books *schools.Books) {
	for i, t := range s.titles {
		s.groups[i].Label = books.Book(t.book).Title
	}
	slices.SortFunc(s.groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Metrics.Readers, a.Metrics.Readers), cmp.Compare(len(a.Key), len(b.Key)), cmp.Compare(a.Key, b.Key))
	})
}
