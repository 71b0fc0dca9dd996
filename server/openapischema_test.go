package server_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/mail"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/lectern-dev/lectern/reading/calendar"
)

// What the documents say of calls, as far as tests go by it. That the documents are valid OpenAPI, and their examples valid by
// their schemas, is tested with a library in internal/documents.
type (
	described struct {
		Paths      map[string]pathItem
		Components struct {
			Responses map[string]*response
			Headers   map[string]*headerSaid
		}
	}
	pathItem  map[string]*operation // by method, in small letters
	operation struct {
		OperationID string
		Parameters  []*parameter
		RequestBody *struct{}
		Responses   map[string]*response
	}
	parameter struct {
		Name, In string
		Required bool
		Schema   valueSchema
	}
	response struct {
		Ref     string `json:"$ref"`
		Headers map[string]*headerSaid
		Content map[string]struct {
			Schema struct {
				Ref string `json:"$ref"`
			}
		}
	}
	headerSaid struct {
		Ref      string `json:"$ref"`
		Required bool
		Schema   valueSchema
	}
	// valueSchema is that of a value of a query or a header.
	valueSchema struct {
		Type, Format, Pattern string
		Enum                  []string
		Minimum, Maximum      *int64
		MinLength, MaxLength  int
		Default               any
	}
)

// readDescribed reads a document and puts its components where they are referred to.
func readDescribed(text []byte) (d described, err error) {
	if err := json.Unmarshal(text, &d); err != nil {
		return d, err
	}
	for _, item := range d.Paths {
		for _, op := range item {
			for status, res := range op.Responses {
				if res.Ref != "" {
					op.Responses[status] = d.Components.Responses[schemaName(res.Ref)]
				}
				for name, h := range op.Responses[status].Headers {
					if h.Ref != "" {
						op.Responses[status].Headers[name] = d.Components.Headers[schemaName(h.Ref)]
					}
				}
			}
		}
	}
	return d, nil
}

// operations are those of a path by method.
func (p pathItem) operations() map[string]*operation {
	all := map[string]*operation{}
	for method, op := range p {
		all[strings.ToUpper(method)] = op
	}
	return all
}

// fits says what of a value, as decodeOrdered reads it, is not as a schema says. A keyword or a format that it does not know is a
// fault: nothing that a document says goes unchecked.
func (d *document) fits(path string, value any, schema ordered) error {
	for _, keyword := range schema {
		if err := d.holds(path, value, keyword.name, keyword.value, schema); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// holds says why a keyword of a schema does not hold for a value. Those of one type hold for all values of others.
func (d *document) holds(path string, value any, keyword string, says any, schema ordered) error {
	switch keyword {
	case "description":
		return nil
	case "$ref":
		return d.fits(path, value, d.schema(schemaName(says.(string))))
	case "oneOf":
		return d.fitsOne(path, value, says.([]any))
	case "type":
		types, several := says.([]any)
		if !several {
			types = []any{says}
		}
		return unless(slices.ContainsFunc(types, func(t any) bool { return isOfType(value, t.(string)) }), "%v is no %v", value, says)
	case "enum":
		return unless(slices.Contains(says.([]any), value), "%v is none of %v", value, says)
	}
	switch value := value.(type) {
	case nil, bool:
		return nil
	case string:
		return stringHolds(value, keyword, says)
	case json.Number:
		return numberHolds(value, keyword, says)
	case []any:
		return d.listHolds(path, value, keyword, says)
	case ordered:
		return d.objectHolds(path, value, keyword, says, schema)
	}
	return fmt.Errorf("%T is no value of JSON", value)
}

// unless is an error where a condition does not hold.
func unless(holds bool, format string, args ...any) error {
	if holds {
		return nil
	}
	return fmt.Errorf(format, args...)
}

func isOfType(value any, name string) bool {
	switch value := value.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "boolean"
	case string:
		return name == "string"
	case json.Number:
		_, err := value.Int64()
		return name == "number" || name == "integer" && err == nil
	case []any:
		return name == "array"
	}
	return name == "object"
}

// fitsOne holds that a value is by exactly one of several schemas.
func (d *document) fitsOne(path string, value any, schemas []any) error {
	fit, faults := 0, []error{}
	for _, s := range schemas {
		if err := d.fits(path, value, s.(ordered)); err != nil {
			faults = append(faults, err)
		} else {
			fit++
		}
	}
	if fit == 1 {
		return nil
	}
	return errors.Join(append(faults, fmt.Errorf("%d of %d schemas fit, want one", fit, len(schemas)))...)
}

func stringHolds(s, keyword string, says any) error {
	switch keyword {
	case "format":
		return formatHolds(s, says.(string))
	case "pattern":
		return unless(regexp.MustCompile(says.(string)).MatchString(s), "%q is not of %v", s, says)
	case "minLength":
		return unless(utf8.RuneCountInString(s) >= int(float(says)), "%q is shorter than %v", s, says)
	case "maxLength":
		return unless(utf8.RuneCountInString(s) <= int(float(says)), "%q is longer than %v", s, says)
	}
	return foreign(keyword)
}

// formatHolds minds the calendar: a day that it does not have is no date.
func formatHolds(s, format string) (err error) {
	switch format {
	case "date":
		_, err = calendar.Parse(s)
	case "date-time":
		_, err = time.Parse(time.RFC3339, s)
	case "email":
		if s != "" { // which counts as none
			_, err = mail.ParseAddress(s)
		}
	default:
		err = fmt.Errorf("unknown format %s", format)
	}
	return err
}

func numberHolds(n json.Number, keyword string, says any) error {
	switch keyword {
	case "format": // of the type; isOfType has checked it
		return unless(says == "int64" || says == "double", "unknown format %v", says)
	case "minimum":
		return unless(float(n) >= float(says), "%v is less than %v", n, says)
	case "maximum":
		return unless(float(n) <= float(says), "%v is more than %v", n, says)
	}
	return foreign(keyword)
}

// float is exact for all whole numbers of the documents, which end at 2^53.
func float(n any) float64 {
	f, err := strconv.ParseFloat(string(n.(json.Number)), 64)
	if err != nil {
		panic(err)
	}
	return f
}

func (d *document) listHolds(path string, list []any, keyword string, says any) error {
	if keyword != "items" {
		return foreign(keyword)
	}
	for i, item := range list {
		if err := d.fits(fmt.Sprintf("%s[%d]", path, i), item, says.(ordered)); err != nil {
			return err
		}
	}
	return nil
}

func (d *document) objectHolds(path string, o ordered, keyword string, says any, schema ordered) error {
	switch keyword {
	case "required":
		for _, name := range says.([]any) {
			if !slices.Contains(o.names(), name.(string)) {
				return fmt.Errorf("no %s", name)
			}
		}
		return nil
	case "properties", "additionalProperties":
	default:
		return foreign(keyword)
	}
	listed := schema.at("properties")
	for _, m := range o {
		of, known := listed.get(m.name).(ordered)
		switch more := says.(type) {
		case ordered:
			if keyword == "additionalProperties" {
				known, of = !known, more
			}
			if known {
				if err := d.fits(path+"."+m.name, m.value, of); err != nil {
					return err
				}
			}
		case bool:
			if !known && !more {
				return fmt.Errorf("%s is not documented", m.name)
			}
		}
	}
	return nil
}

// foreign refuses a keyword that is known for no type; one of another type is no matter.
func foreign(keyword string) error {
	known := []string{"format", "pattern", "minLength", "maxLength", "minimum", "maximum", "items", "required", "properties", "additionalProperties"}
	return unless(slices.Contains(known, keyword), "unknown keyword %s", keyword)
}

// The checker itself is held to both sides of every keyword.
func TestFits(t *testing.T) {
	d := schoolsDocument()
	for _, tt := range []struct{ schema, good, bad string }{
		{`{"type":"integer","format":"int64","description":"x"}`, `7`, `7.5`},
		{`{"type":"integer"}`, `-7`, `9223372036854775808`},
		{`{"type":"number","format":"double"}`, `7.5`, `"7.5"`},
		{`{"type":"boolean"}`, `true`, `0`},
		{`{"type":["string","null"],"enum":["a",null]}`, `null`, `"b"`},
		{`{"type":"string","minLength":2}`, `"éé"`, `"é"`},
		{`{"type":"string","maxLength":2}`, `"éé"`, `"ééé"`},
		{`{"type":"string","pattern":"^a+$"}`, `"aa"`, `"ab"`},
		{`{"type":"string","format":"date"}`, `"2028-02-29"`, `"2027-02-29"`},
		{`{"type":"string","format":"date-time"}`, `"2026-01-01T00:00:00Z"`, `"2026-01-01 00:00:00"`},
		{`{"type":"integer","minimum":1}`, `1`, `0`},
		{`{"type":"number","maximum":1}`, `1.0`, `1.1`},
		{`{"type":"array","items":{"type":"integer"}}`, `[1,2]`, `[1,"2"]`},
		{`{"type":"array"}`, `[]`, `{}`},
		{`{"type":"object","required":["a"]}`, `{"a":1,"b":1}`, `{"b":1}`},
		{`{"type":"object","properties":{"a":{"type":"null"}}}`, `{"a":null,"b":1}`, `{"a":1}`},
		{`{"properties":{"a":{}},"additionalProperties":false}`, `{"a":1}`, `{"a":1,"b":1}`},
		{`{"properties":{"a":{}},"additionalProperties":true}`, `{"a":1,"b":1}`, ``},
		{`{"properties":{"a":{}},"additionalProperties":{"type":"string"}}`, `{"a":1,"b":"1"}`, `{"a":1,"b":1}`},
		{`{"oneOf":[{"$ref":"#/components/schemas/Unit"},{"type":"null"}]}`, `{"id":1,"name":null}`, `{"id":1}`},
		{`{"oneOf":[{"type":"number"},{"type":"integer"}]}`, `1.5`, `1`},
		{`{"minLength":2}`, `7`, `"x"`}, // a keyword of texts says nothing of numbers
		{`{"not":{"type":"string"}}`, ``, `7`},
		{`{"type":"string","format":"email"}`, `"a@b.example"`, `"a"`},
		{`{"format":"uuid"}`, ``, `"a@b.example"`},
	} {
		schema, err := decodeOrdered([]byte(tt.schema))
		if err != nil {
			t.Fatal(err)
		}
		for text, want := range map[string]bool{tt.good: true, tt.bad: false} {
			if text == "" {
				continue
			}
			value, err := decodeOrdered([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			if err := d.fits("value", value, schema.(ordered)); (err == nil) != want {
				t.Errorf("%s by %s: %v, want it to fit: %v", text, tt.schema, err, want)
			}
		}
	}
}
