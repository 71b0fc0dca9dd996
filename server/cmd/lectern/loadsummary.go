package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/feed"
	"github.com/lectern-dev/lectern/server/internal/librariesload"
	"github.com/lectern-dev/lectern/server/internal/schoolsload"
)

// loadFlags are the flags of both loads.
type loadFlags struct {
	SkipBad string   `placeholder:"FILE" help:"Skip bad rows and list them in FILE, each with its value, instead of stopping at the first."`
	Ignore  []string `placeholder:"NAME" help:"Pass over members and columns of these names, instead of stopping at the first that a file does not know. What a file knows is read all the same."`
	Check   bool     `env:"-" help:"Do all but write: say what the load would count and list the bad rows; exit 1 where a load would stop."`
}

// openForLoad opens the database of a load, or of a check, which does not even bring the schema up to date.
func (s *session) openForLoad(f loadFlags) (*database.DB, error) {
	if f.Check {
		return s.openCurrent()
	}
	return s.openExisting()
}

// loadSummary is what a load or a check did, for a person.
type loadSummary struct {
	files []fileSummary
	last  string // a line below the table
	check *feed.Findings
}

// fileSummary is what became of the rows of a file. Skipped are those before the history, and those of something deleted.
type fileSummary struct {
	name                                                      string
	rows, added, changed, unchanged, superseded, skipped, bad int
}

// schoolsSummary sums up a load of a schools feed.
func schoolsSummary(t *schoolsload.Totals) loadSummary {
	register := func(name string, c schools.Counts) fileSummary {
		return fileSummary{name, c.Rows, c.New, c.Changed, c.Unchanged, c.Superseded, c.Deleted, c.Bad}
	}
	events := func(name string, e schoolsload.Events) fileSummary {
		return fileSummary{name: name, rows: e.Rows, skipped: e.BeforeHistory + e.Deleted, bad: e.Bad}
	}
	return loadSummary{[]fileSummary{
		register("entities", t.Entities), register("accounts", t.Accounts), register("books", t.Books),
		register("evaluations", t.Evaluations), events("segments", t.Segments), events("accesses", t.Accesses),
	}, lastLine(t.NewEvents, t.Repeated, "version "+t.Version, t.Seconds, t.RowsPerSecond), t.Check}
}

// librariesSummary sums up a load of a libraries feed.
func librariesSummary(t *librariesload.Totals) loadSummary {
	register := func(name string, c libraries.Counts) fileSummary {
		return fileSummary{name, c.Rows, c.New, c.Changed, c.Unchanged, c.Superseded, c.BeforeHistory, c.Bad}
	}
	events := func(name string, e libraries.EventCounts) fileSummary {
		return fileSummary{name: name, rows: e.Rows, skipped: e.BeforeHistory, bad: e.Bad}
	}
	state := "version " + t.Version
	if t.Hour != "" {
		state += ", which holds from " + t.Hour + " (Brasilia) on"
	}
	return loadSummary{[]fileSummary{
		register("libraries", t.Libraries), register("ageGroups", t.AgeGroups), register("publishers", t.Publishers),
		register("categories", t.Categories), register("subjects", t.Subjects), register("books", t.Books), register("lines", t.Lines),
		register("readers", t.Readers), register("loans", t.Loans), events("renewals", t.Renewals), register("reservations", t.Reservations),
		events("sessions", t.Sessions), events("previews", t.Previews), events("activity", t.Activity), register("channels", t.Channels),
		events("suggestions", t.Suggestions),
	}, lastLine(t.NewEvents, t.Repeated, state, t.Seconds, t.RowsPerSecond), t.Check}
}

// lastLine says of a load what no file says.
func lastLine(added, repeated int, state string, seconds float64, rate int64) string {
	return fmt.Sprintf("%s new events, %s loaded before; %s; %.1f s, %s rows/s", grouped(added), grouped(repeated), state, seconds, grouped(int(rate)))
}

// printLoad prints what a load or a check did: on a terminal a table, elsewhere the totals as a line of JSON. The error is for
// a check that has found what would stop a load.
func (s *session) printLoad(totals any, sum loadSummary, f loadFlags) error {
	var err error
	if isTerminal(s.stdout) {
		err = sum.write(s.stdout)
	} else {
		err = s.print(totals)
	}
	if err == nil && sum.check != nil && sum.check.Bad > 0 && f.SkipBad == "" {
		err = fmt.Errorf("%s of the feed's rows cannot be loaded, and would stop a load: mend them, or pass over them with --skip-bad FILE", grouped(sum.check.Bad))
	}
	return err
}

// write writes the table of the files that have rows, and of a check the bad rows.
func (sum loadSummary) write(to io.Writer) error {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "%-*s\trows\tnew\tchanged\tunchanged\tsuperseded\tskipped\tbad\t\n", len("reservations"), "file") // the longest of the names
	for _, f := range sum.files {
		if f.rows == 0 {
			continue
		}
		fmt.Fprintf(w, "%-*s\t", len("reservations"), f.name)
		for _, n := range []int{f.rows, f.added, f.changed, f.unchanged, f.superseded, f.skipped, f.bad} {
			fmt.Fprint(w, grouped(n), "\t")
		}
		fmt.Fprintln(w)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(to, sum.last)
	if sum.check == nil {
		return nil
	}
	fmt.Fprintf(to, "checked, nothing was written; bad rows: %s\n", grouped(sum.check.Bad))
	for _, row := range sum.check.Rows {
		fmt.Fprintln(to, row)
	}
	more := ""
	if n := sum.check.Bad - len(sum.check.Rows); n > 0 {
		more = fmt.Sprintf("… and %s more; --skip-bad FILE lists all\n", grouped(n))
	}
	_, err := io.WriteString(to, more)
	return err
}

// grouped writes a whole number, not below 0, with a comma between thousands: 1,234,567.
func grouped(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// ignoreHint adds to the error of an unknown member or column how to pass over it.
func ignoreHint(err error) error {
	unknown, ok := errors.AsType[*feed.UnknownError](err)
	if !ok {
		return err
	}
	return fmt.Errorf("%w; or pass over it with --ignore '%s'", err, strings.Join(unknown.Names, ","))
}
