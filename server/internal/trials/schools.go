package main

import (
	"fmt"
	"slices"
	"time"
)

const schoolsPrefix = "/api-platform/schools/v1"

// schoolsSide is what a trial knows of its partner.
type schoolsSide struct {
	worlds   *worlds[*partner]
	feeds    []schoolsFeed // that were loaded
	networks []networkKey
	pulls    []*pull
}

// networkKey is a live key of a network.
type networkKey struct{ network, id, key string }

func (t *trial) beginSchools() error {
	t.schools.worlds = newWorlds(newPartner())
	if err := t.must(nil, "partner", "create", "acme", "--name", "Acme"); err != nil {
		return err
	}
	if err := t.loadSchools(newChance(t.plan.Seed), loading{feed: t.schoolsChunk(newChance(t.plan.Seed + 1))}); err != nil {
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

// loading is a load that is to be done.
type loading struct {
	feed  schoolsFeed
	skip  bool // bad rows are passed over
	check bool
	fault string
}

// maybeOf is what a load does to a partner, all or nothing.
func (l loading) maybeOf(began time.Time) *maybe[*partner] {
	return &maybe[*partner]{"a load", func(p *partner) {
		if q := p.clone(); q.load(l.feed, began, l.skip) == nil {
			*p = *q
		}
	}}
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
			if err := t.loadSchools(c, l); err != nil {
				return err
			}
		}
		return nil
	case n < 8:
		l.feed, l.skip = t.schoolsChunk(c), c.one(2)
		spoil(c, l.feed, t.clock.now())
	case n < 9:
		return t.misspelt(c)
	case n < 10 && t.product.check:
		l.feed, l.check = t.schoolsChunk(c), true
	default:
		l.feed = t.schoolsChunk(c)
	}
	return t.loadSchools(c, l)
}

// inPieces shares the events of a feed out over feeds that have all of its registers.
func inPieces(c chance, feed schoolsFeed) []schoolsFeed {
	pieces := []schoolsFeed{{}, {}, {}}[:2+c.IntN(2)]
	for name, rows := range feed {
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
func spoil(c chance, feed schoolsFeed, now time.Time) {
	segment := row{"segmentId": "bad", "account": "nobody", "bookId": num(feed["books"][0], "bookId"), "startedAt": inUTC(now.Add(-time.Hour)), "durationMs": 1}
	switch c.IntN(4) {
	case 1:
		segment["account"], segment["from"], segment["to"] = str(feed["accounts"][0], "referenceId"), 9, 3
	case 2:
		segment["account"], segment["startedAt"] = str(feed["accounts"][0], "referenceId"), inUTC(now.Add(time.Hour))
	case 3:
		segment["bookId"] = 1
	}
	feed["segments"] = append(feed["segments"], segment)
}

// misspelt loads a feed with a member that no file knows, which is an error (F).
func (t *trial) misspelt(c chance) error {
	feed := t.schoolsChunk(c)
	for i := range feed["segments"] {
		feed["segments"][i]["duration"] = 1
	}
	dir, err := t.writeFeed(c, feed)
	if err != nil {
		return err
	}
	l, err := t.lectern("load", "schools", "--partner", "acme", dir)
	if err == nil && l.err == nil {
		err = differs("a column that no file has was loaded in silence: %v", l)
	}
	return err
}

// loadSchools loads a feed, and holds what comes of it against what must.
func (t *trial) loadSchools(c chance, l loading) error {
	dir, err := t.writeFeed(c, l.feed)
	if err != nil {
		return err
	}
	args := []string{"load", "schools", "--partner", "acme", dir}
	if l.skip {
		args = append(args, "--skip-bad", t.file("bad.txt"))
	}
	if l.check {
		args = append(args, "--check")
	}
	run, err := t.product.start(t.env(), t.clock.now(), args...)
	if err != nil {
		return err
	}
	t.figures.loads.Add(1)
	m := l.maybeOf(run.from)
	if !l.check {
		t.schools.worlds.begin(m)
		t.schools.feeds = append(t.schools.feeds, l.feed)
	}
	t.log("load %v %s", args[4:], line(l.feed))
	certain, err := t.ended(c, l.fault, run)
	if err != nil {
		return err
	}
	return t.settle(l, m, run, certain)
}

// settle says what has become of a load that has ended. It is certain where no fault can have taken its answer away.
func (t *trial) settle(l loading, m *maybe[*partner], run *command, certain bool) error {
	w := t.schools.worlds
	t.log("loaded: certain %v: %v", certain, run)
	good := func(p *partner) error {
		switch err := p.clone().load(l.feed, run.from, l.skip); {
		case err == nil && run.err != nil:
			return fmt.Errorf("a good feed: %v", run)
		case err != nil && run.err == nil:
			return fmt.Errorf("a feed with %v was loaded: %v", err, run)
		}
		return nil
	}
	if certain || run.err == nil {
		if err := w.observe("a load", good); err != nil || l.check {
			return err
		}
	}
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
		t.clock.offset += 70 * time.Second // the lease of who died runs out
		if !t.trouble {
			return t.wholeSchools(t.servers[0])
		}
	}
	return nil
}

// wholeSchools pulls every list of every network whole.
func (t *trial) wholeSchools(s *server) error {
	for _, k := range t.schools.networks {
		for _, route := range []string{"users", "engagements", "readings"} {
			q := schoolsQuery{route: route, network: k.network}
			if route != "users" {
				q.from, q.to = schoolsHistory, "2026-12-31"
			}
			p, err := t.beginPull(s, k, q, 1000)
			if err != nil {
				return err
			}
			if err := t.rest(p, s); err != nil {
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
	p, err := t.beginPull(s, k, t.schoolsQuery(c, k.network), pick(c, []int{1, 2, 3, 5, 10, 100, 1000}))
	if err != nil || p == nil {
		return err
	}
	p.explicit = t.product.snapshots && c.one(3)
	if c.one(2) {
		t.schools.pulls = append(t.schools.pulls, p)
		return nil
	}
	return t.rest(p, pick(c, t.servers))
}

// schoolsQuery asks for something.
func (t *trial) schoolsQuery(c chance, network string) schoolsQuery {
	q := schoolsQuery{route: pick(c, []string{"users", "engagements", "readings"}), network: network}
	w := t.schools.worlds.likely()
	if c.one(4) {
		q.profile = pick(c, []string{"student", "teacher"})
	}
	if c.one(5) {
		q.user = 1
		for _, n := range w.userNumbers { // of another network too
			q.user = max(q.user, 1+c.IntN(n+1))
			break
		}
	}
	if c.one(4) {
		for _, e := range w.entities {
			if n := w.entityNumbers[e.birth]; e.kind == "school" && n > 0 && (q.school == 0 || c.one(3)) {
				q.school = n
			}
		}
	}
	if q.route == "users" {
		return q
	}
	today := dayOf(t.clock.now())
	if !c.one(4) {
		q.from = addDays(today, -c.IntN(60))
	}
	if c.one(2) {
		q.to = addDays(today, 1-c.IntN(10))
		if q.from > q.to {
			q.from = q.to
		}
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
