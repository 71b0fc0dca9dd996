package main

import (
	"slices"
	"strconv"
	"time"
)

const schoolsPrefix = "/api-platform/schools/v1"

// schoolsSide is what a trial knows of its partner.
type schoolsSide struct {
	side[*partner]
	networks []networkKey
}

// networkKey is a live key of a network.
type networkKey struct{ network, id, key string }

func (t *trial) beginSchools() error {
	t.schools.side = side[*partner]{args: []string{"load", "schools", "--partner", "acme"}, worlds: newWorlds(newPartner()), whole: t.wholeSchools}
	if err := t.must(nil, "partner", "create", "acme", "--name", "Acme"); err != nil {
		return err
	}
	if err := t.schools.load(t, newChance(t.plan.Seed), loading{feed: t.schoolsChunk(newChance(t.plan.Seed + 1))}); err != nil {
		return err
	}
	for _, network := range []string{"n1", "n2"} {
		if err := t.issueSchools(network); err != nil {
			return err
		}
	}
	var k struct{ AccessKeyID, Secret string }
	if err := t.must(&k, "key", "issue", "directory", "--partner", "acme"); err != nil {
		return err
	}
	t.directoryKey.id, t.directoryKey.secret = k.AccessKeyID, k.Secret
	return nil
}

func (t *trial) issueSchools(network string) error {
	var k struct{ APIKey string }
	if err := t.must(&k, "key", "issue", "schools", "--partner", "acme", "--network", network); err != nil {
		return err
	}
	t.schools.networks = append(t.schools.networks, networkKey{network, keyID(k.APIKey), k.APIKey})
	return nil
}

// schoolLoad loads a chunk of new rows, or one that was loaded before, whole or in pieces, good or bad.
func (t *trial) schoolLoad(c chance, a Act) error {
	l := loading{fault: a.Fault}
	switch n := c.IntN(16); {
	case n < 4:
		l.feed = pick(c, t.schools.feeds)
	case n < 6:
		for _, piece := range inPieces(c, t.schoolsChunk(c)) {
			l.feed = piece
			if err := t.schools.load(t, c, l); err != nil {
				return err
			}
		}
		return nil
	case n < 8:
		l.feed, l.skip = t.schoolsChunk(c), c.one(2)
		spoil(c, l.feed, t.clock.now())
	case n < 10 && t.product.check:
		l.feed, l.check = t.schoolsChunk(c), true
	default:
		l.feed = t.schoolsChunk(c)
	}
	return t.schools.load(t, c, l)
}

// inPieces shares the events of a feed out over feeds that have all of its registers.
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
	case 4: // no file has that
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

// wholeSchools pulls every list of every network whole.
func (t *trial) wholeSchools(s *server) error {
	for _, k := range t.schools.networks {
		for _, route := range []string{"users", "engagements", "readings"} {
			q := query{path: schoolsPrefix + "/" + route, params: map[string]string{}}
			if route != "users" {
				q.params["startDate"], q.params["endDate"] = schoolsHistory, "2026-12-31"
			}
			if _, err := t.copied(s, &pull{query: q, key: k, size: 1000}); err != nil {
				return err
			}
		}
	}
	return nil
}

// pullSchools begins a pull, and ends it or leaves it for later.
func (t *trial) pullSchools(c chance, a Act) error {
	defer t.hindered(c, a.Fault)()
	k, s := pick(c, t.schools.networks), pick(c, t.servers)
	p, err := t.beginPull(s, k, t.schoolsQuery(c), pick(c, []int{1, 2, 3, 5, 10, 100, 1000}))
	if err != nil || p == nil {
		return err
	}
	p.explicit = t.product.snapshots && c.one(3)
	return t.goesOn(c, p, s, &t.schools.pulls)
}

// goesOn leaves a pull that has begun for later, or ends it, perhaps on another server.
func (t *trial) goesOn(c chance, p *pull, s *server, pulls *[]*pull) error {
	if c.one(4) {
		if err := t.otherForm(c, p, s); err != nil {
			return err
		}
	}
	if c.one(2) {
		*pulls = append(*pulls, p)
		return nil
	}
	return t.rest(p, pick(c, t.servers))
}

// schoolsQuery asks for something.
func (t *trial) schoolsQuery(c chance) query {
	route := pick(c, []string{"users", "engagements", "readings"})
	q := query{path: schoolsPrefix + "/" + route, params: map[string]string{}}
	w := t.schools.worlds.likely()
	if c.one(4) {
		q.params["profile"] = pick(c, []string{"student", "teacher"})
	}
	if c.one(5) {
		q.params["userId"] = strconv.Itoa(1 + c.IntN(len(w.accounts))) // of another network too
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
	today := dayOf(t.clock.now())
	from, to := addDays(today, -c.IntN(60)), addDays(today, 1-c.IntN(10))
	if !c.one(4) {
		q.params["startDate"] = from
	}
	if c.one(2) {
		q.params["endDate"] = max(from, to)
	}
	return q
}

// goOn asks for some more pages of a pull that was left.
func (t *trial) goOn(c chance, _ Act) error {
	pulls := &t.schools.pulls
	if c.one(3) {
		pulls = &t.libraries.pulls
	}
	if len(*pulls) == 0 {
		return nil
	}
	p := pick(c, *pulls)
	for range 1 + c.IntN(3) {
		more, err := t.further(p, pick(c, t.servers))
		if err != nil {
			return err
		}
		if !more && !t.trouble {
			*pulls = slices.DeleteFunc(*pulls, func(o *pull) bool { return o == p })
			return nil
		}
	}
	return nil
}

func keyID(key string) string {
	n := 0
	for i, r := range key {
		if r == '-' {
			if n++; n == 2 {
				return key[:i]
			}
		}
	}
	return key
}
