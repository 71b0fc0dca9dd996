package server_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// TestPullsAreOfOneState lets clients pull every list of the schools while loads and the directory change what they pull. They
// begin at random times, pause, mix their pulls, and ask now this server, now that one, which are started anew in between. Each
// pull is, row for row, the list of one state, whether it sends a snapshot or pages alone; and every state that was answers
// with the same bytes as then.
func TestPullsAreOfOneState(t *testing.T) {
	fewer(t, 10)
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		if _, err := server.Migrate(t.Context(), db); err != nil {
			t.Fatal(err)
		}
		partners := 0
		rapid.Check(t, func(rt *rapid.T) {
			partners++
			m := newPulling(rt, t, db, directory.Ref(fmt.Sprint("p", partners)))
			rt.Repeat(map[string]func(*rapid.T){
				"load":      func(*rapid.T) { m.load() },
				"write":     func(*rapid.T) { m.write() },
				"begin":     func(*rapid.T) { m.begin() },
				"next":      func(*rapid.T) { m.next() },
				"next page": func(*rapid.T) { m.next() },
				"pass":      func(*rapid.T) { m.pass() },
				"restart":   func(*rapid.T) { m.serve(m.server()) },
				"earlier":   func(*rapid.T) { m.earlier() },
			})
			for len(m.pulls) > 0 {
				m.next()
			}
		})
	})
}

// fewer makes rapid try a property so often only, unless the flag says how often: a try is some hundred requests.
func fewer(t *testing.T, checks int) {
	t.Helper()
	f := flag.Lookup("rapid.checks")
	if f.Value.String() != f.DefValue {
		return
	}
	if err := f.Value.Set(fmt.Sprint(checks)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Value.Set(f.DefValue) })
}

// pulling is one run of TestPullsAreOfOneState.
type pulling struct {
	*rapid.T
	site    *site
	clock   *clock
	world   *world
	servers []http.Handler
	changes int
	erased  bool // something was erased, in every state

	states map[string]map[question]string // the whole answers of each state, by its snapshot
	order  []string
	pulls  []*onePull
}

// question is a list of a network, without its page.
type question struct{ network, list string }

// onePull is a client on its way.
type onePull struct {
	question
	size, page int
	at         string // the state of its first page
	given      bool   // it sends snapshot
	began      time.Time
	rows       []string
}

func newPulling(rt *rapid.T, t *testing.T, db *database.DB, ref directory.Ref) *pulling {
	m := &pulling{T: rt, clock: &clock{now()}, states: map[string]map[question]string{}}
	m.site = &site{t: t, db: db, partner: newPartner(t, db, ref), ref: ref, keys: map[string]string{}}
	m.world = newWorld(m.rand())
	m.world.segments = m.world.segments[:80]
	m.site.load(m.world)
	m.servers = make([]http.Handler, 1)
	if db.Engine == database.Postgres {
		m.servers = make([]http.Handler, 2)
	}
	for i := range m.servers {
		m.serve(i)
	}
	m.record()
	return m
}

func (m *pulling) draw(what string, n int) int { return rapid.IntRange(0, n-1).Draw(m.T, what) }

func (m *pulling) rand() *rand.Rand {
	return rand.New(rand.NewPCG(rapid.Uint64().Draw(m.T, "seed"), 1))
}

func (m *pulling) server() int { return m.draw("server", len(m.servers)) }

// serve starts a server anew: it knows nothing but the database.
func (m *pulling) serve(i int) {
	s, err := server.New(m.Context(), server.Config{DB: m.site.db, SchoolsRate: -1, Now: m.clock.time})
	if err != nil {
		m.Fatal(err)
	}
	m.servers[i] = s.Handler()
}

// questions are all that clients ask.
func (m *pulling) questions() (all []question) {
	for network := range m.site.keys {
		for _, filter := range []string{"", "&profile=teacher"} {
			all = append(all, question{network, "/users?" + filter})
			for _, period := range []string{"", "&startDate=2026-04-02&endDate=2026-05-04"} {
				all = append(all, question{network, "/engagements?" + period + filter}, question{network, "/readings?" + period + filter})
			}
		}
	}
	slices.SortFunc(all, func(a, b question) int { return strings.Compare(a.network+a.list, b.network+b.list) })
	return all
}

// ask asks any server.
func (m *pulling) ask(q question, page, size int, snapshot string) *httptest.ResponseRecorder {
	target := fmt.Sprintf("%s%s&page=%d&pageSize=%d", prefix, q.list, page, size)
	if snapshot != "" {
		target += "&snapshot=" + snapshot
	}
	r := httptest.NewRequest("GET", target, nil)
	r.Header.Set("X-Api-Key", m.site.keys[q.network])
	w := httptest.NewRecorder()
	m.servers[m.server()].ServeHTTP(w, r)
	if w.Code != 200 {
		m.Fatalf("GET %s = %d %s", target, w.Code, w.Body)
	}
	return w
}

// whole is a question's answer on one page.
func (m *pulling) whole(q question, snapshot string) (at, body string) {
	w := m.ask(q, 1, 1000, snapshot)
	return w.Header().Get("X-Snapshot"), w.Body.String()
}

// record asks all questions of the state of now, if that is a new one.
func (m *pulling) record() {
	at, _ := m.whole(m.questions()[0], "")
	if m.states[at] != nil {
		return
	}
	answers := map[question]string{}
	for _, q := range m.questions() {
		now, body := m.whole(q, "")
		if now != at {
			m.Fatalf("%v is of another state, and nothing was written", q)
		}
		answers[q] = body
	}
	m.states[at], m.order = answers, append(m.order, at)
}

// load loads a feed that renames and moves a few accounts, and has some events more.
func (m *pulling) load() {
	r := m.rand()
	m.changes++
	more := world{books: m.world.books}
	for range 1 + r.IntN(3) {
		a := pick(r, m.world.accounts)
		name, entity := fmt.Sprint("Carga ", m.changes), pick(r, m.world.entities).Ref
		a.Name, a.Entity = &name, &entity
		more.accounts = append(more.accounts, a)
	}
	slices.SortFunc(more.accounts, func(a, b accountRow) int { return strings.Compare(a.Ref, b.Ref) })
	more.accounts = slices.CompactFunc(more.accounts, func(a, b accountRow) bool { return a.Ref == b.Ref })
	events := world{accounts: m.world.accounts, books: m.world.books}
	events.someEvents(r, 8)
	for _, s := range events.segments {
		s.ID = fmt.Sprint("later ", m.changes, "-", len(more.segments))
		more.segments = append(more.segments, s)
	}
	m.site.load(&more)
	m.record()
}

// write changes the directory.
func (m *pulling) write() {
	m.changes++
	store := &directorydb.Store{DB: m.site.db.DB}
	text := func(s string) directory.Field { return directory.Field{Set: true, Text: s} }
	ref := fmt.Sprint("prof-", m.draw("teacher", 3))
	school := fmt.Sprintf("net-%d/escola %d", m.draw("network", 2), m.draw("school", 2))
	name := fmt.Sprint("Escrita ", m.changes)
	_, err := store.Teacher(m.Context(), m.site.partner, directory.Ref(ref))
	switch known := err == nil; {
	case !known:
		_, err = store.CreateTeacher(m.Context(), m.site.partner, directory.NewTeacher{
			Name: text(name), Email: text(name[8:] + "@escola.example"), Phone: text(""), ReferenceID: text(ref), EntityReferenceID: text(school),
		})
	case m.draw("delete", 4) == 0:
		m.erased = true
		err = store.DeleteTeacher(m.Context(), m.site.partner, directory.Ref(ref))
	default:
		_, err = store.UpdateTeacher(m.Context(), m.site.partner, directory.Ref(ref), directory.TeacherChange{
			Name: text(name), Email: text("a@escola.example"), Phone: text("1"), ReferenceID: text(ref), EntityReferenceID: text(school),
		})
	}
	if err != nil {
		m.Fatal(err)
	}
	m.record()
}

// pass lets hours go by. A pull that pages alone is given up after a day.
func (m *pulling) pass() {
	m.clock.now = m.clock.now.Add(time.Duration(1+m.draw("hours", 6)) * time.Hour)
	m.pulls = slices.DeleteFunc(m.pulls, func(p *onePull) bool { return !p.given && !m.clock.now.Before(p.began.Add(24*time.Hour)) })
	m.record()
}

// begin begins a pull. A client that pages alone takes the place of another one with the same query.
func (m *pulling) begin() {
	all := m.questions()
	p := &onePull{question: all[m.draw("question", len(all))], size: 1 + m.draw("size", 9), given: rapid.Bool().Draw(m.T, "given"), began: m.clock.now}
	if !p.given {
		m.pulls = slices.DeleteFunc(m.pulls, func(o *onePull) bool { return !o.given && o.question == p.question && o.size == p.size })
	} else if slices.ContainsFunc(m.pulls, func(o *onePull) bool { return !o.given && o.question == p.question && o.size == p.size }) {
		return // its first page, which has no snapshot yet, would begin the other's pull anew
	}
	m.pulls = append(m.pulls, p)
	m.turn(p)
	if now := m.order[len(m.order)-1]; p.at != now {
		m.Fatalf("page 1 of %v is not of the state of now", p)
	}
}

// next asks for the next page of any pull.
func (m *pulling) next() {
	if len(m.pulls) > 0 {
		m.turn(m.pulls[m.draw("pull", len(m.pulls))])
	}
}

// turn asks for the next page of a pull, and compares the rows with its state's when it was the last.
func (m *pulling) turn(p *onePull) {
	snapshot := ""
	if p.given {
		snapshot = p.at
	}
	p.page++
	w := m.ask(p.question, p.page, p.size, snapshot)
	at := w.Header().Get("X-Snapshot")
	if p.page == 1 {
		p.at = at
	}
	if at != p.at {
		m.Fatalf("page %d of %v is of another state", p.page, p)
	}
	rows, total := m.rows(w.Body.String())
	p.rows = append(p.rows, rows...)
	if len(p.rows) < total && len(rows) > 0 {
		return
	}
	m.pulls = slices.DeleteFunc(m.pulls, func(o *onePull) bool { return o == p })
	for i, row := range p.rows {
		p.rows[i] = m.kept(row)
	}
	want, _ := m.rows(m.states[p.at][p.question])
	if !slices.Equal(p.rows, want) {
		m.Fatalf("the pull %v\nhas rows\n%s\nits state\n%s", p, strings.Join(p.rows, "\n"), strings.Join(want, "\n"))
	}
}

var anyEmail = regexp.MustCompile(`"email":("[^"]*"|null)`)

// kept is an answer without what may have been erased since.
func (m *pulling) kept(body string) string {
	if m.erased {
		return anyEmail.ReplaceAllString(body, `"email":null`)
	}
	return body
}

// rows are those of an answer, and the number of all.
func (m *pulling) rows(body string) (rows []string, total int) {
	var a answer
	if err := json.Unmarshal([]byte(m.kept(body)), &a); err != nil {
		m.Fatal(err)
	}
	for _, r := range a.Data.Rows {
		rows = append(rows, string(r))
	}
	return rows, a.Meta.Page.TotalRows
}

// earlier asks a question of any state that was.
func (m *pulling) earlier() {
	at := m.order[m.draw("state", len(m.order))]
	all := m.questions()
	q := all[m.draw("question", len(all))]
	got, body := m.whole(q, at)
	if want := m.states[at][q]; got != at || m.kept(body) != m.kept(want) {
		m.Fatalf("%v of an earlier state\n%s\nwas\n%s", q, body, want)
	}
}
