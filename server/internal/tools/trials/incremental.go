package main

import (
	"maps"
	"slices"
	"strings"
)

// incremental updates a copy of a list by an incremental pull (H14) and checks that it equals the list. If there are few copies, and
// sometimes otherwise, it copies another list instead.
func (t *tenant) incremental(c chance, _ Step) {
	if t.trouble {
		return
	}
	s := pick(c, t.servers)
	if len(t.copies) < 3 || c.one(4) {
		if p := t.copied(s, t.copyable(c)); p != nil {
			t.copies = append(t.copies, p)
		}
		return
	}
	i := c.IntN(len(t.copies))
	was := t.copies[i]
	now := t.copied(s, was)
	if now == nil {
		return
	}
	t.copies[i] = now
	have := map[string]string{}
	for _, r := range was.rows {
		have[line(naturalKey(r))] = line(r)
	}
	values := with(was.params, "changedSince", was.snapshot)
	for number, seen := 1, 0; ; number++ {
		a := t.get(pick(c, t.servers), was.key, was.path, paged(values, number, was.size, now.snapshot))
		if a.status == 410 && t.clock.latest().Sub(was.asked) >= keep {
			return
		}
		got := t.page(a)
		if got == nil {
			return
		}
		for _, r := range got.rows {
			have[line(naturalKey(r))] = line(r)
		}
		for _, r := range got.removed {
			delete(have, line(r))
		}
		if c.one(3) { // in NDJSON a removed row is its key and a last member, removed
			rows := got.rows
			for _, r := range got.removed {
				rows = append(rows, with(r, "removed", any(true)))
			}
			t.ndjson(s, was, paged(values, number, was.size, now.snapshot), rows)
		}
		if seen += len(got.rows) + len(got.removed); seen >= got.total || seen == 0 {
			break
		}
	}
	got, want := slices.Sorted(maps.Values(have)), slices.Sorted(slices.Values(lines(now.rows)))
	if !slices.Equal(got, want) {
		fail("a copy of %s of %s, brought from %s to %s, is\n%v, want\n%v", was.path, line(was.params), was.snapshot, now.snapshot, got, want)
	}
}

// naturalKey returns the key of a row of a list that has incremental pulls, as data.removed shows it.
func naturalKey(r row) row {
	for _, id := range []string{"loanId", "reservationId"} {
		if r[id] != nil {
			return row{id: r[id]}
		}
	}
	key := row{"userId": r["userId"]}
	if book, ok := r["book"].(row); ok {
		key["book"] = row{"id": book["id"]}
	}
	if r["date"] != nil {
		key["date"] = r["date"]
	}
	return key
}

// incrementals are the lists that have incremental pulls.
var incrementals = []string{schoolsPrefix + "/users", schoolsPrefix + "/engagements", schoolsPrefix + "/readings",
	librariesPrefix + "/users", librariesPrefix + "/engagements", librariesPrefix + "/datasets/loans", librariesPrefix + "/datasets/reservations"}

// copyable returns a pull of a random list that has incremental pulls, before its first page.
func (t *tenant) copyable(c chance) *pull {
	p := &pull{key: pick(c, t.keys), size: pick(c, []int{2, 7, 100})}
	for !slices.Contains(incrementals, p.path) {
		p.query = t.own.someQuery(c)
	}
	if today := dayOf(t.clock.now()); !strings.HasSuffix(p.path, "/users") {
		p.params["startDate"], p.params["endDate"] = addDays(today, -2-c.IntN(19)), addDays(today, c.IntN(10))
	}
	return p
}

// copied pulls all pages of a list in the current snapshot. It returns nil during a fault.
func (t *tenant) copied(s *server, like *pull) *pull {
	p := t.own.beginPull(s, like.key, like.query, like.size)
	if p == nil {
		return nil
	}
	p.explicit = !p.whole()
	if t.rest(p, s); !p.whole() {
		return nil
	}
	return p
}
