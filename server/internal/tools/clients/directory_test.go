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
	// network is the reference of the network in the feed.
	network = "rede-1"
	// unsigned is the Authorization of a request that the signing proxy must sign.
	unsigned = "to be signed"
)

// kept has the records that requests change or remove, by reference, in the form that creates them.
var kept = map[string]object{
	"kept":         {"name": "K", "reference_id": "kept", "entity_reference_id": network},
	"kept-network": entity("network", "F", "clients"),
	"kept-school":  entity("school", "F", network),
	"kept-class":   entity("class", "9", "escola-99000001"),
}

// entity returns what creates the kept entity of a type.
func entity(entityType, degree, parent string) object {
	return object{
		"name": "K", "entity_type": entityType, "degree": degree, "reference_id": "kept-" + entityType, "parent_reference_id": parent,
	}
}

// specmaticDirectory runs Specmatic for the directory. Each document has one type of entity, since a parent is valid
// for one type only. It has at most one cursor, since the server refuses two.
func (s *server) specmaticDirectory(t *testing.T) {
	proxy := s.signing(t)
	var documents [][]byte
	for _, d := range []struct{ entityType, cursor string }{{"network", ""}, {"school", ""}, {"class", "after"}, {"class", "before"}} {
		documents = append(documents, s.directoryDocument(t, d.entityType, d.cursor))
	}
	s.validate(t, proxy, "signature="+unsigned, documents, 340)
}

// signing starts a proxy that signs the requests that ask for it. All requests find the same directory: the proxy
// creates the record that a request names, and afterwards deletes the one that it made or changed.
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

// make creates a record, unless it exists.
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

// pass sends a request to a server, signs it if it is unsigned, and returns the response and its body. Any goroutine may call it.
func (s *server) pass(t *testing.T, base, method, target string, header http.Header, body []byte) (*http.Response, []byte) {
	r, err := http.NewRequestWithContext(t.Context(), method, base+target, bytes.NewReader(body))
	if err != nil {
		t.Error(err)
		return &http.Response{StatusCode: http.StatusBadGateway}, nil
	}
	r.Header = header.Clone()
	r.Header.Del("Accept-Encoding") // so that the transport decompresses the body
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

// attachMany attaches more readers and teachers to the network than fit on a page.
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

// directoryDocument returns the directory's document with valid values for what a schema cannot express: existing
// references, degrees, and cursors.
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
		if entityType == "school" && properties["inep"] != nil { // for other types the server takes any text, and does not store it
			properties["inep"] = one("99000001")
		}
		if schema == "NewTeacher" { // Specmatic makes no address for a nullable text, except for TeacherChange's
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

// one returns the schema of one text.
func one(value any) object { return object{"type": "string", "enum": []any{value}} }

// setParameters keeps at most one cursor of an operation, and gives each parameter its value.
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

// page reads a page from a server, or from a proxy before it.
func (s *server) page(t *testing.T, base, target string) (p page) {
	t.Helper()
	res, answer := s.pass(t, base, "GET", target, http.Header{"Authorization": {unsigned}}, nil)
	if err := json.Unmarshal(answer, &p); err != nil || res.StatusCode != 200 {
		t.Fatalf("GET %s = %d %s, %v", target, res.StatusCode, answer, err)
	}
	return p
}

// cursors returns two valid cursors of a list: after leads from the first page to the second, and before leads back.
func (s *server) cursors(t *testing.T, target string) map[string]string {
	t.Helper()
	after := s.page(t, s.url, target).Metadata.After
	if after == nil {
		t.Fatalf("%s has one page, want at least two", target)
	}
	return map[string]string{"after": *after, "before": *s.page(t, s.url, target+joint(target)+"after="+*after).Metadata.Before}
}

// joint returns the separator between a target and one more parameter.
func joint(target string) string {
	if strings.Contains(target, "?") {
		return "&"
	}
	return "?"
}

// prismDirectory puts a proxy that refuses what the document does not allow between a signing client and the server.
// Lists must be the same through it, page by page, and the server must answer writes.
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
	s.createAndDelete(t, proxy)
	// The proxy itself refuses what the document does not know, which shows that it validates.
	header := http.Header{"Authorization": {unsigned}}
	if _, answer := s.pass(t, proxy, "GET", partners+"/entities?entity_type=none", header, nil); !bytes.Contains(answer, []byte("stoplight.io/prism")) {
		t.Errorf("answer to an unknown type = %s, want one from the proxy", answer)
	}
}

// createAndDelete creates, changes and deletes records. The server, not the proxy, must answer each call.
func (s *server) createAndDelete(t *testing.T, proxy string) {
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
			t.Errorf("%s %s %s = %d %s, want %d from the server", call.method, call.target, call.body, res.StatusCode, answer, call.want)
		}
	}
}
