// Package xlsxtest reads workbooks for tests, independently of the code that writes them. It returns the kinds of cells, and the texts
// that a spreadsheet shows. Every sheet must have a frozen header line with a filter, and columns with widths.
package xlsxtest

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
)

// Kind is the kind of a cell.
type Kind string

// The kinds of cells.
const (
	Empty   Kind = ""
	Number  Kind = "number"
	Boolean Kind = "boolean"
	Day     Kind = "day"
	Instant Kind = "instant"
	Text    Kind = "text"
)

// Cell is a cell and the text that it shows: true or false, YYYY-MM-DD, YYYY-MM-DD HH:mm:ss, or a number with the decimals of its format.
type Cell struct {
	Kind Kind
	Text string
}

// Read returns the cells of a sheet, line by line, the header first. All lines are as long as the header.
func Read(workbook []byte, name string) ([][]Cell, error) {
	z, err := zip.NewReader(bytes.NewReader(workbook), int64(len(workbook)))
	if err != nil {
		return nil, err
	}
	var any struct{ XMLName xml.Name }
	var book struct {
		Sheets []struct {
			Name string `xml:"name,attr"`
		} `xml:"sheets>sheet"`
	}
	var s styles
	var page sheet
	err = errors.Join(part(z, "[Content_Types].xml", &any), part(z, "_rels/.rels", &any), part(z, "xl/_rels/workbook.xml.rels", &any),
		part(z, "xl/workbook.xml", &book), part(z, "xl/styles.xml", &s))
	for i, sheet := range book.Sheets {
		if sheet.Name == name {
			err = errors.Join(err, part(z, fmt.Sprintf("xl/worksheets/sheet%d.xml", i+1), &page))
		}
	}
	if err != nil || len(z.File) != 5+len(book.Sheets) {
		return nil, fmt.Errorf("%d parts and the sheets %v: %w", len(z.File), book.Sheets, err)
	}
	return page.cells(s)
}

// part decodes an XML part of a workbook into v.
func part(z *zip.Reader, name string, v any) error {
	text, err := fs.ReadFile(z, name) // reads to the end, where the checksum is checked
	if err == nil {
		err = xml.Unmarshal(text, v)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

type styles struct {
	Formats []struct {
		ID   int    `xml:"numFmtId,attr"`
		Code string `xml:"formatCode,attr"`
	} `xml:"numFmts>numFmt"`
	Cells []struct {
		Format int `xml:"numFmtId,attr"`
	} `xml:"cellXfs>xf"`
}

// format returns the code of a style's format.
func (s styles) format(style int) (string, error) {
	if style < 0 || style >= len(s.Cells) {
		return "", fmt.Errorf("no style %d", style)
	}
	id := s.Cells[style].Format
	for _, f := range s.Formats {
		if f.ID == id {
			return strings.ReplaceAll(f.Code, `\`, ""), nil
		}
	}
	if code, ok := map[int]string{0: "General", 2: "0.00", 49: "@"}[id]; ok { // built-in formats
		return code, nil
	}
	return "", fmt.Errorf("no format %d", id)
}

type sheet struct {
	Dimension struct {
		Ref string `xml:"ref,attr"`
	} `xml:"dimension"`
	Pane struct {
		Lines int    `xml:"ySplit,attr"`
		State string `xml:"state,attr"`
		First string `xml:"topLeftCell,attr"`
	} `xml:"sheetViews>sheetView>pane"`
	Filter struct {
		Ref string `xml:"ref,attr"`
	} `xml:"autoFilter"`
	Columns []struct {
		Width int `xml:"width,attr"`
	} `xml:"cols>col"`
	Rows []struct {
		Number int    `xml:"r,attr"`
		Cells  []cell `xml:"c"`
	} `xml:"sheetData>row"`
}

type cell struct {
	Ref   string  `xml:"r,attr"`
	Style int     `xml:"s,attr"`
	Type  string  `xml:"t,attr"`
	Value *string `xml:"v"`
	Text  *string `xml:"is>t"`
}

func (s sheet) cells(formats styles) ([][]Cell, error) {
	if s.Pane.Lines != 1 || s.Pane.State != "frozen" || s.Pane.First != "A2" || len(s.Rows) == 0 {
		return nil, fmt.Errorf("pane %+v over %d lines, want a frozen header", s.Pane, len(s.Rows))
	}
	width := len(s.Rows[0].Cells)
	if s.Filter.Ref != s.Dimension.Ref || len(s.Columns) != width {
		return nil, fmt.Errorf("a filter of %s and %d widths for %s", s.Filter.Ref, len(s.Columns), s.Dimension.Ref)
	}
	lines := make([][]Cell, len(s.Rows))
	for i, row := range s.Rows {
		lines[i] = make([]Cell, width)
		last := 0
		for _, c := range row.Cells {
			letters := strings.TrimRight(c.Ref, "0123456789")
			column := number(letters)
			if row.Number != i+1 || c.Ref != letters+strconv.Itoa(i+1) || column <= last || column > width {
				return nil, fmt.Errorf("cell %s after column %d in line %d, numbered %d, of %d columns", c.Ref, last, i+1, row.Number, width)
			}
			last = column
			shown, err := c.read(formats)
			if wide := s.Columns[column-1].Width; err != nil || shown.Kind != Text && len(shown.Text) > wide {
				return nil, fmt.Errorf("cell %s shows %q in a column %d wide: %w", c.Ref, shown.Text, wide, err)
			}
			lines[i][column-1] = shown
		}
	}
	header := s.Rows[0].Cells
	if want := fmt.Sprintf("A1:%s%d", strings.TrimRight(header[width-1].Ref, "1"), len(s.Rows)); s.Dimension.Ref != want || number(strings.TrimRight(header[width-1].Ref, "1")) != width {
		return nil, fmt.Errorf("dimension %s of %d columns, want %s", s.Dimension.Ref, width, want)
	}
	return lines, nil
}

// number returns the number of a column, from 1.
func number(letters string) int {
	n := 0
	for _, c := range letters {
		n = 26*n + int(c-'A') + 1
	}
	return n
}

func (c cell) read(formats styles) (Cell, error) {
	format, err := formats.format(c.Style)
	switch {
	case err != nil:
		return Cell{}, err
	case c.Type == "inlineStr" && c.Text != nil && c.Value == nil && format == "@":
		text := unescape(*c.Text)
		if n := len(utf16.Encode([]rune(text))); n > 32_767 {
			return Cell{}, fmt.Errorf("a text of %d characters", n)
		}
		return Cell{Text, text}, nil
	case c.Text != nil || c.Value == nil:
		return Cell{}, fmt.Errorf("type %q and format %q with value %v and text %v", c.Type, format, c.Value, c.Text)
	case c.Type == "b" && (*c.Value == "0" || *c.Value == "1"):
		return Cell{Boolean, strconv.FormatBool(*c.Value == "1")}, nil
	case c.Type == "":
		return show(*c.Value, format)
	}
	return Cell{}, fmt.Errorf("type %q with value %q", c.Type, *c.Value)
}

// show returns what a number shows in a format. A spreadsheet computes with 64 bits and shows 15 digits.
func show(value, format string) (Cell, error) {
	v, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return Cell{}, err
	}
	if whole, decimals, ok := strings.Cut(format, "."); ok && whole == "0" && strings.Trim(decimals, "0") == "" {
		return Cell{Number, strconv.FormatFloat(v, 'f', len(decimals), 64)}, nil
	}
	if strings.HasPrefix(format, "yyyy") && v < 61 {
		return Cell{}, fmt.Errorf("%s is a day on which spreadsheets differ", value)
	}
	at := time.Date(1899, 12, 30, 0, 0, int(math.Round(v*86400)), 0, time.UTC)
	switch format {
	case "General":
		return Cell{Number, strconv.FormatFloat(v, 'f', -1, 64)}, nil
	case "yyyy-mm-dd":
		if v != math.Trunc(v) {
			return Cell{}, fmt.Errorf("%s is no whole day", value)
		}
		return Cell{Day, at.Format(time.DateOnly)}, nil
	case "yyyy-mm-dd hh:mm:ss":
		return Cell{Instant, at.Format(time.DateTime)}, nil
	}
	return Cell{}, fmt.Errorf("format %q", format)
}

var escaped = regexp.MustCompile(`_x[0-9A-Fa-f]{4}_`)

// unescape decodes characters that XML cannot contain (ECMA-376, ST_Xstring).
func unescape(s string) string {
	return escaped.ReplaceAllStringFunc(s, func(e string) string {
		n, _ := strconv.ParseUint(e[2:6], 16, 16)
		return string(rune(n))
	})
}
