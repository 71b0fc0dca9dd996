package main

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"strconv"
)

// budget is a bound for one kind of measurement. Each line of the tables must keep it.
type budget struct {
	name    string
	bound   float64
	unit    unit
	least   bool   // the bound is the least, not the most
	command string // the command that measures it
	lines   int    // how many lines were measured
	kept    int    // lines within the bound
	worst   float64
	where   string // the line with the worst measurement
}

// The names of the budgets. Their bounds are those of the project's architecture.
const (
	pageAgain     = "page asked again"
	notModified   = "304"
	anotherPage   = "another page"
	firstPage     = "first page of a new process"
	otherSummary  = "summary of other 30 days"
	warmDatabase  = "database processor time of a warm request"
	loadRows      = "rows a load reads in a second"
	loadMemory    = "resident memory of a load"
	segmentSize   = "bytes for each segment"
	writeRate     = "directory writes a second, 8 connections"
	writeLatency  = "99 of 100 directory writes, 8 connections"
	frozenPrimary = "a frozen primary is left"
	peakRate      = "requests a second held by two servers"
	yearSummary   = "summary of a year, first, to 10,000 users"
	yearByBook    = "the same by book"
	largeSummary  = "the same, more than 10,000 users"
	productLines  = "lines of the product"
	toolLines     = "lines of the tools"
	testLines     = "lines of tests"
	typesDeclared = "types of the product"
	testDuration  = "make test, warm cache"
)

// newBudgets returns all budgets in the order of the page.
func newBudgets() (all []budget) {
	most := func(unit unit, bound float64, command string, names ...string) {
		for _, name := range names {
			all = append(all, budget{name: name, bound: bound, unit: unit, command: command})
		}
	}
	least := func(unit unit, bound float64, name string) {
		all = append(all, budget{name: name, bound: bound, unit: unit, least: true, command: bench})
	}
	most(ratio, 1.3, bench, pageAgain, notModified, anotherPage)
	most(ratio, 1.5, bench, firstPage, otherSummary)
	most(milliseconds, 0.3e6, bench, warmDatabase)
	least(ratio, 0.8, loadRows)
	most(mebibytes, 256<<20, bench, loadMemory)
	most(ratio, 1.1, bench, segmentSize)
	least(number, 300, writeRate)
	most(milliseconds, 100e6, bench, writeLatency)
	most(seconds, 15, bench, frozenPrimary)
	least(ratio, 0.6, peakRate)
	most(milliseconds, 150e6, bench, yearSummary)
	most(milliseconds, 500e6, bench, yearByBook)
	most(milliseconds, 2000e6, bench, largeSummary)
	most(number, 41_000, "make house", productLines)
	most(number, 10_000, "make house", toolLines)
	most(number, 50_000, "make house", testLines)
	most(number, 650, "make house", typesDeclared)
	most(seconds, 180, "make test", testDuration)
	return all
}

const bench = "make bench"

// reached records a measurement of the current chapter for its budget.
func (d *document) reached(name string, value float64, line string) {
	for i := range d.budgets {
		b := &d.budgets[i]
		if b.name != name || math.IsNaN(value) {
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

// verdict returns the worst measurement, and whether all lines keep the budget.
func (b *budget) verdict() (worst, verdict string) {
	if b.lines == 0 {
		return none, "not measured"
	}
	worst = b.unit.with(b.worst)
	if b.kept == b.lines {
		return worst, fmt.Sprintf("met, %.2f of it", b.worst/b.bound)
	}
	return worst, fmt.Sprintf("**missed**, %.2f of it, by %d of %d (%s)", b.worst/b.bound, b.lines-b.kept, b.lines, b.where)
}

// verdicts writes a line for each budget.
func (d *document) verdicts() {
	d.heading("budget", "asked", "worst", "verdict", "command")
	for _, b := range d.budgets {
		asked := "at most "
		if b.least {
			asked = "at least "
		}
		worst, verdict := b.verdict()
		d.row(b.name, asked+b.unit.with(b.bound), worst, verdict, b.command)
	}
}

var houseNumbers = regexp.MustCompile(`lines: product (\d+), tools (\d+), tests (\d+)\ntypes of the product: (\d+)\n`)

// project measures the lines of the project and the duration of its tests.
func (d *document) project(ctx context.Context) {
	d.chapter = "project"
	out, _ := command(ctx, "make", "--no-print-directory", "-C", root, "house")
	found := houseNumbers.FindStringSubmatch(string(out))
	for i, name := range []string{productLines, toolLines, testLines, typesDeclared} {
		d.reached(name, must(strconv.ParseFloat(found[i+1], 64)), name)
	}
	_, used := command(ctx, "make", "--no-print-directory", "-C", root, "test")
	d.reached(testDuration, used.wall.Seconds(), testDuration)
}
