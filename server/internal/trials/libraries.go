package main

import (
	"fmt"
	"slices"
	"time"
)

// librariesSide is what a trial knows of its library network.
type librariesSide struct {
	worlds *worlds[*library]
	feeds  []libraryFeed
	key    networkKey
	pulls  []*pull
}

func (t *trial) beginLibraries() error {
	t.libraries.worlds = newWorlds(&library{held: newShelf()})
	if err := t.must(nil, "library", "create", "rede", "--name", "Rede"); err != nil {
		return err
	}
	if err := t.loadLibraries(newChance(t.plan.Seed), libraryLoading{feed: t.libraryChunk(newChance(t.plan.Seed + 2))}); err != nil {
		return err
	}
	var k struct{ APIKey string }
	if err := t.must(&k, "key", "issue", "libraries", "--library", "rede"); err != nil {
		return err
	}
	t.libraries.key = networkKey{"rede", keyID(k.APIKey), k.APIKey}
	return nil
}

// libraryLoading is a load that is to be done.
type libraryLoading struct {
	feed             libraryFeed
	now, skip, check bool
	fault            string
}

// libraryLoad loads something, which holds from the next hour or at once.
func (t *trial) libraryLoad(c chance, a Act) error {
	l := libraryLoading{fault: a.Fault, now: c.one(2) || !t.product.clock} // an older one waits for the hour
	switch n := c.IntN(12); {
	case n < 3:
		l.feed = pick(c, t.libraries.feeds)
	case n < 5:
		l.feed, l.skip = t.libraryChunk(c), c.one(2)
		l.feed["sessions"] = append(l.feed["sessions"], row{"sessionId": "bad", "userId": 1 << 40, "bookId": num(pick(c, []row{{"bookId": 1}}), "bookId"),
			"startedAt": inUTC(t.clock.base.Add(-time.Hour)), "seconds": 1, "mode": "online", "format": "ebook", "progress": 1.0})
	case n < 6 && t.product.check:
		l.feed, l.check = t.libraryChunk(c), true
	default:
		l.feed = t.libraryChunk(c)
	}
	return t.loadLibraries(c, l)
}

func (l libraryLoading) maybeOf(at time.Time) *maybe[*library] {
	return &maybe[*library]{"a load", func(lib *library) {
		if m := lib.clone(); m.load(l.feed, at, l.now, l.skip) == nil {
			*lib = *m
		}
	}}
}

// loadLibraries loads a feed, and holds what comes of it against what must.
func (t *trial) loadLibraries(c chance, l libraryLoading) error {
	dir, err := t.writeFeed(c, l.feed)
	if err != nil {
		return err
	}
	args := []string{"load", "libraries", "--library", "rede", dir}
	for flag, set := range map[string]bool{"--now": l.now, "--check": l.check} {
		if set {
			args = append(args, flag)
		}
	}
	if l.skip {
		args = append(args, "--skip-bad", t.file("bad.txt"))
	}
	run, err := t.product.start(t.env(), t.clock.now(), args...)
	if err != nil {
		return err
	}
	t.log("load %v %s", args[4:], line(l.feed))
	t.figures.loads.Add(1)
	m := l.maybeOf(run.from)
	if !l.check {
		t.libraries.worlds.begin(m)
		t.libraries.feeds = append(t.libraries.feeds, l.feed)
	}
	certain, err := t.ended(c, l.fault, run)
	if err != nil {
		return err
	}
	return t.settleLibraries(l, m, run, certain)
}

// settleLibraries says what has become of a load that has ended.
func (t *trial) settleLibraries(l libraryLoading, m *maybe[*library], run *command, certain bool) error {
	w := t.libraries.worlds
	t.log("loaded: certain %v: %v", certain, run)
	if certain || run.err == nil {
		err := w.observe("a load", func(lib *library) error {
			if err := lib.clone().load(l.feed, run.from, l.now, l.skip); (err == nil) != (run.err == nil) {
				return fmt.Errorf("the feed has %v: %v", err, run)
			}
			return nil
		})
		if err != nil || l.check {
			return err
		}
	}
	t.erasedReaders(l.feed, run.err == nil)
	switch {
	case run.err == nil:
		w.acknowledged(m)
	case certain:
		return w.refused(m)
	default:
		if err := t.quiet(); err != nil {
			return err
		}
		w.unknown(m)
		t.clock.offset += 70 * time.Second
		if !t.trouble {
			return t.wholeLibraries(t.servers[0])
		}
	}
	return nil
}

// erasedReaders takes the e-mails of deleted readers out of what pulls expect (L18).
func (t *trial) erasedReaders(feed libraryFeed, certain bool) {
	for _, r := range feed["readers"] {
		if r["status"] != "deleted" {
			continue
		}
		for _, p := range t.libraries.pulls {
			p.erased(num(r, "userId"), false, "email") // it may be an older row, which does not stand
		}
	}
}

var libraryRoutes = []string{"/users", "/datasets/loans", "/datasets/reservations", "/datasets/logins", "/engagements"}

// wholeLibraries pulls every list whole, and the summary.
func (t *trial) wholeLibraries(s *server) error {
	today := dayOf(t.clock.now())
	for _, route := range libraryRoutes {
		q := libraryQuery{route: route}
		if route != "/users" {
			q.from, q.to = addDays(today, -30), today
		}
		p, err := t.beginLibraryPull(s, q, 1000)
		if err != nil {
			return err
		}
		if err := t.rest(p, s); err != nil {
			return err
		}
	}
	return t.summary(s, libraryQuery{route: "/summary"})
}

// pullLibraries begins a pull, and ends it or leaves it for later, which then sends the snapshot of its first page.
func (t *trial) pullLibraries(c chance, a Act) error {
	defer t.hindered(c, a.Fault)()
	q, s := t.libraryQuery(c), pick(c, t.servers)
	if q.route == "/summary" {
		return t.summary(s, q)
	}
	p, err := t.beginLibraryPull(s, q, pick(c, []int{1, 2, 3, 5, 10, 100, 1000}))
	if err != nil || p == nil {
		return err
	}
	p.explicit = t.product.snapshots
	if c.one(2) {
		t.libraries.pulls = append(t.libraries.pulls, p)
		return nil
	}
	return t.rest(p, pick(c, t.servers))
}

func (t *trial) libraryQuery(c chance) libraryQuery {
	q := libraryQuery{route: pick(c, append(slices.Clone(libraryRoutes), "/summary"))}
	today := dayOf(t.clock.now())
	if q.route == "/users" {
		if c.one(3) {
			q.status = pick(c, []string{"active", "deleted", "deactivated"})
		}
		if c.one(4) {
			q.registered = "2026-08-05"
		}
	} else if q.route == "/engagements" || !c.one(3) {
		q.to = addDays(today, 1-c.IntN(20))
		q.from = addDays(q.to, -c.IntN(31))
	}
	if q.route == "/datasets/loans" && c.one(4) {
		q.status = pick(c, []string{"active", "returned", "expired"})
	}
	if q.route != "/summary" && c.one(5) {
		q.user = 1 + c.IntN(t.serial)
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

// updated holds meta.updatedAt.
func (l *library) updated(p page) error {
	if want := inBrasilia(l.hour); p.updated != want {
		return fmt.Errorf("updatedAt %v, want %s", p.updated, want)
	}
	return nil
}

// beginLibraryPull asks for the first page of a list; nil in trouble.
func (t *trial) beginLibraryPull(s *server, q libraryQuery, size int) (*pull, error) {
	p := &pull{key: t.libraries.key, path: librariesPrefix + q.route, values: q.values(), size: size, page: 1, began: t.clock.now(), asked: t.clock.now()}
	a := t.get(s, p.key.key, p.path, paged(p.values, 1, size, ""))
	if said, err := t.allowed(a); !said {
		return nil, err
	}
	if a.status != 200 {
		return nil, differs("%s: %d %s", a.what, a.status, a.body)
	}
	p.snapshot = a.snapshot()
	got, err := a.page()
	if err != nil {
		return nil, err
	}
	err = t.observeLibraries(a, func(l *library, day string) error {
		q.today = day
		e := expect(l.held.rows(q))
		if err := e.holds(got, 1, size); err != nil {
			return err
		}
		p.lists = append(p.lists, e)
		return l.updated(got)
	})
	t.rowsSeen(p, got)
	return p, err
}

// summary holds the numbers of a period.
func (t *trial) summary(s *server, q libraryQuery) error {
	a := t.get(s, t.libraries.key.key, librariesPrefix+q.route, q.values())
	if said, err := t.allowed(a); !said {
		return err
	}
	r, err := decoded(a.body)
	if err != nil || a.status != 200 {
		return differs("%s: %d %s", a.what, a.status, a.body)
	}
	data, _ := r["data"].(row)
	return t.observeLibraries(a, func(l *library, day string) error {
		q.today = day
		if got, want := line(data["general"]), line(l.held.general(q)); got != want {
			return fmt.Errorf("general %s, want %s", got, want)
		}
		return nil
	})
}
