package feed_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/server/feed"
)

// TestUnknown tests F3: an unknown field ends the read, even if bad rows are skipped. The error names the nearest known
// field, if one is near.
func TestUnknown(t *testing.T) {
	const all = "; the fields are segmentId, account, bookId, startedAt, durationMs, from, to, wpm"
	good := `{"segmentId":"s","account":"a","bookId":1,"startedAt":"2026-03-04T19:03:04Z","durationMs":1`
	for _, tt := range []struct{ name, file, text, want string }{
		{"close to no field", "segments.ndjson", good + `,"speed":90}`, "segments.ndjson line 1: field speed: is unknown" + all},
		{"a letter more", "segments.ndjson", good + `,"wppm":90}`, "field wppm: is unknown; write wpm"},
		{"letters swapped", "segments.ndjson", good + `,"form":1}`, "field form: is unknown; write from"},
		{"another case", "segments.ndjson", good + `,"WPM":90}`, "field WPM: is unknown; write wpm"},
		{"joined differently", "segments.ndjson", good + `,"duration_ms":9}`, "field duration_ms: is unknown; write durationMs"},
		{"at most half differs", "segments.ndjson", good + `,"wpx":9}`, "field wpx: is unknown; write wpm"},
		{"more than half differs", "segments.ndjson", good + `,"wxy":9}`, "field wxy: is unknown" + all},
		{"null", "segments.ndjson", good + `,"speed":null}`, "field speed: is unknown"},
		{"an object", "segments.ndjson", good + `,"meta":{"wpm":1}}`, "field meta: is unknown"},
		{"escaped", "segments.ndjson", good + `,"sp\u0065ed":1}`, "field speed: is unknown"},
		{"no name", "segments.ndjson", good + `,"":1}`, `field "": is unknown` + all},
		{"several", "segments.ndjson", good + `,"wppm":1,"a,b":2,"c\td":3}`, `field wppm: is unknown; write wpm (also unknown: "a,b", "c\td")`},
		{"in a later row, behind a bad one", "segments.ndjson", good + "}\n{}\n" + good + `,"speed":90}`, "segments.ndjson line 3: field speed: is unknown"},
		{"in a row with another fault", "segments.ndjson", `{"speed":90}`, "segments.ndjson line 1: field speed: is unknown"},
		{"a column", "segments.csv", "segmentId,account,bookId,startedAt,durationMs,speed\n", "segments.csv line 1: field speed: is unknown" + all},
		{"a column for a required one", "segments.csv", "segmentID,account,bookId,startedAt,durationMs\n", "segments.csv line 1: field segmentID: is unknown; write segmentId"},
		{"a column without a name", "segments.csv", ",segmentId,account,bookId,startedAt,durationMs\n", `segments.csv line 1: field "": is unknown`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := readEach(context.Background(), write(t, tt.file, []byte(tt.text)),
				func(segment, int) error { return nil }, func(*feed.RowError) error { return nil })
			if _, ok := errors.AsType[*feed.UnknownError](err); !ok || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Read = %v, want %s", err, tt.want)
			}
		})
	}
}

// TestIgnore tests that the given names are ignored, except those of known fields.
func TestIgnore(t *testing.T) {
	for file, text := range map[string]string{
		"f.ndjson": `{"a":"x","b":"y","stray":{"b":"z"},"another stray":1}`,
		"f.csv":    "stray,a,another stray,b\n1,x,2,y\n",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		folder, err := feed.Open(os.DirFS(dir))
		if err != nil {
			t.Fatal(err)
		}
		f, _ := folder.File("f")
		folder.Ignore("stray", "b")
		if _, _, err := read(f); err == nil || !strings.Contains(err.Error(), "field another stray: is unknown") {
			t.Errorf("Read(%s) = %v, want an error for the field that is not ignored", file, err)
		}
		folder.Ignore("another stray")
		rows, faults, err := read(f)
		if want := (pair{"x", "y"}); err != nil || len(faults) > 0 || len(rows) != 1 || rows[0] != want {
			t.Errorf("Read(%s) = %q, %q, %v, want %q", file, rows, faults, err, want)
		}
	}
}

// TestShownValues tests what a report shows: the value of the bad field, or the row.
func TestShownValues(t *testing.T) {
	long := strings.Repeat("é", 80)
	for _, tt := range []struct{ name, file, text, want string }{
		{"a number for a text", "f.ndjson", `{"a":1.50}`, `1.50`},
		{"an object for a text", "f.ndjson", `{"a":{"b": 1}}`, `{"b": 1}`},
		{"nothing", "f.ndjson", `{"b":"x"}`, `null`},
		{"a text of 80 characters", "f.ndjson", `{"a":["` + long[8:] + `"]}`, `["` + long[8:] + `"]`},
		{"a text of 81", "f.ndjson", `{"a":["` + long[8:] + `" ]}`, `["` + long[8:] + `" …`},
		{"not JSON", "f.ndjson", "x\x01\xff", `"x\x01\xff"`},
		{"an empty cell", "f.csv", "a,b\n,x\n", `""`},
		{"a NUL", "f.csv", "a,b\nx\x00,\n", `"x\x00"`},
		{"too few cells", "f.csv", "a,b\nx\n", `"x"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := read(write(t, tt.file, []byte(tt.text)))
			if err != nil {
				t.Fatal(err)
			}
			err = readEach[pair](context.Background(), write(t, tt.file, []byte(tt.text)), nil, nil)
			wrong, ok := errors.AsType[*feed.RowError](err)
			if !ok || wrong.Value != tt.want {
				t.Errorf("value of %v = %s, want %s", err, wrong.Value, tt.want)
			}
			if strings.Contains(err.Error(), "é") {
				t.Errorf("the error %q shows the value", err)
			}
		})
	}
}

// segment is a row of segments, whose texts are not copied.
type segment struct {
	id, account []byte
	book        int64
	start       time.Time
	ms          int64
	from, to    int64
	wpm         []byte
}

func (s *segment) Fields(w *row.Walk) {
	row.ID(w, "segmentId", &s.id, row.Required)
	row.Bytes(w, "account", &s.account, row.Required)
	row.Int(w, "bookId", &s.book, row.Required)
	row.Instant(w, "startedAt", &s.start, row.Required)
	row.Int(w, "durationMs", &s.ms, row.Required)
	row.IntOrNone(w, "from", &s.from)
	row.IntOrNone(w, "to", &s.to)
	row.Number(w, "wpm", &s.wpm)
}
