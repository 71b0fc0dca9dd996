package main

import (
	"cmp"
	"slices"
	"strconv"
	"time"
)

// passesReader reports whether a reader passes the filters of the summary.
func (s *snapshot) passesReader(q query, id int) bool {
	r := s.Readers[id]
	return q.is("libraryId", r["libraryId"]) && q.folds("state", r["state"]) && q.folds("city", r["city"]) && q.is("ageGroupId", r["ageGroupId"]) &&
		q.folds("gender", gender(r)) && (q.params["newUsers"] != "true" || q.within(str(r, "registeredAt")))
}

// summary returns the data of the summary in the snapshot that took effect at an hour.
func (s *snapshot) summary(q query, hour time.Time) row {
	everybody := func(int) bool { return true }
	t := s.tallied(func(f fact) bool { return q.within(f.day()) })
	sum := row{"general": s.general(q, func(id int) bool { return s.passesReader(q, id) }),
		"consumption": t.put(row{}, "onlineSessions", "offlineSessions", "onlineSeconds", "offlineSeconds"),
		"channels":    s.channelSums(q),
		"formats": row{"catalog": s.formats(func(int) int { return 1 }), "loans": s.formats(s.loansOf(q)),
			"listening": row{"listeners": whole(len(t.listeners)), "seconds": whole(t.n["listening"])}},
		"reservationsByStatus": t.put(row{"active": whole(s.waitingFor(everybody))}, "converted", "cancelled", "lost"),
		"stock":                s.stockSums(), "deletedUsers": s.deletedUsers(dayOf(hour)), "catalogProfile": s.profile(q), "monthly": s.monthly(q, dayOf(hour))}
	if by := q.params["groupBy"]; by != "" {
		sum["breakdown"] = s.breakdown(q, by)
	}
	return sum
}

// general returns the numbers of some readers in a period.
func (s *snapshot) general(q query, in func(reader int) bool) row {
	t := s.tallied(func(f fact) bool { return q.within(f.day()) && in(f.reader) })
	registered := count(s.Readers, func(r row) bool { return in(num(r, "userId")) })
	return t.put(row{"registeredUsers": whole(registered), "logins": whole(len(t.visits)), "usersWithLogin": whole(len(t.readers)),
		"activeLoans": whole(max(0, t.n["loans"]-t.n["returns"])), "distinctBooks": whole(len(t.books)), "activeReservations": whole(s.waitingFor(in)),
		"convertedReservations": whole(t.n["reservationsConverted"])},
		"loans", "returns", "readings10", "readings50", "previews", "readingSeconds", "renewals", "reservations")
}

// waitingFor counts the active reservations of some readers.
func (s *snapshot) waitingFor(in func(reader int) bool) int {
	return count(s.Reservations, func(r row) bool { return active(r) && in(num(r, "userId")) })
}

func (s *snapshot) channelSums(q query) row {
	n := map[string]int{}
	rows := s.channels(q)
	for _, r := range rows {
		n[str(r, "channel")] += num(r, "sessions")
	}
	web := n["web-mobile"] + n["web-desktop"] + n["web-tablet"]
	return row{"available": true, "appEstimated": slices.ContainsFunc(rows, func(r row) bool { return r["channel"] == "app" }), "total": whole(web + n["app"]),
		"web": whole(web), "app": whole(n["app"]), "webMobile": whole(n["web-mobile"]), "webDesktop": whole(n["web-desktop"]), "webTablet": whole(n["web-tablet"])}
}

// loansOf returns a function that counts the loans of a title in a period.
func (s *snapshot) loansOf(q query) func(book int) int {
	return func(book int) int {
		return s.tallied(func(f fact) bool { return f.book == book && q.within(f.day()) }).n["loans"]
	}
}

// formats sums a number of each title by the formats that the titles have.
func (s *snapshot) formats(of func(book int) int) row {
	t := tally{n: map[string]int{}}
	for id, b := range s.Books {
		switch {
		case b["hasEbook"] == true && b["hasAudiobook"] == true:
			t.n["both"] += of(id)
		case b["hasEbook"] == true:
			t.n["ebookOnly"] += of(id)
		case b["hasAudiobook"] == true:
			t.n["audiobookOnly"] += of(id)
		}
	}
	return t.put(row{}, "ebookOnly", "audiobookOnly", "both")
}

func (s *snapshot) stockSums() row {
	allocated, possible, readings, bands := 0, 0, 0, map[string]int{}
	for _, r := range s.stock(query{}) {
		readings, possible = readings+num(r, "readings"), possible+num(r, "possibleReadings")
		bands[band(num(r, "readings"), num(r, "possibleReadings"))]++
		for _, p := range r["purchases"].([]any) {
			allocated += num(p.(row), "consumed")
		}
	}
	lent := count(s.Loans, func(l row) bool { return l["status"] == "active" })
	histogram := []any{row{"band": "0", "count": whole(bands["0"])}}
	for n := 1; n <= 11; n++ {
		b := band(n, 10)
		histogram = append(histogram, row{"band": b, "count": whole(bands[b])})
	}
	return row{"activeLoans": whole(lent), "readings": whole(readings), "possibleReadings": whole(possible), "percentage": fraction(allocated, possible),
		"activeReservations": whole(s.waitingFor(func(int) bool { return true })), "histogram": histogram}
}

// deletedUsers counts the readers deleted since the history began (L12).
func (s *snapshot) deletedUsers(today string) row {
	days, total, withLoans, recent := map[string]int{}, 0, 0, 0
	for id, r := range s.Readers {
		at := str(r, "deletedAt")
		if at < librariesHistory {
			continue
		}
		total++
		days[at]++
		days[at[:7]]++
		if r["status"] == "deactivated" && s.tallied(func(f fact) bool { return f.reader == id }).n["loans"] > 0 {
			withLoans++
		}
	}
	var daily, monthly []any
	for n := 29; n >= 0; n-- {
		day := addDays(today, -n)
		daily = append(daily, row{"date": day, "total": whole(days[day])})
		recent += days[day]
	}
	for _, month := range months(librariesHistory, today) {
		monthly = append(monthly, row{"month": month, "total": whole(days[month])})
	}
	return row{"total": whole(total), "last30Days": whole(recent), "withLoans": whole(withLoans), "daily": daily, "monthly": monthly}
}

// months returns the months of a period.
func months(from, to string) (all []string) {
	for day := from[:7] + "-01"; from <= to && day <= to; day = addDays(day, 31)[:7] + "-01" {
		all = append(all, day[:7])
	}
	return all
}

func (s *snapshot) monthly(q query, today string) (rows []any) {
	from, to := q.period()
	from, to = max(from, librariesHistory), min(to, today)
	rows = []any{}
	for _, month := range months(from, to) {
		t := s.tallied(func(f fact) bool { return f.day()[:7] == month && f.day() >= from && f.day() <= to })
		rows = append(rows, t.put(row{"month": month}, "loans", "readings10", "readings50", "renewals", "readingSeconds"))
	}
	return rows
}

// profile counts the titles of the catalogue by their properties (L20).
func (s *snapshot) profile(q query) row {
	loans := s.loansOf(q)
	type entry struct {
		id, titles, loans int
		name              string
	}
	listed := func(keys func(id int) []int, name func(int) string) []any {
		found := map[int]*entry{}
		for id := range s.Books {
			for _, k := range keys(id) {
				if found[k] == nil {
					found[k] = &entry{id: k, name: name(k)}
				}
				found[k].titles++
				found[k].loans += loans(id)
			}
		}
		var all []*entry
		for _, e := range found {
			all = append(all, e)
		}
		slices.SortFunc(all, func(a, b *entry) int {
			return cmp.Or(cmp.Compare(b.titles, a.titles), cmp.Compare(folded(a.name), folded(b.name)), cmp.Compare(a.id, b.id))
		})
		rows := []any{}
		for _, e := range all {
			rows = append(rows, row{"name": e.name, "catalogTitles": whole(e.titles), "loans": whole(e.loans)})
		}
		return rows
	}
	of := func(vocabulary, member string) []any {
		return listed(func(id int) []int { ids, _ := s.Books[id][member].([]int); return ids }, func(id int) string { return s.Names[vocabulary][id] })
	}
	material := func(member string) any {
		titles, n := count(s.Books, func(b row) bool { return b[member] == true }), 0
		for id, b := range s.Books {
			if b[member] == true {
				n += loans(id)
			}
		}
		if member == "hasVideo" && titles == 0 {
			return nil
		}
		return row{"catalogTitles": whole(titles), "loans": whole(n)}
	}
	origins := listed(func(id int) []int {
		if at := slices.Index(collections, str(row{"of": s.origin(id)}, "of")); at >= 0 {
			return []int{at}
		}
		return nil
	}, func(at int) string { return collections[at] })
	return row{"categories": of("categories", "categoryIds"), "subjects": of("subjects", "subjectIds"), "origins": origins,
		"materials": row{"ebook": material("hasEbook"), "audiobook": material("hasAudiobook"), "video": material("hasVideo")}}
}

// breakdown returns the general numbers of each group of readers (L11).
func (s *snapshot) breakdown(q query, by string) (rows []any) {
	member := map[string]string{"library": "libraryId", "ageGroup": "ageGroupId", "state": "state", "city": "city"}[by]
	groups := map[any]map[int]bool{}
	rows = []any{}
	for id, r := range s.Readers {
		if s.passesReader(q, id) {
			if groups[r[member]] == nil {
				groups[r[member]] = map[int]bool{}
			}
			groups[r[member]][id] = true
		}
	}
	for value, readers := range groups {
		key, label := any(""), "Não informado"
		switch value := value.(type) {
		case string:
			key, label = value, value
		case int:
			key, label = strconv.Itoa(value), s.Names[map[string]string{"libraryId": "libraries", "ageGroupId": "ageGroups"}[member]][value]
		}
		rows = append(rows, row{"key": key, "label": label, "metrics": s.general(q, func(id int) bool { return readers[id] })})
	}
	slices.SortFunc(rows, func(a, b any) int {
		return cmp.Or(null(text(str(a.(row), "key")))-null(text(str(b.(row), "key"))), cmp.Compare(folded(str(a.(row), "label")), folded(str(b.(row), "label"))), cmp.Compare(str(a.(row), "key"), str(b.(row), "key")))
	})
	return rows
}

// dimensions returns the values that filters take (L16).
func (s *snapshot) dimensions() row {
	d := row{}
	for _, name := range vocabularies {
		var terms []any
		for id, n := range s.Names[name] {
			terms = append(terms, row{"id": strconv.Itoa(id), "name": n})
		}
		slices.SortFunc(terms, func(a, b any) int { return cmp.Compare(folded(str(a.(row), "name")), folded(str(b.(row), "name"))) })
		d[name] = terms
	}
	for name, member := range map[string]string{"ras": "ra", "states": "state", "cities": "city"} {
		values := []string{}
		for _, r := range s.Readers {
			if v := str(r, member); v != "" && !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
		slices.SortFunc(values, func(a, b string) int { return cmp.Or(cmp.Compare(folded(a), folded(b)), cmp.Compare(a, b)) })
		d[name] = values
	}
	years := []int{}
	for _, b := range s.Books {
		if y := num(b, "publicationYear"); !slices.Contains(years, y) {
			years = append(years, y)
		}
	}
	slices.Sort(years)
	d["publicationYears"] = years
	d["genders"] = []string{"Feminino", "Masculino", "Não informado", "Não-binário", "Outro"}
	return d
}
