package server_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// Rounds in the model of pulls (H14): clients keep copies of lists, each from a pull of all, and bring them to date by what has changed
// since. A copy is, row for row, the list of the state that it was brought to; one whose state is not kept any more begins anew.

// openEnd is the end of a period that ends in the future, so that it grows at midnight.
const openEnd = "endDate=2026-12-31"

// kept is a copy of a list.
type kept struct {
	question
	at   string            // the state that it is of
	rows map[string]string // by natural key
	busy bool              // a round of it is under way
}

// since is the state that a round begins from.
func (p *onePull) since() string {
	if p.to == nil {
		return ""
	}
	return p.to.at
}

// keys are the members of the natural key of each list that has rounds.
var roundKeys = map[string][]string{
	"/users": {"userId"}, "/readings": {"userId", "book"}, "/engagements": {"date", "userId"},
	"/datasets/loans": {"loanId"}, "/datasets/reservations": {"reservationId"},
}

// hasRounds reports whether a question may be asked again with changedSince: a period must be given.
func (q question) hasRounds() bool {
	route, params, _ := strings.Cut(q.list, "?")
	return roundKeys[route] != nil && (route == "/users" || strings.Contains(params, "startDate") && strings.Contains(params, "endDate"))
}

// natural is the key of a row, and whether the row was removed; such a row has its key and no more.
func (m *pulling) natural(q question, row string) (key string, removed bool) {
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(row), &members); err != nil {
		m.Fatal(err)
	}
	route, _, _ := strings.Cut(q.list, "?")
	for _, name := range roundKeys[route] {
		value := members[name]
		if name == "book" {
			var book struct{ ID json.RawMessage }
			if err := json.Unmarshal(value, &book); err != nil {
				m.Fatal(err)
			}
			value = book.ID
		}
		if len(value) == 0 {
			m.Fatalf("a row of %s has no %s: %s", q.list, name, row)
		}
		key += " " + string(value)
	}
	if removed = members["removed"] != nil; removed && len(members) != len(roundKeys[route])+1 {
		m.Fatalf("a row that was removed has more than its key: %s", row)
	}
	return key, removed
}

// rounds are the actions of those who keep copies.
func (m *pulling) rounds() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"copy":        func(*rapid.T) { m.copyAll() },
		"round":       func(*rapid.T) { m.round() },
		"round later": func(*rapid.T) { m.round() },
		"no change":   func(*rapid.T) { m.noChange() },
	}
}

// mostCopies is how many copies are kept.
const mostCopies = 16

// keep makes a copy of what was pulled.
func (m *pulling) keep(p *onePull) {
	if !p.hasRounds() || len(m.copies) == mostCopies {
		return
	}
	c := &kept{question: p.question, at: p.at, rows: map[string]string{}}
	for _, row := range p.rows {
		key, _ := m.natural(c.question, row)
		c.rows[key] = row
	}
	m.copies = append(m.copies, c)
}

// copyAll pulls a list that has rounds, on one page.
func (m *pulling) copyAll() {
	all := slices.DeleteFunc(m.questions(), func(q question) bool { return !q.hasRounds() })
	p := &onePull{question: all[m.draw("question", len(all))], given: true, began: m.clock.now}
	p.size = p.most
	m.start(p)
}

// round begins a round of a copy.
func (m *pulling) round() {
	if len(m.copies) == 0 {
		return
	}
	c := m.copies[m.draw("copy", len(m.copies))]
	if c.busy {
		return
	}
	p := m.pull(c.question)
	p.to = c
	same := func(o *onePull) bool {
		return !o.given && o.question == p.question && o.size == p.size && o.since() == p.since()
	}
	if slices.ContainsFunc(m.pulls, same) {
		return
	}
	c.busy = true
	m.pulls = append(m.pulls, p)
	m.goOn(p)
}

// noChange asks for what has changed since the state of now: nothing.
func (m *pulling) noChange() {
	all := slices.DeleteFunc(m.questions(), func(q question) bool { return !q.hasRounds() })
	q := all[m.draw("question", len(all))]
	now := m.ask(q, 1, q.most, "").Header().Get("X-Snapshot")
	w := m.askSince(q, 1, 1, "", now)
	if rows, total := m.rows(w); len(rows)+total > 0 {
		m.Fatalf("%d rows have changed since now: %s", total, w.Body)
	}
}

// lost ends a round whose states are not kept any more: the copy is of no use.
func (m *pulling) lost(p *onePull) {
	if p.to == nil {
		return
	}
	if p.to.busy = false; !m.kept(p.to.at) {
		m.copies = slices.DeleteFunc(m.copies, func(c *kept) bool { return c == p.to })
	}
}

// applied brings a copy to date by a round that has ended, and compares it with the list of its state.
func (m *pulling) applied(p *onePull) {
	c := p.to
	list, _ := m.rowsOf(m.states[moment(p.at)][p.question])
	want, order := map[string]string{}, list
	for i, row := range list {
		key, _ := m.natural(c.question, row)
		order[i] = key
		want[key] = m.without(p.at, row)
	}
	for _, row := range p.rows {
		key, removed := m.natural(c.question, row)
		if removed {
			if c.rows[key] == "" {
				m.Fatalf("a round of %s removes what the copy has not: %s", p.list, row)
			}
			delete(c.rows, key)
			continue
		}
		i := slices.Index(order, key)
		if i < 0 {
			m.Fatalf("a round of %s has a row that the list has not, or not behind those before: %s", p.list, row)
		}
		order = order[i+1:]
		c.rows[key] = row
	}
	for key, row := range c.rows {
		c.rows[key] = m.without(p.at, row)
	}
	if !maps.Equal(c.rows, want) {
		m.Fatalf("the copy of %s brought from %s to %s by\n%s\nhas rows\n%v\nthe list has\n%v",
			p.list, c.at, p.at, strings.Join(p.rows, "\n"), slices.Sorted(maps.Values(c.rows)), slices.Sorted(maps.Values(want)))
	}
	c.at, c.busy = p.at, false
}

// lastRounds brings all copies to date.
func (m *pulling) lastRounds() {
	for _, c := range slices.Clone(m.copies) {
		p := &onePull{question: c.question, size: c.most, given: true, began: m.clock.now, to: c}
		m.pulls = append(m.pulls, p)
		m.goOn(p)
	}
}
