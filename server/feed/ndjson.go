package feed

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// jsonParser turns lines of NDJSON into cells, in the order of the fields. Cells are JSON values as they stand in the
// line; a null is no cell.
type jsonParser struct {
	decoder *jsontext.Decoder
	line    bytes.Buffer // what the decoder reads: of all readers, it takes this one without copying
	quoted  [][]byte     // the fields' names, in quotes
	ignored map[string]bool
	unknown []string // the names of the row's members that are neither
	next    int      // the field that the next member most likely is, since rows have their members in one order
}

func newJSONParser(fields []Field, ignored map[string]bool) *jsonParser {
	p := &jsonParser{decoder: jsontext.NewDecoder(&bytes.Buffer{}), ignored: ignored}
	for _, f := range fields {
		name, err := jsontext.AppendQuote(nil, f.Name)
		if err != nil {
			panic("feed: a field's name is not UTF-8: " + f.Name)
		}
		p.quoted = append(p.quoted, name)
	}
	return p
}

// parse reads one line into the row's cells. A line of blanks is no row.
func (p *jsonParser) parse(line []byte, r *Row) (ok bool, wrong *fault) {
	if len(bytes.TrimLeft(line, " \t\r")) == 0 {
		return false, nil
	}
	p.line = *bytes.NewBuffer(line)
	p.decoder.Reset(&p.line)
	p.unknown = nil
	clear(r.cells)
	if p.decoder.PeekKind() != '{' {
		return true, p.notObject()
	}
	if _, err := p.decoder.ReadToken(); err != nil {
		return true, syntaxFault(err)
	}
	for p.decoder.PeekKind() != '}' {
		if err := p.member(line, r); err != nil {
			return true, syntaxFault(err)
		}
	}
	if _, err := p.decoder.ReadToken(); err != nil {
		return true, syntaxFault(err)
	}
	if _, err := p.decoder.ReadToken(); !errors.Is(err, io.EOF) {
		return true, &fault{reason: "has more than one JSON object"}
	}
	if len(p.unknown) > 0 {
		return true, &fault{unknown: p.unknown}
	}
	return true, nil
}

// notObject says what is wrong with a line that does not begin with an object.
func (p *jsonParser) notObject() *fault {
	if _, err := p.decoder.ReadValue(); err != nil {
		return syntaxFault(err)
	}
	return &fault{reason: "must be a JSON object"}
}

// member reads a name and its value.
func (p *jsonParser) member(line []byte, r *Row) error {
	name, err := p.decoder.ReadValue()
	if err != nil {
		return err
	}
	i := p.field(name)
	if i < 0 {
		p.stray(name)
	}
	value, err := p.decoder.ReadValue()
	if err != nil || i < 0 {
		return err
	}
	if value[0] != 'n' {
		end := int(p.decoder.InputOffset())
		r.cells[i] = line[end-len(value) : end]
	}
	return nil
}

// field returns the field of a member's name, as it is quoted, or -1.
func (p *jsonParser) field(name []byte) int {
	for range p.quoted {
		i := p.next
		if p.next++; p.next == len(p.quoted) {
			p.next = 0
		}
		if bytes.Equal(p.quoted[i], name) {
			return i
		}
	}
	if bytes.IndexByte(name, '\\') < 0 {
		return -1
	}
	plain, err := jsontext.AppendUnquote(nil, name)
	if err != nil {
		return -1
	}
	quoted, err := jsontext.AppendQuote(nil, plain)
	if err != nil || bytes.Equal(quoted, name) {
		return -1
	}
	return p.field(quoted)
}

// stray takes note of a name, as it is quoted, of no field, unless it is to be ignored.
func (p *jsonParser) stray(quoted []byte) {
	name, err := jsontext.AppendUnquote(nil, quoted)
	if err == nil && !p.ignored[string(name)] {
		p.unknown = append(p.unknown, string(name))
	}
}

// syntaxFault says what is wrong with a line that is no JSON.
func syntaxFault(err error) *fault {
	wrong, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok {
		return &fault{reason: "is not JSON: " + err.Error()}
	}
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return &fault{reason: fmt.Sprintf("has the member %.80q twice", wrong.JSONPointer.LastToken())}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &fault{reason: "is not JSON: it is cut off"}
	default:
		return &fault{reason: fmt.Sprintf("is not JSON: %v after %d bytes", wrong.Err, wrong.ByteOffset)}
	}
}
