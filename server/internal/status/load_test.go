package status_test

import (
	"bytes"
	"strings"
	"testing"

	libraries "github.com/lectern-dev/lectern/libraries/intake"
	schools "github.com/lectern-dev/lectern/schools/intake"
	"github.com/lectern-dev/lectern/server/feed"
	"github.com/lectern-dev/lectern/server/internal/librariesload"
	"github.com/lectern-dev/lectern/server/internal/load"
	"github.com/lectern-dev/lectern/server/internal/schoolsload"
	"github.com/lectern-dev/lectern/server/internal/status"
)

// TestLoadTable is what a load says on a terminal: the files that have rows, and what stands below them.
func TestLoadTable(t *testing.T) {
	totals := schoolsload.Totals{
		Entities:  schools.Counts{Rows: 12, New: 1, Changed: 2, Unchanged: 3, Superseded: 4, Passed: 1, Bad: 1},
		Segments:  schoolsload.Events{Rows: 1_234_567, BeforeHistory: 3, Deleted: 2, Bad: 1},
		NewEvents: 1_234_561, Version: "1.1", End: load.End{Seconds: 18.336, RowsPerSecond: 67_330},
	}
	const table = `  file               rows  new  changed  unchanged  superseded  skipped  bad
  entities             12    1        2          3           4        1    1
  segments      1,234,567    0        0          0           0        5    1
1,234,561 new events, 0 loaded before; version 1.1; 18.3 s, 67,330 rows/s
`
	if got := written(t, status.Summarize(&totals)); got != table {
		t.Errorf("table =\n%s\nwant\n%s", got, table)
	}
	totals.Check = &feed.Findings{Bad: 1002, Rows: []string{"segments.ndjson line 2: field wpm: must be a number: true"}}
	const found = table + `checked, nothing was written; bad rows: 1,002
segments.ndjson line 2: field wpm: must be a number: true
… and 1,001 more; --skip-bad FILE lists all
`
	if got := written(t, status.Summarize(&totals)); got != found {
		t.Errorf("table of a check =\n%s\nwant\n%s", got, found)
	}
	loans := librariesload.Totals{Loans: libraries.Counts{Rows: 2, Passed: 2}, Hour: "2026-08-10 13:00:00", Version: "2.2"}
	if got := written(t, status.Summarize(&loans)); !strings.Contains(got, "  loans            2    0        0          0           0        2    0\n") ||
		!strings.Contains(got, "; version 2.2, which holds from 2026-08-10 13:00:00 (Brasilia) on; ") {
		t.Errorf("table of libraries =\n%s", got)
	}
}

// written returns a summary as it is written, without the blanks at the ends of its lines.
func written(t *testing.T, sum status.Summary) string {
	t.Helper()
	var b bytes.Buffer
	if err := sum.Write(&b); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}
