package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// librarySide is a library network with its model.
type librarySide struct{ side[*library] }

// beginLibrary creates a library network, with a first load and a key.
func (t *harness) beginLibrary(name string) {
	l := &librarySide{side[*library]{worlds: newWorlds(&library{current: newSnapshot()}),
		tenant: &tenant{harness: t, name: name, api: "libraries", flags: []string{"--library", name}}}}
	l.own = l
	t.libraries, t.tenants = append(t.libraries, l), append(t.tenants, l.tenant)
	t.must(nil, "library", "create", name, "--name", "Rede "+name)
	l.load(newChance(t.scenario.Seed), loading{feed: l.chunk(newChance(t.scenario.Seed + 2))})
	l.issue("")
	l.issue("")
}

// loadSome loads new rows, or a feed again. The snapshot takes effect at the next hour, or at once.
func (t *librarySide) loadSome(c chance, a Step) {
	l := loading{fault: a.Fault, now: c.one(2)}
	switch n := c.IntN(12); {
	case n < 3:
		l.feed = pick(c, t.feeds)
	case n < 5:
		l.feed, l.skip = t.chunk(c), c.one(2)
		l.feed.add("sessions", row{"sessionId": "bad", "userId": 1 << 40, "bookId": 1, "startedAt": inUTC(t.clock.base.Add(-time.Hour)), "seconds": 1, "mode": "online", "format": "ebook", "progress": 1.0})
	default:
		l.feed, l.check = t.chunk(c), n < 6
	}
	t.load(c, l)
}

// loads notes that pulls may miss the e-mails of readers that a load deletes (L18).
func (t *librarySide) loads(f feed) { mayErase(f, t.all()...) }

func mayErase(f feed, pulls ...*pull) {
	for _, r := range f["readers"] {
		for _, p := range pulls {
			if r["status"] == "deleted" {
				p.erased(num(r, "userId"), false, "email") // not certain: it may be an older row, which does not count
			}
		}
	}
}

var libraryRoutes = []string{"/users", "/engagements", "/datasets/loans", "/datasets/reservations", "/datasets/logins", "/datasets/books", "/datasets/stock",
	"/datasets/channels", "/datasets/suggestions", "/datasets/suggestion-requests"}

// whole pulls all pages of every list, the summary and the dimensions.
func (t *librarySide) whole(s *server) {
	today := dayOf(t.clock.now())
	for _, route := range libraryRoutes {
		q := query{path: librariesPrefix + route, params: map[string]string{}}
		if route == "/engagements" {
			q.params["startDate"], q.params["endDate"] = addDays(today, -30), today
		}
		t.copied(s, &pull{query: q, key: t.keys[0], size: 100})
	}
	t.dimensions(s)
	t.summary(s, query{path: librariesPrefix + "/summary", params: map[string]string{"groupBy": "library"}})
}

// filters has the parameters of the lists and of the summary, with their values. A parameter without values takes an id.
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

func (t *librarySide) someQuery(c chance) query {
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

// observe compares an answer with the snapshots that may be current according to the server's clock.
func (t *librarySide) observe(a *answer, see func(l *library, day string) error) {
	w := t.worlds
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
	w.observe(a.what, func(l *library) (err error) {
		for _, day := range days(a) {
			if err = see(l, day); err == nil {
				return nil
			}
		}
		return err
	})
}

// asked notes that the next snapshot may be current: once served it stays current, even if the clock goes back (L1).
func (t *librarySide) asked(a *answer) {
	t.observe(a, func(*library, string) error { return nil })
}

// updated checks meta.updatedAt and meta.period.
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

// beginPull requests the first page of a list. It returns nil during a fault, and for the summary, which it only compares.
func (t *librarySide) beginPull(s *server, k *apiKey, q query, size int) *pull {
	if strings.HasSuffix(q.path, "/summary") {
		t.summary(s, q)
		return nil
	}
	p, a, got := t.first(s, k, q, size)
	if got == nil {
		return nil
	}
	if strings.HasSuffix(q.path, "/channels") { // all rows, without pages
		got.total, size = len(got.rows), 1e6
	}
	t.observe(a, func(l *library, day string) error {
		q.today = day
		e := expect(l.current.rows(q))
		if err := cmp.Or(e.holds(*got, 1, size), l.updated(q, got)); err != nil {
			return err
		}
		p.lists = append(p.lists, e)
		return nil
	})
	for _, o := range t.worlds.all {
		for _, load := range o.open {
			mayErase(load.feed, p)
		}
	}
	t.renews(p)
	return p
}

// summary compares the summary of a period with the model.
func (t *librarySide) summary(s *server, q query) {
	a := t.get(s, t.keys[0], q.path, q.params)
	got := t.page(a)
	if got == nil {
		return
	}
	t.observe(a, func(l *library, day string) error {
		q.today = day
		for block, want := range l.current.summary(q, l.hour) {
			if got := line(got.data[block]); got != line(want) {
				return fmt.Errorf("%s\n%s, want\n%s", block, got, line(want))
			}
		}
		return l.updated(q, got)
	})
}

// dimensions compares the values that filters take with the model.
func (t *librarySide) dimensions(s *server) {
	a := t.get(s, t.keys[0], librariesPrefix+"/dimensions", nil)
	got := t.page(a)
	if got == nil {
		return
	}
	t.observe(a, func(l *library, _ string) error {
		if want := line(l.current.dimensions()); line(got.data) != want {
			return fmt.Errorf("dimensions\n%s, want\n%s", line(got.data), want)
		}
		return nil
	})
}

func (t *librarySide) people() []int {
	return slices.Sorted(maps.Keys(t.worlds.likely().current.Readers))
}

func (t *librarySide) forgotten(n int) {
	t.worlds.happens(func(l *library) {
		l.erase(n, "name", "email")
		for _, s := range []*snapshot{l.current, l.next} {
			if s != nil {
				s.Forgotten[n] = true
			}
		}
	})
}
