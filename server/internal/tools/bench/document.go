package main

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// document is the page of measurements. Its chapters are printed as they are written.
type document struct {
	options
	strings.Builder
	chapter string // the one that is being written
	budgets []budget
}

func newDocument(o options) *document { return &document{options: o, budgets: newBudgets()} }

// page returns the page: the conditions, a line for each budget, and the chapters.
func (d *document) page() string {
	chapters := d.String()
	d.Reset()
	args := fmt.Sprintf("-sizes=%s -libraries=%s -beside=%s -parts=%s", d.sizes, d.options.libraries, d.beside, d.parts)
	fmt.Fprintf(d, "# Benchmarks\n\nMeasured on %s: %s, %d cores,\n%s, %s/%s, by\n`make bench ARGS=%q`.\n\n", time.Now().UTC().Format(time.DateOnly), processor(),
		runtime.NumCPU(), runtime.Version(), runtime.GOOS, runtime.GOARCH, args)
	d.WriteString(`PostgreSQL runs on the same machine, without fsync, with its data in memory if there is room.
Times are those of an HTTP client on loopback, with whole and uncompressed bodies.

- "First" is the first request of a new process on a warm database: the best of five processes.
- "Another" is a page, or a summary of 30 days, that was not requested before: the median.
- "Again" is the first page again, and "304" the same with its entity tag: medians.
- A load is the best of two. Its processor time is that of its process, without PostgreSQL's.
- Directory writes go to SQLite and to a PostgreSQL with fsync, both on the disk.
- The peak is the highest rate at which 99 of 100 small requests are answered within 10 ms. They have 32 keys.
`)
	if commits := split(d.beside); len(commits) > 0 {
		fmt.Fprintf(d, "- Several numbers are those of %s and of this commit, and the ratio to %s.\n", strings.Join(commits, ", "), commits[0])
	}
	d.begin("Budgets")
	d.verdicts()
	return d.String() + chapters
}

// processor names the machine's processor.
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
	d.line("\n## " + chapter)
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

// none is the cell of a number that was not measured.
const none = "–"

// unit formats numbers, divided by size.
type unit struct {
	size     float64
	decimals int
	name     string
}

var (
	milliseconds = unit{1e6, 2, " ms"} // of nanoseconds
	seconds      = unit{1, 1, " s"}
	mebibytes    = unit{1 << 20, 0, " MiB"}
	number       = unit{1, 0, ""}
	ratio        = unit{1, 2, " times"}
)

func (u unit) of(n float64) string   { return fmt.Sprintf("%.*f", u.decimals, n/u.size) }
func (u unit) with(n float64) string { return u.of(n) + u.name }

// samples are the measurements of each binary. The binary of this source tree is the last one.
type samples [][]float64

func (s *samples) add(binary int, n float64) {
	for len(*s) <= binary {
		*s = append(*s, nil)
	}
	(*s)[binary] = append((*s)[binary], n)
}

// by returns one sample of each binary, such as the median of its samples.
func (s samples) by(one func([]float64) float64) (of samples) {
	for i, list := range s {
		of.add(i, one(list))
	}
	return of
}

// cell shows the first sample of each binary and the ratio.
func (s samples) cell(u unit) string {
	if len(s) == 0 {
		return none
	}
	var all []string
	for _, list := range s {
		all = append(all, u.of(list[0]))
	}
	cell := strings.Join(all, ", ")
	if len(s) > 1 {
		cell += fmt.Sprintf(": %.2f", s.ratio())
	}
	return cell
}

// ratio returns the sample of this source tree divided by that of the first earlier commit, or NaN without one.
func (s samples) ratio() float64 {
	if len(s) < 2 {
		return math.NaN()
	}
	return s.now() / s[0][0]
}

// now returns the sample of this source tree.
func (s samples) now() float64 { return s[len(s)-1][0] }

func median(list []float64) float64 { return percentile(list, 50) }

// percentile returns a percentile of a list of numbers.
func percentile(list []float64, percent int) float64 {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)*percent/100]
}
