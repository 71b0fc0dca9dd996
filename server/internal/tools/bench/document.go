package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// document is the page of figures, which are printed as they come.
type document struct {
	strings.Builder
	chapter string // the one that is written
	budgets []budget
}

// newDocument begins the page with what the figures depend on.
func newDocument(o options) *document {
	d := &document{budgets: newBudgets()}
	fmt.Fprintf(d, "# Benchmarks\n\nMeasured by `make bench ARGS=\"-sizes=%s -libraries=%s\"` on %s: %s, %d cores, %s, %s/%s. PostgreSQL runs on the same\n"+
		"machine, without fsync, its data in memory where there is room. Times are those of the HTTP client on loopback, bodies whole and plain. \"After a restart\" is the\n"+
		"first request of a new process on a warm database; the rest are medians of %d calls. \"Another page\" was not asked for before. DuckDB reads the\n"+
		"files of the feed into tables, with a unique key for each where it is said.\n"+
		"What is \"of a processor\" is counted, not timed: of %d requests. Directory writes are to a PostgreSQL as it comes, with fsync, and to SQLite, both on the disk.\n",
		o.sizes, o.libraries, time.Now().UTC().Format("2006-01-02"), processor(), runtime.NumCPU(), runtime.Version(), runtime.GOOS, runtime.GOARCH, repeats, requests)
	return d
}

// processor names the machine's processor, where the system tells it.
func processor() string {
	data, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(data)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}

// begin begins a chapter.
func (d *document) begin(chapter string) {
	d.chapter = chapter
	d.line("\n## " + chapter + "\n")
}

// heading begins a table.
func (d *document) heading(cells ...string) {
	d.line("")
	d.row(cells...)
	d.line(strings.Repeat("|---", len(cells)) + "|")
}

func (d *document) row(cells ...string) { d.line("| " + strings.Join(cells, " | ") + " |") }

func (d *document) line(s string) {
	fmt.Println(s)
	fmt.Fprintln(d, s)
}

// ms writes a time in milliseconds with two decimals.
func ms(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d.Microseconds())/1000) }
