package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// A query is a request to a reading API, with the server's day.
type query struct {
	path    string
	network string // reference of the school network, in the schools API
	params  map[string]string
	today   string
}

// is reports whether a value equals that of a parameter, or the parameter is not given.
func (q query) is(param string, v any) bool {
	want, asked := q.params[param]
	return !asked || want == fmt.Sprint(v)
}

// A pull is a list that is requested page by page. All pages are of the snapshot of the first one, whatever happens between them.
type pull struct {
	query
	key      *apiKey
	same     string // equal for pulls of the same query (H12), except its period
	size     int
	snapshot string
	meta     row  // of its first page; all pages share it
	explicit bool // requests name the snapshot
	lists    []expected
	rows     []row // so far
	page     int   // the last one that was requested
	began    time.Time
	later    bool      // the clock had been on a later day before
	asked    time.Time // by the scenario's clock
}

// expected is a list that may be the right one.
type expected struct {
	lines []string
	rows  []row
}

func expect(rows []row) expected { return expected{lines(rows), rows} }

// holds compares a page with the list.
func (e expected) holds(p page, number, size int) error {
	from := min((number-1)*size, len(e.lines))
	got, want := lines(p.rows), e.lines[from:min(from+size, len(e.lines))]
	if p.total != len(e.lines) || !slices.Equal(got, want) {
		return fmt.Errorf("page %d of %d rows is\n%s\nwant, of %d,\n%s", number, p.total, strings.Join(got, "\n"), len(e.lines), strings.Join(want, "\n"))
	}
	return nil
}

func lines(rows []row) (all []string) {
	for _, r := range rows {
		all = append(all, line(r))
	}
	return all
}

// first requests the first page of a list. The page is nil during a fault.
func (t *tenant) first(s *server, k *apiKey, q query, size int) (*pull, *answer, *page) {
	p := &pull{query: q, key: k, size: size, page: 1, began: t.clock.now(), asked: t.clock.now()}
	p.later = dayOf(t.clock.latest()) > dayOf(p.began)
	a := t.get(s, k, q.path, paged(q.params, 1, size, ""))
	got := t.page(a)
	if got != nil {
		p.snapshot, p.meta = a.snapshot(), got.lasting()
		p.rows = append(p.rows, got.rows...)
	}
	return p, a, got
}

// renews drops the pulls of the same query and key, which p begins again (H12). A pull without dates also ends if its query begins
// again on another day: from then on its pages are those of the new pull.
func (t *tenant) renews(p *pull) {
	p.same = fmt.Sprint(p.path, p.size)
	for _, name := range slices.Sorted(maps.Keys(p.params)) {
		if !slices.Contains([]string{"startDate", "endDate", "orderBy", "orderDir", "collection"}, name) { // these have defaults
			p.same += fmt.Sprint(" ", name, "=", p.params[name])
		}
	}
	t.pulls = slices.DeleteFunc(t.pulls, func(o *pull) bool {
		sameDates := line(o.meta["period"]) == line(p.meta["period"]) || !o.dated() && dayOf(o.began) != dayOf(p.began)
		return o.key == p.key && o.same == p.same && sameDates && !o.explicit
	})
}

// dated reports whether the query has both dates.
func (q query) dated() bool { return q.params["startDate"] != "" && q.params["endDate"] != "" }

// days returns the days that the server may have had when it answered.
func days(a *answer) []string { return slices.Compact([]string{dayOf(a.from), dayOf(a.to)}) }

// lasting returns the part of a page's meta that all pages of a pull share.
func (p *page) lasting() row {
	m := with(p.meta, "page", nil)
	delete(m, "page")
	return m
}

// pull begins a pull, and ends it or leaves it for later.
func (t *tenant) pull(c chance, a Step) {
	defer t.hindered(c, a.Fault)()
	q, size, n := t.own.someQuery(c), pick(c, []int{1, 2, 3, 5, 10, 100}), c.IntN(len(t.keys))
	if o := t.other(); c.one(3) && n < len(o.keys) { // with the other tenant's key of the same number
		o.pullOf(c, pick(c, t.servers), o.keys[n], q, size)
	}
	t.pullOf(c, pick(c, t.servers), t.keys[n], q, size)
}

func (t *tenant) pullOf(c chance, s *server, k *apiKey, q query, size int) {
	p := t.own.beginPull(s, k, q, size)
	if p == nil {
		return
	}
	p.explicit = c.one(3) && !strings.HasSuffix(p.path, "/channels")
	if c.one(4) && !t.trouble && !strings.HasSuffix(p.path, "/channels") {
		var possible [][]row
		for _, e := range p.lists {
			possible = append(possible, e.rows[:min(p.size, len(e.rows))])
		}
		t.ndjson(s, p, paged(p.params, 1, p.size, p.snapshot), possible...)
	}
	if c.one(2) {
		t.pulls = append(t.pulls, p)
		return
	}
	t.rest(p, pick(c, t.servers))
}

// goOn requests some more pages of a pull that was left for later.
func (t *tenant) goOn(c chance, _ Step) {
	if len(t.pulls) == 0 {
		return
	}
	p := pick(c, t.pulls)
	for range 1 + c.IntN(3) {
		if more := t.further(p, pick(c, t.servers)); !more && !t.trouble {
			t.pulls = without(t.pulls, p)
			return
		}
	}
}

// further requests the next page of a pull, and reports whether there are more.
func (t *tenant) further(p *pull, s *server) (more bool) {
	if p.whole() && !p.explicit { // page 1 has all rows, or the pull is at its end
		return false
	}
	snapshot := ""
	if p.explicit {
		snapshot = p.snapshot
	} else if now := t.clock.now(); now.Sub(p.began) >= 23*time.Hour || dayOf(now) < dayOf(p.began) || p.later && dayOf(now) > dayOf(p.began) {
		// After 24 hours it reads the current snapshot. On an earlier day its default dates make another query. On a later day, if the
		// clock was there before it was set back, a pull of then may go on.
		return false
	}
	a := t.get(s, p.key, p.path, paged(p.params, p.page+1, p.size, snapshot))
	if a.status == 410 && t.clock.latest().Sub(p.began) >= keep && t.clock.latest().Sub(p.asked) >= window {
		return false
	}
	got := t.page(a)
	if got == nil {
		return !t.trouble // it goes on after the fault
	}
	p.asked = t.clock.now()
	p.page++
	p.rows = append(p.rows, got.rows...)
	p.agrees(a, *got)
	if a.snapshot() != p.snapshot || line(got.lasting()) != line(p.meta) {
		fail("%s: %s %s, want %s %s of page 1", a.what, a.snapshot(), line(got.lasting()), p.snapshot, line(p.meta))
	}
	return !p.whole()
}

// whole reports whether every page was requested.
func (p *pull) whole() bool { return len(p.rows) >= len(p.lists[0].lines) }

// keep is the retention of snapshots. window is that of a pull's snapshot after its last request.
const (
	keep   = 2 * time.Hour
	window = 15 * time.Minute
)

// agrees keeps the lists that agree with a page. At least one must.
func (p *pull) agrees(a *answer, got page) {
	var first error
	p.lists = slices.DeleteFunc(p.lists, func(e expected) bool {
		err := e.holds(got, p.page, p.size)
		if first == nil {
			first = err
		}
		return err != nil
	})
	if len(p.lists) == 0 {
		fail("%s, answered of %s, of the pull that began at %v of %s: %v", a.what, a.snapshot(), p.began.Format(time.DateTime), p.snapshot, first)
	}
}

// rest requests all remaining pages of a pull.
func (t *tenant) rest(p *pull, s *server) {
	for len(p.lists) > 0 && t.further(p, s) {
	}
}

// erased deletes members of a person from the expected lists: an erasure affects every snapshot at once (G8). If it is not certain,
// the lists as they were remain possible.
func (p *pull) erased(user int, certain bool, members ...string) {
	if user == 0 {
		return
	}
	erased := any(nil)
	if strings.HasPrefix(p.path, librariesPrefix) { // in the libraries e-mail and name are never null (L18)
		erased = ""
	}
	for _, e := range slices.Clone(p.lists) {
		changed := false
		without := expected{rows: slices.Clone(e.rows), lines: slices.Clone(e.lines)}
		for j, r := range e.rows {
			if _, named := r["name"]; named && num(r, "userId") == user {
				r = maps.Clone(r)
				for _, m := range members {
					r[m] = erased
				}
				without.rows[j], without.lines[j] = r, line(r)
				changed = true
			}
		}
		if changed && certain {
			p.lists = slices.DeleteFunc(p.lists, func(o expected) bool { return slices.Equal(o.lines, e.lines) })
		}
		if changed && !slices.ContainsFunc(p.lists, func(o expected) bool { return slices.Equal(o.lines, without.lines) }) {
			p.lists = append(p.lists, without)
		}
	}
}
