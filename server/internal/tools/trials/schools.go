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

const schoolsPrefix = "/api-platform/schools/v1"

// partnerSide is a partner with its model.
type partnerSide struct {
	side[*partner]
	directoryKey struct{ id, secret string }
}

// beginPartner creates a partner, with a first load and keys.
func (t *harness) beginPartner(name string) {
	p := &partnerSide{side: side[*partner]{worlds: newWorlds(newPartner(name)),
		tenant: &tenant{harness: t, name: name, api: "schools", flags: []string{"--partner", name}}}}
	p.own = p
	t.partners, t.tenants = append(t.partners, p), append(t.tenants, p.tenant)
	t.must(nil, "partner", "create", name, "--name", "Parceiro "+name)
	p.load(newChance(t.scenario.Seed), loading{feed: p.chunk(newChance(t.scenario.Seed + 1))})
	for _, network := range []string{"n1", "n2", "n1"} {
		p.issue(network)
	}
	var k struct{ AccessKeyID, Secret string }
	p.command(&k, "key issue directory")
	p.directoryKey.id, p.directoryKey.secret = k.AccessKeyID, k.Secret
}

// loadSome loads new rows, or a feed again, whole or in pieces, good or bad.
func (t *partnerSide) loadSome(c chance, a Step) {
	l := loading{fault: a.Fault}
	switch n := c.IntN(16); {
	case n < 4:
		l.feed = pick(c, t.feeds)
	case n < 6:
		for _, piece := range inPieces(c, t.chunk(c)) {
			l.feed = piece
			t.load(c, l)
		}
		return
	case n < 8:
		l.feed, l.skip = t.chunk(c), c.one(2)
		spoil(c, l.feed, t.clock.now())
	default:
		l.feed, l.check = t.chunk(c), n < 10
	}
	t.load(c, l)
}

// inPieces distributes the events of a feed over several feeds, which have all of its other rows.
func inPieces(c chance, whole feed) []feed {
	pieces := []feed{{}, {}, {}}[:2+c.IntN(2)]
	for name, rows := range whole {
		for i, p := range pieces {
			if name != "segments" && name != "accesses" {
				p[name] = rows
				continue
			}
			for j, r := range rows {
				if j%len(pieces) == i {
					p[name] = append(p[name], r)
				}
			}
		}
	}
	c.Shuffle(len(pieces), func(i, j int) { pieces[i], pieces[j] = pieces[j], pieces[i] })
	return pieces
}

// spoil adds a row that cannot be loaded.
func spoil(c chance, f feed, now time.Time) {
	segment := row{"segmentId": "bad", "account": "nobody", "bookId": num(f["books"][0], "bookId"), "startedAt": inUTC(now.Add(-time.Hour)), "durationMs": 1}
	switch c.IntN(5) {
	case 4: // no file has this member
		f["segments"][0]["duration"] = 1
		return
	case 1:
		segment["account"], segment["from"], segment["to"] = str(f["accounts"][0], "referenceId"), 9, 3
	case 2:
		segment["account"], segment["startedAt"] = str(f["accounts"][0], "referenceId"), inUTC(now.Add(time.Hour))
	case 3:
		segment["bookId"] = 1
	}
	f.add("segments", segment)
}

// whole pulls all pages of every list of every network and of the directory.
func (t *partnerSide) whole(s *server) {
	for _, k := range t.keys {
		var lists []*pull
		for _, route := range []string{"users", "engagements", "readings"} {
			q := query{path: schoolsPrefix + "/" + route, params: map[string]string{}}
			if route != "users" {
				q.params["startDate"], q.params["endDate"] = schoolsHistory, "2026-12-31"
			}
			p := t.copied(s, &pull{query: q, key: k, size: 1000})
			lists = append(lists, p)
		}
		t.summary(s, k, lists)
	}
	for _, kind := range []string{"network", "school", "class"} {
		t.pullList(s, "entities", kind)
	}
}

func (t *partnerSide) someQuery(c chance) query {
	route := pick(c, []string{"users", "engagements", "readings"})
	q := query{path: schoolsPrefix + "/" + route, params: map[string]string{}}
	w := t.worlds.likely()
	if c.one(4) {
		q.params["profile"] = pick(c, []string{"student", "teacher"})
	}
	if c.one(5) {
		q.params["userId"] = strconv.Itoa(1 + c.IntN(len(w.accounts))) // maybe a user of another network or partner
	}
	if c.one(4) {
		for _, e := range w.entities {
			if n := w.entityNumbers[e.birth]; e.kind == "school" && n > 0 && (q.params["schoolId"] == "" || c.one(3)) {
				q.params["schoolId"] = strconv.Itoa(n)
			}
		}
	}
	if route == "users" {
		return q
	}
	// A server's clock may be a little behind, so its day begins later, and it refuses a startDate in the future.
	today := dayOf(t.clock.now().Add(-time.Second))
	from, to := addDays(today, -c.IntN(60)), addDays(today, 1-c.IntN(10))
	if !c.one(4) {
		q.params["startDate"] = from
	}
	if c.one(2) {
		q.params["endDate"] = max(from, to)
	}
	return q
}

// beginPull requests the first page of a list of the schools, and all users of that snapshot, from which the model learns the ids. It
// returns nil during a fault.
func (t *partnerSide) beginPull(s *server, k *apiKey, q query, size int) *pull {
	q.network = k.network
	p, a, got := t.first(s, k, q, size)
	if got == nil {
		return nil
	}
	users := t.page(t.get(s, k, schoolsPrefix+"/users", paged(nil, 1, 1000, p.snapshot)))
	if users == nil {
		return nil
	}
	t.worlds.observe(a.what, func(m *partner) error {
		m.learn(users.rows)
		if err := expect(m.users(query{network: k.network})).holds(*users, 1, 1000); err != nil {
			return fmt.Errorf("users of %s: %w", p.snapshot, err)
		}
		var wrong error
		for _, q.today = range days(a) {
			e := expect(m.rows(q))
			if wrong = cmp.Or(e.holds(*got, 1, size), period(q, *got)); wrong == nil {
				p.lists = append(p.lists, e)
				return nil
			}
		}
		return wrong
	})
	t.renews(p)
	return p
}

// period checks meta.period.
func period(q query, p page) error {
	from, to, _ := q.schoolsPeriod()
	want := line(row{"startDate": from, "endDate": to})
	if got := line(p.meta["period"]); !strings.HasSuffix(q.path, "/users") && got != want {
		return fmt.Errorf("period %s, want %s", got, want)
	}
	return nil
}

func (t *partnerSide) loads(feed) {}

func (t *partnerSide) asked(*answer) {}

func (t *partnerSide) people() []int {
	return slices.Sorted(maps.Values(t.worlds.likely().userNumbers))
}

func (t *partnerSide) forgotten(n int) {
	t.worlds.happens(func(p *partner) {
		for i := range p.accounts {
			if p.userNumbers[p.accounts[i].birth] == n {
				p.accounts[i].forgotten = true
				p.erase(i)
			}
		}
	})
}
