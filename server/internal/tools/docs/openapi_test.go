package docs_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/openapi"
)

// documents has all documents by the name of their API.
var documents = map[string][]byte{"directory": openapi.Directory(settings), "schools": openapi.Schools(settings), "libraries": openapi.Libraries(settings)}

var settings = openapi.Settings{SchoolsRate: 30, LibrariesRate: 60, SchoolsHistory: calendar.MustParse("2026-01-01"), LibrariesHistory: calendar.MustParse("2026-07-21")}

// validateDates makes the validator refuse dates that the calendar does not have.
func validateDates() {
	openapi3.DefineStringFormatValidator("date", openapi3.NewCallbackValidator(func(s string) error {
		_, err := calendar.Parse(s)
		return err
	}))
}

// load reads a document as its users do.
func load(t *testing.T, document []byte) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(document)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestDocumentsAreValid(t *testing.T) {
	for name, document := range documents {
		t.Run(name, func(t *testing.T) {
			doc := load(t, document)
			if doc.OpenAPI != "3.1.0" {
				t.Errorf("openapi = %q, want 3.1.0", doc.OpenAPI)
			}
			err := doc.Validate(t.Context(), openapi3.EnableExamplesValidation(), openapi3.EnableSchemaFormatValidation(), openapi3.EnableSchemaPatternValidation())
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// TestOperationsAreDescribed checks that every operation has a name of its own, that everything has a description, and that every answer
// and every body has an example.
func TestOperationsAreDescribed(t *testing.T) {
	for name, document := range documents {
		t.Run(name, func(t *testing.T) {
			ids := map[string]string{}
			for path, item := range load(t, document).Paths.Map() {
				for method, op := range item.Operations() {
					at := method + " " + path
					if other, taken := ids[op.OperationID]; taken || op.OperationID == "" {
						t.Errorf("%s has the operation id %q, which is empty or also that of %q", at, op.OperationID, other)
					}
					ids[op.OperationID] = at
					described(t, at, op)
				}
			}
		})
	}
}

func described(t *testing.T, at string, op *openapi3.Operation) {
	t.Helper()
	if op.Summary == "" || op.Description == "" || len(op.Tags) != 1 {
		t.Errorf("%s has summary %q, description %q, tags %q", at, op.Summary, op.Description, op.Tags)
	}
	for _, p := range op.Parameters {
		if p.Value.Description == "" {
			t.Errorf("%s: parameter %s has no description", at, p.Value.Name)
		}
	}
	if op.RequestBody != nil && op.RequestBody.Value.Content["application/json"].Example == nil {
		t.Errorf("%s has no example of its body", at)
	}
	for status, res := range op.Responses.Map() {
		if res.Value.Description == nil || *res.Value.Description == "" {
			t.Errorf("%s: %s has no description", at, status)
		}
		c := res.Value.Content["application/json"]
		if c != nil && c.Example == nil || c == nil && status[0] > '3' {
			t.Errorf("%s: %s has no example", at, status)
		}
	}
}

// TestContactGroupsAndForms checks that a document names a contact, its groups, and each form of rows.
func TestContactGroupsAndForms(t *testing.T) {
	for name, document := range documents {
		doc := load(t, document)
		if c := doc.Info.Contact; c == nil || c.Name == "" || c.URL == "" {
			t.Errorf("%s: contact = %v, want a name and a URL", name, c)
		}
		var groups, used []string
		for _, tag := range doc.Tags {
			groups = append(groups, tag.Name)
			if tag.Description == "" {
				t.Errorf("%s: the group %s has no description", name, tag.Name)
			}
		}
		for path, item := range doc.Paths.Map() {
			for _, op := range item.Operations() {
				used = append(used, op.Tags...)
				forms := op.Responses.Value("200")
				if forms == nil || forms.Value.Content["text/csv"] == nil {
					continue
				}
				for _, form := range []string{"application/json", "text/csv", "application/x-ndjson",
					"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"} {
					if forms.Value.Content[form] == nil {
						t.Errorf("%s: %s has no %s", name, path, form)
					}
				}
			}
		}
		slices.Sort(used)
		slices.Sort(groups)
		if !slices.Equal(groups, slices.Compact(used)) {
			t.Errorf("%s: groups %q, operations are in %q", name, groups, used)
		}
	}
}

// TestServers checks that a document names only the server that it comes from.
func TestServers(t *testing.T) {
	for name, document := range documents {
		doc := load(t, document)
		if len(doc.Servers) != 1 || doc.Servers[0].URL != "/" {
			t.Errorf("%s: servers = %v, want only /", name, doc.Servers)
		}
		for path := range doc.Paths.Map() {
			if !strings.HasPrefix(path, "/api") {
				t.Errorf("%s: path %s, want it below /api", name, path)
			}
		}
	}
}
