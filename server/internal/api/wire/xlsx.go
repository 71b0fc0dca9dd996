package wire

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/klauspost/compress/flate"

	"github.com/lectern-dev/lectern/reading/calendar"
)

// AppendXLSX appends a workbook (ECMA-376). Its first sheet, rows, has a frozen header line with a filter and a line for each row,
// with the columns of CSV (H11). A table with entries has a second sheet of them. Numbers, booleans, days and instants are cells of
// that type. Values that a spreadsheet would change are texts: numbers of more than 15 digits, days before March 1900 and after
// 9999. A text of more than 32,767 units of UTF-16, the limit of a cell, is cut and ends in an ellipsis. The same rows give the
// same bytes.
func (rows Rows) AppendXLSX(b []byte) []byte {
	sheets := []sheet{{"rows", rows.count, func(int) int { return 1 }, func(w *Writer, row, _ int) { rows.line(w, row) }}}
	if rows.entries != nil {
		sheets = append(sheets, *rows.entries)
	}
	var names []string
	for _, s := range sheets {
		names = append(names, s.name)
	}
	out := bytes.NewBuffer(b)
	z := zip.NewWriter(out) // to memory: nothing of it can fail
	z.RegisterCompressor(zip.Deflate, newDeflater)
	for _, p := range parts(names...) {
		part, _ := z.Create(p.name)
		io.WriteString(part, xmlHeader+p.text)
	}
	for i, s := range sheets {
		part, _ := z.Create(fmt.Sprintf("xl/worksheets/sheet%d.xml", i+1))
		s.write(part)
	}
	z.Close()
	return out.Bytes()
}

// deflater compresses one part at the fastest level, and is used again for another.
type deflater struct{ *flate.Writer }

var deflaters sync.Pool // of *flate.Writer

func newDeflater(out io.Writer) (io.WriteCloser, error) {
	if w, ok := deflaters.Get().(*flate.Writer); ok {
		w.Reset(out)
		return deflater{w}, nil
	}
	w, err := flate.NewWriter(out, flate.BestSpeed)
	return deflater{w}, err
}

func (d deflater) Close() error {
	err := d.Writer.Close()
	deflaters.Put(d.Writer)
	return err
}

// sheet is a sheet of a workbook: rows, with some lines each.
type sheet struct {
	name  string
	rows  int
	lines func(row int) int
	line  func(w *Writer, row, i int) // the line i of a row, or a sample for -1 and -1
}

// write writes the sheet. The widths of its columns, which come first, are known when all lines are written.
func (s *sheet) write(out io.Writer) {
	header := Writer{form: asHeader}
	s.line(&header, -1, -1)
	columns := strings.Split(string(header.b), ",") // a name has no comma

	w := Writer{form: asSheet, widths: make([]int, len(columns))}
	w.line(func() {
		for _, name := range columns {
			w.column++
			w.textCell(headingStyle, name)
			w.wide(len(name) + filterWidth)
		}
	})
	for row := range s.rows {
		for i := range s.lines(row) {
			w.line(func() { s.line(&w, row, i) })
		}
	}
	area := fmt.Sprintf("A1:%s%d", appendColumn(nil, len(columns)), w.row)
	begin := fmt.Appendf(nil, xmlHeader+sheetBegin, area)
	for i, width := range w.widths {
		begin = fmt.Appendf(begin, sheetColumn, i+1, min(width, widest)+margin)
	}
	out.Write(append(begin, sheetData...))
	out.Write(fmt.Appendf(w.b, sheetEnd, area))
}

// Widths of columns, in characters.
const (
	widest       = 60
	margin       = 2
	filterWidth  = 2 // the button of the filter, and the bold type, of a header
	dayWidth     = len("2006-01-02")
	instantWidth = len("2006-01-02 15:04:05")
)

// wide says that the cell at hand needs so many characters.
func (w *Writer) wide(characters int) {
	at := &w.widths[w.column-1]
	*at = max(*at, characters)
}

// line writes the next line of the sheet, of the cells that a function writes.
func (w *Writer) line(cells func()) {
	w.row, w.column = w.row+1, 0
	w.b = append(w.b, `<row r="`...)
	w.b = strconv.AppendInt(w.b, int64(w.row), 10)
	w.b = append(w.b, `">`...)
	cells()
	w.b = append(w.b, "</row>"...)
}

// appendColumn appends the name of a column: A is 1, AA is 27.
func appendColumn(b []byte, n int) []byte {
	if n > 26 {
		b = appendColumn(b, (n-1)/26)
	}
	return append(b, byte('A'+(n-1)%26))
}

// beginCell begins the cell at hand, in a style; kind is the attribute for its type, nothing for a number.
func (w *Writer) beginCell(style byte, kind string) {
	b := append(w.b, `<c r="`...)
	b = appendColumn(b, w.column)
	b = strconv.AppendInt(b, int64(w.row), 10)
	b = append(append(b, `" s="`...), '0'+style, '"')
	w.b = append(append(b, kind...), '>')
}

// valueCell writes a cell of a number, or what is one in the file.
func (w *Writer) valueCell(style byte, kind string, value []byte) {
	switch style {
	case dayStyle:
		w.wide(dayWidth)
	case instantStyle:
		w.wide(instantWidth)
	default:
		w.wide(len(value))
	}
	w.beginCell(style, kind)
	w.b = append(append(append(w.b, "<v>"...), value...), "</v></c>"...)
}

// mostDigits is how many digits a spreadsheet keeps of a number.
const mostDigits = 15

// numberCell writes a number as JSON has it, and shows as many decimals as that does.
func (w *Writer) numberCell(number []byte) {
	digits, decimals, point := 0, byte(0), false
	for _, c := range number {
		switch {
		case c == '.':
			point = true
		case c != '-':
			digits++
			if point {
				decimals++
			}
		}
	}
	switch {
	case digits > mostDigits:
		w.textCell(textStyle, string(number))
	case decimals > mostDecimals:
		w.valueCell(generalStyle, "", number)
	default:
		w.valueCell(generalStyle+decimals, "", number)
	}
}

func (w *Writer) boolCell(v bool) {
	value := "0"
	if v {
		value = "1"
	}
	w.valueCell(generalStyle, ` t="b"`, []byte(value))
}

// dayZero is the day from which spreadsheets count. They agree on the days between the other two: some have a 29 February 1900.
var (
	dayZero  = calendar.MustParse("1899-12-30")
	firstDay = calendar.MustParse("1900-03-01")
	lastDay  = calendar.MustParse("9999-12-31")
)

func (w *Writer) dayCell(d calendar.Date) {
	if d < firstDay || d > lastDay {
		w.textCell(textStyle, d.String())
		return
	}
	var digits [20]byte
	w.valueCell(dayStyle, "", strconv.AppendInt(digits[:0], int64(d-dayZero), 10))
}

const secondsOfDay = 24 * 60 * 60

// instantCell writes what the clock of an instant's place shows, cut to seconds; layout is for those that must be texts.
func (w *Writer) instantCell(t time.Time, layout string) {
	_, ahead := t.Zone()
	clock := t.Unix() + int64(ahead)
	second := (clock%secondsOfDay + secondsOfDay) % secondsOfDay
	day := calendar.Date((clock - second) / secondsOfDay)
	if day < firstDay || day > lastDay {
		w.textCell(textStyle, t.Format(layout))
		return
	}
	var digits [24]byte
	since := float64(day-dayZero) + float64(second)/secondsOfDay // which is nearer to the second than a thousandth
	w.valueCell(instantStyle, "", strconv.AppendFloat(digits[:0], since, 'f', -1, 64))
}

func (w *Writer) textCell(style byte, s string) {
	w.wide(utf8.RuneCountInString(s[:min(len(s), 4*widest)]))
	w.beginCell(style, ` t="inlineStr"`)
	w.b = append(w.b, `<is><t xml:space="preserve">`...)
	w.b = appendXML(w.b, fitted(s))
	w.b = append(w.b, "</t></is></c>"...)
}

// longestText is the limit of a cell, in units of UTF-16.
const longestText = 32_767

// fitted returns a text cut to the limit of a cell, with an ellipsis at the cut.
func fitted(s string) string {
	if len(s) <= longestText { // no character has more units than bytes
		return s
	}
	units, cut := 0, 0 // cut is where the ellipsis still has a place
	for i, r := range s {
		if units < longestText {
			cut = i
		}
		units++
		if r > 0xffff {
			units++
		}
	}
	if units <= longestText {
		return s
	}
	return s[:cut] + "…"
}

// appendXML appends a text for an element. A character that XML cannot contain is written as _xHHHH_ (ECMA-376, ST_Xstring), and
// so is the underscore of a text that looks like such an escape. Bytes that are not UTF-8 become U+FFFD, as in JSON.
func appendXML(b []byte, s string) []byte {
	plain := 0 // the beginning of what needs no escape
	for i := 0; i < len(s); {
		escape, n := escapeXML(s[i:])
		if escape != "" {
			b = append(append(b, s[plain:i]...), escape...)
			plain = i + n
		}
		i += n
	}
	return append(b, s[plain:]...)
}

// escapeXML returns the escape of the first character of a text, empty if it needs none, and the length of the character.
func escapeXML(s string) (escape string, n int) {
	r, n := rune(s[0]), 1
	if r >= utf8.RuneSelf {
		r, n = utf8.DecodeRuneInString(s)
	}
	switch {
	case r == '<':
		return "&lt;", n
	case r == '>':
		return "&gt;", n
	case r == '&':
		return "&amp;", n
	case r == '\r': // by itself it would be read as \n
		return "&#13;", n
	case r == '_' && len(s) >= len("_x0000") && s[1] == 'x' && isHex(s[2:6]):
		return "_x005F_", n
	case r < ' ' && r != '\t' && r != '\n', r == 0xfffe, r == 0xffff:
		return fmt.Sprintf("_x%04X_", r), n
	case r == utf8.RuneError:
		return "\ufffd", n
	}
	return "", n
}

func isHex(s string) bool { return strings.Trim(s, "0123456789abcdefABCDEF") == "" }
