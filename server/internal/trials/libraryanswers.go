package main

import (
	"cmp"
	"slices"
	"strconv"
	"time"
)

const librariesPrefix = "/api-platform/libraries/v1"

// A libraryQuery is what one asks of the libraries API.
type libraryQuery struct {
	route      string // below the prefix
	user, book int
	status     string
	from, to   string
	registered string
	today      string
}

func (q libraryQuery) values() map[string]string {
	v := map[string]string{}
	for name, s := range map[string]string{"status": q.status, "startDate": q.from, "endDate": q.to, "registeredFrom": q.registered} {
		if s != "" {
			v[name] = s
		}
	}
	if q.user > 0 {
		v["userId"] = strconv.Itoa(q.user)
	}
	if q.book > 0 {
		v["bookId"] = strconv.Itoa(q.book)
	}
	return v
}

// period is the effective one (L2).
func (q libraryQuery) period() (from, to string) {
	from, to = q.from, q.to
	if to == "" {
		to = q.today
	}
	if from == "" {
		from = addDays(to, -30)
	}
	if from > to {
		from, to = to, from
	}
	return from, to
}

// rows answers a query.
func (s *shelf) rows(q libraryQuery) []row {
	switch q.route {
	case "/users":
		return s.users(q)
	case "/datasets/loans":
		return s.loans(q)
	case "/datasets/reservations":
		return s.reservations(q)
	case "/datasets/logins":
		return s.logins(q)
	}
	return s.engagements(q)
}

func (s *shelf) users(q libraryQuery) (rows []row) {
	for id, r := range s.Readers {
		if q.user > 0 && q.user != id || q.status != "" && q.status != r["status"] || q.registered > str(r, "registeredAt") {
			continue
		}
		loans := 0
		for _, l := range s.Loans {
			if num(l, "userId") == id {
				loans++
			}
		}
		gender := r["gender"]
		if gender == nil {
			gender = "Não informado"
		}
		rows = append(rows, row{"userId": whole(id), "name": str(r, "name"), "email": str(r, "email"), "library": s.name("libraries", r, "libraryId"),
			"ageGroup": s.name("ageGroups", r, "ageGroupId"), "city": given(r, "city"), "state": given(r, "state"), "gender": gender,
			"registeredAt": r["registeredAt"], "status": r["status"], "deletedAt": given(r, "deletedAt"), "updatedAt": inUTC(instant(r, "updatedAt")),
			"confirmedAt": timed(r, "confirmedAt"), "lastSignInAt": timed(r, "lastSignInAt"), "totalLoans": whole(loans)})
	}
	slices.SortFunc(rows, func(a, b row) int { return compareInts(a, b, "userId") })
	return rows
}

// passes holds a row of loans or reservations against a query.
func (q libraryQuery) passes(r row, at string) bool {
	from, to := q.period()
	day := dayOf(instant(r, at))
	return (q.user == 0 || q.user == num(r, "userId")) && (q.book == 0 || q.book == num(r, "bookId")) && (q.status == "" || q.status == r["status"]) && day >= from && day <= to
}

func (s *shelf) loans(q libraryQuery) (rows []row) {
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
		rows = append(rows, row{"loanId": whole(id), "userId": whole(num(r, "userId")), "bookId": whole(num(r, "bookId")), "title": str(b, "title"),
			"isbn": given(b, "isbn"), "author": given(b, "author"), "borrowedAt": dated(r, "borrowedAt"), "dueAt": given(r, "dueAt"),
			"returnedAt": dated(r, "returnedAt"), "status": r["status"], "readingSeconds": whole(seconds), "progress": hundredths(progress)})
	}
	byDate(rows, "borrowedAt", "loanId")
	return rows
}

func (s *shelf) reservations(q libraryQuery) (rows []row) {
	for id, r := range s.Reservations {
		if !q.passes(r, "reservedAt") {
			continue
		}
		b, queue := s.Books[num(r, "bookId")], 0
		for _, o := range s.Reservations {
			if active(o) && num(o, "bookId") == num(r, "bookId") {
				queue++
			}
		}
		var position any
		if active(r) && r["position"] != nil {
			position = whole(num(r, "position"))
		}
		rows = append(rows, row{"reservationId": whole(id), "userId": whole(num(r, "userId")), "bookId": whole(num(r, "bookId")), "title": str(b, "title"),
			"isbn": given(b, "isbn"), "status": r["status"], "position": position, "titleQueue": whole(queue),
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

// visit is a reader on a day: what was counted, and when something was seen that is activity (L3).
type visit struct {
	counts map[string]int
	books  map[int]bool
	times  []time.Time
}

type readerDay struct {
	day    string
	reader int
}

// visits goes through everything that is dated.
func (s *shelf) visits() map[readerDay]*visit {
	all := map[readerDay]*visit{}
	at := func(reader int, t time.Time, active bool) *visit {
		k := readerDay{dayOf(t), reader}
		if all[k] == nil {
			all[k] = &visit{counts: map[string]int{}, books: map[int]bool{}}
		}
		if active {
			all[k].times = append(all[k].times, t)
		}
		return all[k]
	}
	type pair struct{ reader, book, share int }
	reached := map[pair]time.Time{}
	for _, e := range s.Events {
		v := at(e.Reader, e.At, true)
		if e.Kind != "sessions" {
			v.counts[e.Kind]++
			continue
		}
		v.counts["readingSeconds"] += e.Seconds
		v.books[e.Book] = true
		for _, share := range []int{10, 50} {
			p := pair{e.Reader, e.Book, share}
			if first, has := reached[p]; e.Progress >= 100*share && (!has || e.At.Before(first)) {
				reached[p] = e.At
			}
		}
	}
	for p, t := range reached {
		at(p.reader, t, false).counts["readings"+strconv.Itoa(p.share)]++
	}
	for _, l := range s.Loans {
		at(num(l, "userId"), instant(l, "borrowedAt"), true).counts["loans"]++
		if l["status"] != "active" {
			at(num(l, "userId"), instant(l, "returnedAt"), l["status"] == "returned").counts["returns"]++
		}
	}
	for _, r := range s.Reservations {
		v := at(num(r, "userId"), instant(r, "reservedAt"), true)
		v.counts["reservations"]++
		if r["status"] == "converted" {
			v.counts["reservationsConverted"]++
		}
	}
	return all
}

// sums are the members of an engagement that are counts.
var sums = []string{"loans", "returns", "readings10", "readings50", "previews", "readingSeconds", "renewals", "reservations", "reservationsConverted"}

func (s *shelf) engagements(q libraryQuery) (rows []row) {
	from, to := q.period()
	for k, v := range s.visits() {
		if k.day < from || k.day > to || q.user > 0 && q.user != k.reader {
			continue
		}
		r := row{"date": k.day, "userId": whole(k.reader), "logins": whole(min(1, len(v.times))), "distinctBooks": whole(len(v.books))}
		for _, m := range sums {
			r[m] = whole(v.counts[m])
		}
		rows = append(rows, r)
	}
	byDate(rows, "date", "userId")
	return rows
}

func (s *shelf) logins(q libraryQuery) (rows []row) {
	from, to := q.period()
	for k, v := range s.visits() {
		if k.day < from || k.day > to || q.user > 0 && q.user != k.reader || len(v.times) == 0 {
			continue
		}
		slices.SortFunc(v.times, time.Time.Compare)
		rows = append(rows, row{"userId": whole(k.reader), "date": k.day, "firstSeenAt": inBrasilia(v.times[0]),
			"lastSeenAt": inBrasilia(v.times[len(v.times)-1]), "events": whole(len(v.times))})
	}
	byDate(rows, "date", "userId")
	return rows
}

// general is data.general of the summary.
func (s *shelf) general(q libraryQuery) row {
	from, to := q.period()
	counts, readers, books := map[string]int{}, map[int]bool{}, map[int]bool{}
	for k, v := range s.visits() {
		if k.day < from || k.day > to {
			continue
		}
		for m, n := range v.counts {
			counts[m] += n
		}
		for b := range v.books {
			books[b] = true
		}
		if len(v.times) > 0 {
			counts["logins"]++
			readers[k.reader] = true
		}
	}
	waiting := 0
	for _, r := range s.Reservations {
		if active(r) {
			waiting++
		}
	}
	g := row{"registeredUsers": whole(len(s.Readers)), "usersWithLogin": whole(len(readers)), "distinctBooks": whole(len(books)),
		"activeLoans": whole(max(0, counts["loans"]-counts["returns"])), "activeReservations": whole(waiting),
		"convertedReservations": whole(counts["reservationsConverted"])}
	for _, m := range []string{"logins", "loans", "returns", "readings10", "readings50", "previews", "readingSeconds", "renewals", "reservations"} {
		g[m] = whole(counts[m])
	}
	return g
}
