package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// document is the page of measurements, which are printed as they come.
type document struct {
	strings.Builder
	chapter string // the one that is being written
	budgets []budget
}

// newDocument begins the page with the conditions of the measurements.
func newDocument(o options) *document {
	d := &document{budgets: newBudgets()}
	args := fmt.Sprintf("-sizes=%s -libraries=%s", o.sizes, o.libraries)
	if o.beside != "" {
		args += " -beside=" + o.beside
	}
	fmt.Fprintf(d, "# Benchmarks\n\nMeasured by `make bench ARGS=%q` on %s: %s, %d cores, %s, %s/%s.\n\n",
		args, time.Now().UTC().Format("2006-01-02"), processor(), runtime.NumCPU(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	d.WriteString("PostgreSQL runs on the same machine, without fsync, with its data in memory if there is room.\n" +
		"Times are those of an HTTP client on loopback, with whole and uncompressed bodies.\n\n" +
		"- \"First\" is the first request of a new process on a warm database: the median of three processes.\n" +
		"- \"Another\" is a page, or a summary of 30 days, that was not requested before.\n" +
		"- \"Again\" is the first page again, and \"304\" the same with its entity tag: medians.\n" +
		"- The processor time of a load is that of its process, without PostgreSQL's.\n" +
		"- Directory writes go to SQLite and to a PostgreSQL with fsync, both on the disk.\n")
	if o.beside != "" {
		fmt.Fprintf(d, "- Two numbers are those of %s and of now, with their ratio.\n", o.beside)
	}
	return d
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

// The formats of numbers: nanoseconds as milliseconds, seconds, bytes as MiB, whole numbers, ratios.
func ms(n float64) string      { return fmt.Sprintf("%.2f ms", n/1e6) }
func seconds(n float64) string { return fmt.Sprintf("%.1f s", n) }
func mib(n float64) string     { return fmt.Sprintf("%.0f MiB", n/(1<<20)) }
func whole(n float64) string   { return fmt.Sprintf("%.0f", n) }
func times(n float64) string   { return fmt.Sprintf("%.2f times", n) }

// samples are measurements of one or two binaries, the present one last.
type samples [2][]float64

func (s *samples) add(binary int, n float64) { s[binary] = append(s[binary], n) }

// cell shows the median, or both medians with their ratio.
func (s samples) cell(show func(float64) string) string {
	switch {
	case len(s[0]) == 0:
		return none
	case len(s[1]) == 0:
		return show(median(s[0]))
	}
	return fmt.Sprintf("%s, %s: %.2f", show(median(s[0])), show(median(s[1])), s.ratio())
}

// ratio is how many times the present median is that of the earlier binary.
func (s samples) ratio() float64 { return median(s[1]) / median(s[0]) }

// now is the present median.
func (s samples) now() float64 {
	if len(s[1]) > 0 {
		return median(s[1])
	}
	return median(s[0])
}
