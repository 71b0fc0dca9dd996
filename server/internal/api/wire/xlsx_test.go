package wire_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/api/wire"
	"github.com/lectern-dev/lectern/server/internal/tools/xlsxtest"
)

// sheetOf returns the two lines of a sheet with one row: the header and the row.
func sheetOf(t *testing.T, write func(*wire.Writer)) [][]xlsxtest.Cell {
	t.Helper()
	table := wire.Table[int]{Write: func(w *wire.Writer, _ *int) { write(w) }}
	lines, err := xlsxtest.Read(table.Rows(paging.List[int]{Rows: []int{1}, Total: 1}).AppendXLSX(nil), "rows")
	if err != nil || len(lines) != 2 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	return lines
}

// TestCells tests that numbers, booleans, days and instants keep their type in a sheet. Everything else is a text, as
// are numbers and days that a spreadsheet would change (H11).
func TestCells(t *testing.T) {
	const (
		number, text = xlsxtest.Number, xlsxtest.Text
		day, instant = xlsxtest.Day, xlsxtest.Instant
	)
	at := func(s string) time.Time {
		v, err := time.Parse(time.RFC3339Nano, s)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	tests := []struct {
		rule  string
		write func(*wire.Writer)
		kind  xlsxtest.Kind
		want  string
	}{
		{"number", func(w *wire.Writer) { w.Int("v", -7, "") }, number, "-7"},
		{"number of 15 digits", func(w *wire.Writer) { w.Int("v", 999_999_999_999_999, "") }, number, "999999999999999"},
		{"number of 16 digits", func(w *wire.Writer) { w.Int("v", 9_007_199_254_740_991, "") }, text, "9007199254740991"},
		{"unknown number", func(w *wire.Writer) { w.IntIf("v", 1, false, "") }, xlsxtest.Empty, ""},
		{"minutes", func(w *wire.Writer) { w.Minutes("v", 120, "") }, number, "12.0"},
		{"percent", func(w *wire.Writer) { w.Percent("v", 5000, "") }, number, "50.00"},
		{"fraction", func(w *wire.Writer) { w.Fraction("v", 2500, "") }, number, "0.2500"},
		{"decimals of 19 digits", func(w *wire.Writer) { w.Ratio("v", math.MaxInt64, "") }, text, "922337203685477.5807"},
		{"amount", func(w *wire.Writer) { w.Amount("v", "12.50", "") }, number, "12.50"},
		{"amount of nothing", func(w *wire.Writer) { w.Amount("v", "0", "") }, number, "0"},
		{"true", func(w *wire.Writer) { w.Bool("v", true, "") }, xlsxtest.Boolean, "true"},
		{"false", func(w *wire.Writer) { w.Bool("v", false, "") }, xlsxtest.Boolean, "false"},

		{"day", func(w *wire.Writer) { w.Date("v", calendar.MustParse("2026-10-01"), "") }, day, "2026-10-01"},
		{"leap day", func(w *wire.Writer) { w.Date("v", calendar.MustParse("2028-02-29"), "") }, day, "2028-02-29"},
		{"first day on which spreadsheets agree", func(w *wire.Writer) { w.Date("v", calendar.MustParse("1900-03-01"), "") }, day, "1900-03-01"},
		{"day before it", func(w *wire.Writer) { w.Date("v", calendar.MustParse("1900-02-28"), "") }, text, "1900-02-28"},
		{"day of another century", func(w *wire.Writer) { w.Date("v", calendar.MustParse("1889-11-15"), "") }, text, "1889-11-15"},
		{"last day", func(w *wire.Writer) { w.Date("v", calendar.MustParse("9999-12-31"), "") }, day, "9999-12-31"},

		{"instant of UTC", func(w *wire.Writer) { w.Time("v", at("2026-10-01T23:59:59.999-03:00"), "") }, instant, "2026-10-02 02:59:59"},
		{"instant of Brasilia", func(w *wire.Writer) { w.Datetime("v", at("2026-10-01T02:59:59.999Z"), "") }, instant, "2026-09-30 23:59:59"},
		{"midnight", func(w *wire.Writer) { w.Time("v", at("2026-10-01T00:00:00Z"), "") }, instant, "2026-10-01 00:00:00"},
		{"last second", func(w *wire.Writer) { w.Time("v", at("9999-12-31T23:59:59Z"), "") }, instant, "9999-12-31 23:59:59"},
		{"instant of another century", func(w *wire.Writer) { w.Datetime("v", at("1889-11-15T12:00:00Z"), "") }, text, "1889-11-15 09:00:00"},
		{"unknown instant", func(w *wire.Writer) { w.DatetimeOrNull("v", time.Time{}, "") }, xlsxtest.Empty, ""},

		{"digits", func(w *wire.Writer) { w.Text("v", "9788535914849", "") }, text, "9788535914849"},
		{"band", func(w *wire.Writer) { w.TextOf("v", "1-10", wire.Text, "") }, text, "1-10"},
		{"formula", func(w *wire.Writer) { w.Text("v", "=1+1", "") }, text, "=1+1"},
		{"empty text", func(w *wire.Writer) { w.Text("v", "", "") }, text, ""},
		{"null", func(w *wire.Writer) { w.TextOrNull("v", "", "") }, xlsxtest.Empty, ""},
		{"list", func(w *wire.Writer) { w.Texts("v", []string{"a", `"<`}, wire.Text, "") }, text, `["a","\"<"]`},
		{"numbers", func(w *wire.Writer) { w.Ints("v", []int64{1, 2}, "") }, text, "[1,2]"},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			lines := sheetOf(t, func(w *wire.Writer) { w.Int("before", 1, ""); tt.write(w); w.Bool("after", true, "") })
			want := []xlsxtest.Cell{{Kind: number, Text: "1"}, {Kind: tt.kind, Text: tt.want}, {Kind: xlsxtest.Boolean, Text: "true"}}
			if !slices.Equal(lines[1], want) || lines[0][1] != (xlsxtest.Cell{Kind: text, Text: "v"}) {
				t.Errorf("%s = %q, want %q", lines[0], lines[1], want)
			}
		})
	}
}

// TestEverySecond tests that each second of a day is read back unchanged.
func TestEverySecond(t *testing.T) {
	first := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	seconds := make([]time.Time, 24*60*60)
	for i := range seconds {
		seconds[i] = first.Add(time.Duration(i) * time.Second)
	}
	table := wire.Table[time.Time]{Write: func(w *wire.Writer, at *time.Time) { w.Time("at", *at, "") }}
	lines, err := xlsxtest.Read(table.Rows(paging.List[time.Time]{Rows: seconds}).AppendXLSX(nil), "rows")
	if err != nil || len(lines) != len(seconds)+1 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	for i, at := range seconds {
		if got := lines[i+1][0].Text; got != at.Format(time.DateTime) {
			t.Fatalf("cell of %v = %s, want the same second", at, got)
		}
	}
}

// TestLargeSheet tests a sheet of several chunks and of columns with two letters. The same rows give the same bytes, and
// the bytes before them in the buffer stay.
func TestLargeSheet(t *testing.T) {
	const lines, columns = 500, 60
	table := wire.Table[int]{Write: func(w *wire.Writer, row *int) {
		for c := range columns {
			if *row%7 == c {
				w.Null(fmt.Sprint("c", c))
				continue
			}
			w.Int(fmt.Sprint("c", c), int64(*row*1000+c), "")
		}
	}}
	list := make([]int, lines)
	for i := range list {
		list[i] = i
	}
	rows := paging.List[int]{Rows: list, Total: lines}
	file := table.Rows(rows).AppendXLSX([]byte("before"))
	again := table.Rows(rows).AppendXLSX(nil)
	if string(file[:6]) != "before" || !bytes.Equal(file[6:], again) {
		t.Errorf("%d bytes, the second time %d, want the same bytes", len(file)-6, len(again))
	}
	sheet, err := xlsxtest.Read(again, "rows")
	if err != nil || len(sheet) != lines+1 || len(sheet[0]) != columns {
		t.Fatalf("%d lines, %v", len(sheet), err)
	}
	for i, row := range list {
		for c, got := range sheet[i+1] {
			want := xlsxtest.Cell{Kind: xlsxtest.Number, Text: fmt.Sprint(row*1000 + c)}
			if row%7 == c {
				want = xlsxtest.Cell{}
			}
			if got != want {
				t.Fatalf("line %d, column %d = %q, want %q", i, c, got, want)
			}
		}
	}
}

// TestLongText tests that a text is cut to the limit of a spreadsheet's cell.
func TestLongText(t *testing.T) {
	const most = 32_767
	for _, tt := range []struct{ rule, text, want string }{
		{"as long as a cell", strings.Repeat("ã", most), strings.Repeat("ã", most)},
		{"longer", strings.Repeat("ã", most+1), strings.Repeat("ã", most-1) + "…"},
		{"of two units each", strings.Repeat("😀", most/2), strings.Repeat("😀", most/2)},
		{"of two units each, longer", strings.Repeat("😀", most/2+1), strings.Repeat("😀", most/2) + "…"},
		{"of escapes", strings.Repeat("\x01", most), strings.Repeat("\x01", most)},
	} {
		cells := sheetOf(t, func(w *wire.Writer) { w.Text("v", tt.text, "") })
		if got := cells[1][0].Text; got != tt.want {
			t.Errorf("%s: %d characters, want %d", tt.rule, len([]rune(got)), len([]rune(tt.want)))
		}
	}
}

// FuzzCell checks that a cell has the same text as JSON. A text that is too long is cut.
func FuzzCell(f *testing.F) {
	for _, s := range []string{"", " a ", "_x0041_", "_x0041\x01", "_x005F_x0041_", "a\r\nb\rc\n", "\t<&>]]>", "\x00\x1f\x7f\u0085\ufffe\uffff", "\xff\xed\xa0\x80", "😀\u2028"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var document struct{ V string }
		write := func(w *wire.Writer) { w.Text("V", s, "") }
		if err := json.Unmarshal(wire.AppendJSON(nil, write), &document); err != nil {
			t.Fatal(err)
		}
		got, want := sheetOf(t, write)[1][0], document.V
		if units(want) > 32_767 {
			cut, ok := strings.CutSuffix(got.Text, "…")
			if !ok || !strings.HasPrefix(want, cut) || units(cut) < 32_765 { // a character may have two units
				t.Errorf("a text of %d units is cut to %d", units(want), units(got.Text))
			}
			return
		}
		if got != (xlsxtest.Cell{Kind: xlsxtest.Text, Text: want}) {
			t.Errorf("cell of %q = %q", s, got)
		}
	})
}

func units(s string) int { return len(utf16.Encode([]rune(s))) }
