package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// rounds is how often a server is started for each question, repeats how often a page is requested again.
const rounds, repeats = 3, 31

// mostBeside is the number of events up to which DuckDB and SQL are measured: of more they take hours.
const mostBeside = 50_000_000

// turns are networks in one binary, or in an earlier one and the present one, which are measured in turns, so that other work of the
// machine affects both alike. The last network is the present one.
type turns []*network

func (t turns) now() *network { return t[len(t)-1] }

// each calls f with every network, another one first each time.
func (t turns) each(round int, f func(i int, n *network) error) error {
	for k := range t {
		i := (k + round) % len(t)
		if err := f(i, t[i]); err != nil {
			return err
		}
	}
	return nil
}

// measure writes the feed and measures it in each engine, with DuckDB and SQL beside it if they are asked for.
func (t turns) measure(ctx context.Context, beside bool) error {
	n := t.now()
	if err := n.generate(ctx); err != nil {
		return err
	}
	return engines(func(engine string) error {
		n.begin(fmt.Sprintf("%s, %s, %d %s, %d days", n.name, engine, n.users, n.domain.users, n.days))
		events, err := t.loads(ctx, engine)
		if err != nil {
			return err
		}
		beside := beside && events <= mostBeside
		if beside {
			if err := n.duckdb(ctx); err != nil {
				return err
			}
		}
		if err := t.sizes(ctx, events); err != nil {
			return err
		}
		for _, n := range t {
			if err := n.issue(ctx); err != nil {
				return err
			}
		}
		sql := map[string]float64{}
		if beside && engine == "postgres" {
			if sql, err = n.inPostgres(ctx); err != nil {
				return err
			}
		}
		questions, err := n.questions(ctx, n)
		if err != nil {
			return err
		}
		n.heading("request", "rows in all", "first", "another", "again", "304", "SQL in PostgreSQL, beside another")
		for _, q := range questions {
			if len(t) == 1 || !q.recent {
				if err := t.ask(ctx, q, sql[q.name]); err != nil {
					return err
				}
			}
		}
		return n.cost(ctx, questions[0])
	})
}

// loads measures loads of the feed, and of the same feed again. It returns the number of events.
func (t turns) loads(ctx context.Context, engine string) (events int, err error) {
	n, rows := t.now(), 0
	n.heading("load", "time", "rows a second", n.unit+" a second", "processor", "memory")
	for next, what := range []string{"load", "the same feed again"} {
		var took, cpu, memory samples
		for round := range 2*len(t) - 1 {
			err := t.each(round, func(i int, n *network) error {
				if next == 0 {
					if err := n.newDatabase(ctx, engine); err != nil {
						return err
					}
				}
				out, used, err := n.command(ctx, "load", n.name, n.feed())
				if err == nil {
					rows, events, err = loaded(out, n.files)
				}
				took.add(i, used.wall.Seconds())
				cpu.add(i, used.cpu.Seconds())
				memory.add(i, float64(used.memory))
				return err
			})
			if err != nil {
				return 0, err
			}
		}
		n.row(what, took.cell(seconds), whole(float64(rows)/took.now()), whole(float64(events)/took.now()), cpu.cell(seconds), memory.cell(mib))
		n.reached(loadMemory, memory.now(), what)
		if len(t) == 2 {
			n.reached(loadRows, 1/took.ratio(), what)
		}
	}
	return events, nil
}

// sizes measures the databases.
func (t turns) sizes(ctx context.Context, events int) error {
	var sizes samples
	for i, n := range t {
		size, err := databaseSize(ctx, n.db)
		if err != nil {
			return err
		}
		sizes.add(i, float64(size))
	}
	n := t.now()
	n.line(fmt.Sprintf("\nThe database takes %s: %.1f bytes for each of the %d %s.", sizes.cell(mib), sizes.now()/float64(events), events, n.unit))
	if len(t) == 2 && n.domain == &schools {
		n.reached(segmentSize, sizes.ratio(), "size")
	}
	return nil
}

// question is a request that is measured.
type question struct {
	name   string
	path   func(i int) string // the i-th page, or the period i days earlier; the first request is for 0
	size   int                // of a page; 0 if there are no pages
	shift  int                // days to a period that was not requested before; 0 if there is none
	recent bool               // an earlier commit may lack it
}

// list returns a question for the pages of a list, whose path has parameters. A size of 0 is that of an answer without pages.
func list(name, path string, size int) question {
	return question{name: name, size: size, path: func(i int) string {
		if size == 0 {
			return path
		}
		return fmt.Sprintf("%s&pageSize=%d&page=%d", path, size, i+1)
	}}
}

// others returns the pages all over a list, or the period that was not requested before.
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

// ask measures a question: as the first request of a process and then what was not requested before, in some rounds, and last the
// first page again.
func (t turns) ask(ctx context.Context, q question, sql float64) error {
	var first, other, again, had samples
	rows, servers := 0, make([]*serving, len(t))
	defer func() {
		for _, s := range servers {
			s.stop()
		}
	}()
	for round := range rounds {
		err := t.each(round, func(i int, n *network) (err error) {
			servers[i].stop()
			if servers[i], err = n.start(ctx); err != nil {
				return err
			}
			took, body, _, err := servers[i].call(q.path(0), "")
			first.add(i, took)
			if err == nil {
				rows, err = total(body)
			}
			return err
		})
		if err != nil {
			return err
		}
		for k, at := range q.others(rows) {
			err := t.each(k, func(i int, _ *network) error {
				took, _, _, err := servers[i].call(q.path(at), "")
				other.add(i, took)
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	for k := range 2 * repeats {
		err := t.each(k, func(i int, _ *network) error {
			took, _, tag, err := servers[i].call(q.path(0), "")
			again.add(i, took)
			if err == nil {
				took, _, _, err = servers[i].call(q.path(0), tag)
				had.add(i, took)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	n, another := t.now(), 0.0
	if len(other[0]) > 0 {
		another = other.now()
	}
	n.row(q.name, count(rows), first.cell(ms), other.cell(ms), again.cell(ms), had.cell(ms), besideSQL(sql, another))
	if len(t) == 2 {
		n.compared(q, first, other, again, had)
	}
	return nil
}

// compared notes the ratios of two binaries.
func (n *network) compared(q question, first, other, again, had samples) {
	n.reached(firstPage, first.ratio(), q.name)
	n.reached(pageAgain, again.ratio(), q.name)
	n.reached(notModified, had.ratio(), q.name)
	if len(other[0]) > 0 {
		n.reached(map[bool]string{true: otherSummary, false: anotherPage}[strings.HasPrefix(q.path(0), "/summary")], other.ratio(), q.name)
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
