package status

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/lectern-dev/lectern/paging/state/statedb"
	"github.com/lectern-dev/lectern/server/feed"
)

// Summary is what a load or a check did, for a person, as the JSON of its totals has it.
type Summary struct {
	NewEvents, RepeatedEvents int
	Version, Hour             string
	Seconds                   float64
	RowsPerSecond             int
	Check                     *feed.Findings
	files                     []fileSummary
}

// fileSummary is what became of the rows of a file.
type fileSummary struct {
	name                                           string
	Rows, New, Changed, Unchanged, Superseded, Bad int
	BeforeHistory, Deleted                         int // which are skipped
}

// Summarize reads the totals of a load: what has rows is a file.
func Summarize(totals any) (sum Summary) {
	text, err := json.Marshal(totals)
	if err == nil {
		err = json.Unmarshal(text, &sum)
	}
	d := json.NewDecoder(strings.NewReader(string(text)))
	for d.Token(); err == nil && d.More(); {
		var name json.Token
		var member json.RawMessage
		if name, err = d.Token(); err == nil {
			err = d.Decode(&member)
		}
		f := fileSummary{name: fmt.Sprint(name)}
		if member[0] == '{' && name != "check" && json.Unmarshal(member, &f) == nil {
			sum.files = append(sum.files, f)
		}
	}
	if err != nil {
		panic(err) // totals are numbers and texts
	}
	return sum
}

// Load returns the note that a load ended at a time.
func (sum Summary) Load(ended time.Time) statedb.LastLoad {
	l := statedb.LastLoad{Ended: ended, Took: time.Duration(sum.Seconds*1000+0.5) * time.Millisecond}
	for _, f := range sum.files {
		l.Rows += int64(f.Rows)
	}
	return l
}

// English groups thousands: 1,234,567.
var English = message.NewPrinter(language.English)

// Write writes the table of the files that have rows, and of a check the bad rows.
func (sum Summary) Write(to io.Writer) error {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	const name = len("reservations") // the longest
	fmt.Fprintf(w, "%-*s\trows\tnew\tchanged\tunchanged\tsuperseded\tskipped\tbad\t\n", name, "file")
	for _, f := range sum.files {
		if f.Rows > 0 {
			fmt.Fprintf(w, "%-*s\t", name, f.name)
			English.Fprintf(w, "%d\t%d\t%d\t%d\t%d\t%d\t%d\t\n", f.Rows, f.New, f.Changed, f.Unchanged, f.Superseded, f.BeforeHistory+f.Deleted, f.Bad)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	state := "version " + sum.Version
	if sum.Hour != "" {
		state += ", which holds from " + sum.Hour + " (Brasilia) on"
	}
	_, err := English.Fprintf(to, "%d new events, %d loaded before; %s; %.1f s, %d rows/s\n",
		sum.NewEvents, sum.RepeatedEvents, state, sum.Seconds, sum.RowsPerSecond)
	if sum.Check == nil {
		return err
	}
	English.Fprintf(to, "checked, nothing was written; bad rows: %d\n", sum.Check.Bad)
	for _, row := range sum.Check.Rows {
		fmt.Fprintln(to, row)
	}
	if n := sum.Check.Bad - len(sum.Check.Rows); n > 0 {
		_, err = English.Fprintf(to, "… and %d more; --skip-bad FILE lists all\n", n)
	}
	return err
}
