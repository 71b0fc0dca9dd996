package server_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/paging/fold"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// counted are the rows of the three lists, as far as a summary counts them.
type counted struct {
	users, engagements, readings []countedRow
}

type countedRow struct {
	UserID         int
	Active         bool
	School, Class  *unitName
	ReadingMinutes json.Number
	Book           struct {
		ID    int
		Title *string
	}
	Finished bool
}

// unitName is a school or a class.
type unitName struct {
	ID   int
	Name string
}

// rowsOf are the rows that the three lists show.
func (s *site) rowsOf(q query) counted {
	parsed := func(route string) (rows []countedRow) {
		if err := json.Unmarshal([]byte("["+strings.Join(s.pull(route, q, 1000), ",")+"]"), &rows); err != nil {
			s.t.Fatal(err)
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
func (s *site) groupsOf(q query, by string) (groups []string) {
	group := func(key, label string, c counted) {
		groups = append(groups, fmt.Sprintf(`{"key":"%s","label":"%s","metrics":%s}`, key, strings.ReplaceAll(label, `"`, `\"`), c.metrics(by)))
	}
	all := s.rowsOf(q)
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
			group(key, key, s.rowsOf(part))
			dates = dates[n:]
		}
	case "school", "class":
		unitGroups(all, by, group)
	case "book":
		readings := map[int][]countedRow{}
		for _, r := range all.readings {
			readings[r.Book.ID] = append(readings[r.Book.ID], r)
		}
		books := slices.SortedFunc(maps.Keys(readings), func(a, b int) int {
			return cmp.Or(cmp.Compare(len(readings[b]), len(readings[a])), cmp.Compare(a, b))
		})
		for _, id := range books {
			title := ""
			if b := readings[id][0].Book; b.Title != nil {
				title = *b.Title
			}
			group(fmt.Sprint(id), title, counted{readings: readings[id]})
		}
	}
	return groups
}

// unitGroups are those of schools or classes.
func unitGroups(all counted, by string, group func(key, label string, c counted)) {
	names := map[string]string{}
	unit := func(u countedRow) string {
		of := u.Class
		if by == "school" {
			of = u.School
		}
		if of == nil {
			return ""
		}
		key := fmt.Sprint(of.ID)
		names[key] = of.Name
		return key
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

// TestSchoolsSummary compares every number of the summaries of random queries with the rows of the lists (S10).
func TestSchoolsSummary(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		r := rand.New(rand.NewPCG(2, 7))
		s, w := newSite(t, db, "resumo"), newWorld(r)
		loadInPieces(s, w, r)
		for range 8 {
			s.summaries(someQuery(r))
		}
	})
}

// someQuery asks for a random period and filters, among them some that match nothing.
func someQuery(r *rand.Rand) query {
	q := query{network: fmt.Sprintf("net-%d", r.IntN(2))}
	a, b := r.IntN(worldDays+2)-1, r.IntN(worldDays+2)-1
	q.start = first.AddDate(0, 0, min(a, b)).Format("2006-01-02")
	q.end = first.AddDate(0, 0, max(a, b)).Format("2006-01-02")
	if r.IntN(3) == 0 {
		q.school = 1 + r.IntN(8)
	}
	if r.IntN(3) == 0 {
		q.profile = pick(r, []string{"student", "teacher"})
	}
	return q
}

// dates are the days of the query's period.
func (q query) dates() (dates []string) {
	for i := -2; i < worldDays+2; i++ {
		if d := first.AddDate(0, 0, i).Format("2006-01-02"); d >= q.start && d <= q.end {
			dates = append(dates, d)
		}
	}
	return dates
}

// summaries compares the summaries of a query.
func (s *site) summaries(q query) {
	s.t.Helper()
	general := s.rowsOf(q).metrics("")
	for _, by := range []string{"", "day", "month", "school", "class", "book"} {
		p := q.params("summary")
		period := fmt.Sprintf(`"period":{"startDate":"%s","endDate":"%s"}`, q.start, q.end)
		want := `{"meta":{` + period + `},"data":{"general":` + general + `}}`
		if by != "" {
			p.Set("groupBy", by)
			groups := s.groupsOf(q, by)
			want = fmt.Sprintf(`{"meta":{%s,"page":{"page":1,"pageSize":100,"totalRows":%d}},"data":{"general":%s,"breakdown":[%s]}}`,
				period, len(groups), general, strings.Join(groups, ","))
		}
		if status, got := s.get(q.network, "summary", p); status != 200 || got != want {
			s.t.Errorf("%+v by %q = %d\n got %s\nwant %s", q, by, status, got, want)
		}
	}
}
