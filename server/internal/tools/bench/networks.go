package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

const (
	processes  = 5          // whose first request is measured, for each question
	loads      = 2          // of each feed
	repeats    = 31         // of a page
	mostEvents = 50_000_000 // with more events or users, only the current binary is measured, and no load is repeated
	mostUsers  = 100_000
)

// networks is one network, in the binaries of earlier commits and last in that of this source tree. They are measured
// alternately, so that other work of the machine affects all alike.
type networks []*network

func (t networks) now() *network { return t[len(t)-1] }

// each calls f with every network. It begins with another one in each round.
func (t networks) each(round int, f func(i int, n *network)) {
	for k := range t {
		i := (k + round) % len(t)
		f(i, t[i])
	}
}

// measure writes the feed and measures it in each engine.
func (t networks) measure(ctx context.Context) {
	n := t.now()
	if n.piece == 0 {
		check(n.generate(ctx, nil))
	}
	large := n.piece > 0 || n.events > mostEvents || n.users > mostUsers
	if large {
		t = networks{n}
	}
	for _, engine := range engines() {
		n.begin(fmt.Sprintf("%s, %s, %d %s, %d days", n.name, engine, n.users, n.domain.users, n.days))
		t.loads(ctx, engine, large)
		if engine == sqlite && n.has("sql") && !large {
			n.duckdb(ctx)
		}
		t.sizes(ctx)
		for _, n := range t {
			n.key = n.newKey(ctx)
		}
		t.questions(ctx, engine == postgres && n.has("sql") && !large)
		together := engine == postgres && !large && n.domain == &schools // they need several servers, or another route to the database
		if together && n.has("frozen") {
			t.frozen(ctx)
		}
		if together && n.has("peak") {
			t.peak(ctx)
		}
	}
}

// loads measures loads of the feed, and of the same feed again.
func (t networks) loads(ctx context.Context, engine string, large bool) {
	n, rows, rounds, kinds := t.now(), 0, loads, []string{"load", "the same feed again"}
	if large {
		rounds, kinds = 1, kinds[:1]
	}
	n.heading("load", "time, s", "rows a second", n.unit+" a second", "processor, s", "memory, MiB")
	for _, what := range kinds {
		var took, cpu, memory samples
		for round := range rounds {
			t.each(round, func(i int, n *network) {
				if what == kinds[0] {
					n.newDatabase(ctx, engine)
				}
				var used usage
				rows, used = n.load(ctx)
				took.add(i, used.wall.Seconds())
				cpu.add(i, used.cpu.Seconds())
				memory.add(i, float64(used.memory))
			})
		}
		took, cpu, memory = took.by(slices.Min), cpu.by(slices.Min), memory.by(slices.Max)
		n.row(what, took.cell(seconds), number.of(float64(rows)/took.now()), number.of(float64(n.events)/took.now()), cpu.cell(seconds), memory.cell(mebibytes))
		n.reached(loadMemory, memory.now(), what)
		n.reached(loadRows, 1/took.ratio(), what)
	}
}

// sizes measures the sizes of the databases.
func (t networks) sizes(ctx context.Context) {
	var sizes samples
	for i, n := range t {
		sizes.add(i, float64(databaseSize(ctx, n.db)))
	}
	n := t.now()
	n.line(fmt.Sprintf("\nDatabase, MiB: %s. Bytes for each of the %d %s: %.1f.", sizes.cell(mebibytes), n.events, n.unit, sizes.now()/float64(n.events)))
	if n.domain == &schools {
		n.reached(segmentSize, sizes.ratio(), "size")
	}
}

// question is a request that is measured.
type question struct {
	name   string
	path   func(i int) string // the i-th page, or the period i days earlier; the first request is for 0
	size   int                // of a page; 0 if there are no pages
	shift  int                // days to a period that was not requested before; 0 if there is none
	budget string             // of the first request, instead of firstPage; earlier commits may lack the route
}

// list returns a question for the pages of a list. The path has parameters. A size of 0 is for a response without pages.
func list(name, path string, size int) question {
	return question{name: name, size: size, path: func(i int) string {
		if size == 0 {
			return path
		}
		return fmt.Sprintf("%s&pageSize=%d&page=%d", path, size, i+1)
	}}
}

// others returns pages from all over a list, or the shift to a period that was not requested before.
func (q question) others(rows int) (list []int) {
	if q.shift > 0 {
		return []int{q.shift}
	}
	for i := range repeats {
		if q.size > 0 {
			list = append(list, (i+1)*max(1, (rows+q.size-1)/q.size)/(repeats+1))
		}
	}
	return list
}

// questions measures the questions, and their SQL in PostgreSQL if beside is true.
func (t networks) questions(ctx context.Context, beside bool) {
	n, sql := t.now(), map[string]float64{}
	if beside {
		sql = n.inPostgres(ctx)
	}
	questions := n.domain.questions(ctx, n)
	n.heading("request, ms", "rows in all", "first", "another", "again", "304", "SQL in PostgreSQL, beside another")
	for _, q := range questions {
		if q.budget != "" {
			networks{n}.ask(ctx, q, 0)
		} else {
			t.ask(ctx, q, sql[q.name])
		}
	}
	n.cost(ctx, questions[0])
}

// ask measures the first request of several processes, then pages not requested before, and last the first page again.
func (t networks) ask(ctx context.Context, q question, sql float64) {
	var first, other, again, had samples
	rows, servers := 0, make([]*serving, len(t))
	defer func() {
		for _, s := range servers {
			s.stop()
		}
	}()
	for round := range processes {
		t.each(round, func(i int, n *network) {
			servers[i].stop()
			servers[i] = n.start(ctx)
			took, body, _ := servers[i].call(q.path(0), "")
			first.add(i, took)
			rows = must(total(body))
		})
		for k, at := range q.others(rows) {
			t.each(k, func(i int, _ *network) {
				took, _, _ := servers[i].call(q.path(at), "")
				other.add(i, took)
			})
		}
	}
	for k := range 2 * repeats {
		t.each(k, func(i int, _ *network) {
			took, _, tag := servers[i].call(q.path(0), "")
			again.add(i, took)
			took, _, _ = servers[i].call(q.path(0), tag)
			had.add(i, took)
		})
	}
	t.now().answered(q, rows, sql, first.by(slices.Min), other.by(median), again.by(median), had.by(median))
}

// answered writes the line of a question and records its measurements for the budgets.
func (n *network) answered(q question, rows int, sql float64, first, other, again, had samples) {
	n.row(q.name, count(rows), first.cell(milliseconds), other.cell(milliseconds), again.cell(milliseconds), had.cell(milliseconds), besideSQL(sql, other))
	n.reached(pageAgain, again.ratio(), q.name)
	n.reached(notModified, had.ratio(), q.name)
	if q.budget != "" {
		n.reached(q.budget, first.now(), q.name)
		return
	}
	n.reached(firstPage, first.ratio(), q.name)
	if another := anotherPage; len(other) > 0 {
		if strings.HasPrefix(q.path(0), "/summary") {
			another = otherSummary
		}
		n.reached(another, other.ratio(), q.name)
	}
}

// total reads how many rows a list has.
func total(body []byte) (int, error) {
	var answer struct {
		Meta struct{ Page struct{ TotalRows int } }
	}
	err := json.Unmarshal(body, &answer)
	return answer.Meta.Page.TotalRows, err
}

func count(rows int) string {
	if rows == 0 {
		return none
	}
	return fmt.Sprint(rows)
}
