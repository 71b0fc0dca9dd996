package server_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/lectern-dev/lectern/paging/fold"
)

// counted are the rows of the three lists, as far as a summary counts them.
type counted struct {
	users, engagements, readings []countedRow
}

type countedRow struct {
	UserID         int
	Active         bool
	School, Class  *struct{ ID int }
	ReadingMinutes json.Number
	Book           struct{ ID int }
	Finished       bool
}

// rowsOf are the model's rows of the three lists.
func (w *world) rowsOf(q query) counted {
	parsed := func(route string) (rows []countedRow) {
		if err := json.Unmarshal([]byte("["+strings.Join(w.want(route, q), ",")+"]"), &rows); err != nil {
			panic(err)
		}
		return rows
	}
	return counted{parsed("users"), parsed("engagements"), parsed("readings")}
}

// of returns the rows of some users.
func (c counted) of(has func(user countedRow) bool) counted {
	kept := map[int]bool{}
	for _, u := range c.users {
		kept[u.UserID] = has(u)
	}
	only := func(rows []countedRow) []countedRow {
		return slices.DeleteFunc(slices.Clone(rows), func(r countedRow) bool { return !kept[r.UserID] })
	}
	return counted{only(c.users), only(c.engagements), only(c.readings)}
}

// distinct counts the values that rows have.
func distinct(rows []countedRow, value func(countedRow) int) int {
	values := map[int]bool{}
	for _, r := range rows {
		values[value(r)] = true
	}
	return len(values)
}

func userOf(r countedRow) int { return r.UserID }

// metrics adds the rows up, in the form of the API.
func (c counted) metrics(by string) string {
	count := func(rows []countedRow, has func(countedRow) bool) (n int) {
		for _, r := range rows {
			if has(r) {
				n++
			}
		}
		return n
	}
	tenths := 0
	of := c.engagements
	if by == "book" {
		of = c.readings
	}
	for _, r := range of {
		var whole, tenth int
		fmt.Sscanf(string(r.ReadingMinutes), "%d.%1d", &whole, &tenth)
		tenths += 10*whole + tenth
	}
	number := func(n int, without ...string) string {
		if slices.Contains(without, by) {
			return "null"
		}
		return fmt.Sprint(n)
	}
	return fmt.Sprintf(`{"users":%s,"activeUsers":%s,"usersWithAccess":%s,"accessDays":%s,"readers":%d,"readingMinutes":%d.%d,"readings":%s,"finished":%s,"distinctBooks":%s}`,
		number(len(c.users), "book"), number(count(c.users, func(r countedRow) bool { return r.Active }), "book"),
		number(distinct(c.engagements, userOf), "book"), number(len(c.engagements), "book"), distinct(c.readings, userOf), tenths/10, tenths%10,
		number(len(c.readings), "day"), number(count(c.readings, func(r countedRow) bool { return r.Finished }), "day"),
		number(distinct(c.readings, func(r countedRow) int { return r.Book.ID }), "day", "book"))
}

// groupsOf are the groups of a summary, in order, each with its rows.
func (w *world) groupsOf(q query, by string) (groups []string) {
	group := func(key, label string, c counted) {
		groups = append(groups, fmt.Sprintf(`{"key":"%s","label":%s,"metrics":%s}`, key, quote(&label), c.metrics(by)))
	}
	all := w.rowsOf(q)
	switch by {
	case "day", "month":
		dates := q.dates()
		for len(dates) > 0 {
			key := dates[0][:map[string]int{"day": 10, "month": 7}[by]]
			n := slices.IndexFunc(dates, func(d string) bool { return !strings.HasPrefix(d, key) })
			if n < 0 {
				n = len(dates)
			}
			part := q
			part.start, part.end = dates[0], dates[n-1]
			group(key, key, w.rowsOf(part))
			dates = dates[n:]
		}
	case "school", "class":
		w.unitGroups(all, by, group)
	case "book":
		readers := func(b bookRow) counted {
			return counted{readings: slices.DeleteFunc(slices.Clone(all.readings), func(r countedRow) bool { return r.Book.ID != b.ID })}
		}
		books := slices.DeleteFunc(slices.Clone(w.books), func(b bookRow) bool { return len(readers(b).readings) == 0 })
		slices.SortFunc(books, func(a, b bookRow) int {
			return cmp.Or(cmp.Compare(len(readers(b).readings), len(readers(a).readings)), cmp.Compare(a.ID, b.ID))
		})
		for _, b := range books {
			title := ""
			if b.Title != nil {
				title = *b.Title
			}
			group(fmt.Sprint(b.ID), title, readers(b))
		}
	}
	return groups
}

// unitGroups are those of schools or classes.
func (w *world) unitGroups(all counted, by string, group func(key, label string, c counted)) {
	unit := func(u countedRow) string {
		of := u.Class
		if by == "school" {
			of = u.School
		}
		if of == nil {
			return ""
		}
		return fmt.Sprint(of.ID)
	}
	names := map[string]string{}
	ids, _ := w.ids()
	for _, e := range w.entities {
		names[fmt.Sprint(ids[e.Ref])] = e.Name
	}
	var keys []string
	for _, u := range all.users {
		keys = append(keys, unit(u))
	}
	slices.SortFunc(keys, func(a, b string) int {
		if a == "" || b == "" {
			return cmp.Compare(b, a)
		}
		return cmp.Or(cmp.Compare(fold.Text(names[a]), fold.Text(names[b])), cmp.Compare(a, b))
	})
	for _, key := range slices.Compact(keys) {
		label := names[key]
		if key == "" {
			label = "Não informado"
		}
		group(key, label, all.of(func(u countedRow) bool { return unit(u) == key }))
	}
}

// summaries compares every number of the summaries of a query with the rows of the lists (S10).
func (s *site) summaries(w *world, q query) {
	s.t.Helper()
	q.user = 0 // the summary has no such filter
	for _, by := range []string{"", "day", "month", "school", "class", "book"} {
		p := q.params("summary")
		period := fmt.Sprintf(`"period":{"startDate":"%s","endDate":"%s"}`, q.start, q.end)
		want := `{"meta":{` + period + `},"data":{"general":` + w.rowsOf(q).metrics("") + `}}`
		if by != "" {
			p.Set("groupBy", by)
			groups := w.groupsOf(q, by)
			want = fmt.Sprintf(`{"meta":{%s,"page":{"page":1,"pageSize":100,"totalRows":%d}},"data":{"general":%s,"breakdown":[%s]}}`,
				period, len(groups), w.rowsOf(q).metrics(""), strings.Join(groups, ","))
		}
		if status, got := s.get(q.network, "summary", p); status != 200 || got != want {
			s.t.Errorf("%+v by %q = %d\n got %s\nwant %s", q, by, status, got, want)
		}
	}
}
