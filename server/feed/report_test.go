package feed_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/server/feed"
)

// openReport opens a report, of a check or not, and returns it with a function that reads its lines.
func openReport(t *testing.T, check bool) (*feed.Report, func() []string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "bad.txt")
	r, err := feed.OpenReport(name, os.DirFS(t.TempDir()), check)
	if err != nil {
		t.Fatal(err)
	}
	return r, func() []string {
		t.Helper()
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	}
}

// TestReport tests that a report lists bad rows with their values, including rows that were found late.
func TestReport(t *testing.T) {
	r, lines := openReport(t, false)
	ctx := context.Background()
	ndjson := write(t, "f.ndjson", []byte("{\"a\":\"1\",\"b\":\"x\\ty\"}\nnonsense\n{\"a\":\"2\"}\n{\"b\":\"of no row\",\"a\":\"3\"}\n"))
	csv := write(t, "g.csv", []byte("b,a\n\"two\nlines\",1\n,2\n"))
	late := func(file *feed.File, line int, field string) {
		t.Helper()
		e := &feed.RowError{File: file.Name(), Line: line, Field: field, Reason: "is late"}
		if err := r.Late(ctx, file, row.Of(new(pair)), e); err != nil {
			t.Fatal(err)
		}
	}
	late(csv, 4, "b")
	late(csv, 2, "b")
	late(ndjson, 3, "b")
	late(ndjson, 1, "b")
	late(ndjson, 4, "a")
	err := readEach(ctx, ndjson, func(pair, int) error { return nil }, r.Bad)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second has nothing to do
		if err := r.Flush(ctx); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		`f.ndjson line 2: is not JSON: invalid character 'o' in literal null (expecting 'u') after 1 bytes: "nonsense"`,
		`f.ndjson line 1: field b: is late: "x\ty"`, `f.ndjson line 3: field b: is late: null`, `f.ndjson line 4: field a: is late: "3"`,
		`g.csv line 2: field b: is late: "two\nlines"`, `g.csv line 4: field b: is late: ""`,
	}
	if got := lines(); !slices.Equal(got, want) {
		t.Errorf("report = %q, want %q", got, want)
	}
}

// TestReportOfMany tests that no row is lost if values are fetched before all bad rows are known.
func TestReportOfMany(t *testing.T) {
	r, lines := openReport(t, true)
	var b bytes.Buffer
	for i := range feed.MaxLate + 2 {
		fmt.Fprintf(&b, "{\"a\":\"%d\"}\n", i)
	}
	file := write(t, "f.ndjson", b.Bytes())
	for i := range feed.MaxLate + 2 {
		if err := r.Late(t.Context(), file, row.Of(new(pair)), &feed.RowError{File: "f.ndjson", Line: i + 1, Field: "a", Reason: "is late"}); err != nil {
			t.Fatal(err)
		}
	}
	if n := r.Findings().Bad; n != feed.MaxLate {
		t.Errorf("findings before the last rows = %d, want %d", n, feed.MaxLate)
	}
	if err := r.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	found := r.Findings()
	if found.Bad != feed.MaxLate+2 || len(found.Rows) != feed.MaxFindings {
		t.Errorf("found %d rows, of which %d are listed, want %d and %d", found.Bad, len(found.Rows), feed.MaxLate+2, feed.MaxFindings)
	}
	for i, line := range lines() {
		if want := fmt.Sprintf(`f.ndjson line %d: field a: is late: "%d"`, i+1, i); line != want {
			t.Fatalf("line %d of the report = %q, want %q", i+1, line, want)
		}
	}
}

// TestNoReport tests that without a report the first bad row is an error, whenever it is found.
func TestNoReport(t *testing.T) {
	r, err := feed.OpenReport("", os.DirFS(t.TempDir()), false)
	if r != nil || err != nil {
		t.Fatalf("OpenReport without a name = %v, %v, want none", r, err)
	}
	e := &feed.RowError{File: "f.ndjson", Line: 1, Reason: "is bad"}
	if got := r.Bad(e); got != e {
		t.Errorf("Bad = %v, want the row's error", got)
	}
	if got := r.Late(t.Context(), nil, nil, e); got != e {
		t.Errorf("Late = %v, want the row's error", got)
	}
	if r.Flush(t.Context()) != nil || r.Close() != nil {
		t.Error("Flush or Close = an error, want none")
	}
}
