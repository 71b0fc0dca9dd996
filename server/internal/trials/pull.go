package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// A query is what one asks of a reading API, with the day of the clock that judges it.
type query struct {
	path    string
	network string // of the schools', its reference
	params  map[string]string
	today   string
}

// is reports whether a value is the one that a parameter asks for, if any.
func (q query) is(param string, v any) bool {
	want, asked := q.params[param]
	return !asked || want == fmt.Sprint(v)
}

// A pull is a list that is asked for page by page. All of it is of the state of its first page, whatever happens meanwhile.
type pull struct {
	query
	key      networkKey
	same     string // for the same query (H12)
	size     int
	snapshot string
	explicit bool // snapshot is sent
	lists    []expected
	rows     []row // so far
	page     int   // the last one that was asked
	began    time.Time
	asked    time.Time // of the trial's clock
}

// expected is a list that may be the one.
type expected struct {
	lines []string
	rows  []row
}

func expect(rows []row) expected {
	e := expected{rows: rows, lines: make([]string, len(rows))}
	for i, r := range rows {
		e.lines[i] = line(r)
	}
	return e
}

// holds says what is wrong with a page of a list.
func (e expected) holds(p page, number, size int) error {
	from := min((number-1)*size, len(e.lines))
	want := e.lines[from:min(from+size, len(e.lines))]
	if p.total != len(e.lines) {
		return fmt.Errorf("page %d: totalRows %d, want %d\ngot  %v\nwant %v", number, p.total, len(e.lines), lines(p.rows), want)
	}
	for i := range max(len(want), len(p.rows)) {
		got := "no row"
		if i < len(p.rows) {
			got = line(p.rows[i])
		}
		if i >= len(want) {
			return fmt.Errorf("page %d: row %d is %s, want none", number, i+1, got)
		}
		if got != want[i] {
			return fmt.Errorf("page %d: row %d is\n%s, want\n%s", number, i+1, got, want[i])
		}
	}
	return nil
}

func lines(rows []row) (all []string) {
	for _, r := range rows {
		all = append(all, line(r))
	}
	return all
}

// first asks for the first page of a list; the page is nil in trouble.
func (t *trial) first(s *server, k networkKey, q query, size int) (*pull, *answer, *page, error) {
	p := &pull{query: q, key: k, size: size, page: 1, began: t.clock.now(), asked: t.clock.now()}
	a := t.get(s, k.key, q.path, paged(q.params, 1, size, ""))
	got, err := t.page(a)
	if got != nil {
		p.snapshot = a.snapshot()
		p.rows = append(p.rows, got.rows...)
	}
	return p, a, got, err
}

// beginPull asks for the first page of a list of the schools, and for all users of that state, from which the numbers are learnt.
// It returns nil in trouble.
func (t *trial) beginPull(s *server, k networkKey, q query, size int) (*pull, error) {
	if !t.product.snapshots { // users are those of before, where nothing happens meanwhile
		if _, err := t.learnUsers(s, k, ""); err != nil {
			return nil, err
		}
	}
	p, a, got, err := t.first(s, k, q, size)
	if got == nil {
		return nil, err
	}
	users, err := t.learnUsers(s, k, p.snapshot)
	if users == nil {
		return nil, err
	}
	q.network = k.network
	first := func(m *partner) error {
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
	}
	if err := t.schools.worlds.observe(a.what, first); err != nil {
		return nil, err
	}
	p.same = fmt.Sprint(k.network, q.path, with(with(q.params, "startDate", ""), "endDate", ""), got.meta["period"], size) // defaults filled in
	t.schools.pulls = slices.DeleteFunc(t.schools.pulls, func(o *pull) bool { return o.same == p.same && !o.explicit })    // it begins anew
	return p, nil
}

// days are those that the clock may have had which judged a call.
func days(a *answer) []string { return slices.Compact([]string{dayOf(a.from), dayOf(a.to)}) }

// period holds meta.period.
func period(q query, p page) error {
	from, to, _ := q.schoolsPeriod()
	want := line(row{"startDate": from, "endDate": to})
	if got := line(p.meta["period"]); !strings.HasSuffix(q.path, "/users") && got != want {
		return fmt.Errorf("period %s, want %s", got, want)
	}
	return nil
}

// learnUsers asks for all users of a state; nil in trouble.
func (t *trial) learnUsers(s *server, k networkKey, snapshot string) (*page, error) {
	p, err := t.page(t.get(s, k.key, schoolsPrefix+"/users", paged(nil, 1, 1000, snapshot)))
	if p != nil && !t.product.snapshots {
		for _, o := range t.schools.worlds.all {
			o.model.learn(p.rows)
		}
	}
	return p, err
}

// further asks for the next page of a pull, and reports whether there are more.
func (t *trial) further(p *pull, s *server) (more bool, err error) {
	if p.whole() && !p.explicit { // page 1 did not begin a pull, or it is at its end
		return false, nil
	}
	snapshot := ""
	if p.explicit {
		snapshot = p.snapshot
	} else if t.clock.now().Sub(p.began) >= 23*time.Hour || dayOf(t.clock.now()) < dayOf(p.began) {
		return false, nil // after 24 hours it is of the state of now; on a day before, its defaults are those of another query
	}
	a := t.get(s, p.key.key, p.path, paged(p.params, p.page+1, p.size, snapshot))
	if a.status == 410 && t.clock.latest().Sub(p.began) >= keep && t.clock.latest().Sub(p.asked) >= window {
		return false, nil
	}
	got, err := t.page(a)
	if got == nil {
		return !t.trouble, err // it may be gone on with when there is no trouble
	}
	p.asked = t.clock.now()
	p.page++
	p.rows = append(p.rows, got.rows...)
	if err := p.agrees(a, *got); err != nil {
		return false, err
	}
	return !p.whole(), nil
}

// whole reports whether every page was asked.
func (p *pull) whole() bool { return len(p.rows) >= len(p.lists[0].lines) }

// Former states are kept so long, and so long the state of a pull that nobody goes on with.
const (
	keep   = 2 * time.Hour
	window = 15 * time.Minute
)

// agrees keeps the lists that agree with a page; there must be one.
func (p *pull) agrees(a *answer, got page) error {
	var first error
	p.lists = slices.DeleteFunc(p.lists, func(e expected) bool {
		err := e.holds(got, p.page, p.size)
		if first == nil {
			first = err
		}
		return err != nil
	})
	if len(p.lists) == 0 {
		return differs("%s, answered of %s, of the pull that began at %v of %s: %v", a.what, a.snapshot(), p.began.Format(time.DateTime), p.snapshot, first)
	}
	return nil
}

// rest asks for all that is left of a pull.
func (t *trial) rest(p *pull, s *server) (err error) {
	for more := p != nil && len(p.lists) > 0; more && err == nil; {
		more, err = t.further(p, s)
	}
	return err
}

// pulls are those of an API that may be gone on with, and those of states that were lost.
func (t *trial) pulls(prefix string) []*pull {
	return slices.DeleteFunc(slices.Concat(t.schools.pulls, t.libraries.pulls, t.lost), func(p *pull) bool { return !strings.HasPrefix(p.path, prefix) })
}

// erased leaves out what names a person in the lists that are expected: that is gone from every state at once (G8). Where it is
// not certain, the lists as they were may be the ones too.
func (p *pull) erased(user int, certain bool, members ...string) {
	if user == 0 {
		return
	}
	for _, e := range slices.Clone(p.lists) {
		changed := false
		without := expected{rows: slices.Clone(e.rows), lines: slices.Clone(e.lines)}
		for j, r := range e.rows {
			if _, named := r["name"]; named && num(r, "userId") == user {
				r = maps.Clone(r)
				for _, m := range members {
					r[m] = p.null(m)
				}
				without.rows[j], without.lines[j] = r, line(r)
				changed = true
			}
		}
		if changed && certain {
			p.lists = slices.DeleteFunc(p.lists, func(o expected) bool { return slices.Equal(o.lines, e.lines) })
		}
		if changed {
			p.lists = append(p.lists, without)
		}
	}
}

// null is what stands where something was erased: the libraries' e-mail and name are texts (L18).
func (p *pull) null(string) any {
	if strings.HasPrefix(p.path, librariesPrefix) {
		return ""
	}
	return nil
}

// round brings a copy of a list up to date by what has changed since (H14): it must be the list then. Where there are few copies, or
// one is no longer kept up, another list is copied.
func (t *trial) round(c chance, _ Act) error {
	if !t.product.snapshots || t.trouble {
		return nil
	}
	s := pick(c, t.servers)
	if len(t.copies) < 4 || c.one(4) {
		p, err := t.copied(s, t.copyable(c))
		if p != nil {
			t.copies = append(t.copies, p)
		}
		return err
	}
	i := c.IntN(len(t.copies))
	was := t.copies[i]
	now, err := t.copied(s, was)
	if now == nil {
		return err
	}
	t.copies[i] = now
	have := map[string]string{}
	for _, r := range was.rows {
		have[naturalKey(r)] = line(r)
	}
	values := with(was.params, "changedSince", was.snapshot)
	for page, seen := 1, 0; ; page++ {
		a := t.get(pick(c, t.servers), was.key.key, was.path, paged(values, page, was.size, now.snapshot))
		if a.status == 410 && t.clock.latest().Sub(was.asked) >= keep {
			return nil
		}
		got, err := t.page(a)
		if got == nil {
			return err
		}
		for _, r := range got.rows {
			if have[naturalKey(r)] = line(r); r["removed"] == true {
				delete(have, naturalKey(r))
			}
		}
		if seen += len(got.rows); seen >= got.total || len(got.rows) == 0 {
			break
		}
	}
	got, want := slices.Sorted(maps.Values(have)), slices.Sorted(slices.Values(lines(now.rows)))
	if !slices.Equal(got, want) {
		return differs("a copy of %s of %s, brought from %s to %s, is\n%v, want\n%v", was.path, line(was.params), was.snapshot, now.snapshot, got, want)
	}
	return nil
}

// naturalKey is what names a row of a list that has rounds.
func naturalKey(r row) string {
	book, _ := r["book"].(row)
	switch {
	case r["loanId"] != nil:
		return line(r["loanId"])
	case r["reservationId"] != nil:
		return line(r["reservationId"])
	}
	return line([]any{r["userId"], r["date"], book["id"]})
}

// copyable is a list that has rounds, as nobody has pulled it yet.
func (t *trial) copyable(c chance) *pull {
	p := &pull{key: pick(c, t.schools.networks), size: pick(c, []int{2, 7, 100})}
	p.query = t.schoolsQuery(c)
	if c.one(2) {
		p.key = t.libraries.key
		for p.query = t.libraryQuery(c); !slices.Contains([]string{"/users", "/engagements", "/datasets/loans", "/datasets/reservations"}, strings.TrimPrefix(p.path, librariesPrefix)); {
			p.query = t.libraryQuery(c)
		}
	}
	if today := dayOf(t.clock.now()); !strings.HasSuffix(p.path, "/users") {
		p.params["startDate"], p.params["endDate"] = addDays(today, -2-c.IntN(19)), addDays(today, c.IntN(10))
	}
	return p
}

// copied pulls a list whole, of the state of now; nil in trouble.
func (t *trial) copied(s *server, like *pull) (p *pull, err error) {
	if like.key == t.libraries.key {
		p, err = t.beginLibraryPull(s, like.query, like.size)
	} else {
		p, err = t.beginPull(s, like.key, like.query, like.size)
	}
	if err != nil || p == nil {
		return nil, err
	}
	p.explicit = t.product.snapshots && !p.whole()
	if err = t.rest(p, s); err != nil || !p.whole() {
		return nil, err
	}
	return p, nil
}
