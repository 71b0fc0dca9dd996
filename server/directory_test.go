package server_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
)

const partners = "/api/v2/partners"

// secretKey is the secret key of these tests.
var secretKey = bytes.Repeat([]byte{7}, 32)

// client is a partner that sends signed calls over a real connection.
type client struct {
	*fixture
	url        string
	id, secret string
}

// newClient serves the feed of newFixture, and issues a directory key of its partner.
func newClient(t *testing.T, db *database.DB, c server.Config) *client {
	t.Helper()
	c.SecretKey = secretKey
	f := newFixture(t, db, c)
	s := httptest.NewServer(f.handler)
	t.Cleanup(s.Close)
	cl := &client{fixture: f, url: s.URL}
	cl.id, cl.secret = f.issueDirectory(t, f.partner, time.Time{})
	return cl
}

func (f *fixture) issueDirectory(t *testing.T, p directory.PartnerID, expires time.Time) (id, secret string) {
	t.Helper()
	return f.issueUnder(t, secretKey, p, expires)
}

// issueUnder issues a directory key whose secret is sealed with the given secret key.
func (f *fixture) issueUnder(t *testing.T, secretKey []byte, p directory.PartnerID, expires time.Time) (id, secret string) {
	t.Helper()
	box, err := auth.NewBox(secretKey)
	if err != nil {
		t.Fatal(err)
	}
	secret, k, err := (&authdb.Store{DB: f.keys.DB, Now: f.keys.Now, Box: box}).Issue(t.Context(), f.keys.DB, authdb.IssueParams{Tenant: auth.Tenant(p), API: auth.Directory, Expires: expires})
	if err != nil {
		t.Fatal(err)
	}
	return k.ID(), secret
}

// sign returns a signed call. A call with a body is JSON.
func (c *client) sign(t *testing.T, method, target, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, c.url+target, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.URL.RawQuery = "" // the target is sent as it is
	r.URL.Opaque = target
	r.Header.Set("Date", c.clock.now.UTC().Format(http.TimeFormat))
	if body != "" || method == "POST" || method == "PUT" {
		r.Header.Set("X-Authorization-Content-SHA256", auth.HashBody([]byte(body)))
		r.Header.Set("Content-Type", "application/json")
	}
	c.seal(r, body)
	return r
}

// seal signs a call with its current headers.
func (c *client) seal(r *http.Request, body string) {
	r.Header.Set("Authorization", auth.Sign(auth.Signed{
		Method: r.Method, Target: r.URL.Opaque, ContentType: r.Header.Get("Content-Type"), Date: r.Header.Get("Date"),
		ContentSHA256: r.Header.Get("X-Authorization-Content-SHA256"), Body: []byte(body),
	}, c.id, c.secret, auth.SHA256))
}

// reply is a response to a call.
type reply struct {
	status int
	header http.Header
	body   string
}

func do(t *testing.T, r *http.Request) reply {
	t.Helper()
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var b bytes.Buffer
	if _, err := b.ReadFrom(res.Body); err != nil {
		t.Fatal(err)
	}
	return reply{res.StatusCode, res.Header, b.String()}
}

// call makes a signed call to a path under the prefix.
func (c *client) call(t *testing.T, method, path, body string) reply {
	t.Helper()
	return do(t, c.sign(t, method, partners+path, body))
}

// want checks the response to a signed call.
func (c *client) want(t *testing.T, rule, method, path, body string, status int, answered string) {
	t.Helper()
	if a := c.call(t, method, path, body); a.status != status || a.body != answered {
		t.Errorf("%s: %s %s %.200s = %d %s\nwant %d %s", rule, method, path, body, a.status, a.body, status, answered)
	}
}

func data(record string) string { return `{"data":` + record + `,"errors":null,"pagination":null}` }

func faults(members string) string { return `{"errors":{` + members + `}}` }

const (
	notFound     = `{"errors":{"detail":"Not Found"}}`
	unauthorized = `{"errors":{"detail":"Unauthorized"}}`
	badRequest   = `{"errors":{"detail":"Bad Request"}}`
)

// entity returns the body that creates an entity.
func entity(kind, ref, parent string) string {
	b, _ := json.Marshal(map[string]string{
		"name": "Um nome", "entity_type": kind, "degree": "F", "reference_id": ref, "parent_reference_id": parent,
	})
	return string(b)
}

// teacher returns the body that creates a teacher, or changes one.
func teacher(ref, entity string) string {
	b, _ := json.Marshal(map[string]string{
		"name": "Rui", "email": "rui@escola.example", "phone": "(91) 5555", "reference_id": ref, "entity_reference_id": entity,
	})
	return string(b)
}

// other returns a client of a second partner on the same server, and that partner.
func (c *client) other(t *testing.T) (*client, directory.PartnerID) {
	t.Helper()
	p, err := directorydb.CreatePartner(t.Context(), c.db, "bob", "Bob")
	if err != nil {
		t.Fatal(err)
	}
	o := *c
	o.id, o.secret = c.issueDirectory(t, p, time.Time{})
	return &o, p
}
