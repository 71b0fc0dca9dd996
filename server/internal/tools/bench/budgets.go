package main

import (
	"fmt"
	"time"
)

// budget is a bound for one kind of measurement. Every line of the tables is held against it.
type budget struct {
	name  string
	bound float64
	least bool // it is the least, not the most
	show  func(float64) string

	lines int     // that were measured
	kept  int     // lines within the bound
	worst float64 // measurement
	where string  // the line of the worst
}

// The names of the budgets. Those beside an earlier commit are ratios of the times.
const (
	pageAgain    = "page asked again, beside the earlier commit"
	notModified  = "304, beside the earlier commit"
	anotherPage  = "another page, beside the earlier commit"
	otherSummary = "summary of other 30 days, beside the earlier commit"
	firstPage    = "first page of a new process, beside the earlier commit"
	loadRows     = "rows that a load reads in a second, beside the earlier commit"
	loadMemory   = "memory of a load"
	segmentSize  = "bytes for each segment, beside the earlier commit"
	warmDatabase = "processor time of the database for a warm request"
	writeRate    = "directory writes a second at 8 connections"
	writeLatency = "99 of 100 directory writes at 8 connections"
)

// newBudgets returns all budgets in the order of the page.
func newBudgets() []budget {
	most := func(name string, bound float64) budget { return budget{name: name, bound: bound, show: times} }
	least := func(name string, bound float64, show func(float64) string) budget {
		return budget{name: name, bound: bound, show: show, least: true}
	}
	within := func(name string, bound time.Duration) budget {
		return budget{name: name, bound: float64(bound), show: ms}
	}
	return []budget{
		most(pageAgain, 1.3), most(notModified, 1.3), most(anotherPage, 1.3), most(otherSummary, 1.5), most(firstPage, 1.5),
		least(loadRows, 0.8, times), {name: loadMemory, bound: 256 << 20, show: mib},
		most(segmentSize, 1.1), within(warmDatabase, 300*time.Microsecond), least(writeRate, 300, whole), within(writeLatency, 100*time.Millisecond),
	}
}

// reached notes the measurement of a line of the current chapter.
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

// verdicts writes which of the measured budgets are kept.
func (d *document) verdicts() {
	d.line("\n## Budgets\n\nThe worst line of the tables above is named.")
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
