package main

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"time"
)

// schoolsPeriod returns the effective period, and whether there is one (S8).
func (q query) schoolsPeriod() (from, to string, ok bool) {
	from, to = q.params["startDate"], q.params["endDate"]
	if to == "" || to > q.today {
		to = q.today
	}
	if from == "" {
		from = addDays(to, -29)
	}
	if from > to || to < schoolsHistory {
		return "", "", false
	}
	return max(from, schoolsHistory), to, true
}

// users returns the rows of the users by id. An account whose id is not known yet comes first.
func (p *partner) users(q query) []row {
	var rows []row
	for i := range p.accounts {
		if p.passes(i, q) {
			rows = append(rows, p.user(i))
		}
	}
	slices.SortFunc(rows, func(a, b row) int { return compareInts(a, b, "userId") })
	return rows
}

func (p *partner) profile(i int) string {
	return map[string]string{"reader": "student", "teacher": "teacher"}[p.accounts[i].kind]
}

// passes reports whether an account is in the answers to a query (S1, S7).
func (p *partner) passes(i int, q query) bool {
	a := p.accounts[i]
	network, school := p.above(a.entity, "network"), p.above(a.entity, "school")
	unit := 0
	if school >= 0 {
		unit = p.entityNumbers[p.entities[school].birth]
	}
	return p.profile(i) != "" && network >= 0 && p.entities[network].ref == q.network &&
		q.is("profile", p.profile(i)) && q.is("userId", p.userNumbers[a.birth]) && q.is("schoolId", unit)
}

func (p *partner) user(i int) row {
	a := p.accounts[i]
	r := row{"userId": whole(p.userNumbers[a.birth]), "name": text(a.name), "email": text(a.email), "profile": p.profile(i),
		"school": p.unit(p.above(a.entity, "school")), "class": p.unit(p.above(a.entity, "class")),
		"grade": nil, "stage": nil, "active": a.active && !a.deleted}
	if class := p.above(a.entity, "class"); class >= 0 {
		d := degrees[p.entities[class].degree]
		r["stage"] = text(d.stage)
		if d.grade > 0 {
			r["grade"] = whole(d.grade)
		}
	}
	return r
}

func (p *partner) unit(e int) any {
	if e < 0 {
		return nil
	}
	return row{"id": whole(p.entityNumbers[p.entities[e].birth]), "name": text(p.entities[e].name)}
}

// learn takes the ids of users, schools and classes from rows of users, by name: each name is used once.
func (p *partner) learn(rows []row) {
	known := map[int]bool{}
	for _, n := range p.userNumbers {
		known[n] = true
	}
	for _, r := range rows {
		for i := range p.accounts {
			if a := p.accounts[i]; !known[num(r, "userId")] && a.name != "" && p.userNumbers[a.birth] == 0 && a.name == r["name"] {
				p.userNumbers[a.birth] = num(r, "userId")
			}
		}
		for _, member := range []string{"school", "class"} {
			p.learnUnit(r[member])
		}
	}
}

func (p *partner) learnUnit(v any) {
	unit, ok := v.(row)
	if !ok {
		return
	}
	if slices.Contains(slices.Collect(maps.Values(p.entityNumbers)), num(unit, "id")) {
		return
	}
	for _, e := range p.entities {
		if e.name == unit["name"] && p.entityNumbers[e.birth] == 0 {
			p.entityNumbers[e.birth] = num(unit, "id")
		}
	}
}

// daily is an account on a day.
type daily struct {
	account int
	day     string
}

// minutes returns the reading time of each account, day and book, in tenths of a minute.
func (p *partner) minutes() map[daily]map[int]int {
	ms := map[daily]map[int]int{}
	for _, s := range p.segments {
		if s.effective {
			d := daily{s.account, dayOf(s.start)}
			if ms[d] == nil {
				ms[d] = map[int]int{}
			}
			ms[d][s.book] += s.ms
		}
	}
	for d, books := range ms {
		ms[d] = share(books)
	}
	return ms
}

// share turns milliseconds by book into tenths of a minute that add up to those of the day, by the largest remainders (S3).
func share(ms map[int]int) map[int]int {
	var ids []int
	total, given := 0, 0
	tenths := map[int]int{}
	for id, n := range ms {
		ids = append(ids, id)
		tenths[id] = n / 6000
		total, given = total+n, given+n/6000
	}
	slices.SortFunc(ids, func(a, b int) int { return cmp.Or(cmp.Compare(ms[b]%6000, ms[a]%6000), cmp.Compare(a, b)) })
	for i := range rounded(total, 6000) - given {
		tenths[ids[i]]++
	}
	return tenths
}

// engagements returns the rows of the engagements.
func (p *partner) engagements(q query) []row {
	from, to, _ := q.schoolsPeriod()
	minutes, done := p.minutes(), map[daily]bool{}
	var rows []row
	for _, a := range p.accesses {
		d := daily(a)
		if done[d] || a.day < from || a.day > to || !p.passes(a.account, q) {
			continue
		}
		done[d] = true
		sum := 0
		for _, n := range minutes[d] {
			sum += n
		}
		rows = append(rows, row{"date": a.day, "userId": whole(p.userNumbers[p.accounts[a.account].birth]), "readingMinutes": tenths(sum)})
	}
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(str(a, "date"), str(b, "date")), compareInts(a, b, "userId"))
	})
	return rows
}

// readings returns the rows of the readings.
func (p *partner) readings(q query) []row {
	from, to, _ := q.schoolsPeriod()
	type pair struct{ account, book int }
	found := map[pair][]segment{}
	for _, s := range p.segments {
		if day := dayOf(s.start); s.effective && day >= from && day <= to && p.passes(s.account, q) {
			found[pair{s.account, s.book}] = append(found[pair{s.account, s.book}], s)
		}
	}
	sums := map[pair]int{}
	for d, books := range p.minutes() {
		for id, n := range books {
			if d.day >= from && d.day <= to {
				sums[pair{d.account, id}] += n
			}
		}
	}
	var rows []row
	for key, list := range found {
		rows = append(rows, p.reading(key.account, key.book, sums[key], list))
	}
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(compareInts(a, b, "userId"), compareInts(a["book"].(row), b["book"].(row), "id"))
	})
	return rows
}

func (p *partner) reading(account, id, minutes int, list []segment) row {
	b := p.books[id]
	covered := make([]bool, b.length)
	n, first, last := 0, list[0].start, list[0].start
	for _, s := range list {
		if s.start.Before(first) {
			first = s.start
		}
		if s.start.After(last) {
			last = s.start
		}
		for u := s.from; s.extent && u < min(s.to, b.length); u++ {
			if !covered[u] {
				covered[u] = true
				n++
			}
		}
	}
	percent := rounded(n*10000, b.length)
	return row{"userId": whole(p.userNumbers[p.accounts[account].birth]),
		"book":    row{"id": whole(id), "title": text(b.title), "author": text(b.author), "isbn": text(b.isbn)},
		"percent": hundredths(percent), "readingMinutes": tenths(minutes),
		"firstReadAt": inUTC(first), "lastReadAt": inUTC(last), "finished": percent >= 5000}
}

// rows answers a query.
func (p *partner) rows(q query) []row {
	switch q.path {
	case schoolsPrefix + "/users":
		return p.users(q)
	case schoolsPrefix + "/engagements":
		return p.engagements(q)
	}
	return p.readings(q)
}

// str, num and instant return members of rows, which come from feeds and from answers.
func str(r row, name string) string {
	s, _ := r[name].(string)
	return s
}

func num(r row, name string) int {
	switch v := r[name].(type) {
	case int:
		return v
	case json.Number:
		n, _ := strconv.Atoi(v.String())
		return n
	}
	return 0
}

func instant(r row, name string) time.Time {
	t, _ := time.Parse(time.RFC3339, str(r, name))
	return t
}
