package schools_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// roll is a partner's accounts as F4 has them, without a database: the model that loads are held against.
type roll struct {
	now      time.Time
	classes  map[string]bool // by reference, whether it is live
	accounts []enrolled      // by number, less one
	carried  map[string][]tenure
	counted  map[counting]bool
	owner    map[int]int // the account that an event counts for
}

// enrolled is an account.
type enrolled struct {
	ref, kind, name, class string
	active, deleted        bool
}

// tenure says that an account took a reference at a time.
type tenure struct {
	since   time.Time
	account int
}

// counting is an event that counts for an account; an event has one day alone here.
type counting struct{ account, event int }

// fed is a feed.
type fed struct {
	classes []string
	rows    []fedRow
	events  []fedEvent
}

type fedRow struct{ ref, kind, name, class string }

type fedEvent struct {
	id  int
	ref string
	at  time.Time
}

func newRoll() *roll {
	return &roll{
		now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), classes: map[string]bool{}, carried: map[string][]tenure{},
		counted: map[counting]bool{}, owner: map[int]int{},
	}
}

// live returns the number of the live account that has a reference now, or 0.
func (r *roll) live(ref string) int {
	return 1 + slices.IndexFunc(r.accounts, func(a enrolled) bool { return a.ref == ref && !a.deleted })
}

// last returns the number of the account that took a reference last, or 0.
func (r *roll) last(ref string) int {
	if took := r.carried[ref]; len(took) > 0 {
		return took[len(took)-1].account
	}
	return 0
}

// take gives a reference to an account; it is the first, or takes it from another, or has it still.
func (r *roll) take(ref string, account int) {
	if r.last(ref) != account {
		r.carried[ref] = append(r.carried[ref], tenure{r.now, account})
	}
}

// enrol makes an account.
func (r *roll) enrol(a enrolled) {
	r.accounts = append(r.accounts, a)
	r.take(a.ref, len(r.accounts))
}

// put is a PUT of the live teacher of a reference.
func (r *roll) put(ref, to, class string) {
	n := r.live(ref)
	a := &r.accounts[n-1]
	a.ref, a.class = to, class
	r.take(to, n)
}

// remove is a DELETE.
func (r *roll) remove(ref string) {
	a := &r.accounts[r.live(ref)-1]
	a.deleted, a.active = true, false
}

// removeClass is a DELETE of a class.
func (r *roll) removeClass(class string) {
	r.classes[class] = false
	for i := range r.accounts {
		if a := &r.accounts[i]; a.class == class && !a.deleted {
			a.active = false
		}
	}
}

// subject returns whose row a row is: an account's number, 0 for a new one, -1 for a deleted one's.
func (r *roll) subject(ref string, named func(string) bool) int {
	if n := r.live(ref); n > 0 {
		return n
	}
	n := r.last(ref)
	switch {
	case n == 0:
		return 0
	case r.accounts[n-1].deleted:
		return -1
	case named(r.accounts[n-1].ref):
		return 0
	}
	return n
}

// load loads a feed and returns how many of its events are new.
func (r *roll) load(f fed) (news int) {
	l := r.begin(f)
	l.reserve(r)
	return l.end(r)
}

// loading is a load under way: what it was to make when it began.
type loading struct {
	fed
	began  time.Time
	makes  []string       // references of new accounts
	taken  map[string]int // how many had carried each by then
	number map[string]int
}

// begin begins a load.
func (r *roll) begin(f fed) *loading {
	l := &loading{fed: f, began: r.now, taken: map[string]int{}, number: map[string]int{}}
	dry := &roll{now: r.now, classes: maps.Clone(r.classes), accounts: slices.Clone(r.accounts), carried: maps.Clone(r.carried)}
	dry.enter(f.classes)
	for _, ref := range slices.Sorted(maps.Keys(dry.settle(f.rows))) {
		l.makes, l.taken[ref] = append(l.makes, ref), len(r.carried[ref])
	}
	return l
}

// reserve gives what the load was to make its numbers.
func (l *loading) reserve(r *roll) {
	for _, ref := range l.makes {
		r.accounts = append(r.accounts, enrolled{})
		l.number[ref] = len(r.accounts)
	}
}

// enter makes the classes of a feed that are not known.
func (r *roll) enter(classes []string) {
	for _, c := range classes {
		if _, known := r.classes[c]; !known {
			r.classes[c] = true
		}
	}
}

// end settles the feed against the roll as it is now, and counts its events; that of an account that took its reference
// before the load began, or with it, is by the roll as it was then.
func (l *loading) end(r *roll) (news int) {
	r.enter(l.classes)
	made := r.settle(l.rows)
	for _, ref := range slices.Sorted(maps.Keys(made)) {
		now, n := r.now, l.number[ref]
		if n > 0 && l.taken[ref] == len(r.carried[ref]) {
			r.now = l.began
		}
		if n == 0 {
			r.accounts = append(r.accounts, enrolled{})
			n = len(r.accounts)
		}
		r.accounts[n-1] = made[ref]
		r.take(ref, n)
		r.now = now
	}
	for _, e := range l.events {
		at := e.at
		if at.After(l.began) {
			at = l.began
		}
		n := r.carrier(e.ref, at)
		if n == 0 || r.counted[counting{n, e.id}] {
			continue
		}
		news++
		r.counted[counting{n, e.id}] = true
		r.owner[e.id] = n
	}
	return news
}

// settle loads the rows of a feed for accounts that there are, and returns those that it makes.
func (r *roll) settle(rows []fedRow) (made map[string]enrolled) {
	named := func(ref string) bool {
		return slices.ContainsFunc(rows, func(row fedRow) bool { return row.ref == ref })
	}
	made = map[string]enrolled{}
	for _, row := range rows {
		n := r.subject(row.ref, named)
		if n < 0 || !r.classes[row.class] {
			continue
		}
		a := enrolled{ref: row.ref, kind: row.kind, name: row.name, class: row.class, active: true}
		if n == 0 {
			made[row.ref] = a
			continue
		}
		a.ref = r.accounts[n-1].ref
		r.accounts[n-1] = a
	}
	return made
}

// carrier returns who carried a reference at a time, or 0.
func (r *roll) carrier(ref string, at time.Time) int {
	if at.After(r.now) {
		at = r.now
	}
	n := 0
	for i, t := range r.carried[ref] {
		if i == 0 || !t.since.After(at) {
			n = t.account
		}
	}
	return n
}

// The random acts of a session draw from few references and classes, so that they meet.
var (
	someRefs    = []string{"ana", "bia", "caio", "davi"}
	someClasses = []string{"6a", "6b", "6c"}
)

// session is a random series of acts; pick draws a number below another.
type session struct {
	*roll
	pick  func(int) int
	feeds []fed
	ids   int
}

// act is what was done to a roll, to be done to the product too.
type act struct {
	what           string // load, create, put, delete, create class, delete class
	ref, to, class string
	feed           fed
	news           int
}

func (a act) String() string {
	if a.what == "load" {
		return fmt.Sprintf("load %+v: %d new", a.feed, a.news)
	}
	return fmt.Sprintf("%s %s to %q in %q", a.what, a.ref, a.to, a.class)
}

func one[T any](s *session, list []T) T { return list[s.pick(len(list))] }

// step does one random act, some time after the one before. Where what is drawn cannot be done a feed is loaded again, or a
// new one.
func (s *session) step() act {
	s.now = s.now.Add(one(s, []time.Duration{time.Microsecond, time.Minute, time.Hour}))
	a := s.draw("load", "load again", "load again", "create", "put", "put", "delete", "create class", "delete class")
	switch {
	case s.can(a):
	case a.what == "load" || len(s.feeds) == 0:
		s.feeds = append(s.feeds, s.newFeed())
		a = act{what: "load", feed: s.feeds[len(s.feeds)-1]}
	default:
		a = act{what: "load", feed: one(s, s.feeds)}
	}
	s.do(&a)
	return a
}

// draw draws an act of some kinds.
func (s *session) draw(what ...string) act {
	return act{what: one(s, what), ref: one(s, someRefs), to: one(s, someRefs), class: one(s, someClasses)}
}

// can reports whether an act is one of the API that is possible.
func (s *session) can(a act) bool {
	n := s.live(a.ref)
	teacher := n > 0 && s.accounts[n-1].kind == "teacher"
	can := s.classes[a.class]
	switch a.what {
	case "create":
		return n == 0 && can
	case "delete":
		return teacher
	case "create class":
		return !can
	case "delete class":
		return can
	}
	return a.what == "put" && teacher && can && (a.to == a.ref || s.live(a.to) == 0)
}

// writes does up to three acts of the API, calls follow with each, and then some time goes by.
func (s *session) writes(follow func(act)) {
	for range s.pick(4) {
		s.now = s.now.Add(one(s, []time.Duration{time.Microsecond, time.Minute}))
		if a := s.draw("create", "put", "put", "delete", "create class", "delete class"); s.can(a) {
			s.do(&a)
			follow(a)
		}
	}
	s.now = s.now.Add(time.Microsecond)
}

// do does an act, which is possible.
func (r *roll) do(a *act) {
	switch a.what {
	case "load":
		a.news = r.load(a.feed)
	case "create":
		r.enrol(enrolled{ref: a.ref, kind: "teacher", name: "Feita", class: a.class, active: true})
	case "put":
		r.put(a.ref, a.to, a.class)
	case "delete":
		r.remove(a.ref)
	case "create class":
		r.classes[a.class] = true
	case "delete class":
		r.removeClass(a.class)
	}
}

// newFeed makes a feed of some accounts, with events of theirs and of all that were known before, at the times of all acts
// and about them, but none to come.
func (s *session) newFeed() fed {
	f := fed{classes: someClasses}
	refs := slices.Sorted(maps.Keys(s.carried))
	for range 1 + s.pick(3) {
		row := fedRow{one(s, someRefs), one(s, []string{"teacher", "teacher", "teacher", "reader"}), fmt.Sprint("Nome ", s.pick(3)), one(s, someClasses)}
		f.rows = append(f.rows, row)
		refs = append(refs, row.ref)
	}
	times := []time.Time{s.now, s.now.Add(-time.Hour), s.now.AddDate(0, 0, -9)}
	for _, ref := range refs {
		for _, t := range s.carried[ref] {
			times = append(times, t.since, t.since.Add(-time.Microsecond))
		}
	}
	for range 1 + s.pick(5) {
		s.ids++
		f.events = append(f.events, fedEvent{s.ids, one(s, refs), one(s, times)})
	}
	return f
}

// TestRollCountsOnce is the law of F4 on the model: whatever is renamed, moved, removed or made anew, by feeds and the API,
// an event counts for one account alone, however often its feed is loaded.
func TestRollCountsOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &session{roll: newRoll(), pick: func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "pick") }}
		var acts []act
		for range 30 {
			counted := maps.Clone(s.owner)
			a := s.step()
			acts = append(acts, a)
			for _, e := range a.feed.events {
				if was, ok := counted[e.id]; ok && was != s.owner[e.id] {
					t.Fatalf("event %d counts for account %d and for %d after\n%v", e.id, was, s.owner[e.id], acts)
				}
			}
		}
		if len(s.counted) != len(s.owner) {
			t.Fatalf("%d events count %d times after\n%v", len(s.owner), len(s.counted), acts)
		}
	})
}
