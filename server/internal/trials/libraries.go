package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// librariesSide is what a trial knows of its library network.
type librariesSide struct {
	side[*library]
	key networkKey
}

func (t *trial) beginLibraries() error {
	t.libraries.side = side[*library]{args: []string{"load", "libraries", "--library", "rede"}, worlds: newWorlds(&library{held: newShelf(!t.product.check)}), whole: t.wholeLibraries}
	if err := t.must(nil, "library", "create", "rede", "--name", "Rede"); err != nil {
		return err
	}
	if err := t.libraries.load(t, newChance(t.plan.Seed), loading{feed: t.libraryChunk(newChance(t.plan.Seed + 2))}); err != nil {
		return err
	}
	var k struct{ APIKey string }
	if err := t.must(&k, "key", "issue", "libraries", "--library", "rede"); err != nil {
		return err
	}
	t.libraries.key = networkKey{"rede", keyID(k.APIKey), k.APIKey}
	return nil
}

// libraryLoad loads something, which holds from the next hour or at once.
func (t *trial) libraryLoad(c chance, a Act) error {
	l := loading{fault: a.Fault, now: c.one(2) || !t.product.clock} // an older one waits for the hour
	switch n := c.IntN(12); {
	case n < 3:
		l.feed = pick(c, t.libraries.feeds)
	case n < 5:
		l.feed, l.skip = t.libraryChunk(c), c.one(2)
		l.feed.add("sessions", row{"sessionId": "bad", "userId": 1 << 40, "bookId": 1, "startedAt": inUTC(t.clock.base.Add(-time.Hour)), "seconds": 1, "mode": "online", "format": "ebook", "progress": 1.0})
	case n < 6 && t.product.check:
		l.feed, l.check = t.libraryChunk(c), true
	default:
		l.feed = t.libraryChunk(c)
	}
	t.erasedReaders(l.feed)
	return t.libraries.load(t, c, l)
}

// erasedReaders takes the e-mails of readers that a load may delete out of what pulls expect (L18).
func (t *trial) erasedReaders(f feed) {
	for _, r := range f["readers"] {
		if r["status"] != "deleted" {
			continue
		}
		for _, p := range t.pulls(librariesPrefix) {
			p.erased(num(r, "userId"), false, "email") // it may be an older row, which does not stand
		}
	}
}

var libraryRoutes = []string{"/users", "/engagements", "/datasets/loans", "/datasets/reservations", "/datasets/logins", "/datasets/books", "/datasets/stock",
	"/datasets/channels", "/datasets/suggestions", "/datasets/suggestion-requests"}

// wholeLibraries pulls every list whole, the summary and the dimensions.
func (t *trial) wholeLibraries(s *server) error {
	today := dayOf(t.clock.now())
	for _, route := range libraryRoutes {
		q := query{path: librariesPrefix + route, params: map[string]string{}}
		if route == "/engagements" {
			q.params["startDate"], q.params["endDate"] = addDays(today, -30), today
		}
		if _, err := t.copied(s, &pull{query: q, key: t.libraries.key, size: 100}); err != nil {
			return err
		}
	}
	if err := t.dimensions(s); err != nil {
		return err
	}
	return t.summary(s, query{path: librariesPrefix + "/summary", params: map[string]string{"groupBy": "library"}})
}

// pullLibraries begins a pull, and ends it or leaves it for later, which then sends the snapshot of its first page.
func (t *trial) pullLibraries(c chance, a Act) error {
	defer t.hindered(c, a.Fault)()
	q, s := t.libraryQuery(c), pick(c, t.servers)
	if q.path == librariesPrefix+"/summary" {
		return t.summary(s, q)
	}
	p, err := t.beginLibraryPull(s, q, pick(c, []int{1, 2, 3, 5, 10, 100}))
	if err != nil || p == nil {
		return err
	}
	p.explicit = t.product.snapshots && !strings.HasSuffix(q.path, "/channels")
	return t.goesOn(c, p, s, &t.libraries.pulls)
}

// filters are what the lists of the libraries, and the summary, can be asked for: values, or some number.
var filters = map[string][]string{
	"/users":                        {"userId", "status active deleted deactivated", "libraryId 1 2 4", "registeredFrom 2026-08-05", "registeredTo 2026-08-07 2026-08-03", "updatedSince 2026-08-20 2026-09-09"},
	"/engagements":                  {"userId"},
	"/datasets/logins":              {"userId"},
	"/datasets/loans":               {"userId", "bookId", "status active returned expired"},
	"/datasets/reservations":        {"userId", "bookId", "status waiting available converted cancelled lost"},
	"/datasets/books":               {"search título nº_1 5359 2", "author zé A", "publisherId 1", "categoryId 1 3", "subjectId 2", "collection all platform additional external manual", "format ebook audiobook", "publicationYear 2001", "orderBy title loans returns readings10 readings50 readingSeconds renewals reservations activeReservations convertedReservations", "orderDir asc desc"},
	"/datasets/stock":               {"search título 1", "publisherId 2", "categoryId 2 3", "subjectId 1", "collection additional external manual", "consumptionBand 0 1-10 11-20 41-50 91-100 101+", "purchasedFrom 2026-07-21 2026-09-01", "purchasedTo 2026-08-20", "publicationYear 2002", "orderBy title activeLoans readings possibleReadings percentage activeReservations", "orderDir asc desc"},
	"/datasets/channels":            {"channel web-mobile app"},
	"/datasets/suggestions":         {"search agua MAPA o"},
	"/datasets/suggestion-requests": {"title água_viva O_ATENEU", "author clarice"},
	"/summary":                      {"groupBy library state city ageGroup", "libraryId 1 3", "state PA", "city Belém", "ageGroupId 2", "gender Outro Não_informado", "newUsers true false"},
}

func (t *trial) libraryQuery(c chance) query {
	route := pick(c, append(slices.Clone(libraryRoutes), "/summary", "/summary"))
	q := query{path: librariesPrefix + route, params: map[string]string{}}
	today := dayOf(t.clock.now())
	if route == "/engagements" || !c.one(3) && route != "/users" && route != "/datasets/stock" {
		q.params["endDate"] = addDays(today, 1-c.IntN(20))
		q.params["startDate"] = addDays(q.params["endDate"], -c.IntN(31))
	}
	for _, f := range filters[route] {
		name, values, given := strings.Cut(f, " ")
		if !given {
			values = strconv.Itoa(1 + c.IntN(t.serial))
		}
		if c.one(4) {
			q.params[name] = strings.ReplaceAll(pick(c, strings.Fields(values)), "_", " ")
		}
	}
	return q
}

// observeLibraries holds an answer against what holds by the clock that judged it.
func (t *trial) observeLibraries(a *answer, see func(l *library, day string) error) error {
	w := t.libraries.worlds
	w.expand()
	for i := 0; i < len(w.all); i++ {
		l := w.all[i].model
		if l.raise(a.from); l.next != nil && !a.to.Before(l.nextHour) {
			o := w.all[i]
			o.model = l.clone()
			o.model.raise(a.to)
			w.all = append(w.all, o)
		}
	}
	return w.observe(a.what, func(l *library) (err error) {
		for _, day := range days(a) {
			if err = see(l, day); err == nil {
				return nil
			}
		}
		return err
	})
}

// updated holds meta.updatedAt and the period.
func (l *library) updated(q query, p *page) error {
	want := row{"updatedAt": inBrasilia(l.hour)}
	if from, to := q.period(); !strings.HasSuffix(q.path, "/users") && !strings.HasSuffix(q.path, "/stock") {
		want["period"] = row{"startDate": from, "endDate": to}
	}
	if got := with(p.meta, "page", nil); line(got) != line(with(want, "page", nil)) {
		return fmt.Errorf("meta %s, want %s", line(got), line(want))
	}
	return nil
}

// beginLibraryPull asks for the first page of a list; nil in trouble.
func (t *trial) beginLibraryPull(s *server, q query, size int) (*pull, error) {
	p, a, got, err := t.first(s, t.libraries.key, q, size)
	if got == nil {
		return nil, err
	}
	if strings.HasSuffix(q.path, "/channels") { // all of them, without pages
		got.total, size = len(got.rows), 1e6
	}
	return p, t.observeLibraries(a, func(l *library, day string) error {
		q.today = day
		e := expect(l.held.rows(q))
		if err := e.holds(*got, 1, size); err != nil {
			return err
		}
		p.lists = append(p.lists, e)
		return l.updated(q, got)
	})
}

// summary holds the numbers of a period.
func (t *trial) summary(s *server, q query) error {
	a := t.get(s, t.libraries.key.key, q.path, q.params)
	got, err := t.page(a)
	if got == nil {
		return err
	}
	return t.observeLibraries(a, func(l *library, day string) error {
		q.today = day
		for block, want := range l.held.summary(q, l.hour) {
			if got := line(got.data[block]); got != line(want) {
				return fmt.Errorf("%s\n%s, want\n%s", block, got, line(want))
			}
		}
		return l.updated(q, got)
	})
}

// dimensions holds the values that filters take.
func (t *trial) dimensions(s *server) error {
	a := t.get(s, t.libraries.key.key, librariesPrefix+"/dimensions", nil)
	got, err := t.page(a)
	if got == nil {
		return err
	}
	return t.observeLibraries(a, func(l *library, _ string) error {
		if want := line(l.held.dimensions()); line(got.data) != want {
			return fmt.Errorf("dimensions\n%s, want\n%s", line(got.data), want)
		}
		return nil
	})
}
