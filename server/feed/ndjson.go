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
	next    int      // the field that the next member most likely is, since rows have their members in one order
}

func newJSONParser(fields row.Schema, ignored map[string]bool) *jsonParser {
	p := &jsonParser{decoder: jsontext.NewDecoder(&bytes.Buffer{}), fields: fields, ignored: ignored}
	for _, f := range fields {
		name, _ := jsontext.AppendQuote(nil, f.Name) // which is plain ASCII
		p.quoted = append(p.quoted, name)
	}
	return p
}

// parse implements parser. A line of blanks is no row.
func (p *jsonParser) parse(line []byte, c *cells) (ok bool, wrong error) {
	if len(bytes.TrimLeft(line, " \t\r")) == 0 {
		return false, nil
	}
	p.line = *bytes.NewBuffer(line)
	p.decoder.Reset(&p.line)
	p.strays = nil
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
	for range p.quoted {
		i := p.next
		if p.next++; p.next == len(p.quoted) {
			p.next = 0
		}
		if bytes.Equal(p.quoted[i], quoted) {
			return i
		}
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
