package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// A pull is a list that is asked for page by page. All of it is of the state of its first page, whatever happens meanwhile.
type pull struct {
	key      networkKey
	path     string
	values   map[string]string
	query    string // the same for the same query (H12)
	size     int
	snapshot string
	explicit bool // snapshot is sent
	lists    []expected
	seen     int // rows so far
	page     int // the last one that was asked
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

// beginPull asks for the first page of a list of the schools, and for all users of that state, from which the numbers are learnt.
// It returns nil in trouble.
func (t *trial) beginPull(s *server, k networkKey, q schoolsQuery, size int) (*pull, error) {
	p := &pull{key: k, path: schoolsPrefix + "/" + q.route, values: q.values(), size: size, page: 1, began: t.clock.now(), asked: t.clock.now()}
	if !t.product.snapshots { // users are those of before, where nothing happens meanwhile
		if _, err := t.learnUsers(s, k, ""); err != nil {
			return nil, err
		}
	}
	a := t.get(s, k.key, p.path, paged(p.values, 1, size, ""))
	if said, err := t.allowed(a); !said {
		return nil, err
	}
	if a.status != 200 {
		return nil, differs("%s: %d %s", a.what, a.status, a.body)
	}
	p.snapshot = a.snapshot()
	users, err := t.learnUsers(s, k, p.snapshot)
	if err != nil || users == nil {
		return nil, err
	}
	got, err := a.page()
	if err != nil {
		return nil, err
	}
	first := func(m *partner) error {
		m.learn(users.rows)
		if err := expect(m.users(schoolsQuery{network: k.network})).holds(*users, 1, 1000); err != nil {
			return fmt.Errorf("users of %s: %w", p.snapshot, err)
		}
		var wrong error
		for _, day := range days(a) {
			q.today = day
			e := expect(m.rows(q))
			if wrong = cmp.Or(e.holds(got, 1, size), period(q, got)); wrong == nil {
				p.lists = append(p.lists, e)
				return nil
			}
		}
		return wrong
	}
	t.log("%s %s: %s", k.id, a.what, p.snapshot)
	if err := t.schools.worlds.observe(a.what, first); err != nil {
		return nil, err
	}
	t.rowsSeen(p, got)
	if q.route != "users" {
		q.from, q.to, _ = q.period()
	}
	q.today = ""
	p.query = fmt.Sprint(q, size)
	t.schools.pulls = slices.DeleteFunc(t.schools.pulls, func(o *pull) bool { return o.query == p.query && !o.explicit }) // it begins anew
	return p, nil
}

// days are those that the clock may have had which judged a call.
func days(a *answer) []string { return slices.Compact([]string{dayOf(a.from), dayOf(a.to)}) }

// period holds meta.period.
func period(q schoolsQuery, p page) error {
	from, to, _ := q.period()
	want := line(row{"startDate": from, "endDate": to})
	if got := line(p.meta["period"]); q.route != "users" && got != want {
		return fmt.Errorf("period %s, want %s", got, want)
	}
	return nil
}

func (t *trial) rowsSeen(p *pull, got page) {
	p.seen += len(got.rows)
	t.figures.rows.Add(int64(len(got.rows)))
}

// learnUsers asks for all users of a state; nil in trouble.
func (t *trial) learnUsers(s *server, k networkKey, snapshot string) (*page, error) {
	a := t.get(s, k.key, schoolsPrefix+"/users", paged(nil, 1, 1000, snapshot))
	if said, err := t.allowed(a); !said {
		return nil, err
	}
	if a.status != 200 {
		return nil, differs("%s: %d %s", a.what, a.status, a.body)
	}
	p, err := a.page()
	if err != nil {
		return nil, err
	}
	if !t.product.snapshots {
		for _, o := range t.schools.worlds.all {
			o.model.learn(p.rows)
		}
	}
	return &p, nil
}

// further asks for the next page of a pull, and reports whether there are more.
func (t *trial) further(p *pull, s *server) (more bool, err error) {
	if p.seen >= len(p.lists[0].lines) && !p.explicit { // page 1 did not begin a pull, or it is at its end
		return false, nil
	}
	snapshot := ""
	if p.explicit {
		snapshot = p.snapshot
	} else if t.clock.now().Sub(p.began) >= 23*time.Hour { // after 24 it is of the state of now
		return false, nil
	}
	a := t.get(s, p.key.key, p.path, paged(p.values, p.page+1, p.size, snapshot))
	if said, err := t.allowed(a); !said {
		return !t.trouble, err // it may be gone on with when there is no trouble
	}
	since := t.clock.now().Sub(p.asked)
	old := t.clock.now().Sub(p.began) >= keep && since >= window
	p.asked = t.clock.now()
	if a.status == 410 && old {
		return false, nil
	}
	if a.status != 200 {
		return false, differs("%s of the pull that began at %v: %d %s", a.what, p.began, a.status, a.body)
	}
	got, err := a.page()
	if err != nil {
		return false, err
	}
	p.page++
	t.rowsSeen(p, got)
	if err := p.agrees(a, got); err != nil {
		return false, err
	}
	return p.seen < len(p.lists[0].lines), nil
}

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
func (t *trial) rest(p *pull, s *server) error {
	for p != nil {
		if more, err := t.further(p, s); err != nil || !more {
			return err
		}
	}
	return nil
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
