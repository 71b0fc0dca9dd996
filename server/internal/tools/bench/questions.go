package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/lectern-dev/lectern/reading/calendar"
)

// section is a table of questions, with the same figures of each.
type section struct {
	title     string
	columns   []column
	questions []question
	others    func(*asked) []int // the paths that were not asked for before
}

// question is what is asked, each of a server that was asked nothing before.
type question struct {
	name string
	// path is the i-th of several: of a list its pages, of a summary days that lie so much further back. The first is asked first.
	path func(i int) string
	size int    // of a page; 0 where there are no pages
	sql  string // what is asked of the baseline; "" for nothing
	// agrees, if not nil, holds that the product answers what the one row of the SQL says, as JSON.
	agrees func(ctx context.Context, row []byte) error
}

// column is a figure of each question.
type column struct {
	name string
	cell func(*asked) (string, error)
}

// asked is a question whose first answer is there.
type asked struct {
	question
	*network
	ctx     context.Context
	server  *serving
	restart time.Duration // of that answer
	body    []byte
	rows    int                      // in all
	took    map[string]time.Duration // by column
}

// section asks all questions.
func (n *network) section(ctx context.Context, s section) error {
	heading := []string{s.title}
	for _, c := range s.columns {
		heading = append(heading, c.name)
	}
	n.heading(heading...)
	for _, q := range s.questions {
		cells, err := n.ask(ctx, q, s.columns)
		if err != nil {
			return err
		}
		n.row(cells...)
	}
	return nil
}

// ask asks one question, first as the first request of a new process.
func (n *network) ask(ctx context.Context, q question, columns []column) (cells []string, err error) {
	a := asked{question: q, network: n, ctx: ctx, took: map[string]time.Duration{}}
	if a.server, err = n.start(ctx); err != nil {
		return nil, err
	}
	defer a.server.stop()
	if a.restart, a.body, err = a.server.body(q.path(0)); err != nil {
		return nil, err
	}
	if err := a.count(); err != nil {
		return nil, err
	}
	cells = []string{q.name}
	for _, c := range columns {
		cell, err := c.cell(&a)
		if err != nil {
			return nil, err
		}
		cells = append(cells, cell)
	}
	return cells, nil
}

// count reads how many rows there are in all.
func (a *asked) count() error {
	var answer struct {
		Meta struct{ Page struct{ TotalRows int } }
	}
	err := json.Unmarshal(a.body, &answer)
	a.rows = answer.Meta.Page.TotalRows
	return err
}

// none stands where there is no figure.
const none = "–"

var rowsInAll = column{"rows in all", func(a *asked) (string, error) {
	if a.rows == 0 {
		return none, nil
	}
	return fmt.Sprint(a.rows), nil
}}

var afterRestart = column{"after a restart", func(a *asked) (string, error) { return ms(a.restart), nil }}

// timed is the median of some of the question's paths, of none nothing.
func timed(name string, which func(*asked) []int) column {
	return column{name, func(a *asked) (string, error) {
		var paths []string
		for _, i := range which(a) {
			paths = append(paths, a.path(i))
		}
		if len(paths) == 0 {
			return none, nil
		}
		took, err := a.server.median(paths)
		a.took[name] = took
		return ms(took), err
	}}
}

// again is the first path, again and again.
func again(*asked) []int { return make([]int, repeats) }

// unchanged is the first path, of which the client has the answer.
var unchanged = column{"304", func(a *asked) (string, error) {
	var times []time.Duration
	for range repeats {
		took, err := a.server.had(a.path(0))
		if err != nil {
			return "", err
		}
		times = append(times, took)
	}
	return ms(median(times)), nil
}}

// inSQL is the question's SQL, and how many times as long it took as another column.
func inSQL(name, beside string) column {
	return column{name, func(a *asked) (string, error) {
		sql, measured := a.network.sql[a.question.name]
		if !measured {
			return none, nil
		}
		against, ok := a.took[beside]
		if !ok {
			against = a.restart
		}
		return fmt.Sprintf("%s: %.1f times %s", ms(sql), float64(sql)/math.Max(float64(against), 1), beside), nil
	}}
}

// ofPages are the figures of a list: of other pages, which cost as much wherever they are, and of its first one again.
func ofPages(sql string) []column {
	return []column{
		rowsInAll, afterRestart,
		timed("another page", otherPages),
		timed("again", again), unchanged, inSQL(sql, "another page"),
	}
}

// paged is some of the pages of a list, none where it has no pages.
func paged(which func(a *asked) []int) func(*asked) []int {
	return func(a *asked) []int {
		if a.size == 0 {
			return nil
		}
		return which(a)
	}
}

// otherPages are pages all over a list.
var otherPages = paged(func(a *asked) (pages []int) {
	for i := range repeats {
		pages = append(pages, (i+1)*a.pages()/(repeats+1))
	}
	return pages
})

// pages is how many pages a list has.
func (a *asked) pages() int { return max(1, (a.rows+a.size-1)/a.size) }

// list is a question for the rows of a path, which has parameters; a size of 0 is that of a list without pages.
func list(name, path string, size int) question {
	return question{name: name, size: size, path: func(i int) string {
		if size == 0 {
			return path
		}
		return fmt.Sprintf("%s&pageSize=%d&page=%d", path, size, i+1)
	}}
}

// between returns the parameters of a period.
func between(start, end calendar.Date) string {
	return fmt.Sprintf("?startDate=%v&endDate=%v", start, end)
}
