package clients_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"reflect"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/server/internal/tools/clients/signing"
)

const (
	partners = "/api/v2/partners"
	// network is the one in the feed.
	network = "rede-1"
	// unsigned is the Authorization of a request that the signing proxy is to sign.
	unsigned = "to be signed"
)

// kept are the records that requests change or remove, by their references: what is sent to make them.
var kept = map[string]object{
	"kept":         {"name": "K", "reference_id": "kept", "entity_reference_id": network},
	"kept-network": entity("network", "F", "clients"),
	"kept-school":  entity("school", "F", network),
	"kept-class":   entity("class", "9", "escola-99000001"),
}

// entity is what is sent to make the entity that is kept of a type.
func entity(entityType, degree, parent string) object {
	return object{
		"name": "K", "entity_type": entityType, "degree": degree, "reference_id": "kept-" + entityType, "parent_reference_id": parent,
	}
}

// specmaticDirectory has requests of the directory made too. Its documents are of one type of entity each, since a parent is good for one
// alone; and of one cursor at most, since two are refused.
func (s *server) specmaticDirectory(t *testing.T) {
	proxy := s.signing(t)
	var documents [][]byte
	for _, d := range []struct{ entityType, cursor string }{{"network", ""}, {"school", ""}, {"class", "after"}, {"class", "before"}} {
		documents = append(documents, s.directoryDocument(t, d.entityType, d.cursor))
	}
	s.hold(t, proxy, "signature="+unsigned, documents, 340)
}

// signing puts a proxy before the server, which signs the requests that ask for it. Each finds the directory as the one before it did: the
// record that it names is made, and the one that it makes or changes removed.
func (s *server) signing(t *testing.T) string {
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
			return
		}
		if record, ok := kept[path.Base(r.URL.Path)]; ok {
			s.make(t, record)
		}
		res, answer := s.pass(t, s.url, r.Method, r.RequestURI, r.Header, body)
		for name, values := range res.Header {
			w.Header()[name] = values
		}
		w.WriteHeader(res.StatusCode)
		w.Write(answer)
		var made struct {
			Data struct {
				ReferenceID string `json:"reference_id"`
			}
		}
		if res.StatusCode < 300 && len(body) > 0 && json.Unmarshal(answer, &made) == nil {
			list := strings.Join(strings.Split(r.URL.Path, "/")[:5], "/") + "/"
			s.pass(t, s.url, "DELETE", list+url.PathEscape(made.Data.ReferenceID), http.Header{"Authorization": {unsigned}}, nil)
		}
	}))
	t.Cleanup(proxy.Close)
	return proxy.URL
}

// make makes a record, unless it is there.
func (s *server) make(t *testing.T, record object) {
	body, err := json.Marshal(record)
	if err != nil {
		t.Error(err)
	}
	list := partners + "/teachers"
	if record["entity_type"] != nil {
		list = partners + "/entities"
	}
	s.pass(t, s.url, "POST", list, http.Header{"Authorization": {unsigned}, "Content-Type": {"application/json"}}, body)
}

// pass sends a request to a server, signed where it is unsigned, and returns the answer and its body. It may be called by any goroutine.
func (s *server) pass(t *testing.T, base, method, target string, header http.Header, body []byte) (*http.Response, []byte) {
	r, err := http.NewRequestWithContext(t.Context(), method, base+target, bytes.NewReader(body))
	if err != nil {
		t.Error(err)
		return &http.Response{StatusCode: http.StatusBadGateway}, nil
	}
	r.Header = header.Clone()
	r.Header.Del("Accept-Encoding") // so that the body is read here as it is passed on
	if header.Get("Authorization") == unsigned {
		signing.Sign(r, body, s.keyID, s.secret)
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Error(err)
		return &http.Response{StatusCode: http.StatusBadGateway}, nil
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		t.Error(err)
	}
	return res, answer
}

// attachMany attaches more readers and teachers to the network than a page has.
func (s *server) attachMany(t *testing.T) {
	t.Helper()
	var accounts bytes.Buffer
	for i := range 60 {
		for _, kind := range []string{"reader", "teacher"} {
			fmt.Fprintf(&accounts, `{"referenceId":"many-%s-%d","kind":"%s","name":"Many","entityReferenceId":"%s","active":true}`+"\n",
				kind, i, kind, network)
		}
	}
	s.load(t, "accounts.ndjson", accounts.Bytes(), "schools", "--partner", "clients")
}

// directoryDocument is the directory's document with values that are good of what a schema cannot say: references that there are, degrees,
// and cursors.
func (s *server) directoryDocument(t *testing.T, entityType, cursor string) []byte {
	t.Helper()
	var document object
	if err := json.Unmarshal(s.get(t, "/openapi/directory.json", ""), &document); err != nil {
		t.Fatal(err)
	}
	schemas, record := document["components"].(object)["schemas"].(object), kept["kept-"+entityType]
	for schema, names := range map[string][]string{
		"NewEntity":     {"entity_type", "degree", "parent_reference_id"},
		"EntityChange":  {"entity_type", "degree", "parent_reference_id", "reference_id"},
		"NewTeacher":    {"entity_reference_id"},
		"TeacherChange": {"entity_reference_id"},
	} {
		properties := schemas[schema].(object)["properties"].(object)
		for _, name := range names {
			value, ok := record[name]
			if !ok { // of a teacher
				value = network
			}
			properties[name] = one(value)
		}
		if entityType == "school" && properties["inep"] != nil { // of others any text is taken, and not kept
			properties["inep"] = one("99000001")
		}
		if schema == "NewTeacher" { // Specmatic makes no address of a text that may be null, as it does of TeacherChange's
			delete(properties, "email")
		}
	}
	for path, operations := range document["paths"].(object) {
		for _, operation := range operations.(object) {
			s.setParameters(t, path, operation.(object), entityType, cursor)
		}
	}
	text, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// one is the schema of one text.
func one(value any) object { return object{"type": "string", "enum": []any{value}} }

// setParameters leaves an operation one cursor at most, and gives each parameter its value.
func (s *server) setParameters(t *testing.T, path string, operation object, entityType, cursor string) {
	t.Helper()
	reference := network
	switch {
	case strings.HasSuffix(path, "/entities/{reference_id}"):
		reference = "kept-" + entityType
	case strings.HasSuffix(path, "/teachers/{reference_id}"):
		reference = "kept"
	}
	var parameters []any
	all, _ := operation["parameters"].([]any)
	for _, p := range all {
		p := p.(object)
		switch {
		case p["in"] == "path":
			p["schema"] = one(reference)
			path = strings.ReplaceAll(path, "{"+p["name"].(string)+"}", reference)
		case p["name"] == "entity_type":
			p["schema"] = one(entityType)
			path += "?entity_type=" + entityType
		case p["name"] == cursor:
			p["schema"] = one(s.cursors(t, path)[cursor])
		default:
			continue
		}
		parameters = append(parameters, p)
	}
	operation["parameters"] = parameters
}

// page is a page of a list of the directory.
type page struct {
	Entries  []json.RawMessage
	Metadata struct{ After, Before *string }
}

// page reads one from a server, or from a proxy before it.
func (s *server) page(t *testing.T, base, target string) (p page) {
	t.Helper()
	res, answer := s.pass(t, base, "GET", target, http.Header{"Authorization": {unsigned}}, nil)
	if err := json.Unmarshal(answer, &p); err != nil || res.StatusCode != 200 {
		t.Fatalf("GET %s = %d %s, %v", target, res.StatusCode, answer, err)
	}
	return p
}

// cursors are the two of a list that are good: what leads from its first page to its second, and back.
func (s *server) cursors(t *testing.T, target string) map[string]string {
	t.Helper()
	after := s.page(t, s.url, target).Metadata.After
	if after == nil {
		t.Fatalf("%s has one page: too few to show anything", target)
	}
	return map[string]string{"after": *after, "before": *s.page(t, s.url, target+joint(target)+"after="+*after).Metadata.Before}
}

// joint is what stands between a target and one parameter more.
func joint(target string) string {
	if strings.Contains(target, "?") {
		return "&"
	}
	return "?"
}

// prismDirectory has the proxy that refuses what the document does not say between a client that signs and the server: lists are the same
// through it, page by page, and a teacher comes and goes.
func (s *server) prismDirectory(t *testing.T) {
	proxy := s.proxy(t, "directory")
	for _, list := range []string{
		"?entity_type=network", "?entity_type=school", "?entity_type=class", "/" + network + "/subtree", "/" + network + "/readers", "/" + network + "/teachers",
	} {
		list = partners + "/entities" + list
		for next := list; next != ""; {
			direct := s.page(t, s.url, next)
			if through := s.page(t, proxy, next); !reflect.DeepEqual(through, direct) {
				t.Errorf("%s through the proxy is %+v, want %+v", next, through, direct)
			}
			if next = ""; direct.Metadata.After != nil {
				next = list + joint(list) + "after=" + *direct.Metadata.After
			}
		}
	}
	s.comeAndGo(t, proxy)
	// What the document does not know the proxy refuses itself, so that it is known to look.
	header := http.Header{"Authorization": {unsigned}}
	if _, answer := s.pass(t, proxy, "GET", partners+"/entities?entity_type=none", header, nil); !bytes.Contains(answer, []byte("stoplight.io/prism")) {
		t.Errorf("a type that there is not is answered %s", answer)
	}
}

// comeAndGo makes calls that write, each of which the server must answer.
func (s *server) comeAndGo(t *testing.T, proxy string) {
	t.Helper()
	zoe := `{"name":"Zoé","reference_id":"prism","entity_reference_id":"` + network + `"}`
	moved := `{"name":"Zoé","email":"zoe@example.com","phone":"1","reference_id":"prism","entity_reference_id":"escola-99000001"}`
	for _, call := range []struct {
		method, target, body string
		want                 int
	}{
		{"POST", "/teachers", zoe, 201},
		{"POST", "/teachers", zoe, 422}, // taken
		{"GET", "/teachers/prism", "", 200},
		{"PUT", "/teachers/prism", moved, 200},
		{"DELETE", "/teachers/prism", "", 204},
		{"GET", "/teachers/prism", "", 404},
		{"PUT", "/entities/" + network, `{"city":"Olinda"}`, 200},
		{"PUT", "/entities/" + network, `{"city":null}`, 200},
		{"DELETE", "/entities/" + network, "", 422}, // it has children
	} {
		header := http.Header{"Authorization": {unsigned}}
		if call.body != "" {
			header.Set("Content-Type", "application/json")
		}
		res, answer := s.pass(t, proxy, call.method, partners+call.target, header, []byte(call.body))
		if res.StatusCode != call.want || bytes.Contains(answer, []byte("stoplight.io/prism")) {
			t.Errorf("%s %s %s = %d %s, want %d of the server", call.method, call.target, call.body, res.StatusCode, answer, call.want)
		}
	}
}
