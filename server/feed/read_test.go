package feed_test

import (
	"bytes"
	"context"
	stdcsv "encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/server/feed"
)

// mixed is a row with values of several kinds.
type mixed struct {
	A, B string
	N    int64
	OK   bool
}

func (m *mixed) Fields(w *row.Walk) {
	row.Text(w, "a", &m.A)
	row.Text(w, "b", &m.B)
	row.Int(w, "n", &m.N)
	row.Bool(w, "ok", &m.OK)
}

// TestCSVAsStandard compares the reader with encoding/csv, on texts with many quotes, commas and line breaks.
func TestCSVAsStandard(t *testing.T) {
	marks := rapid.StringOfN(rapid.SampledFrom([]rune("ab,,\"\"\n\n\r")), 0, 24, -1)
	rapid.Check(t, func(rt *rapid.T) {
		text := "a,b\n" + marks.Draw(rt, "text")
		rows, faults, err := read(write(t, "f.csv", []byte(text)))
		if err != nil {
			rt.Fatalf("Read of %q = %v", text, err)
		}
		want, wrong := standard(text)
		if wrong != (len(faults) > 0) {
			rt.Fatalf("faults of %q = %q, encoding/csv fails: %t", text, faults, wrong)
		}
		for i := range rows { // encoding/csv replaces CR LF between quotes
			rows[i] = pair{strings.ReplaceAll(rows[i].a, "\r\n", "\n"), strings.ReplaceAll(rows[i].b, "\r\n", "\n")}
		}
		if !wrong && fmt.Sprint(rows) != fmt.Sprint(want) {
			rt.Fatalf("Read of %q = %q, want %q", text, rows, want)
		}
	})
}

// standard returns the rows as encoding/csv reads them, or reports that one of them is wrong.
func standard(text string) (rows []pair, wrong bool) {
	r := stdcsv.NewReader(strings.NewReader(text))
	r.FieldsPerRecord = -1
	for first := true; ; first = false {
		cells, err := r.Read()
		switch {
		case errors.Is(err, io.EOF):
			return rows, wrong
		case err != nil:
			wrong = true
		case len(cells) != 2 || cells[0] == "":
			wrong = true
		case !first:
			rows = append(rows, pair{cells[0], cells[1]})
		}
	}
}

// FuzzRead tests that nothing panics and that every error has a line. It also compares each row of NDJSON with
// encoding/json, which accepts more.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`{"a":"x","b":null}`, "{\"a\":\"\\u00e9\"}\n\n{}\n[1]\n{\"a\":", "a,b\n1,2\n\"x\"\"\n\",y\n", "a,b\n\"", "\ufeffa\n1", "{\"a\":\"x\",\"\\u0061\":\"y\"}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		for _, name := range []string{"f.ndjson", "f.csv"} {
			lines := bytes.Count(content, []byte{'\n'}) + 1
			rows, err := 0, error(nil)
			check := func(e *feed.RowError) error {
				if e.File != name || e.Line < 1 || e.Line > lines || e.Reason == "" {
					t.Errorf("error of %q = %+v, want one with file, reason and a line up to %d", content, e, lines)
				}
				return nil
			}
			err = readEach(context.Background(), write(t, name, content), func(p pair, line int) error {
				if rows++; line < 1 || line > lines {
					t.Errorf("row %q of %q at line %d, want one up to %d", p, content, line, lines)
				}
				if name == "f.ndjson" {
					checkJSON(t, content, line, p)
				}
				return nil
			}, check)
			if wrong, ok := errors.AsType[*feed.RowError](err); ok {
				check(wrong)
			} else if wrong, ok := errors.AsType[*feed.UnknownError](err); ok {
				check(&feed.RowError{File: wrong.File, Line: wrong.Line, Reason: wrong.Error()})
			} else if err != nil && !strings.Contains(err.Error(), " line ") {
				t.Errorf("Read(%s) of %q = %v, want an error with a line", name, content, err)
			}
		}
	})
}

// checkJSON compares a row with what encoding/json reads from its line.
func checkJSON(t *testing.T, content []byte, line int, got pair) {
	text := bytes.Split(bytes.TrimPrefix(content, []byte("\ufeff")), []byte{'\n'})[line-1]
	var want map[string]any
	if err := json.Unmarshal(text, &want); err != nil {
		t.Errorf("row %q of %q, which encoding/json refuses: %v", got, text, err)
	}
	b, _ := want["b"].(string)
	if want["a"] != got.a || b != got.b {
		t.Errorf("row of %q = %q, want %q and %q", text, got, want["a"], b)
	}
}
