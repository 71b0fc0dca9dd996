package feed_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"go.uber.org/goleak"

	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/server/feed"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// write makes a feed with one file and returns the file.
func write(t testing.TB, name string, content []byte) *feed.File {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
		t.Fatal(err)
	}
	folder, err := feed.Open(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	folder.Ignore("stray", "another stray")
	resource, _, _ := strings.Cut(name, ".")
	file, err := folder.File(resource)
	if err != nil || file == nil {
		t.Fatalf("File(%q) = %v, %v, want a file", resource, file, err)
	}
	return file
}

// pair is a row of two texts: a, which is required, and b.
type pair struct{ a, b string }

func (p *pair) Fields(w *row.Walk) {
	row.Text(w, "a", &p.a, row.Required)
	row.Text(w, "b", &p.b)
}

// readEach reads the rows of a file without more checks.
func readEach[R any, P feed.Record[R]](ctx context.Context, file *feed.File, take func(v R, line int) error, bad func(*feed.RowError) error) error {
	return feed.Records[R, R, P](ctx, file, row.File[R, R]{Check: func(r R) (R, error) { return r, nil }, Take: take}, bad)
}

// read returns the pairs in a file, and its bad rows as text.
func read(file *feed.File) (rows []pair, faults []string, err error) {
	err = readEach(context.Background(), file,
		func(p pair, _ int) error { rows = append(rows, p); return nil },
		func(e *feed.RowError) error { faults = append(faults, e.Error()); return nil })
	return rows, faults, err
}

func gzipped(b []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Write(b)
	w.Close()
	return out.Bytes()
}

func zstandard(b []byte) []byte {
	w, _ := zstd.NewWriter(nil)
	defer w.Close()
	return w.EncodeAll(b, nil)
}

func TestFormsReadAlike(t *testing.T) {
	ndjson := []byte("{\"a\":\"1\",\"b\":\"x\\ny\"}\n\n  \r\n{\"b\":null,\"a\":\"2\",\"stray\":[{\"c\":1}]}\n{\"a\":\"p\\r\\nq\\rr\\n\",\"b\":\"\\r\\n\"}\n{\"a\":\"\\u00e9\\\"\",\"b\":\"\"}")
	csv := []byte("stray,b,a\n,\"x\ny\",1\n\n\r\n\"z\",,2\r\n,\"\r\n\",\"p\r\nq\rr\n\"\r\n7,\"\",\"é\"\"\"")
	mark := []byte("\ufeff")
	want := []pair{{"1", "x\ny"}, {"2", ""}, {"p\r\nq\rr\n", "\r\n"}, {"é\"", ""}}
	for _, tt := range []struct {
		name    string
		content []byte
	}{
		{"a.ndjson", ndjson}, {"a.ndjson.gz", gzipped(ndjson)}, {"a.ndjson.zst", zstandard(ndjson)},
		{"a.csv", csv}, {"a.csv.gz", gzipped(csv)}, {"a.csv.zst", zstandard(csv)},
		{"a.NDJSON.GZ", gzipped(ndjson)},
		{"a.ndjson", slices.Concat(mark, ndjson)}, {"a.csv", slices.Concat(mark, csv)},
		{"a.csv.gz", slices.Concat(gzipped(csv[:9]), gzipped(csv[9:]))},
	} {
		rows, faults, err := read(write(t, tt.name, tt.content))
		if err != nil || len(faults) > 0 || !slices.Equal(rows, want) {
			t.Errorf("Read(%s) = %q, %q, %v, want %q", tt.name, rows, faults, err, want)
		}
	}
}

// TestBadRows tests bad rows. Each is the third of four rows, of which the others must be read.
func TestBadRows(t *testing.T) {
	for _, tt := range []struct{ name, file, row, want string }{
		{"required missing", "f.ndjson", `{"b":"x"}`, "f.ndjson line 3: field a: is required"},
		{"required null", "f.ndjson", `{"a":null}`, "f.ndjson line 3: field a: is required"},
		{"required empty", "f.ndjson", `{"a":""}`, "f.ndjson line 3: field a: is required"},
		{"number for a text", "f.ndjson", `{"a":1}`, "f.ndjson line 3: field a: must be a string"},
		{"array for a text", "f.ndjson", `{"a":["1"]}`, "f.ndjson line 3: field a: must be a string"},
		{"NUL", "f.ndjson", `{"a":"x\u0000"}`, "f.ndjson line 3: field a: must not have a NUL character"},
		{"not an object", "f.ndjson", `["a"]`, "f.ndjson line 3: must be a JSON object"},
		{"not JSON", "f.ndjson", `hello`, "f.ndjson line 3: is not JSON: invalid character 'h' at start of value after 0 bytes"},
		{"cut off", "f.ndjson", `{"a":"x`, "f.ndjson line 3: is not JSON: it is cut off"},
		{"two objects", "f.ndjson", `{"a":"x"} {"a":"y"}`, "f.ndjson line 3: has more than one JSON object"},
		{"member twice", "f.ndjson", `{"a":"x","a":"y"}`, `f.ndjson line 3: has the member "a" twice`},
		{"unknown member twice", "f.ndjson", `{"a":"x","stray":{"v":1,"v":2}}`, `f.ndjson line 3: has the member "v" twice`},
		{"invalid UTF-8", "f.ndjson", "{\"a\":\"x\xff\"}", "f.ndjson line 3: is not JSON: invalid UTF-8 after 7 bytes"},
		{"half a surrogate", "f.ndjson", `{"a":"\ud800"}`, "f.ndjson line 3: is not JSON: invalid surrogate pair `\\ud800\"}` in string after 6 bytes"},
		{"required empty, CSV", "f.csv", `,x`, "f.csv line 3: field a: is required"},
		{"NUL, CSV", "f.csv", "x\x00,", "f.csv line 3: field a: must not have a NUL character"},
		{"too few cells", "f.csv", `x`, "f.csv line 3: has 1 cells, the header 2"},
		{"too many cells", "f.csv", `x,y,`, "f.csv line 3: has 3 cells, the header 2"},
		{"bare quote", "f.csv", `x,5" screen`, "f.csv line 3: cell 2 has a quote, though it does not begin with one"},
		{"text after quote", "f.csv", `x,"5" screen`, "f.csv line 3: cell 2 has text after its closing quote"},
		{"blank before quote", "f.csv", `x, "5"`, "f.csv line 3: cell 2 has a quote, though it does not begin with one"},
		{"invalid UTF-8, CSV", "f.csv", "x,\xc3(", "f.csv line 3: is not valid UTF-8"},
		{"open quote", "f.csv", `x,"y`, "f.csv line 3: a quoted cell never ends"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			good := []string{`{"a":"0"}`, `{"a":"1"}`, tt.row, `{"a":"3"}`}
			if strings.HasSuffix(tt.file, "csv") {
				good = []string{"a,b", "1,", tt.row, "3,"}
			}
			rows, faults, err := read(write(t, tt.file, []byte(strings.Join(good, "\n")+"\n")))
			if err != nil || !slices.Equal(faults, []string{tt.want}) {
				t.Errorf("faults of %q = %q, %v, want %q", tt.row, faults, err, tt.want)
			}
			if n := len(rows); n == 0 || rows[n-1].a != "3" || rows[n-2].a != "1" {
				t.Errorf("rows around %q = %q, want those before and after it", tt.row, rows)
			}
		})
	}
}

func TestFirstBadRowStops(t *testing.T) {
	file := write(t, "f.ndjson", []byte("{\"a\":\"1\"}\n{}\n{\"a\":\"3\"}\n{}\n"))
	var rows []string
	sink := func(p pair, _ int) error { rows = append(rows, p.a); return nil }
	err := readEach(context.Background(), file, sink, nil)
	wrong, ok := errors.AsType[*feed.RowError](err)
	if !ok || *wrong != (feed.RowError{File: "f.ndjson", Line: 2, Field: "a", Reason: "is required", Value: "null"}) || !slices.Equal(rows, []string{"1"}) {
		t.Errorf("Read = %v after %q, want line 2's error after 1", err, rows)
	}
	stop := errors.New("stop")
	err = readEach(context.Background(), file, sink, func(*feed.RowError) error { return stop })
	if !errors.Is(err, stop) {
		t.Errorf("Read = %v, want the error that bad returned", err)
	}
}

func TestSinkRefuses(t *testing.T) {
	file := write(t, "f.csv", []byte("a,b\n\"x\ny\",\nz,\n"))
	var faults []string
	sink := func(p pair, line int) error {
		if p.a == "z" {
			return row.Fault("b", "is not to be z")
		}
		if line != 2 {
			t.Errorf("line of the first row = %d, want 2", line)
		}
		return nil
	}
	err := readEach(context.Background(), file, sink, func(e *feed.RowError) error {
		faults = append(faults, e.Error())
		return nil
	})
	if want := []string{"f.csv line 4: field b: is not to be z"}; err != nil || !slices.Equal(faults, want) {
		t.Errorf("faults = %q, %v, want %q", faults, err, want)
	}
	stop := errors.New("disk full")
	err = readEach(context.Background(), file, func(pair, int) error { return stop }, nil)
	if !errors.Is(err, stop) {
		t.Errorf("Read = %v, want the sink's error", err)
	}
}

// TestFatal tests errors that end the read, because no single row can be skipped.
func TestFatal(t *testing.T) {
	whole := []byte("a,b\n1,2\n" + strings.Repeat("3,4\n", 100_000))
	for _, tt := range []struct {
		name, file string
		content    []byte
		want       string
	}{
		{"no header", "f.csv", nil, "f.csv line 1: has no header"},
		{"blank lines only", "f.csv", []byte("\n\n"), "f.csv line 3: has no header"},
		{"column missing", "f.csv", []byte("\nb,stray\n1,2\n"), "f.csv line 2: the header has no column a"},
		{"column twice", "f.csv", []byte("a,b,a\n"), `f.csv line 1: the header names column "a" twice`},
		{"header not UTF-8", "f.csv", []byte("a,\xff\n"), "f.csv line 1: is not valid UTF-8"},
		{"header open", "f.csv", []byte("\"a,b\n1,2\n"), "f.csv line 1: the header: a quoted cell never ends"},
		{"gzip cut", "f.csv.gz", gzipped(whole)[:400], "the file is truncated or damaged"},
		{"gzip without its checksum", "f.csv.gz", gzipped(whole)[:len(gzipped(whole))-4], "f.csv.gz line 100003: the file is truncated or damaged"},
		{"empty gzip", "f.csv.gz", nil, "f.csv.gz line 1: the file is truncated or damaged"},
		{"not gzip", "f.csv.gz", whole, "f.csv.gz line 1: the file is truncated or damaged"},
		{"zstd cut", "f.csv.zst", zstandard(whole)[:len(zstandard(whole))-3], "the file is truncated or damaged"},
		{"empty zstd", "f.csv.zst", nil, "f.csv.zst line 1: the file is truncated or damaged"},
		{"not zstd", "f.csv.zst", whole, "f.csv.zst line 1: the file is truncated or damaged"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, faults, err := read(write(t, tt.file, tt.content))
			if err == nil || len(faults) > 0 || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), " line ") {
				t.Errorf("Read = %q, %v, want %q", faults, err, tt.want)
			}
		})
	}
}

// TestRowSize tests rows around the limit of 1 MiB. Only the row beyond the limit is lost.
func TestRowSize(t *testing.T) {
	const frame = len(`{"a":""}`)
	long := func(n int) string { return strings.Repeat("x", n) }
	for _, tt := range []struct {
		name, file, content string
		rows                int
		want                []string
	}{
		{"1 MiB", "f.ndjson", `{"a":"` + long(feed.MaxRow-frame) + "\"}\n{\"a\":\"2\"}\n", 2, nil},
		{"1 MiB and 1", "f.ndjson", `{"a":"` + long(feed.MaxRow-frame+1) + "\"}\n{\"a\":\"2\"}\n", 1, []string{"f.ndjson line 1: is longer than 1 MiB"}},
		{"5 MiB", "f.ndjson", "{\"a\":\"1\"}\n" + long(5<<20) + "\n{\"a\":\"3\"}", 2, []string{"f.ndjson line 2: is longer than 1 MiB"}},
		{"5 MiB at the end", "f.ndjson", "{\"a\":\"1\"}\n" + long(5<<20), 1, []string{"f.ndjson line 2: is longer than 1 MiB"}},
		{"1 MiB, CSV", "f.csv", "a,b\r\n" + long(feed.MaxRow-1) + ",\r\n2,\r\n", 2, nil},
		{"1 MiB and 1, CSV", "f.csv", "a,b\r\n" + long(feed.MaxRow) + ",\r\n2,\r\n", 1, []string{"f.csv line 2: is longer than 1 MiB"}},
		{"1 MiB in quotes", "f.csv", "a,b\n\"" + long(feed.MaxRow-4) + "\n\",\n2,\n", 2, nil},
		{"quote open for 2 MiB", "f.csv", "a,b\n1,\"\n" + strings.Repeat("2,3\n", 1<<19), 1 << 19, []string{"f.csv line 2: is longer than 1 MiB"}},
		{"quote open to the end", "f.csv", "a,b\n1,\"\n2,3\n4,5", 2, []string{"f.csv line 2: a quoted cell never ends"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rows, faults, err := read(write(t, tt.file, []byte(tt.content)))
			if err != nil || len(rows) != tt.rows || !slices.Equal(faults, tt.want) {
				t.Errorf("Read = %d rows, %q, %v, want %d, %q", len(rows), faults, err, tt.rows, tt.want)
			}
		})
	}
}

func TestCancel(t *testing.T) {
	file := write(t, "f.csv", []byte("a,b\n"+strings.Repeat("3,4\n", 1<<20)))
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	err := readEach(ctx, file, func(pair, int) error {
		if n++; n == 1000 {
			cancel()
		}
		return nil
	}, nil)
	if !errors.Is(err, context.Canceled) || n == 1<<20 {
		t.Errorf("Read = %v after %d rows, want it cancelled before the end", err, n)
	}
	if err := goleak.Find(); err != nil {
		t.Error(err)
	}
	if err := readEach[pair](ctx, file, nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Read with a context that is done = %v, want context canceled", err)
	}
}

func TestOrderAndLines(t *testing.T) {
	var b bytes.Buffer
	var want []int
	for i := range 300_000 {
		if i%7 == 0 {
			b.WriteByte('\n')
			continue
		}
		b.WriteString("{\"a\":\"x\"}\n")
		want = append(want, i+1)
	}
	var got []int
	err := readEach(context.Background(), write(t, "f.ndjson", b.Bytes()), func(_ pair, line int) error {
		got = append(got, line)
		return nil
	}, nil)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("lines = %d rows, %v, want the %d lines that are not blank, in order", len(got), err, len(want))
	}
}

// TestBlankLinesTakeNoMemory tests that the number of lines read at once is limited, and not only their size.
func TestBlankLinesTakeNoMemory(t *testing.T) {
	file := write(t, "f.csv", append([]byte("a,b\n1,2\n"), bytes.Repeat([]byte{'\n'}, 4<<20)...))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	rows, faults, err := read(file)
	runtime.ReadMemStats(&after)
	if err != nil || len(rows) != 1 || len(faults) > 0 {
		t.Errorf("Records = %q, %q, %v, want one row", rows, faults, err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 16<<20 {
		t.Errorf("4 MiB of blank lines took %d MiB, want at most 16", took>>20)
	}
}
