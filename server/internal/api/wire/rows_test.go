package wire

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/tools/xlsxtest"
)

// sampleRow is a row with numbers, texts, a list and nullable objects.
type sampleRow struct {
	ID    int64
	Text  string
	Book  *string // the title of an object
	Tags  []string
	Tenth int64
	Last  *string // of an object at the end
}

func writeSample(w *Writer, r *sampleRow) {
	nested := func(w *Writer, title *string) {
		w.Int("id", 7, "")
		w.Text("title", *title, "")
	}
	w.Int("id", r.ID, "")
	w.TextOrNull("text", r.Text, "")
	Maybe(w, "book", "Book", r.Book, nested, "")
	w.Texts("tags", r.Tags, Text, "")
	w.Minutes("minutes", reading.Minutes(r.Tenth), "")
	Maybe(w, "last", "Book", r.Last, nested, "")
}

func sampleRows(list []sampleRow) Rows {
	return Table[sampleRow]{Schema: "Sample", Write: writeSample}.Rows(paging.List[sampleRow]{Rows: list, Total: 12345})
}

// written returns rows in the form of a content type.
func written(form string, list []sampleRow) string {
	rows := sampleRows(list)
	switch form {
	case "text/csv":
		return string(rows.AppendCSV(nil))
	case "application/x-ndjson":
		return string(rows.AppendNDJSON(nil))
	case XLSXType:
		return string(rows.AppendXLSX(nil))
	}
	return string(AppendJSON(nil, rows.Members))
}

// TestCSV tests cells with quotes, line breaks, lists, formulas and nulls.
func TestCSV(t *testing.T) {
	title, formula := `o "livro", 1;2`, "=1+1"
	list := []sampleRow{
		{ID: 1, Text: "9788535914849", Book: &title, Tags: []string{"a", "b,c"}, Tenth: 225},
		{ID: 2, Text: "-1", Last: &formula},
		{ID: 3, Text: "duas\nlinhas"},
		{ID: 4, Text: `+A1;"x"`},
	}
	const header = "id,text,book.id,book.title,tags,minutes,last.id,last.title\r\n"
	want := header +
		`1,9788535914849,7,"o ""livro"", 1;2","[""a"",""b,c""]",22.5,,` + "\r\n" +
		`2,-1,,,"[]",0.0,7,=1+1` + "\r\n" +
		"3,\"duas\nlinhas\",,,\"[]\",0.0,,\r\n" +
		`4,"+A1;""x""",,,"[]",0.0,,` + "\r\n"
	if got := written("text/csv", list); got != want {
		t.Errorf("CSV =\n%s\nwant\n%s", got, want)
	}
	if got := written("text/csv", nil); got != header {
		t.Errorf("CSV of no rows = %q, want the header", got)
	}
}

// TestFormsAgree writes random rows in all forms, and checks that CSV, NDJSON and XLSX have the same values as JSON.
func TestFormsAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	random := func() string {
		const letters = "ab \",;\n\r\t\\'=+-@0 ção<&>\u2028\x01"
		runes := []rune(letters)
		var b strings.Builder
		for range r.IntN(8) {
			b.WriteRune(runes[r.IntN(len(runes))])
		}
		return b.String()
	}
	for range 200 {
		list := make([]sampleRow, r.IntN(4))
		for i := range list {
			list[i] = sampleRow{ID: r.Int64N(1000), Text: random(), Tenth: r.Int64N(10000)}
			if s := random(); r.IntN(2) == 0 {
				list[i].Book = &s
			}
			for range r.IntN(3) {
				list[i].Tags = append(list[i].Tags, random())
			}
		}
		var document struct{ Rows []map[string]any }
		decode(t, written("", list), &document)
		table := csv.NewReader(strings.NewReader(written("text/csv", list)))
		records, err := table.ReadAll()
		if err != nil || len(records) != len(list)+1 {
			t.Fatalf("CSV: %d records, %v, want %d", len(records), err, len(list)+1)
		}
		lines := strings.Split(written("application/x-ndjson", list), "\n")
		sheet, err := xlsxtest.Read([]byte(written(XLSXType, list)), "rows")
		if err != nil || len(sheet) != len(records) {
			t.Fatalf("sheet: %d lines, %v, want %d", len(sheet), err, len(records))
		}
		for i, row := range document.Rows {
			var line map[string]any
			decode(t, lines[i], &line)
			if fmt.Sprint(line) != fmt.Sprint(row) {
				t.Errorf("NDJSON row = %v, want the JSON row, %v", line, row)
			}
			want := []string{fmt.Sprint(list[i].ID), list[i].Text, "", "", "", "", "", ""}
			if list[i].Book != nil {
				want[2], want[3] = "7", *list[i].Book
			}
			tags, _ := json.Marshal(append([]string{}, list[i].Tags...))
			want[5] = fmt.Sprintf("%d.%d", list[i].Tenth/10, list[i].Tenth%10)
			got := slices.Clone(records[i+1])
			var listed, wanted []string
			decode(t, got[4], &listed)
			decode(t, string(tags), &wanted)
			if !slices.Equal(listed, wanted) {
				t.Errorf("tags = %q, want %q", listed, wanted)
			}
			if in, want := sheet[i+1], sheetCells(list[i], got[4], want); !slices.Equal(in, want) {
				t.Errorf("the sheet has %q, want %q", in, want)
			}
			got[4] = ""
			for c := range want { // encoding/csv reads \r\n as \n
				want[c] = strings.ReplaceAll(want[c], "\r\n", "\n")
			}
			if !slices.Equal(got, want) {
				t.Errorf("CSV has %q, want %q", got, want)
			}
		}
	}
}

// sheetCells returns the cells of a sheet for a row with the given texts.
func sheetCells(r sampleRow, tags string, texts []string) []xlsxtest.Cell {
	cells := make([]xlsxtest.Cell, len(texts))
	for i, kind := range []xlsxtest.Kind{xlsxtest.Number, xlsxtest.Text, xlsxtest.Number, xlsxtest.Text, xlsxtest.Text, xlsxtest.Number} {
		cells[i] = xlsxtest.Cell{Kind: kind, Text: texts[i]}
	}
	cells[4].Text = tags
	if r.Text == "" {
		cells[1] = xlsxtest.Cell{}
	}
	if r.Book == nil {
		cells[2], cells[3] = xlsxtest.Cell{}, xlsxtest.Cell{}
	}
	return cells
}

func decode(t *testing.T, text string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
}

// TestValues tests each kind of value as a cell and as a member.
func TestValues(t *testing.T) {
	at := time.Date(2026, 10, 1, 15, 30, 0, 0, time.UTC)
	lines := func(w *Writer, _ *int) {
		w.Date("day", calendar.MustParse("2026-10-01"), "")
		w.Amount("price", "12.50", "")
	}
	write := func(w *Writer, _ *int) {
		w.Date("day", calendar.MustParse("2026-10-01"), "")
		w.Datetime("at", at, "")
		w.Time("utc", at, "")
		w.Percent("percent", 5000, "")
		w.Amount("price", "12.50", "")
		w.Bool("active", true, "")
		List(w, "lines", "", []int{1}, lines, "")
		w.Date("last", calendar.MustParse("2026-10-02"), "")
	}
	rows := Table[int]{Write: write}.Rows(paging.List[int]{Rows: []int{1}, Total: 1})
	const cells = `2026-10-01,2026-10-01 12:30:00,2026-10-01T15:30:00Z,50.00,12.50,true,"[{""day"":""2026-10-01"",""price"":""12.50""}]",2026-10-02` + "\r\n"
	if _, got, _ := strings.Cut(string(rows.AppendCSV(nil)), "\r\n"); got != cells {
		t.Errorf("CSV =\n%swant\n%s", got, cells)
	}
	const want = `{"day":"2026-10-01","at":"2026-10-01 12:30:00","utc":"2026-10-01T15:30:00Z","percent":50.00,"price":"12.50","active":true,` +
		`"lines":[{"day":"2026-10-01","price":"12.50"}],"last":"2026-10-02"}` + "\n"
	if got := string(rows.AppendNDJSON(nil)); got != want {
		t.Errorf("NDJSON = %swant %s", got, want)
	}
}

// TestChanged tests the rows of an incremental pull in JSON, NDJSON and CSV: a row that was removed has only its key.
func TestChanged(t *testing.T) {
	title := "Sagarana"
	table := Table[sampleRow]{Schema: "Sample", Write: writeSample, Key: func(w *Writer, r *sampleRow) {
		w.Int("id", r.ID, "")
		w.TextOrNull("text", r.Text, "")
	}}
	rows := table.Rows(paging.List[sampleRow]{
		Rows: []sampleRow{{ID: 1, Book: &title}, {ID: 2, Text: "a"}, {ID: 3}}, Removed: []bool{false, true, false}, Total: 9,
	})
	const first = `{"id":1,"text":null,"book":{"id":7,"title":"Sagarana"},"tags":[],"minutes":0.0,"last":null}`
	const third = `{"id":3,"text":null,"book":null,"tags":[],"minutes":0.0,"last":null}`
	if got, want := string(AppendJSON(nil, rows.Members)), `{"rows":[`+first+","+third+`],"removed":[{"id":2,"text":"a"}]}`; got != want {
		t.Errorf("JSON = %s\nwant %s", got, want)
	}
	if got, want := string(rows.AppendNDJSON(nil)), first+"\n"+`{"id":2,"text":"a","removed":true}`+"\n"+third+"\n"; got != want {
		t.Errorf("NDJSON = %s\nwant %s", got, want)
	}
	const header = "id,text,book.id,book.title,tags,minutes,last.id,last.title,removed\r\n"
	want := header + "1,,7,Sagarana,\"[]\",0.0,,,\r\n2,a,,,,,,,true\r\n3,,,,\"[]\",0.0,,,\r\n"
	if got := string(rows.AppendCSV(nil)); got != want {
		t.Errorf("CSV =\n%s\nwant\n%s", got, want)
	}
	none := table.Rows(paging.List[sampleRow]{Removed: []bool{}})
	if got := string(none.AppendCSV(nil)); got != header {
		t.Errorf("CSV of no rows = %s, want %s", got, header)
	}
	if got := string(AppendJSON(nil, none.Members)); got != `{"rows":[],"removed":[]}` {
		t.Errorf("JSON of no rows = %s", got)
	}
}
