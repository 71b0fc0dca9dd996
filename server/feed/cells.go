package feed

import (
	"bytes"
	"fmt"
	"regexp"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/decimal"
)

// cells are the cells of the row that is read, one for each field. They are the [row.Visitor] that fills records:
// they read a cell as its field is declared, and keep the first fault. Bytes that they return are valid until the
// next row.
type cells struct {
	fields  row.Schema
	list    [][]byte // nil or empty: null
	csv     bool
	line    int
	wrong   error // nil where the row is good
	scratch []byte
}

// begin begins a row on a line. The row is faulty if a required field is null.
func (c *cells) begin(line int) {
	c.line, c.wrong, c.scratch = line, nil, c.scratch[:0]
	for i := range c.fields {
		if f := &c.fields[i]; f.Required && c.null(i) {
			c.Fail(f, "is required")
			return
		}
	}
}

// Fail implements row.Visitor. The first fault of a row counts.
func (c *cells) Fail(f *row.Field, reason string) {
	if c.wrong == nil {
		c.wrong = &RowError{Field: f.Name, Reason: reason, Value: c.shown(f.Index)}
	}
}

// shown returns the value of a field as an error report shows it.
func (c *cells) shown(i int) string {
	if !c.csv && len(c.list[i]) == 0 {
		return "null"
	}
	return shown(c.list[i], !c.csv)
}

// null reports whether a field is missing or empty: its member or column is missing, or it is a JSON null, an empty
// JSON string or an empty CSV cell.
func (c *cells) null(i int) bool {
	cell := c.list[i]
	return len(cell) == 0 || !c.csv && len(cell) == 2 && cell[0] == '"'
}

// Number implements row.Visitor.
func (c *cells) Number(f *row.Field, _ int64, _ bool) (int64, bool) {
	cell := c.list[f.Index]
	if f.Kind == row.Integer { // the most frequent kind
		if n, wrong := parseInt(cell); wrong == "" {
			return n, false
		}
	}
	if c.null(f.Index) {
		return 0, true
	}
	n, wrong := c.number(f, cell)
	if wrong != "" {
		c.Fail(f, wrong)
	}
	return n, false
}

// number reads a cell that is not null as the number that a visitor gets, or returns the fault.
func (c *cells) number(f *row.Field, cell []byte) (n int64, wrong string) {
	switch f.Kind {
	case row.Integer:
		return parseInt(cell)
	case row.Truth:
		return parseTruth(cell)
	case row.Amount: // often a string in NDJSON
		if c.quoted(cell) && decimal.Valid(cell[1:len(cell)-1]) {
			cell = cell[1 : len(cell)-1]
		}
		if !decimal.Valid(cell) {
			return 0, noNumber
		}
		return parseOwn(f, cell)
	}
	text, ok := c.text(cell)
	switch {
	case f.Kind == row.Date && ok:
		return parseDate(text)
	case f.Kind == row.Date:
		return 0, noDate
	case f.Kind == row.Moment: // a cell that is no text has none of a time
		t, wrong := parseTime(text)
		return t.UnixMicro(), wrong
	}
	if text, wrong = c.storable(cell); wrong != "" {
		return 0, wrong
	}
	return parseEnum(f, text)
}

// Text implements row.Visitor.
func (c *cells) Text(f *row.Field, _ string, _ bool) (string, bool) {
	return string(c.Bytes(f, nil)), c.null(f.Index)
}

// Bytes implements row.Visitor.
func (c *cells) Bytes(f *row.Field, _ []byte) (text []byte) {
	cell := c.list[f.Index]
	if c.null(f.Index) {
		return nil
	}
	wrong := ""
	switch {
	case f.Kind == row.Numeral:
		if text = cell; !decimal.Valid(cell) {
			wrong = noNumber
		}
	case f.Kind == row.Identifier && !c.csv && decimal.Digits(cell):
		text = cell
	case f.Kind == row.Identifier && !c.csv && cell[0] != '"':
		wrong = "must be a string or a whole number"
	default:
		text, wrong = c.storable(cell)
	}
	if f.AtMost > 0 && len(text) > f.AtMost && utf8.RuneCount(text) > f.AtMost {
		wrong = fmt.Sprintf("must have at most %d characters", f.AtMost)
	}
	if wrong != "" {
		c.Fail(f, wrong)
	}
	return text
}

// List implements row.Visitor: the list is a JSON array of integers, or separated by semicolons in CSV.
func (c *cells) List(f *row.Field, _ []int64) (list []int64) {
	cell, separator := c.list[f.Index], []byte{';'}
	if c.null(f.Index) {
		return nil
	}
	if !c.csv {
		if cell[0] != '[' {
			c.Fail(f, "must be a list")
			return nil
		}
		if cell, separator = bytes.TrimSpace(cell[1:len(cell)-1]), []byte{','}; len(cell) == 0 {
			return nil
		}
	}
	for item := range bytes.SplitSeq(cell, separator) {
		if !c.csv {
			item = bytes.TrimSpace(item)
		}
		n, wrong := parseInt(item)
		if wrong != "" {
			c.Fail(f, "each of the list "+wrong)
			return nil
		}
		list = append(list, n)
	}
	return list
}

// quoted reports whether a cell is a JSON string.
func (c *cells) quoted(cell []byte) bool { return !c.csv && cell[0] == '"' }

// text returns the text of a cell. In JSON only a string is a text.
func (c *cells) text(cell []byte) (text []byte, ok bool) {
	switch {
	case c.csv:
		return cell, true
	case !c.quoted(cell):
		return nil, false
	case bytes.IndexByte(cell, '\\') < 0:
		return cell[1 : len(cell)-1], true
	}
	start := len(c.scratch)
	c.scratch, _ = jsontext.AppendUnquote(c.scratch, cell) // the decoder has checked it
	return c.scratch[start:], true
}

// storable returns the text of a cell, or the fault. NUL characters are refused, because PostgreSQL cannot store
// them.
func (c *cells) storable(cell []byte) (text []byte, wrong string) {
	text, ok := c.text(cell)
	switch {
	case !ok:
		return nil, "must be a string"
	case bytes.IndexByte(text, 0) >= 0:
		return nil, "must not have a NUL character"
	}
	return text, ""
}

// The functions below read a cell as the number that a visitor gets, or return the fault.

// maxInt is the largest integer that every reader of JSON holds exactly: 2^53 - 1 (H3).
const maxInt = 9007199254740991

const noNumber = "must be a number"

// parseInt reads an integer from 0 to maxInt that is written as a JSON number. 5.0 and 5e0 are integers too.
func parseInt(text []byte) (n int64, wrong string) {
	if len(text) <= 15 && decimal.Digits(text) { // most are, and 15 digits never exceed maxInt
		for _, c := range text {
			n = n*10 + int64(c-'0')
		}
		return n, ""
	}
	d, ok := decimal.Parse(text, 0, maxInt)
	switch {
	case ok && d.Negative:
		return 0, "must not be negative"
	case !ok || d.More:
		return 0, "must be an integer"
	case d.Over:
		return 0, "must be from 0 to 9007199254740991"
	}
	return d.Units, ""
}

// parseTruth reads the words true and false.
func parseTruth(text []byte) (n int64, wrong string) {
	switch string(text) {
	case "true":
		return 1, ""
	case "false":
		return 0, ""
	}
	return 0, "must be true or false"
}

// parseEnum reads a name of a [row.Name], as its number.
func parseEnum(f *row.Field, text []byte) (n int64, wrong string) {
	for n, name := range f.Names {
		if name == string(text) {
			return int64(n), ""
		}
	}
	if f.Parse != nil {
		return parseOwn(f, text)
	}
	return 0, row.OneOf(f.Names).Error()
}

// parseOwn reads a cell with the field's own parser.
func parseOwn(f *row.Field, text []byte) (n int64, wrong string) {
	n, err := f.Parse(text)
	if err != nil {
		return 0, err.Error()
	}
	return n, ""
}

const (
	noTime  = "must be a time with an offset, such as 2026-01-02T03:04:05Z"
	noDate  = "must be a date, such as 2026-01-02"
	noSuch  = "does not exist in the calendar"
	noClock = "does not exist on the clock"
	noYear  = "must be in the years 0001 to 9999, in UTC and in Brasilia"
	noZero  = "must not be 0001-01-01T00:00:00Z: write the time itself, or null (in CSV nothing) where there is none"
)

// parseDate reads YYYY-MM-DD, or a time as its day in Brasilia, as days since 1970-01-01.
func parseDate(text []byte) (day int64, wrong string) {
	if len(text) != len("2026-01-02") {
		t, wrong := parseTime(text)
		if wrong != "" {
			return 0, wrong
		}
		return int64(calendar.Day(t)), ""
	}
	d, wrong := civil(text)
	if wrong == "" && string(text[:4]) == "0000" {
		wrong = noYear
	}
	return int64(d), wrong
}

// dateShape is what looks like a day.
var dateShape = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)

// civil reads YYYY-MM-DD of any year.
func civil(text []byte) (d calendar.Date, wrong string) {
	if d.UnmarshalText(text) == nil {
		return d, ""
	}
	if dateShape.Match(text) {
		return 0, noSuch
	}
	return 0, noDate
}

// The times whose years have four digits, in UTC and in Brasilia.
var (
	firstTime = time.Date(1, 1, 1, 0, 0, 0, 0, calendar.Brasilia())
	lastTime  = time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC)
)

// parseTime reads a time of ISO 8601 with an offset, in UTC. Seconds are optional; their fraction has up to nine
// digits. Hour 24 and leap seconds are faults. The zero time is null.
func parseTime(text []byte) (t time.Time, wrong string) {
	if !usual(text) || t.UnmarshalText(text) != nil {
		if t, wrong = parseOther(text); wrong != "" {
			return time.Time{}, wrong
		}
	}
	t = t.UTC()
	if t.IsZero() {
		return t, noZero
	}
	if t.Before(firstTime) || t.After(lastTime) {
		return time.Time{}, noYear
	}
	return t, ""
}

// usual reports whether package time may read a time. The package also accepts hours of one digit, drops digits after
// the ninth of a second, and accepts offsets of more than a day.
func usual(text []byte) bool {
	n, nine := len(text), len("2026-01-02T03:04:05.123456789Z")
	if n < len("2026-01-02T03:04:05Z") || text[13] != ':' {
		return false
	}
	if text[n-1] == 'Z' {
		return n <= nine
	}
	return n <= nine+len("03:00") && string(text[n-5:n-3]) < "24" && text[n-2] < '6'
}

// timeShape is what looks like a time: day, hour and minute, second, hours and minutes of the offset, which Z has not.
var timeShape = regexp.MustCompile(`^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d)(?::(\d\d(?:[.,]\d{1,9})?))?(?:[Zz]|([+-](?:[01]\d|2[0-3]))(?::?([0-5]\d))?)$`)

// parseOther reads a time that is not written as package time expects, or returns the fault.
func parseOther(text []byte) (t time.Time, wrong string) {
	parts := timeShape.FindSubmatch(text)
	if parts == nil {
		return t, noTime
	}
	or := func(part []byte, other string) string {
		if len(part) == 0 {
			return other
		}
		return string(part)
	}
	offset := "Z"
	if parts[4] != nil {
		offset = string(parts[4]) + ":" + or(parts[5], "00")
	}
	second := []byte(or(parts[3], "00"))
	if len(second) > 2 {
		second[2] = '.'
	}
	if t.UnmarshalText([]byte(string(parts[1])+"T"+string(parts[2])+":"+string(second)+offset)) == nil {
		return t, ""
	}
	if _, wrong := civil(parts[1]); wrong != "" {
		return t, wrong
	}
	return t, noClock
}
