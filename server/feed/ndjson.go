package feed

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lectern-dev/lectern/paging/row"
)

// jsonParser splits lines of NDJSON into cells, in the order of the fields. Cells are JSON values as the line has
// them; a null gives an empty cell.
type jsonParser struct {
	decoder *jsontext.Decoder
	line    bytes.Buffer // the only reader that the decoder reads without copying
	fields  row.Schema
	quoted  [][]byte // the fields' names, in quotes
	ignored map[string]bool
	strays  []string // the names of other members of the row
	met     []bool   // the fields that a plain line has so far
	order   []int    // the fields in the order of the last row's members, which is mostly that of all rows
	at      int      // the number of fields that the row had so far
}

func newJSONParser(fields row.Schema, ignored map[string]bool) *jsonParser {
	p := &jsonParser{decoder: jsontext.NewDecoder(&bytes.Buffer{}), fields: fields, ignored: ignored, met: make([]bool, len(fields))}
	for i, f := range fields {
		name, _ := jsontext.AppendQuote(nil, f.Name) // names are plain ASCII
		p.quoted, p.order = append(p.quoted, name), append(p.order, i)
	}
	return p
}

// parse implements parser. A line of blanks is empty.
func (p *jsonParser) parse(line []byte, c *cells) (ok bool, wrong error) {
	clear(c.list)
	if p.plain(line, c) {
		return true, nil
	}
	return p.decode(line, c)
}

// decode parses any line.
func (p *jsonParser) decode(line []byte, c *cells) (ok bool, wrong error) {
	if len(bytes.TrimLeft(line, " \t\r")) == 0 {
		return false, nil
	}
	p.line = *bytes.NewBuffer(line)
	p.decoder.Reset(&p.line)
	p.strays, p.at = nil, 0
	clear(c.list)
	switch err := p.object(line, c); {
	case err != nil:
		return true, syntax(err)
	case len(p.strays) > 0:
		return true, unknown(p.strays, p.fields)
	}
	return true, nil
}

// object reads the object of a line.
func (p *jsonParser) object(line []byte, c *cells) error {
	if p.decoder.PeekKind() != '{' {
		if _, err := p.decoder.ReadValue(); err != nil {
			return err
		}
		return whole("must be a JSON object")
	}
	if _, err := p.decoder.ReadToken(); err != nil {
		return err
	}
	for p.decoder.PeekKind() != '}' {
		if err := p.member(line, c); err != nil {
			return err
		}
	}
	if _, err := p.decoder.ReadToken(); err != nil {
		return err
	}
	if _, err := p.decoder.ReadToken(); !errors.Is(err, io.EOF) {
		return whole("has more than one JSON object")
	}
	return nil
}

// member reads a name and its value.
func (p *jsonParser) member(line []byte, c *cells) error {
	name, err := p.decoder.ReadValue()
	if err != nil {
		return err
	}
	i := p.field(name)
	value, err := p.decoder.ReadValue()
	if err != nil || i < 0 {
		return err
	}
	if value[0] != 'n' {
		end := int(p.decoder.InputOffset())
		c.list[i] = line[end-len(value) : end]
	}
	return nil
}

// field returns the field with a quoted name. If there is none it notes the name as stray and returns -1.
func (p *jsonParser) field(quoted []byte) int {
	if i := p.named(quoted); i >= 0 {
		return i
	}
	text, _ := jsontext.AppendUnquote(nil, quoted) // the decoder has checked it
	name := string(text)
	if f := p.fields.Field(name); f != nil { // written with escapes
		return f.Index
	}
	if !p.ignored[name] {
		p.strays = append(p.strays, name)
	}
	return -1
}

// named returns the field whose quoted name a text begins with, or -1.
func (p *jsonParser) named(text []byte) int {
	if p.at == len(p.order) {
		p.at = 0 // a repeated or a stray member
	}
	if i := p.order[p.at]; bytes.HasPrefix(text, p.quoted[i]) {
		p.at++
		return i
	}
	for i, quoted := range p.quoted {
		if bytes.HasPrefix(text, quoted) {
			p.order[p.at] = i
			p.at++
			return i
		}
	}
	return -1
}

// syntax returns the fault of a line for an error of the decoder.
func syntax(err error) error {
	wrong, ok := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return whole("has the member %.80q twice", wrong.JSONPointer.LastToken())
	case errors.Is(err, io.ErrUnexpectedEOF):
		return whole("is not JSON: it is cut off")
	case ok:
		return whole("is not JSON: %v after %d bytes", wrong.Err, wrong.ByteOffset)
	}
	return err // it is a fault already
}

// plain reads a line of the usual form: one object whose members are fields, each once, whose values are numbers
// without an exponent, strings without escapes, or literals. It returns false for every other line, good or bad,
// which the decoder then reads.
func (p *jsonParser) plain(line []byte, c *cells) bool {
	n := len(line) - 1
	for n > 0 && (line[n] == '\r' || line[n] == ' ') {
		n--
	}
	line = line[:n+1]
	if n < 2 || line[0] != '{' || line[n] != '}' || !printable(line) {
		return false
	}
	clear(p.met)
	p.at = 0
	for at := 1; ; at++ { // the last byte is a brace, so nothing reads beyond it
		at = blanks(line, at)
		i := p.named(line[at:])
		if i < 0 || p.met[i] {
			return false
		}
		p.met[i] = true
		if at = blanks(line, at+len(p.quoted[i])); line[at] != ':' {
			return false
		}
		at = blanks(line, at+1)
		end := plainValue(line, at)
		if end < 0 {
			return false
		}
		if line[at] != 'n' {
			c.list[i] = line[at:end:end]
		}
		switch at = blanks(line, end); {
		case at == n:
			return true
		case line[at] != ',':
			return false
		}
	}
}

// plainValue returns the end of a plain value, or -1 if the value is not plain.
func plainValue(line []byte, at int) int {
	switch c := line[at]; {
	case c == '"':
		if n := bytes.IndexByte(line[at+1:], '"'); n >= 0 {
			return at + n + 2
		}
	case c == '-' || '0' <= c && c <= '9':
		return plainNumber(line, at)
	case bytes.HasPrefix(line[at:], []byte("null")), bytes.HasPrefix(line[at:], []byte("true")):
		return at + 4
	case bytes.HasPrefix(line[at:], []byte("false")):
		return at + 5
	}
	return -1
}

// plainNumber returns the end of a number without an exponent, or -1. An exponent is not a valid end, so the caller
// refuses it.
func plainNumber(line []byte, at int) int {
	if line[at] == '-' {
		at++
	}
	whole := at
	if at = digits(line, at); at == whole || line[whole] == '0' && at > whole+1 {
		return -1
	}
	if line[at] != '.' {
		return at
	}
	point := at
	if at = digits(line, at+1); at == point+1 {
		return -1
	}
	return at
}

// digits and blanks return the end of the digits or blanks that begin at a place.
func digits(line []byte, at int) int {
	for '0' <= line[at] && line[at] <= '9' {
		at++
	}
	return at
}

func blanks(line []byte, at int) int {
	for line[at] == ' ' {
		at++
	}
	return at
}

// printable reports whether a line is UTF-8 without control characters and backslashes.
func printable(line []byte) bool {
	const each, top = 0x0101010101010101, 0x8080808080808080
	odd, high := uint64(0), uint64(0)
	for rest := line; len(rest) > 0; {
		eight := uint64(' ' * each)
		if len(rest) >= 8 {
			eight, rest = binary.LittleEndian.Uint64(rest), rest[8:]
		} else {
			for _, c := range rest {
				eight = eight<<8 | uint64(c)
			}
			rest = nil
		}
		escape := eight ^ '\\'*each
		// A byte that is less than its subtrahend borrows, which sets its top bit. Only a byte beside such a one can borrow
		// wrongly.
		odd |= (eight-' '*each)&^eight | (escape-each)&^escape
		high |= eight
	}
	return odd&top == 0 && (high&top == 0 || utf8.Valid(line))
}
