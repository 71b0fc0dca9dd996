package main

import (
	"fmt"
	"time"
)

// budget is a bound that the product keeps in every line of the tables that it is about.
type budget struct {
	name  string
	bound float64
	least bool // it is the least, not the most
	show  func(float64) string

	lines int     // in which it was measured
	kept  int     // of them
	worst float64 // of them
	where string  // that one
}

// The budgets, by what they are called. Those beside a former commit are by how many times as long the present one takes.
const (
	pageAgain    = "page asked again, beside the former commit"
	notModified  = "304, beside the former commit"
	anotherPage  = "another page, beside the former commit"
	otherSummary = "summary of other 30 days, beside the former commit"
	firstPage    = "first page of a new process, beside the former commit"
	loadRows     = "rows that a load reads in a second, beside the former commit"
	loadMemory   = "memory of a load"
	segmentSize  = "bytes for each segment, beside the former commit"
	warmDatabase = "processor time of the database for a warm request"
	writeRate    = "directory writes a second at 8 connections"
	writeLatency = "99 of 100 directory writes at 8 connections"
)

// newBudgets are all budgets, in the order in which they are told.
func newBudgets() []budget {
	most := func(name string, bound float64) budget { return budget{name: name, bound: bound, show: times} }
	least := func(name string, bound float64, show func(float64) string) budget {
		return budget{name: name, bound: bound, show: show, least: true}
	}
	within := func(name string, bound time.Duration) budget {
		return budget{name: name, bound: float64(bound), show: inMS}
	}
	return []budget{
		most(pageAgain, 1.3), most(notModified, 1.3), most(anotherPage, 1.3), most(otherSummary, 1.5), most(firstPage, 1.5),
		least(loadRows, 0.8, times), {name: loadMemory, bound: 256, show: func(n float64) string { return whole(n) + " MiB" }},
		most(segmentSize, 1.1), within(warmDatabase, 300*time.Microsecond), least(writeRate, 300, whole), within(writeLatency, 100*time.Millisecond),
	}
}

func inMS(n float64) string  { return ms(time.Duration(n)) }
func times(n float64) string { return fmt.Sprintf("%.2f times", n) }
func whole(n float64) string { return fmt.Sprintf("%.0f", n) }

// reached notes what a line of the present chapter says of a budget.
func (d *document) reached(name string, value float64, line string) {
	for i := range d.budgets {
		b := &d.budgets[i]
		if b.name != name {
			continue
		}
		if b.keeps(value) {
			b.kept++
		}
		if b.lines++; b.lines == 1 || (value < b.worst) == b.least {
			b.worst, b.where = value, d.chapter+": "+line
		}
	}
}

func (b *budget) keeps(value float64) bool {
	if b.least {
		return value >= b.bound
	}
	return value <= b.bound
}

// verdicts writes what became of the budgets that this run measured.
func (d *document) verdicts() {
	d.line("\n## Budgets\n\nWhat the lines of the tables above say; the worst one is named. A first page is the median of three: lines differ from run to run.")
	d.heading("budget", "bound", "worst", "lines that keep it")
	for _, b := range d.budgets {
		bound := "at most " + b.show(b.bound)
		if b.least {
			bound = "at least " + b.show(b.bound)
		}
		if b.lines > 0 {
			d.row(b.name, bound, b.show(b.worst)+" ("+b.where+")", fmt.Sprintf("%d of %d", b.kept, b.lines))
		}
	}
}
