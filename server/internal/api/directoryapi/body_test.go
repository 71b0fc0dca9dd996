package directoryapi_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/server/internal/api/directoryapi"
)

func TestBodyFields(t *testing.T) {
	text := func(s string) directory.Field { return directory.Field{Set: true, Text: s} }
	wrong := directory.Field{Set: true, Wrong: true}
	tests := []struct {
		rule, body string
		want       directory.EntityInput
	}{
		{"nothing", `{}`, directory.EntityInput{}},
		{"texts", `{"name":"Rede","entity_type":"network","degree":"F","inep":"1","state":"PA","city":"Belém","reference_id":"a/b","parent_reference_id":"p"}`,
			directory.EntityInput{
				Name: text("Rede"), EntityType: text("network"), Degree: text("F"), INEP: text("1"), State: text("PA"), City: text("Belém"),
				ReferenceID: text("a/b"), ParentReferenceID: text("p"),
			}},
		{"escapes", `{"\u006eame":"\ud83d\udcda \u00e9\n"}`, directory.EntityInput{Name: text("📚 é\n")}},
		{"null and wrong types", `{"name":null,"degree":9,"inep":[],"state":{"a":{}},"city":false}`, directory.EntityInput{
			Name: directory.Field{Set: true, Null: true}, Degree: wrong, INEP: wrong, State: wrong, City: wrong,
		}},
		{"unknown fields are ignored", `{"Name":"x","entities":[{"name":"y"}],"":1,"name":"z"}`, directory.EntityInput{Name: text("z")}},
		{"white space around", "\n\t {\r\"name\" : \"z\" } \n", directory.EntityInput{Name: text("z")}},
		{"deep, within an unknown field", `{"x":` + nested(9000) + `,"name":"z"}`, directory.EntityInput{Name: text("z")}},
	}
	for _, tt := range tests {
		store := &fixed{}
		w := send(t, newAPI(store), "POST", prefix+"/entities", tt.body)
		if want := []any{directory.PartnerID(7), tt.want}; w.Code != 201 || !reflect.DeepEqual(store.asked, want) {
			t.Errorf("%s: %d, asked %+v, want 201, %+v", tt.rule, w.Code, store.asked, want)
		}
	}
}

func nested(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }

func TestBodyRefused(t *testing.T) {
	tests := map[string]string{
		"empty":                         "",
		"white space":                   " \n",
		"null":                          "null",
		"an array":                      `[{"name":"x"}]`,
		"a text":                        `"name"`,
		"a number":                      "1",
		"not closed":                    `{"name":"x"`,
		"cut in a text":                 `{"name":"x`,
		"no value":                      `{"name"}`,
		"no comma":                      `{"name":"x" "city":"y"}`,
		"comma at the end":              `{"name":"x",}`,
		"text after it":                 `{"name":"x"} 1`,
		"two objects":                   `{"name":"x"}{}`,
		"single quotes":                 `{'name':'x'}`,
		"comment":                       `{/**/"name":"x"}`,
		"byte-order mark":               "\ufeff{}",
		"a name twice":                  `{"name":"x","name":"y"}`,
		"a name twice, once escaped":    `{"name":"x","n\u0061me":"x"}`,
		"a name twice, deeper":          `{"x":{"a":1,"a":2}}`,
		"an unknown name twice":         `{"x":1,"x":1}`,
		"not UTF-8 in a text":           "{\"name\":\"\xff\"}",
		"not UTF-8 in a name":           "{\"\xff\":1}",
		"not UTF-8 in an ignored field": "{\"x\":[\"\xc3\"]}",
		"half a surrogate":              `{"name":"\ud83d"}`,
		"control character in a text":   "{\"name\":\"a\nb\"}",
		"leading zero":                  `{"x":01}`,
		"NaN":                           `{"x":NaN}`,
		"deeply nested":                 `{"x":` + nested(10_001) + `}`,
		"maximum depth":                 `{"x":` + strings.Repeat("[", 1<<20-10) + `}`,
		"deep objects":                  strings.Repeat(`{"a":`, 100_000),
	}
	for rule, body := range tests {
		store := &fixed{}
		w := send(t, newAPI(store), "POST", prefix+"/entities", body, "Content-Type", "application/json")
		expect(t, rule, w, 400, detail("Bad Request"))
		if store.asked != nil {
			t.Errorf("%s: asked the store for %v, want no call", rule, store.asked)
		}
	}
}

// FuzzDecode checks that decode accepts only what encoding/json accepts, and reads the same fields.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{}`, `{"name":"x","city":null,"x":[1,{"a":"b"}]}`, `{"a":1,"a":2}`, `{"\ud83d":1}`, "{\"a\":\"\xff\"}", `[1]`, `{"a":"\u0000"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		fields, err := directoryapi.Decode(bytes.Clone(body))
		var reference map[string]any
		std := json.Unmarshal(body, &reference)
		if err == nil && (std != nil || !utf8.Valid(body) || len(fields) != len(reference)) {
			t.Fatalf("decode(%q) = %v, the reference decoders return %v, %v", body, fields, reference, std)
		}
		for name, got := range fields {
			want := directory.Field{Set: true}
			switch v := reference[name].(type) {
			case nil:
				want.Null = true
			case string:
				want.Text = v
			default:
				want.Wrong = true
			}
			if got != want {
				t.Errorf("decode(%q)[%q] = %+v, want %+v", body, name, got, want)
			}
		}
	})
}
