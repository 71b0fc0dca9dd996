package server_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/internal/check"
)

// A model of pulls (H12): clients pull every list of a tenant while its data change. They begin at random times, pause, mix
// their pulls, and ask now this server, now that one, which are started anew in between; hours go by, and what is no longer
// kept is removed. Each pull is, row for row, the list of one state; every state that is kept answers with the same bytes as
// when it was the present one, but for people who were forgotten since, and an older one with 410.
//
// This file has what both APIs share. How data change is the part of each: see changing.

// changing is the data of a tenant, in which an API's clients pull.
type changing interface {
	// questions are all that clients ask.
	questions() []question
	// actions change the data. Each ends with pulling.record.
	actions() map[string]func(*rapid.T)
	// passed says that the clock was moved.
	passed()
	// forget erases what names a person, and notes that with forgot.
	forget()
	// check checks an answer of the present state, on one page, where there is something to hold it against.
	check(q question, body string)
}

// question is a list of a network, without its page. most is its largest page.
type question struct {
	network, list string
	most          int
}

// pulling is one run of the model.
type pulling struct {
	*rapid.T
	changing
	dbs   []*database.DB // of each server
	clock *clock
	// prefix is the API's, keys are by network.
	prefix string
	keys   map[string]string
	// noEmail is an e-mail that was erased.
	noEmail string
	// few is the number of rows on the largest of the pages that are pulled.
	few int

	servers []http.Handler
	states  map[string]map[question]string // the whole answers of each state, by the moment of its snapshots
	order   []string                       // a snapshot of each
	erased  map[string]map[string]bool     // whose e-mail is not in a state any more, by moment and user
	forgot  map[string]bool                // users who are named in no state any more, nor ever again
	pulls   []*onePull
	copies  []*kept
	tags    *tags // of all runs
	line
}

// onePull is a client on its way.
type onePull struct {
	question
	size, page int
	at         string // the state of its first page
	given      bool   // it sends snapshot
	lines      bool   // it asks for NDJSON
	to         *kept  // the copy that a round brings to date, nil of a pull of all
	began      time.Time
	rows       []string
}

// testPulls runs the model. begin makes a tenant's data, the one with a number.
func testPulls(t *testing.T, checks int, begin func(rt *rapid.T, t *testing.T, dbs []*database.DB, n int) *pulling) {
	fewer(t, checks)
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		if _, err := server.Migrate(t.Context(), db); err != nil {
			t.Fatal(err)
		}
		dbs, all := replicas(t, db), newTags()
		n := 0
		rapid.Check(t, func(rt *rapid.T) {
			n++
			m := begin(rt, t, dbs, n)
			m.tags = all
			for i := range m.servers {
				m.serve(i)
			}
			m.record()
			actions := m.actions()
			maps.Copy(actions, map[string]func(*rapid.T){
				"begin":     func(*rapid.T) { m.begin() },
				"next":      func(*rapid.T) { m.next() },
				"next page": func(*rapid.T) { m.next() },
				"pass":      func(*rapid.T) { m.pass() },
				"restart":   func(*rapid.T) { m.serve(m.server()) },
				"remove":    func(*rapid.T) { m.remove() },
				"earlier":   func(*rapid.T) { m.earlier() },
				"forget":    func(*rapid.T) { m.forget() },
			})
			maps.Copy(actions, m.rounds())
			rt.Repeat(actions)
			for len(m.pulls) > 0 {
				m.next()
			}
			m.lastRounds()
			m.verify()
		})
	})
}

// verify checks all that is stored: nothing is wrong, whatever came before.
func (m *pulling) verify() {
	c := &check.Checker{DB: m.dbs[0], Clock: m.clock.time, Tell: func(i check.Item) error {
		if !i.OK {
			m.Errorf("check --deep: %s: %s", i.What, i.Detail)
		}
		return nil
	}}
	if err := c.Deep(m.Context()); err != nil {
		m.Fatal(err)
	}
}

// replicas are the databases of two servers, each with connections of its own, on PostgreSQL, and of one on SQLite.
func replicas(t *testing.T, db *database.DB) []*database.DB {
	t.Helper()
	if db.Engine != database.Postgres {
		return []*database.DB{db}
	}
	other, err := database.Open(t.Context(), db.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { other.Close() })
	return []*database.DB{db, other}
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

// newPulling begins at a time, or some hours later, not long before midnight.
func newPulling(rt *rapid.T, dbs []*database.DB, at time.Time, later int) *pulling {
	at = at.Add(time.Duration(rapid.SampledFrom([]int{0, later}).Draw(rt, "later")) * time.Hour)
	return &pulling{
		T: rt, dbs: dbs, clock: &clock{at}, keys: map[string]string{}, servers: make([]http.Handler, len(dbs)),
		states: map[string]map[question]string{}, erased: map[string]map[string]bool{}, forgot: map[string]bool{},
		line: line{pins: map[string]pin{}},
	}
}

func (m *pulling) draw(what string, n int) int { return rapid.IntRange(0, n-1).Draw(m.T, what) }

func (m *pulling) rand() *rand.Rand {
	return rand.New(rand.NewPCG(rapid.Uint64().Draw(m.T, "seed"), 1))
}

func (m *pulling) server() int { return m.draw("server", len(m.servers)) }

// serve starts a server anew: it knows nothing but the database.
func (m *pulling) serve(i int) {
	s, err := server.New(m.Context(), server.Config{DB: m.dbs[i], SchoolsRate: -1, LibrariesRate: -1, Now: m.clock.time})
	if err != nil {
		m.Fatal(err)
	}
	m.servers[i] = s.Handler()
}

// lines is the form of an answer that is one row a line.
const lines = "application/x-ndjson; charset=utf-8"

// ask asks any server.
func (m *pulling) ask(q question, page, size int, snapshot string, headers ...string) *httptest.ResponseRecorder {
	return m.askSince(q, page, size, snapshot, "", headers...)
}

// askSince asks any server, for what has changed since a state where one is named.
func (m *pulling) askSince(q question, page, size int, snapshot, since string, headers ...string) *httptest.ResponseRecorder {
	target := fmt.Sprintf("%s%s&page=%d&pageSize=%d", m.prefix, q.list, page, size)
	if snapshot != "" {
		target += "&snapshot=" + snapshot
	}
	if since != "" {
		target += "&changedSince=" + since
	}
	r := httptest.NewRequest("GET", target, nil)
	r.Header.Set("X-Api-Key", m.keys[q.network])
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	send := func(h http.Handler, header, value string) *httptest.ResponseRecorder {
		again := r.Clone(r.Context())
		again.Header.Set(header, value)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, again)
		return w
	}
	w := send(m.servers[m.server()], "X-Api-Key", m.keys[q.network])
	gone := snapshot != "" && !m.kept(snapshot) || since != "" && !m.kept(since)
	if want := map[bool]int{false: 200, true: 410}[gone]; w.Code != want && (snapshot != "" || gone) || w.Code != 200 && w.Code != 410 {
		m.Fatalf("GET %s = %d %s, want %d\n%v", target, w.Code, w.Body, want, &m.line)
	}
	for _, at := range []string{since, snapshot} {
		if at != "" && w.Code == 200 {
			m.used(q.network, at, m.clock.now)
		}
	}
	if w.Code == 200 {
		m.tagged(r, w, send)
	}
	return w
}

// record asks all questions of the state of now, if that is a new one.
func (m *pulling) record() {
	all := m.questions()
	at := m.ask(all[0], 1, all[0].most, "").Header().Get("X-Snapshot")
	if m.states[moment(at)] != nil {
		return
	}
	m.became(at, m.clock.now)
	answers := map[question]string{}
	for _, q := range all {
		w := m.ask(q, 1, q.most, "")
		if now := w.Header().Get("X-Snapshot"); moment(now) != moment(at) {
			m.Fatalf("%v is of another state, and nothing was written", q)
		}
		answers[q] = w.Body.String()
		m.check(q, answers[q])
		if rows, total := m.rows(w); len(rows) != total {
			m.Fatalf("%v has %d rows, %d of them on its largest page", q, total, len(rows))
		}
	}
	m.states[moment(at)], m.order, m.erased[moment(at)] = answers, append(m.order, at), map[string]bool{}
}

// erase notes that the e-mail of users was erased: in every state.
func (m *pulling) erase(users ...int) {
	for _, at := range m.erased {
		for _, id := range users {
			at[strconv.Itoa(id)] = true
		}
	}
}

var userRow = regexp.MustCompile(`"userId":(\d+),"name":("(?:[^"\\]|\\.)*"|null),"email":("[^"]*"|null)`)

// without is a text of a state without what was erased since.
func (m *pulling) without(at, text string) string {
	return userRow.ReplaceAllStringFunc(text, func(row string) string {
		found := userRow.FindStringSubmatch(row)
		switch {
		case m.forgot[found[1]]:
			return `"userId":` + found[1] + `,"name":` + m.noEmail + `,"email":` + m.noEmail
		case m.erased[moment(at)][found[1]]:
			return strings.TrimSuffix(row, found[3]) + m.noEmail
		}
		return row
	})
}

// pass lets time go by, in steps of five minutes, so that the minute to which a pull is known makes no difference. A pull
// that pages alone is given up after a day.
func (m *pulling) pass() {
	steps := rapid.SampledFrom([]int{1, 2, 6, 12, 24, 72}).Draw(m.T, "steps")
	m.clock.now = m.clock.now.Add(time.Duration(steps) * 5 * time.Minute)
	m.pulls = slices.DeleteFunc(m.pulls, func(p *onePull) bool { return !p.given && !m.clock.now.Before(p.began.Add(24*time.Hour)) })
	m.passed()
	m.record()
}

// remove takes a turn of removal.
func (m *pulling) remove() {
	if err := server.Remover(m.dbs[m.server()], m.clock.time).Remove(m.Context()); err != nil {
		m.Fatal(err)
	}
	m.turn(m.clock.now)
}

// pull is a pull of a question, of pages of any size.
func (m *pulling) pull(q question) *onePull {
	p := &onePull{question: q, size: 1 + m.draw("size", m.few), began: m.clock.now}
	p.lines, p.given = rapid.Bool().Draw(m.T, "lines"), rapid.Bool().Draw(m.T, "given")
	return p
}

// begin begins a pull. A client that pages alone takes the place of another one with the same query.
func (m *pulling) begin() {
	all := m.questions()
	p := m.pull(all[m.draw("question", len(all))])
	same := func(o *onePull) bool {
		return !o.given && o.question == p.question && o.size == p.size && o.since() == p.since()
	}
	if !p.given {
		m.pulls = slices.DeleteFunc(m.pulls, same)
	} else if slices.ContainsFunc(m.pulls, same) {
		return // its first page, which has no snapshot yet, would begin the other's pull anew
	}
	m.start(p)
}

// start asks for page 1.
func (m *pulling) start(p *onePull) {
	m.pulls = append(m.pulls, p)
	m.goOn(p)
	if now := m.order[len(m.order)-1]; moment(p.at) != moment(now) {
		m.Fatalf("page 1 of %v is not of the state of now", p)
	}
}

// next asks for the next page of any pull.
func (m *pulling) next() {
	if len(m.pulls) > 0 {
		m.goOn(m.pulls[m.draw("pull", len(m.pulls))])
	}
}

// during lets clients go on in the middle of a load, which has written a part of what it changes.
func (m *pulling) during(stage string, done, _ int64) {
	if stage != "fold" || done%100 != 50 {
		return
	}
	switch m.draw("during", 4) {
	case 1:
		m.next()
	case 2:
		m.earlier()
	case 3:
		m.forget()
	}
}

// goOn asks for the next page of a pull, and compares the rows with its state's when it was the last.
func (m *pulling) goOn(p *onePull) {
	var snapshot string
	var headers []string
	if p.given {
		snapshot = p.at
	}
	if p.lines {
		headers = []string{"Accept", "application/x-ndjson"}
	}
	p.page++
	w := m.askSince(p.question, p.page, p.size, snapshot, p.since(), headers...)
	if w.Code == 410 {
		if (p.at == "" || m.kept(p.at)) && (p.to == nil || m.kept(p.since())) {
			m.Fatalf("page %d of %v = 410 %s\n%v", p.page, p, w.Body, &m.line)
		}
		m.end(p)
		m.lost(p)
		return
	}
	at := w.Header().Get("X-Snapshot")
	if p.page == 1 {
		p.at = at
	}
	if at != p.at {
		m.Fatalf("page %d of %v is of another state", p.page, p)
	}
	rows, total := m.rows(w)
	if p.page > 1 && !p.given || p.page == 1 && total > p.size {
		m.paged(p, m.daily(p.question), m.clock.now)
	}
	p.rows = append(p.rows, rows...)
	if len(p.rows) < total && len(rows) > 0 {
		return
	}
	m.end(p)
	if p.to != nil {
		m.applied(p)
		return
	}
	m.whole(p)
	m.keep(p)
}

// daily reports whether a question is another one on another day: where its period ends on the day, by default or, in the schools,
// because no later one has come.
func (m *pulling) daily(q question) bool {
	route, params, _ := strings.Cut(q.list, "?")
	if route == "/users" || route == "/datasets/stock" {
		return false
	}
	given := strings.Contains(params, "startDate") && strings.Contains(params, "endDate")
	return !given || m.prefix == prefix && strings.Contains(params, openEnd)
}

// end takes a pull from those under way.
func (m *pulling) end(p *onePull) {
	m.pulls = slices.DeleteFunc(m.pulls, func(o *onePull) bool { return o == p })
}

// whole checks that a pull has the rows of its state.
func (m *pulling) whole(p *onePull) {
	want, _ := m.rowsOf(m.states[moment(p.at)][p.question])
	for _, rows := range [][]string{p.rows, want} {
		for i := range rows {
			rows[i] = m.without(p.at, rows[i])
		}
	}
	if !slices.Equal(p.rows, want) {
		m.Fatalf("the pull %v\nhas rows\n%s\nits state\n%s", p, strings.Join(p.rows, "\n"), strings.Join(want, "\n"))
	}
}

// rows are those of an answer, which is JSON or lines, and the number of all.
func (m *pulling) rows(w *httptest.ResponseRecorder) (rows []string, total int) {
	if w.Header().Get("Content-Type") != lines {
		return m.rowsOf(w.Body.String())
	}
	total, err := strconv.Atoi(w.Header().Get("X-Total-Rows"))
	if err != nil {
		m.Fatal(err)
	}
	for row := range strings.Lines(w.Body.String()) {
		rows = append(rows, strings.TrimSuffix(row, "\n"))
	}
	return rows, total
}

// rowsOf are the rows of an answer of JSON.
func (m *pulling) rowsOf(body string) (rows []string, total int) {
	var a struct {
		Meta struct {
			Page struct{ TotalRows int }
		}
		Data struct{ Rows, Breakdown, Removed []json.RawMessage }
	}
	if err := json.Unmarshal([]byte(body), &a); err != nil {
		m.Fatal(err)
	}
	for _, r := range append(a.Data.Rows, a.Data.Breakdown...) {
		rows = append(rows, string(r))
	}
	for _, key := range a.Data.Removed { // as the other forms have it
		rows = append(rows, strings.TrimSuffix(string(key), "}")+`,"removed":true}`)
	}
	return rows, a.Meta.Page.TotalRows
}

// earlier asks a question of any state that was.
func (m *pulling) earlier() {
	at := m.order[m.draw("state", len(m.order))]
	all := m.questions()
	q := all[m.draw("question", len(all))]
	w := m.ask(q, 1, q.most, at)
	if w.Code == 410 {
		return
	}
	if want := m.without(at, m.states[moment(at)][q]); moment(w.Header().Get("X-Snapshot")) != moment(at) || w.Body.String() != want {
		m.Fatalf("%v of an earlier state\n%s\nwas\n%s", q, w.Body, want)
	}
}
