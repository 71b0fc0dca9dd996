package server_test

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/lectern-dev/lectern/server/internal/tools/xlsxtest"
)

// ordered is a JSON object with its members in the order in which they stand.
type ordered []struct {
	name  string
	value any
}

// decodeOrdered reads a text that is one value of JSON: objects as ordered, the rest as encoding/json does.
func decodeOrdered(text []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	value, err := orderedValue(dec)
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("more than one value: %.100s", text)
	}
	return value, nil
}

func orderedValue(dec *json.Decoder) (any, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		o := ordered{}
		for dec.More() {
			name, err := dec.Token()
			if err != nil {
				return nil, err
			}
			value, err := orderedValue(dec)
			if err != nil {
				return nil, err
			}
			o = append(o, struct {
				name  string
				value any
			}{name.(string), value})
		}
		_, err := dec.Token()
		return o, err
	case json.Delim('['):
		list := []any{}
		for dec.More() {
			value, err := orderedValue(dec)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		_, err := dec.Token()
		return list, err
	}
	return token, nil
}

// get returns a member, nil for none.
func (o ordered) get(name string) any {
	for _, m := range o {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

func (o ordered) names() []string {
	var names []string
	for _, m := range o {
		names = append(names, m.name)
	}
	return names
}

// at returns the object that names lead to, empty for none.
func (o ordered) at(names ...string) ordered {
	for _, name := range names {
		o, _ = o.get(name).(ordered)
	}
	return o
}

// schema returns a named schema.
func (d *document) schema(name string) ordered { return d.source.at("components", "schemas", name) }

// resolve returns the schema that stands behind references and behind "or null".
func (d *document) resolve(schema ordered) ordered {
	if ref, ok := schema.get("$ref").(string); ok {
		return d.resolve(d.schema(schemaName(ref)))
	}
	if either, ok := schema.get("oneOf").([]any); ok {
		return d.resolve(either[0].(ordered))
	}
	return schema
}

// inOrder says which members of a value do not stand in the order of its schema.
func (d *document) inOrder(path string, value any, schema ordered) error {
	schema = d.resolve(schema)
	switch value := value.(type) {
	case []any:
		items, _ := schema.get("items").(ordered)
		for i, item := range value {
			if err := d.inOrder(fmt.Sprintf("%s[%d]", path, i), item, items); err != nil {
				return err
			}
		}
	case ordered:
		properties := schema.at("properties")
		if len(properties) == 0 {
			return nil // its members have no order
		}
		want := slices.DeleteFunc(properties.names(), func(name string) bool { return !slices.Contains(value.names(), name) })
		if !slices.Equal(value.names(), want) {
			return fmt.Errorf("%s has the members %q, want %q", path, value.names(), want)
		}
		for _, m := range value {
			if err := d.inOrder(path+"."+m.name, m.value, properties.at(m.name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// rowSchemas returns the names of the schemas of the rows of a list: the second, where there is one, is of the keys of those that
// were removed.
func (d *document) rowSchemas(list string) (names []string) {
	for _, m := range d.schema(list).at("properties", "data", "properties") {
		ref, _ := m.value.(ordered).at("items").get("$ref").(string)
		names = append(names, schemaName(ref))
	}
	return names
}

// columns are the fields of a row as CSV has them (H11).
func (d *document) columns(prefix string, schema ordered) []string {
	properties := d.resolve(schema).at("properties")
	if len(properties) == 0 {
		return []string{prefix}
	}
	var all []string
	for _, m := range properties {
		all = append(all, d.columns(strings.TrimPrefix(prefix+"."+m.name, "."), m.value.(ordered))...)
	}
	return all
}

// csv says what is wrong with the rows of a list as CSV: its columns and the number of cells.
func (d *document) csv(list string, header http.Header, body []byte) error {
	if got := header.Get("Content-Type"); got != "text/csv; charset=utf-8; header=present" {
		return fmt.Errorf("content type %q", got)
	}
	lines, err := csv.NewReader(bytes.NewReader(body)).ReadAll()
	if err != nil {
		return err
	}
	if len(lines) == 0 {
		return fmt.Errorf("no header line")
	}
	return cmp.Or(d.headings(list, lines[0]), d.totalRows(header))
}

// headings says what is wrong with the columns of a list as a table. A round has one more, where the list has rounds.
func (d *document) headings(list string, columns []string) error {
	schemas := d.rowSchemas(list)
	want := d.columns("", d.schema(schemas[0]))
	if len(schemas) == 2 && len(columns) > len(want) {
		want = append(want, "removed")
	}
	if !slices.Equal(columns, want) {
		return fmt.Errorf("columns %q, want %q", columns, want)
	}
	return nil
}

// xlsx says what is wrong with the rows of a list as a workbook: its columns, and whether it can be read.
func (d *document) xlsx(list string, header http.Header, body []byte) error {
	lines, err := xlsxtest.Read(body)
	if err != nil {
		return err
	}
	var columns []string
	for _, c := range lines[0] {
		columns = append(columns, c.Text)
	}
	return cmp.Or(d.headings(list, columns), d.totalRows(header))
}

// ndjson says what is wrong with the rows of a list, one a line.
func (d *document) ndjson(list string, header http.Header, body []byte) error {
	if got := header.Get("Content-Type"); got != "application/x-ndjson; charset=utf-8" {
		return fmt.Errorf("content type %q", got)
	}
	for line := range bytes.Lines(body) {
		schemas := d.rowSchemas(list)
		schema := schemas[0]
		if key, removed := bytes.CutSuffix(line, []byte(`,"removed":true}`+"\n")); removed && len(schemas) == 2 {
			schema, line = schemas[1], slices.Concat(key, []byte("}"))
		}
		if err := d.validate(schema, line); err != nil {
			return err
		}
	}
	return d.totalRows(header)
}

// totalRows is told by a header where no envelope tells it.
func (d *document) totalRows(header http.Header) error {
	if header.Get("X-Total-Rows") == "" {
		return fmt.Errorf("no X-Total-Rows")
	}
	return nil
}
