package openapi_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/openapi"
)

// documents has all documents, by the name of their API.
var documents = map[string][]byte{"directory": openapi.Directory(settings), "schools": openapi.Schools(settings), "libraries": openapi.Libraries(settings)}

var settings = openapi.Settings{SchoolsRate: 30, LibrariesRate: 60, SchoolsHistory: calendar.MustParse("2026-01-01"), LibrariesHistory: calendar.MustParse("2026-07-21")}

// TestNumbersHaveFormats tests that all numbers have a format. Without it, a generator may choose too few digits.
func TestNumbersHaveFormats(t *testing.T) {
	for name, document := range documents {
		count := 0
		objects(t, document, func(o map[string]any) {
			want := map[string]string{"integer": "int64", "number": "double"}[typeOf(o)]
			if want == "" {
				return
			}
			count++
			if o["format"] != want {
				t.Errorf("%s: %v has the format %v, want %s", name, o, o["format"], want)
			}
		})
		if count == 0 {
			t.Errorf("%s has no numbers: the test shows nothing", name)
		}
	}
}

// TestObjectsOrNullAreNamed tests that an object that may be null has a named schema, for which generators make a type.
func TestObjectsOrNullAreNamed(t *testing.T) {
	either := 0
	for name, document := range documents {
		objects(t, document, func(o map[string]any) {
			if types, ok := o["type"].([]any); ok && slices.Contains(types, any("object")) {
				t.Errorf("%s: %v is an object or null without a name", name, o)
			}
			if choice, ok := o["oneOf"].([]any); ok && len(choice) == 2 && reflect.DeepEqual(choice[1], map[string]any{"type": "null"}) {
				either++
				if ref, _ := choice[0].(map[string]any)["$ref"].(string); ref == "" {
					t.Errorf("%s: %v refers to no schema", name, o)
				}
			}
		})
	}
	if either < 3 {
		t.Errorf("%d objects or null, want school, class and video at least", either)
	}
}

// typeOf returns the type of a schema, without "null".
func typeOf(o map[string]any) string {
	if types, ok := o["type"].([]any); ok {
		return fmt.Sprint(types[0])
	}
	name, _ := o["type"].(string)
	return name
}

// objects visits all objects of a document, except those in examples.
func objects(t *testing.T, document []byte, visit func(map[string]any)) {
	t.Helper()
	var whole any
	if err := json.Unmarshal(document, &whole); err != nil {
		t.Fatal(err)
	}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			visit(v)
			for name, member := range v {
				if name != "example" {
					walk(member)
				}
			}
		case []any:
			for _, member := range v {
				walk(member)
			}
		}
	}
	walk(whole)
}

// TestComponentsAreUsed tests that every component is used, and that every reference has its component.
func TestComponentsAreUsed(t *testing.T) {
	for name, document := range documents {
		t.Run(name, func(t *testing.T) {
			var d struct {
				Components map[string]map[string]any
				Security   []map[string]any
			}
			var whole any
			if err := json.Unmarshal(document, &d); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(document, &whole); err != nil {
				t.Fatal(err)
			}
			used := map[string]bool{}
			references(whole, used)
			for _, s := range d.Security {
				for scheme := range s {
					used["#/components/securitySchemes/"+scheme] = true
				}
			}
			for kind, members := range d.Components {
				for name := range members {
					path := "#/components/" + kind + "/" + name
					if !used[path] {
						t.Errorf("%s is not used", path)
					}
					delete(used, path)
				}
			}
			if len(used) > 0 {
				t.Errorf("references to nothing: %q", slices.Sorted(maps.Keys(used)))
			}
		})
	}
}

// references notes every reference in a JSON value. Examples have none.
func references(v any, used map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			if to, ok := member.(string); ok && name == "$ref" {
				used[to] = true
				continue
			}
			references(member, used)
		}
	case []any:
		for _, member := range v {
			references(member, used)
		}
	}
}
