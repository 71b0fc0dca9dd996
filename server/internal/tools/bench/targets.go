package main

import (
	"fmt"
	"strings"
	"time"
)

// target is a bound that the product is to keep in every line of the tables that it names.
type target struct {
	name  string
	bound float64
	least bool // it is the least, not the most
	show  func(float64) string

	lines int     // in which it was measured
	kept  int     // of them
	worst float64 // of them
	where string  // that one
}

// The targets, by what they are called. Times are in nanoseconds.
const (
	schoolsLoad   = "load of the schools, beside DuckDB without unique ids"
	librariesLoad = "load of the libraries, beside DuckDB with unique ids"
	loadMemory    = "memory of a load"
	segmentBytes  = "size of a segment"
	libraryRows   = "load of the libraries, rows a second"
	firstReadings = "readings of all days, first page of a process"
	firstPage     = "any list, first page of a process"
	firstSummary  = "summary of 30 days, first of a process"
	otherReadings = "readings of all days, another page"
	monthReadings = "readings of one month, another page"
	otherSummary  = "summary of other 30 days"
	filteredUsers = "users filtered, another page"
	loans         = "loans, another page"
	warmPage      = "any page again, beside a ready-made answer"
	notModified   = "304, beside the former's processor time"
	warmDatabase  = "database's processor time of a warm request, beside pgbench's look-up and upsert"
	writesOn      = "directory writes a second at 8 connections, "
	writesBeside  = "directory writes at 8 connections, beside the former's"
	writesWithin  = "99 of 100 directory writes at 8 connections"
)

// reasons say why a target is not met where it is not: what the lines of this page show of it, and of profiles.
var reasons = map[string]string{
	librariesLoad: "both processors are busy nearly all the time: a third is writing, of which five trees of loans and reservations are half, the rest reading and folding",
	libraryRows:   "a check of the feed, which writes nothing, does not reach it, and DuckDB is far from it: reading and folding would have to take half, or there be four processors",
	firstReadings: "all accounts and ledgers are read and unpacked first: what that takes by hand is told below the pages",
	firstPage:     "all accounts or readers are read first, or all requests: what that takes by hand is told below the pages",
	otherReadings: "a row for each user is read; most of what is left is JSON of 225 kB and keeping it, and on PostgreSQL two round trips",
	monthReadings: "a page is of some 330 users, whose records of other months are passed over one by one: 7,000, of which 1,640 are unpacked and 1,000 shown",
	filteredUsers: "names are read for each page, for no cache holds them: what a thousand readers who stand apart take by hand is told below the pages; then come 400 kB of JSON",
	loans:         "what a thousand loans take by hand is told below the pages; how far each was read, and JSON, take as much again",
	warmPage: "lists with names are made each time, for no cache holds them; and on PostgreSQL each request waits for a round trip, its key and its count, " +
		"that what is ready-made does not need",
	warmDatabase:        "the two statements are those of pgbench, in one round trip; processes that are asked in turn with a server take more for the same, 1.3 to 1.7 times from run to run",
	writesOn + "sqlite": "server and client take both processors: what the server takes for a write stands in the table",
	writesOn + "postgres": "writes of one partner follow one another: a group of four waits for seven round trips and the disk, while both processors would have to be " +
		"busy for 95 of 100 of the time",
	notModified:  "what a 304 takes now is HTTP and the check of its key, which the former took as well: a page without names was a few tenths of a millisecond then too",
	writesBeside: "what bounds writes now is told in the lines above",
	writesWithin: "a write waits for the group before its own",
}

// newTargets are all targets, in the order in which they are told.
func newTargets() []target {
	most := func(name string, bound float64, show func(float64) string) target {
		return target{name: name, bound: bound, show: show}
	}
	least := func(name string, bound float64, show func(float64) string) target {
		return target{name: name, bound: bound, show: show, least: true}
	}
	within := func(name string, bound time.Duration) target { return most(name, float64(bound), inMS) }
	return []target{
		most(schoolsLoad, 1, times), most(librariesLoad, 1, times), least(libraryRows, 800_000, whole),
		most(loadMemory, 256, func(n float64) string { return whole(n) + " MiB" }),
		most(segmentBytes, 9, func(n float64) string { return fmt.Sprintf("%.1f bytes", n) }),
		within(firstReadings, 20*time.Millisecond), within(firstPage, 50*time.Millisecond), within(firstSummary, 120*time.Millisecond),
		within(otherReadings, 1500*time.Microsecond), within(monthReadings, 5*time.Millisecond), within(otherSummary, 40*time.Millisecond),
		within(filteredUsers, 3*time.Millisecond), within(loans, 3*time.Millisecond),
		most(warmPage, 2, times), most(notModified, 0.2, times), most(warmDatabase, 1.5, times),
		least(writesOn+"sqlite", 3000, whole), least(writesOn+"postgres", 1500, whole), least(writesBeside, 3, times),
		within(writesWithin, 15*time.Millisecond),
	}
}

func inMS(n float64) string  { return ms(time.Duration(n)) }
func times(n float64) string { return fmt.Sprintf("%.2f times", n) }
func whole(n float64) string { return fmt.Sprintf("%.0f", n) }

// reached notes what a line of the present chapter says of a target.
func (d *document) reached(name string, value float64, line string) {
	for i := range d.targets {
		t := &d.targets[i]
		if t.name != name {
			continue
		}
		if t.keeps(value) {
			t.kept++
		}
		if t.lines++; t.lines == 1 || (value < t.worst) == t.least {
			t.worst, t.where = value, d.chapter+": "+line
		}
	}
}

func (t *target) keeps(value float64) bool {
	if t.least {
		return value >= t.bound
	}
	return value <= t.bound
}

// judge notes what a question says of the targets.
func (a *asked) judge() {
	q := a.question.name
	first, another := float64(a.restart), a.took["another page"]
	switch {
	case strings.HasPrefix(a.path(0), "/summary"):
		a.reached(firstSummary, first, q)
		if other, ok := a.took["other 30 days"]; ok {
			a.reached(otherSummary, float64(other), q)
		}
	default:
		a.reached(firstPage, first, q)
	}
	if q == "readings, all days" {
		a.reached(firstReadings, first, q)
	}
	of := map[string]string{"readings, all days": otherReadings, "readings, one month": monthReadings}[q]
	if strings.HasPrefix(q, "users, ") {
		of = filteredUsers
	} else if strings.HasPrefix(q, "loans, ") {
		of = loans
	}
	if another > 0 {
		a.reached(of, float64(another), q)
	}
}

// verdicts writes what became of the targets in this run.
func (d *document) verdicts() {
	d.line("\n## Targets\n\nWhat the lines of the tables above say, of a run of these sizes on this machine; the worst one is named.")
	d.heading("target", "bound", "worst", "lines that keep it", "")
	for _, t := range d.targets {
		bound := "at most " + t.show(t.bound)
		if t.least {
			bound = "at least " + t.show(t.bound)
		}
		if t.lines == 0 {
			d.row(t.name, bound, none, none, "not measured in this run")
			continue
		}
		verdict := "**met**"
		if t.kept < t.lines {
			verdict = "not met"
			if why := reasons[t.name]; why != "" {
				verdict += ": " + why
			}
		}
		d.row(t.name, bound, t.show(t.worst)+" ("+t.where+")", fmt.Sprintf("%d of %d", t.kept, t.lines), verdict)
	}
}
