package feed

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lectern-dev/lectern/paging/row"
)

// jsonParser turns lines of NDJSON into cells, in the order of the fields. Cells are JSON values as they stand in the
// line; a null is no cell.
type jsonParser struct {
	decoder *jsontext.Decoder
	line    bytes.Buffer // what the decoder reads: of all readers, it takes this one without copying
	fields  row.Schema
	quoted  [][]byte // the fields' names, in quotes
	ignored map[string]bool
	strays  []string // the names of the row's members that are neither
	met     []bool   // which fields a plain line has so far
	order   []int    // the fields in the order in which the rows have their members, which is mostly one
	at      int      // how many members of fields the row had so far
}

func newJSONParser(fields row.Schema, ignored map[string]bool) *jsonParser {
	p := &jsonParser{decoder: jsontext.NewDecoder(&bytes.Buffer{}), fields: fields, ignored: ignored, met: make([]bool, len(fields))}
	for i, f := range fields {
		name, _ := jsontext.AppendQuote(nil, f.Name) // which is plain ASCII
		p.quoted, p.order = append(p.quoted, name), append(p.order, i)
	}
	return p
}

// parse implements parser. A line of blanks is no row.
func (p *jsonParser) parse(line []byte, c *cells) (ok bool, wrong error) {
	clear(c.list)
	if p.plain(line, c) {
		return true, nil
	}
	return p.decode(line, c)
}

// decode is parse for any line.
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

// object reads the object that a line is.
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

// field returns the field of a member's name, as it is quoted, or takes note of a stray one and returns -1.
func (p *jsonParser) field(quoted []byte) int {
	if i := p.named(quoted); i >= 0 {
		return i
	}
	text, _ := jsontext.AppendUnquote(nil, quoted) // the decoder has taken it for a string
	name := string(text)
	if f := p.fields.Field(name); f != nil { // written with escapes
		return f.Index
	}
	if !p.ignored[name] {
		p.strays = append(p.strays, name)
	}
	return -1
}

// named returns the field with whose name, in quotes, a text begins, or -1.
func (p *jsonParser) named(text []byte) int {
	if p.at == len(p.order) {
		p.at = 0 // a member twice, or a stray one
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

// syntax says what is wrong with a line by what the decoder says of it.
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
	return err // is said already
}
