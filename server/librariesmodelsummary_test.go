package server_test

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
)

// general counts what some readers did in a period.
func (m *shelves) general(in func(string) bool, who func(r readerRow) bool) object {
	registered := 0
	for _, r := range m.readers {
		registered += one(who(r))
	}
	c := m.count(func(d string, reader, _ int) bool { return in(d) && who(m.readers[reader]) })
	return object{
		"registeredUsers", registered, "logins", c.logins, "usersWithLogin", len(c.present), "loans", c.loans, "returns", c.returns,
		"activeLoans", max(0, c.loans-c.returns), "readings10", c.readings10, "readings50", c.readings50, "previews", c.previews,
		"distinctBooks", len(c.read), "readingSeconds", c.seconds, "renewals", c.renewals, "reservations", c.reservations,
		"activeReservations", m.waiting(func(r holdRow) bool { return who(m.readers[r.Reader]) }), "convertedReservations", c.convertedOfMade,
	}
}

// passes returns the test whether a reader passes the filters of a summary.
func (m *shelves) passes(q url.Values, in func(string) bool) func(r readerRow) bool {
	same := func(name string, value *string) bool {
		return !q.Has(name) || value != nil && plain(q.Get(name)) == plain(*value)
	}
	return func(r readerRow) bool {
		return matches(q, "libraryId", r.Library) && matches(q, "ageGroupId", r.AgeGroup) && same("state", r.State) && same("city", r.City) &&
			same("gender", new(genderOf(r))) && (q.Get("newUsers") != "true" || in(dayOf(r.Registered)))
	}
}

// breakdown are all groups of a summary (L11).
func (m *shelves) breakdown(q url.Values, in func(string) bool) (rows []any) {
	value := func(r readerRow) (key, label *string) {
		id, resource := r.Library, "libraries"
		switch q.Get("groupBy") {
		case "state":
			return r.State, r.State
		case "city":
			return r.City, r.City
		case "ageGroup":
			id, resource = r.AgeGroup, "ageGroups"
		}
		if id == nil {
			return nil, nil
		}
		return new(strconv.Itoa(*id)), m.term(resource, id)
	}
	type group struct{ key, label *string }
	passes := m.passes(q, in)
	groups := map[string]group{}
	for _, r := range m.readers {
		if passes(r) {
			key, label := value(r)
			groups[fmt.Sprint(key == nil, textOf(key))] = group{key, label}
		}
	}
	for _, g := range slices.SortedFunc(maps.Values(groups), func(a, b group) int {
		return cmp.Or(one(a.key == nil)-one(b.key == nil), cmp.Compare(plain(textOf(a.label)), plain(textOf(b.label))),
			cmp.Compare(textOf(a.key), textOf(b.key)))
	}) {
		label := textOf(g.label)
		if g.key == nil {
			label = "Não informado"
		}
		rows = append(rows, object{"key", textOf(g.key), "label", label, "metrics", m.general(in, func(r readerRow) bool {
			key, _ := value(r)
			return passes(r) && (key == nil) == (g.key == nil) && textOf(key) == textOf(g.key)
		})})
	}
	return rows
}

// summary are the blocks of a summary, and its page with groupBy.
func (m *shelves) summary(q url.Values) (any, *pageJSON) {
	from, to := m.period(q)
	in := between(from, to)
	c := m.count(func(d string, _, _ int) bool { return in(d) })
	o := object{
		"general", m.general(in, m.passes(q, in)),
		"consumption", object{"onlineSessions", c.modeSessions["online"], "offlineSessions", c.modeSessions["offline"],
			"onlineSeconds", c.modeSeconds["online"], "offlineSeconds", c.modeSeconds["offline"]},
		"channels", m.channelTotals(in),
		"formats", object{
			"catalog", m.formats(func(titleRow) int { return 1 }),
			"loans", m.formats(func(t titleRow) int { return m.lentIn(t, in) }),
			"listening", object{"listeners", len(c.listeners), "seconds", c.listened},
		},
		"reservationsByStatus", object{"active", m.waiting(func(holdRow) bool { return true }), "converted", c.converted,
			"cancelled", c.cancelled, "lost", c.lost},
		"stock", m.stockTotals(),
		"deletedUsers", m.deletedUsers(),
		"catalogProfile", m.profile(in),
		"monthly", m.monthly(from, to),
	}
	if !q.Has("groupBy") {
		return o, nil
	}
	rows, page := cut(q, m.breakdown(q, in))
	return append(o, "breakdown", append([]any{}, rows...)), page
}

func (m *shelves) channelTotals(in func(string) bool) object {
	sessions, app := map[string]int{}, false
	for _, r := range m.channels {
		if in(r.Date) {
			sessions[r.Channel] += r.Sessions
			app = app || r.Channel == "app"
		}
	}
	web := sessions["web-mobile"] + sessions["web-desktop"] + sessions["web-tablet"]
	return object{"available", true, "appEstimated", app, "total", web + sessions["app"], "web", web, "app", sessions["app"],
		"webMobile", sessions["web-mobile"], "webDesktop", sessions["web-desktop"], "webTablet", sessions["web-tablet"]}
}

// lentIn counts the loans of a title in a period.
func (m *shelves) lentIn(t titleRow, in func(string) bool) int {
	return m.lent(t.ID, func(l loanRow) bool { return in(dayOf(l.Borrowed)) })
}

// formats sums a number of the titles by their formats.
func (m *shelves) formats(n func(t titleRow) int) object {
	ebook, audiobook, both := 0, 0, 0
	for _, t := range m.titles {
		ebook += n(t) * one(t.Ebook && !t.Audiobook)
		audiobook += n(t) * one(t.Audiobook && !t.Ebook)
		both += n(t) * one(t.Ebook && t.Audiobook)
	}
	return object{"ebookOnly", ebook, "audiobookOnly", audiobook, "both", both}
}

func (m *shelves) stockTotals() object {
	active, readings, possible, allocated := 0, 0, 0, 0
	inBand := map[string]int{}
	for id := range m.titles {
		active += m.lent(id, func(l loanRow) bool { return l.Status == "active" })
		if len(m.linesOf(id, true)) == 0 {
			continue
		}
		readings += m.readings(id)
		possible += m.capacity(id)
		inBand[bandOf(m.readings(id), m.capacity(id))]++
		for _, p := range m.purchases(id) {
			allocated += p.field("consumed").(int)
		}
	}
	histogram := []object{{"band", "0", "count", inBand["0"]}}
	for _, b := range bands {
		histogram = append(histogram, object{"band", b.name, "count", inBand[b.name]})
	}
	histogram = append(histogram, object{"band", "101+", "count", inBand["101+"]})
	return object{"activeLoans", active, "readings", readings, "possibleReadings", possible, "percentage", ratio(allocated, possible),
		"activeReservations", m.waiting(func(holdRow) bool { return true }), "histogram", histogram}
}

func (m *shelves) deletedUsers() object {
	now := day(m.updated)
	total, last30, withLoans := 0, 0, 0
	byDay, byMonth := map[string]int{}, map[string]int{}
	for _, r := range m.readers {
		if r.Status == "active" || dayOf(*r.Deleted) < shelvesStart {
			continue
		}
		total++
		withLoans += one(r.Status == "deactivated" && m.loansOf(r.ID) > 0)
		byDay[dayOf(*r.Deleted)]++
		byMonth[dayOf(*r.Deleted)[:7]]++
	}
	daily, monthly := []object{}, []object{}
	for d := plus(now, -29); d <= now; d = plus(d, 1) {
		last30 += byDay[d]
		daily = append(daily, object{"date", d, "total", byDay[d]})
	}
	for _, month := range months(shelvesStart, now) {
		monthly = append(monthly, object{"month", month, "total", byMonth[month]})
	}
	return object{"total", total, "last30Days", last30, "withLoans", withLoans, "daily", daily, "monthly", monthly}
}

// months are the months from a day to another.
func months(from, to string) (all []string) {
	for d := from; d <= to; d = plus(d, 1) {
		if month := d[:7]; !slices.Contains(all, month) {
			all = append(all, month)
		}
	}
	return all
}

func (m *shelves) monthly(from, to string) []object {
	from, to = max(from, shelvesStart), min(to, day(m.updated))
	list := []object{}
	for _, month := range months(from, to) {
		c := m.count(func(d string, _, _ int) bool { return d[:7] == month && d >= from && d <= to })
		list = append(list, object{"month", month, "loans", c.loans, "readings10", c.readings10, "readings50", c.readings50,
			"renewals", c.renewals, "readingSeconds", c.seconds})
	}
	return list
}

// profile counts titles, and their loans in a period, by what they are (L20).
func (m *shelves) profile(in func(string) bool) object {
	item := func(is func(t titleRow) bool) (titles, loans int) {
		for _, t := range m.titles {
			if is(t) {
				titles++
				loans += m.lentIn(t, in)
			}
		}
		return titles, loans
	}
	type entry struct {
		name              string
		id, titles, loans int
	}
	list := func(terms map[int]string, has func(t titleRow, id int) bool) []object {
		var all []entry
		for id, name := range terms {
			if titles, loans := item(func(t titleRow) bool { return has(t, id) }); titles > 0 {
				all = append(all, entry{name, id, titles, loans})
			}
		}
		slices.SortFunc(all, func(a, b entry) int {
			return cmp.Or(-cmp.Compare(a.titles, b.titles), cmp.Compare(plain(a.name), plain(b.name)), cmp.Compare(a.id, b.id))
		})
		items := []object{}
		for _, e := range all {
			items = append(items, object{"name", e.name, "catalogTitles", e.titles, "loans", e.loans})
		}
		return items
	}
	material := func(is func(t titleRow) bool) object {
		titles, loans := item(is)
		return object{"catalogTitles", titles, "loans", loans}
	}
	var video any
	if titles, _ := item(func(t titleRow) bool { return t.Video }); titles > 0 {
		video = material(func(t titleRow) bool { return t.Video })
	}
	origins := map[int]string{1: "platform", 2: "additional", 3: "external", 4: "manual"}
	return object{
		"categories", list(m.terms["categories"], func(t titleRow, id int) bool { return slices.Contains(t.Categories, id) }),
		"subjects", list(m.terms["subjects"], func(t titleRow, id int) bool { return slices.Contains(t.Subjects, id) }),
		"origins", list(origins, func(t titleRow, id int) bool { return textOf(m.origin(t.ID)) == origins[id] }),
		"materials", object{
			"ebook", material(func(t titleRow) bool { return t.Ebook }),
			"audiobook", material(func(t titleRow) bool { return t.Audiobook }),
			"video", video,
		},
	}
}

func (m *shelves) dimensions() object {
	var o object
	for _, name := range []string{"libraries", "ageGroups", "publishers", "categories", "subjects"} {
		terms := m.terms[name]
		list := []object{}
		for _, id := range slices.SortedFunc(maps.Keys(terms), func(a, b int) int {
			return cmp.Or(cmp.Compare(plain(terms[a]),
				plain(terms[b])), cmp.Compare(a, b))
		}) {
			list = append(list, object{"id", strconv.Itoa(id), "name", terms[id]})
		}
		o = append(o, name, list)
	}
	present := func(of func(r readerRow) *string) []string {
		texts := map[string]bool{}
		for _, r := range m.readers {
			if s := of(r); s != nil {
				texts[*s] = true
			}
		}
		return append([]string{}, slices.SortedFunc(maps.Keys(texts), func(a,
			b string) int {
			return cmp.Or(cmp.Compare(plain(a), plain(b)), cmp.Compare(a, b))
		})...)
	}
	years := map[int]bool{}
	for _, t := range m.titles {
		if t.Year != nil {
			years[*t.Year] = true
		}
	}
	return append(o, "ras", present(func(r readerRow) *string { return r.RA }), "states",
		present(func(r readerRow) *string { return r.State }),
		"cities", present(func(r readerRow) *string { return r.City }),
		"genders", []string{"Feminino", "Masculino", "Não informado", "Não-binário", "Outro"}, "publicationYears",
		append([]int{}, slices.Sorted(maps.Keys(years))...))
}
