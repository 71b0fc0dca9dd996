package status_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/server/feed"
	"github.com/lectern-dev/lectern/server/internal/operate/status"
)

// TestLoadTable tests what a load writes to a terminal: a table of the files that have rows, and the lines below it.
func TestLoadTable(t *testing.T) {
	totals := &feed.Totals{
		Files: []feed.FileTotals{
			{Name: "entities", Counts: row.Counts{Rows: 12, New: 1, Changed: 2, Unchanged: 3, Superseded: 4, Deleted: 1, Bad: 1}}, {Name: "accounts"},
			{Name: "segments", Counts: row.Counts{Rows: 1_234_567, BeforeHistory: 3, Deleted: 2, Bad: 1}},
		},
		New: 1_234_561, Version: "1.1", Seconds: 18.336, RowsPerSecond: 67_330,
	}
	const table = `  file               rows  new  changed  unchanged  superseded  skipped  bad
  entities             12    1        2          3           4        1    1
  segments      1,234,567    0        0          0           0        5    1
1,234,561 new events, 0 loaded before; version 1.1; 18.3 s, 67,330 rows/s
`
	if got := written(t, totals); got != table {
		t.Errorf("table =\n%s\nwant\n%s", got, table)
	}
	totals.Check = &feed.Findings{Bad: 1002, Rows: []string{"segments.ndjson line 2: field wpm: must be a number: true"}}
	const found = table + `checked, nothing was written; bad rows: 1,002
segments.ndjson line 2: field wpm: must be a number: true
… and 1,001 more; --skip-bad FILE lists all
`
	if got := written(t, totals); got != found {
		t.Errorf("table of a check =\n%s\nwant\n%s", got, found)
	}
	loans := &feed.Totals{Files: []feed.FileTotals{{Name: "loans", Counts: row.Counts{Rows: 2, BeforeHistory: 2}}}, Hour: "2026-08-10 13:00:00", Version: "2.2"}
	if got := written(t, loans); !strings.Contains(got, "  loans            2    0        0          0           0        2    0\n") ||
		!strings.Contains(got, "; version 2.2, in effect from 2026-08-10 13:00:00 (Brasilia); ") {
		t.Errorf("table of libraries =\n%s", got)
	}
}

// written returns what WriteTotals writes, without blanks at the ends of lines.
func written(t *testing.T, totals *feed.Totals) string {
	t.Helper()
	var b bytes.Buffer
	if err := status.WriteTotals(&b, totals); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}
