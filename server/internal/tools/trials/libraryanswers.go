package main

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"
)

const librariesPrefix = "/api-platform/libraries/v1"

// bounds returns the ends of an optional period, exchanged if the first is later. Both may be open.
func (q query) bounds(first, last string) (from, to string) {
	from, to = q.params[first], q.params[last]
	if to == "" {
		to = "9999"
	}
	return min(from, to), max(from, to)
}

// period returns the effective period (L2).
func (q query) period() (from, to string) {
	from, to = q.params["startDate"], q.params["endDate"]
	if to == "" {
		to = q.today
	}
	if from == "" {
		from = addDays(to, -30)
	}
	return min(from, to), max(from, to)
}

// within reports whether a day is in the query's period.
func (q query) within(day string) bool {
	from, to := q.period()
	return day >= from && day <= to
}

// rows answers a query.
func (s *snapshot) rows(q query) []row {
	return map[string]func(*snapshot, query) []row{
		"/users": (*snapshot).users, "/engagements": (*snapshot).engagements, "/datasets/loans": (*snapshot).loans, "/datasets/reservations": (*snapshot).reservations,
		"/datasets/logins": (*snapshot).logins, "/datasets/books": (*snapshot).books, "/datasets/stock": (*snapshot).stock, "/datasets/channels": (*snapshot).channels,
		"/datasets/suggestions": (*snapshot).suggestions, "/datasets/suggestion-requests": (*snapshot).requests,
	}[strings.TrimPrefix(q.path, librariesPrefix)](s, q)
}

// gender returns the gender under which a reader is counted (L18).
func gender(r row) any { return cmp.Or(r["gender"], any("Não informado")) }

func (s *snapshot) users(q query) (rows []row) {
	registered, until := q.bounds("registeredFrom", "registeredTo")
	for id, r := range s.Readers {
		if at := str(r, "registeredAt"); !q.is("userId", id) || !q.is("status", r["status"]) || !q.is("libraryId", r["libraryId"]) || at < registered || at > until ||
			dayOf(instant(r, "updatedAt")) < q.params["updatedSince"] {
			continue
		}
		loans := count(s.Loans, func(l row) bool { return num(l, "userId") == id })
		rows = append(rows, row{"userId": whole(id), "name": str(r, "name"), "email": str(r, "email"), "library": s.name("libraries", r, "libraryId"),
			"ageGroup": s.name("ageGroups", r, "ageGroupId"), "city": given(r, "city"), "state": given(r, "state"), "gender": gender(r),
			"registeredAt": r["registeredAt"], "status": r["status"], "deletedAt": given(r, "deletedAt"), "updatedAt": inUTC(instant(r, "updatedAt")),
			"confirmedAt": timed(r, "confirmedAt"), "lastSignInAt": timed(r, "lastSignInAt"), "totalLoans": whole(loans)})
	}
	slices.SortFunc(rows, func(a, b row) int { return compareInts(a, b, "userId") })
	return rows
}

// passes reports whether a loan or reservation passes the filters.
func (q query) passes(r row, at string) bool {
	return q.is("userId", r["userId"]) && q.is("bookId", r["bookId"]) && q.is("status", r["status"]) && q.within(dayOf(instant(r, at)))
}

func (s *snapshot) loans(q query) (rows []row) {
	for id, r := range s.Loans {
		if !q.passes(r, "borrowedAt") {
			continue
		}
		b, seconds, progress := s.Books[num(r, "bookId")], 0, 0
		for _, e := range s.Events {
			if e.Kind == "sessions" && e.Reader == num(r, "userId") && e.Book == num(r, "bookId") {
				seconds, progress = seconds+e.Seconds, max(progress, e.Progress)
			}
		}
		rows = append(rows, row{"loanId": whole(id), "userId": r["userId"], "bookId": r["bookId"], "title": str(b, "title"),
			"isbn": given(b, "isbn"), "author": given(b, "author"), "borrowedAt": dated(r, "borrowedAt"), "dueAt": given(r, "dueAt"),
			"returnedAt": dated(r, "returnedAt"), "status": r["status"], "readingSeconds": whole(seconds), "progress": hundredths(progress)})
	}
	byDate(rows, "borrowedAt", "loanId")
	return rows
}

func (s *snapshot) reservations(q query) (rows []row) {
	for id, r := range s.Reservations {
		if !q.passes(r, "reservedAt") {
			continue
		}
		b, position := s.Books[num(r, "bookId")], any(nil)
		if active(r) {
			position = r["position"]
		}
		rows = append(rows, row{"reservationId": whole(id), "userId": r["userId"], "bookId": r["bookId"], "title": str(b, "title"),
			"isbn": given(b, "isbn"), "status": r["status"], "position": position, "titleQueue": whole(s.waiting(num(r, "bookId"))),
			"reservedAt": dated(r, "reservedAt"), "resolvedAt": dated(r, "resolvedAt")})
	}
	byDate(rows, "reservedAt", "reservationId")
	return rows
}

func byDate(rows []row, day, id string) {
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(str(a, day), str(b, day)), compareInts(a, b, id))
	})
}

// A fact counts on a day, for a reader and usually a title. An active fact is a login (L3).
type fact struct {
	kind         string
	reader, book int
	at           time.Time
	n            int
	active       bool
}

func (f fact) day() string { return dayOf(f.at) }

func (s *snapshot) facts() (all []fact) {
	add := func(kind string, reader, book int, at time.Time, n int, active bool) {
		all = append(all, fact{kind, reader, book, at, n, active})
	}
	type pair struct {
		reader, book int
		share        string
	}
	reached := map[pair]time.Time{}
	for _, e := range s.Events {
		if e.Kind != "sessions" {
			add(e.Kind, e.Reader, e.Book, e.At, 1, true)
			continue
		}
		add("readingSeconds", e.Reader, e.Book, e.At, e.Seconds, true)
		way := map[bool]string{true: "online", false: "offline"}[e.Online]
		add(way+"Sessions", e.Reader, e.Book, e.At, 1, false)
		add(way+"Seconds", e.Reader, e.Book, e.At, e.Seconds, false)
		if e.Audio {
			add("listening", e.Reader, e.Book, e.At, e.Seconds, false)
		}
		for share, least := range map[string]int{"readings10": 1000, "readings50": 5000} {
			p := pair{e.Reader, e.Book, share}
			if first, has := reached[p]; e.Progress >= least && (!has || e.At.Before(first)) {
				reached[p] = e.At
			}
		}
	}
	for p, at := range reached {
		add(p.share, p.reader, p.book, at, 1, false)
	}
	for _, l := range s.Loans {
		add("loans", num(l, "userId"), num(l, "bookId"), instant(l, "borrowedAt"), 1, true)
		if l["status"] != "active" {
			add("returns", num(l, "userId"), num(l, "bookId"), instant(l, "returnedAt"), 1, l["status"] == "returned")
		}
	}
	for _, r := range s.Reservations {
		add("reservations", num(r, "userId"), num(r, "bookId"), instant(r, "reservedAt"), 1, true)
		if r["status"] == "converted" {
			add("reservationsConverted", num(r, "userId"), num(r, "bookId"), instant(r, "reservedAt"), 1, false)
		}
		if !active(r) {
			add(str(r, "status"), num(r, "userId"), num(r, "bookId"), instant(r, "resolvedAt"), 1, false)
		}
	}
	return all
}

type readerDay struct {
	day    string
	reader int
}

// tally has the counts of some facts.
type tally struct {
	n                         map[string]int
	visits                    map[readerDay][]time.Time
	readers, books, listeners map[int]bool
}

// tallied counts the facts for which keep reports true.
func (s *snapshot) tallied(keep func(fact) bool) tally {
	t := tally{map[string]int{}, map[readerDay][]time.Time{}, map[int]bool{}, map[int]bool{}, map[int]bool{}}
	for _, f := range s.facts() {
		if !keep(f) {
			continue
		}
		t.n[f.kind] += f.n
		if f.active {
			d := readerDay{f.day(), f.reader}
			t.visits[d] = append(t.visits[d], f.at)
			t.readers[f.reader] = true
		}
		switch f.kind {
		case "readingSeconds":
			t.books[f.book] = true
		case "listening":
			t.listeners[f.reader] = true
		}
	}
	return t
}

// put sets members of a row to the counts of their names.
func (t tally) put(r row, members ...string) row {
	for _, m := range members {
		r[m] = whole(t.n[m])
	}
	return r
}

func (s *snapshot) engagements(q query) (rows []row) {
	days := map[readerDay]bool{}
	for _, f := range s.facts() {
		if q.within(f.day()) && q.is("userId", f.reader) {
			days[readerDay{f.day(), f.reader}] = true
		}
	}
	for d := range days {
		t := s.tallied(func(f fact) bool { return f.reader == d.reader && f.day() == d.day })
		r := t.put(row{"date": d.day, "userId": whole(d.reader)}, "loans", "returns", "readings10", "readings50", "previews", "readingSeconds", "renewals",
			"reservations", "reservationsConverted")
		r["logins"], r["distinctBooks"] = whole(len(t.visits)), whole(len(t.books))
		if slices.ContainsFunc(slices.Collect(maps.Keys(r)), func(m string) bool { return m != "userId" && num(r, m) > 0 }) {
			rows = append(rows, r)
		}
	}
	byDate(rows, "date", "userId")
	return rows
}

func (s *snapshot) logins(q query) (rows []row) {
	for d, times := range s.tallied(func(f fact) bool { return q.within(f.day()) && q.is("userId", f.reader) }).visits {
		slices.SortFunc(times, time.Time.Compare)
		rows = append(rows, row{"userId": whole(d.reader), "date": d.day, "firstSeenAt": inBrasilia(times[0]),
			"lastSeenAt": inBrasilia(times[len(times)-1]), "events": whole(len(times))})
	}
	byDate(rows, "date", "userId")
	return rows
}

// channels returns rows by day, and in the order of the specification on a day.
func (s *snapshot) channels(q query) (rows []row) {
	for _, r := range s.Channels {
		if q.within(str(r, "date")) && q.is("channel", r["channel"]) {
			rows = append(rows, row{"date": r["date"], "channel": r["channel"], "sessions": r["sessions"], "estimated": r["channel"] == "app"})
		}
	}
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(str(a, "date"), str(b, "date")), cmp.Compare(slices.Index(channels, str(a, "channel")), slices.Index(channels, str(b, "channel"))))
	})
	return rows
}

// asked returns the suggestion requests of a period in the order of time.
func (s *snapshot) asked(q query) (all []row) {
	for _, r := range s.Requests {
		if q.within(dayOf(instant(r, "requestedAt"))) {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b row) int {
		return cmp.Or(instant(a, "requestedAt").Compare(instant(b, "requestedAt")), compareInts(a, b, "requestId"))
	})
	return all
}

func (s *snapshot) requests(q query) (rows []row) {
	same := func(param, text string) bool {
		want, asked := q.params[param]
		return !asked || strings.EqualFold(strings.TrimSpace(want), strings.TrimSpace(text))
	}
	for _, r := range s.asked(q) {
		if q.is("userId", r["userId"]) && same("title", str(r, "title")) && same("author", str(r, "author")) {
			rows = append(rows, row{"userId": r["userId"], "title": given(r, "title"), "author": given(r, "author"), "searchTerm": given(r, "searchTerm"), "requestedAt": dated(r, "requestedAt")})
		}
	}
	return rows
}

// suggestions groups requests (L14).
func (s *snapshot) suggestions(q query) []row {
	groups, users := map[string]row{}, map[string]map[any]bool{}
	members := []string{"title", "author", "publisher", "searchTerm"}
	for _, r := range s.asked(q) {
		key := ""
		for _, m := range members {
			key += folded(str(r, m)) + "\n"
		}
		if search := folded(q.params["search"]); !strings.Contains(folded(str(r, "title")), search) && !strings.Contains(folded(str(r, "searchTerm")), search) {
			continue
		}
		if users[key] == nil {
			users[key] = map[any]bool{}
		}
		users[key][r["userId"]] = true
		g := row{"requestsCount": whole(num(groups[key], "requestsCount") + 1), "uniqueUsers": whole(len(users[key])), "availability": r["availability"], "lastRequestedAt": dated(r, "requestedAt")}
		for _, m := range members {
			g[m] = given(r, m)
		}
		groups[key] = g
	}
	rows := slices.Collect(maps.Values(groups))
	slices.SortFunc(rows, func(a, b row) int {
		c := cmp.Or(compareInts(b, a, "requestsCount"), cmp.Compare(str(b, "lastRequestedAt"), str(a, "lastRequestedAt")))
		for _, m := range members {
			c = cmp.Or(c, null(a[m])-null(b[m]), cmp.Compare(folded(str(a, m)), folded(str(b, m))))
		}
		return c
	})
	return rows
}

// null returns 1 for null, which sorts last, otherwise 0.
func null(v any) int { return map[bool]int{true: 1}[v == nil] }

// folded folds a text for searching and ordering, as far as the texts of these feeds need it (L15).
func folded(s string) string {
	s = strings.NewReplacer("á", "a", "ã", "a", "é", "e", "í", "i", "ó", "o", "º", "o").Replace(strings.ToLower(s))
	return strings.Join(strings.Fields(s), " ")
}

// folds reports whether a text equals the value of a parameter when both are folded, or the parameter is not given.
func (q query) folds(param string, v any) bool {
	return q.params[param] == "" || v != nil && folded(v.(string)) == folded(q.params[param])
}
