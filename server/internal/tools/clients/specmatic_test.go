package clients_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"
)

// specmatic lets Specmatic make requests from the documents: valid ones, also at the bounds, and invalid ones, each
// with one change. A valid request must be answered with 200, an invalid one with a 4xx, both in the form that the
// document has for it.
func (s *server) specmatic(t *testing.T) {
	keys := map[string]string{"schools": s.schools, "libraries": s.books}
	for api, requests := range map[string]int{"schools": 100, "libraries": 400} {
		t.Run(api, func(t *testing.T) {
			var documents [][]byte
			for document := s.generable(t, api, 0); document != nil; document = s.generable(t, api, len(documents)) {
				documents = append(documents, document)
			}
			s.validate(t, s.url, "apiKey="+keys[api], documents, requests)
		})
	}
	t.Run("directory", s.specmaticDirectory)
}

// validate makes requests from documents of one API to the server at a URL, and validates the responses. credential
// sets the documents' authentication. There must be at least so many requests.
func (s *server) validate(t *testing.T, url, credential string, documents [][]byte, requests int) {
	dir := t.TempDir()
	jar, err := filepath.Abs(filepath.Join("tools", "node_modules", "specmatic", "specmatic.jar"))
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-jar", jar, "test", "--testBaseURL=" + url}
	for i, document := range documents {
		file := fmt.Sprintf("%d.json", i)
		s.write(t, filepath.Join(dir, file), document)
		args = append(args, file)
	}
	environment := s.environment
	defer func() { s.environment = environment }()
	s.environment = append(slices.Clip(environment), credential, "SPECMATIC_GENERATIVE_TESTS=true", "MAX_TEST_REQUEST_COMBINATIONS=1")
	out := s.run(t, dir, "java", args...)
	ran := regexp.MustCompile(`Tests run: (\d+), Successes: (\d+), Failures: 0,`).FindSubmatch(out)
	if ran == nil || !bytes.Equal(ran[1], ran[2]) {
		t.Fatalf("Specmatic printed %s", out[max(0, len(out)-20_000):])
	}
	if n, _ := strconv.Atoi(string(ran[1])); n < requests {
		t.Errorf("Specmatic made %d requests, want at least %d", n, requests)
	}
	t.Logf("%s requests", ran[1])
}

// object is a part of a document.
type object = map[string]any

// combined is how many parameters of an operation are combined. Specmatic tries each bad value of one with each choice
// of the others, which would be thousands for all parameters.
const combined = 4

// generable returns the document of an API with one group of each operation's parameters, or nil if no operation has so
// many groups. It adds valid values that a schema cannot express: a snapshot, and days that go together. It leaves out
// changedSince, which needs them all at once, and forms other than JSON, which Specmatic does not request.
func (s *server) generable(t *testing.T, api string, group int) []byte {
	t.Helper()
	var document object
	if err := json.Unmarshal(s.get(t, "/openapi/"+api+".json", ""), &document); err != nil {
		t.Fatal(err)
	}
	document["security"] = []any{object{"apiKey": []any{}}}
	values, paths := s.values(t, api), document["paths"].(object)
	for path, operations := range paths {
		get := operations.(object)["get"].(object)
		var needed, free []any
		for _, p := range get["parameters"].([]any) {
			p := p.(object)
			if value, ok := values[p["name"].(string)]; ok {
				p["schema"] = object{"type": "string", "enum": []any{value}}
			}
			if p["required"] == true {
				needed = append(needed, p)
			} else if p["name"] != "changedSince" {
				free = append(free, p)
			}
		}
		if free = free[min(group*combined, len(free)):]; len(free) == 0 {
			delete(paths, path)
		}
		get["parameters"] = append(needed, free[:min(combined, len(free))]...)
		content := get["responses"].(object)["200"].(object)["content"].(object)
		get["responses"].(object)["200"].(object)["content"] = object{"application/json": content["application/json"]}
	}
	if len(paths) == 0 {
		return nil
	}
	text, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// values returns valid values of parameters by name.
func (s *server) values(t *testing.T, api string) map[string]string {
	t.Helper()
	path, key := "/api-platform/schools/v1/users", s.schools
	if api == "libraries" {
		path, key = "/api-platform/libraries/v1/dimensions", s.books
	}
	r, err := http.NewRequestWithContext(t.Context(), "GET", s.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Api-Key", key)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	now := time.Now()
	return map[string]string{
		"snapshot": res.Header.Get("X-Snapshot"), "startDate": now.AddDate(0, 0, -20).Format(time.DateOnly), "endDate": now.AddDate(0, 0, -5).Format(time.DateOnly),
	}
}
