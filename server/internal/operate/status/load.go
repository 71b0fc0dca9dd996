package status

import (
	"fmt"
	"io"
	"text/tabwriter"

	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/lectern-dev/lectern/server/feed"
)

// English groups thousands: 1,234,567.
var English = message.NewPrinter(language.English)

// WriteTotals writes the files that have rows as a table, and after it the bad rows of a check.
func WriteTotals(to io.Writer, t *feed.Totals) error {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	const name = len("reservations") // the longest
	fmt.Fprintf(w, "%-*s\trows\tnew\tchanged\tunchanged\tsuperseded\tskipped\tbad\t\n", name, "file")
	for _, f := range t.Files {
		if f.Rows > 0 {
			fmt.Fprintf(w, "%-*s\t", name, f.Name)
			English.Fprintf(w, "%d\t%d\t%d\t%d\t%d\t%d\t%d\t\n", f.Rows, f.New, f.Changed, f.Unchanged, f.Superseded, f.BeforeHistory+f.Deleted, f.Bad)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	version := "version " + t.Version
	if t.Hour != "" {
		version += ", in effect from " + t.Hour + " (Brasilia)"
	}
	_, err := English.Fprintf(to, "%d new events, %d loaded before; %s; %.1f s, %d rows/s\n",
		t.New, t.Repeated, version, t.Seconds, t.RowsPerSecond)
	if t.Check == nil {
		return err
	}
	English.Fprintf(to, "checked, nothing was written; bad rows: %d\n", t.Check.Bad)
	for _, row := range t.Check.Rows {
		fmt.Fprintln(to, row)
	}
	if n := t.Check.Bad - len(t.Check.Rows); n > 0 {
		_, err = English.Fprintf(to, "… and %d more; --skip-bad FILE lists all\n", n)
	}
	return err
}
