package server_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

func TestDirectoryEntities(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		c := newClient(t, db, server.Config{})
		school := `{"name":"Escola Nova","entity_type":"school","degree":"F","inep":"15012345","state":"PA","city":"Belém","reference_id":"nova","parent_reference_id":"north"}`
		c.want(t, "create", "POST", "/entities", school, 201, data(school))
		c.want(t, "show", "GET", "/entities/nova", "", 200, data(school))
		c.want(t, "a network's parent is the partner (P1)", "POST", "/entities",
			`{"name":" Rede ","entity_type":"network","degree":"F","inep":"1","state":"sp","reference_id":"rede","parent_reference_id":"ana","x":1}`, 201,
			data(`{"name":"Rede","entity_type":"network","degree":"F","inep":null,"state":"SP","city":null,"reference_id":"rede","parent_reference_id":"ana"}`))
		c.want(t, "edit", "PUT", "/entities/nova", `{"name":"Outra","city":null}`, 200,
			data(`{"name":"Outra","entity_type":"school","degree":"F","inep":"15012345","state":"PA","city":null,"reference_id":"nova","parent_reference_id":"north"}`))
		c.want(t, "list", "GET", "/entities?entity_type=network&unknown=1", "", 200, `{"entries":[`+
			`{"name":"Rede Norte","entity_type":"network","degree":"F","inep":null,"state":"PA","city":null,"reference_id":"north"},`+
			`{"name":"Rede Sul","entity_type":"network","degree":"F","inep":null,"state":"RS","city":null,"reference_id":"south"},`+
			`{"name":"Rede","entity_type":"network","degree":"F","inep":null,"state":"SP","city":null,"reference_id":"rede"}],`+
			`"metadata":{"after":null,"before":null,"limit":50}}`)
		if refs := c.walk(t, "/entities/north/subtree", nil); !slices.Equal(refs, []string{"school", "class", "nova"}) {
			t.Errorf("subtree of north = %q, want school, class, nova", refs)
		}
		c.wantFaults(t, "create with faults", "POST", "/entities", `{"name":" ","entity_type":2,"degree":"F","reference_id":"nova","parent_reference_id":"nowhere"}`,
			`"name":["can't be blank"],"entity_type":["is invalid"],"reference_id":["has already been taken"],"parent_reference_id":["does not exist"]`)
		c.want(t, "edit with a fault", "PUT", "/entities/nova", `{"name":"X","parent_reference_id":"south"}`, 422, faults(`"parent_reference_id":["can't be changed"]`))
		c.want(t, "a refused edit writes nothing", "PUT", "/entities/nova", `{}`, 200,
			data(`{"name":"Outra","entity_type":"school","degree":"F","inep":"15012345","state":"PA","city":null,"reference_id":"nova","parent_reference_id":"north"}`))
		c.want(t, "delete", "DELETE", "/entities/nova", "", 204, "")
		for _, path := range []string{"", "/subtree", "/readers", "/teachers"} {
			c.want(t, "deleted", "GET", "/entities/nova"+path, "", 404, notFound)
		}
		c.want(t, "deleted", "PUT", "/entities/nova", `{}`, 404, notFound)
		c.want(t, "deleted", "DELETE", "/entities/nova", "", 404, notFound)
	})
}

// TestDirectoryDelete tests P6, and that the schools routes show the result at once.
func TestDirectoryDelete(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		c := newClient(t, db, server.Config{SchoolsRate: -1})
		children := faults(`"entity":["children must be removed first"]`)
		c.want(t, "a network with a school", "DELETE", "/entities/north", "", 422, children)
		c.want(t, "a school with a class", "DELETE", "/entities/school", "", 422, children)
		c.want(t, "a class", "DELETE", "/entities/class", "", 204, "")
		if w := c.get(c.north, prefix+"/users?profile=student"); !strings.Contains(w.Body.String(), `"class":{"id":4,"name":"7A"},"grade":7,"stage":"FUNDAMENTAL 2","active":false`) {
			t.Errorf("the pupil of a deleted class = %s, want inactive and in the class (S1)", w.Body)
		}
		c.want(t, "its school", "DELETE", "/entities/school", "", 204, "")
		shown := c.call(t, "GET", "/teachers/teacher", "")
		if shown.status != 200 || !strings.Contains(shown.body, `"entity_reference_id":"school"`) || !strings.Contains(shown.body, `"active":false`) {
			t.Errorf("the teacher of a deleted school = %d %s, want inactive, with the school's reference", shown.status, shown.body)
		}
		c.want(t, "its reference is free", "POST", "/entities", entity("school", "school", "north"), 201,
			data(`{"name":"Um nome","entity_type":"school","degree":"F","inep":null,"state":null,"city":null,"reference_id":"school","parent_reference_id":"north"}`))
		c.want(t, "the new school has no teachers", "GET", "/entities/school/teachers", "", 200, `{"entries":[],"metadata":{"after":null,"before":null,"limit":50}}`)
		c.call(t, "DELETE", "/entities/school", "")
		c.want(t, "the network", "DELETE", "/entities/north", "", 204, "")
		if w := c.get(c.north, prefix+"/users"); w.Code != 401 {
			t.Errorf("the schools key of a deleted network = %d, want 401 (G3)", w.Code)
		}
		if w := c.get(c.south, prefix+"/users"); w.Code != 200 {
			t.Errorf("the schools key of another network = %d, want 200", w.Code)
		}
	})
}

// TestDirectoryTeachers tests each row of P7, and that the schools routes show the result at once.
func TestDirectoryTeachers(t *testing.T) {
	const blank, invalid = `["can't be blank"]`, `["is invalid"]`
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		c := newClient(t, db, server.Config{SchoolsRate: -1})
		a := c.call(t, "POST", "/teachers", teacher("rui", "class"))
		var made struct{ Data map[string]any }
		if err := json.Unmarshal([]byte(a.body), &made); err != nil || a.status != 201 {
			t.Fatalf("create = %d %s", a.status, a.body)
		}
		token, _ := made.Data["access_token"].(string)
		record := func(entity, ref string) string {
			return data(`{"access_token":"` + token + `","entity_reference_id":"` + entity + `","name":"Rui","email":"rui@escola.example",` +
				`"phone":"(91) 5555","reference_id":"` + ref + `","active":true}`)
		}
		if a.body != record("class", "rui") || len(token) != 16 || strings.Trim(token, "0123456789ABCDEFGHJKMNPQRSTVWXYZ") != "" {
			t.Errorf("create = %s, want %s with a token of 16 characters", a.body, record("class", "rui"))
		}
		c.want(t, "show", "GET", "/teachers/rui", "", 200, record("class", "rui"))
		if w := c.get(c.north, prefix+"/users?profile=teacher"); !strings.Contains(w.Body.String(), `"name":"Rui"`) {
			t.Errorf("a new teacher in the schools API = %s, want Rui", w.Body)
		}
		c.want(t, "in the list, without the e-mail", "GET", "/entities/class/teachers", "", 200,
			`{"entries":[{"access_token":"`+token+`","entity_reference_id":"class","name":"Rui","phone":"(91) 5555","reference_id":"rui","active":true}],`+
				`"metadata":{"after":null,"before":null,"limit":50}}`)
		c.want(t, "moved and renamed", "PUT", "/teachers/rui", teacher("rui/2", "south"), 200, record("south", "rui/2"))
		c.want(t, "the old reference", "GET", "/teachers/rui", "", 404, notFound)
		north, south := c.get(c.north, prefix+"/users").Body.String(), c.get(c.south, prefix+"/users").Body.String()
		if strings.Contains(north, `"name":"Rui"`) || !strings.Contains(south, `"name":"Rui"`) {
			t.Errorf("a moved teacher in the schools API: north %s\nsouth %s\nwant only in the south", north, south)
		}

		c.wantFaults(t, "faults of several fields", "POST", "/teachers", `{"name":" ","phone":1,"reference_id":"pupil","entity_reference_id":"nowhere"}`,
			`"name":`+blank+`,"phone":`+invalid+`,"reference_id":["has already been taken"],"entity_reference_id":["does not exist"]`)
		c.wantFaults(t, "PUT requires all five fields", "PUT", "/teachers/rui%2F2", `{}`,
			`"name":`+blank+`,"email":`+blank+`,"phone":`+blank+`,"reference_id":`+blank+`,"entity_reference_id":`+blank)
		c.want(t, "a reader is not a teacher", "GET", "/teachers/pupil", "", 404, notFound)
		c.want(t, "a reader is not a teacher", "DELETE", "/teachers/pupil", "", 404, notFound)

		c.want(t, "delete", "DELETE", "/teachers/rui%2F2", "", 204, "")
		c.want(t, "deleted", "GET", "/teachers/rui%2F2", "", 404, notFound)
		if w := c.get(c.south, prefix+"/users?profile=teacher"); !strings.Contains(w.Body.String(), `"name":"Rui"`) || !strings.Contains(w.Body.String(), `"active":false`) {
			t.Errorf("a deleted teacher in the schools API = %s, want inactive", w.Body)
		}
		if a := c.call(t, "POST", "/teachers", teacher("rui/2", "class")); a.status != 201 || strings.Contains(a.body, token) {
			t.Errorf("the freed reference = %d %s, want 201 and another token", a.status, a.body)
		}
	})
}

// wantFaults checks a 422 response, whose fields may have any order.
func (c *client) wantFaults(t *testing.T, rule, method, path, body, members string) {
	t.Helper()
	var got, want map[string]any
	a := c.call(t, method, path, body)
	if err := json.Unmarshal([]byte(faults(members)), &want); err != nil {
		t.Fatal(err)
	}
	json.Unmarshal([]byte(a.body), &got)
	if a.status != 422 || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: %s %s = %d %s\nwant 422 %s", rule, method, path, a.status, a.body, faults(members))
	}
}

func TestDirectoryTenants(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		c := newClient(t, db, server.Config{})
		bob, _ := c.other(t)
		for _, path := range []string{"/entities/north", "/entities/north/subtree", "/entities/class/readers", "/teachers/teacher"} {
			bob.want(t, "another tenant's", "GET", path, "", 404, notFound)
		}
		bob.want(t, "another tenant's", "DELETE", "/entities/class", "", 404, notFound)
		bob.want(t, "another tenant's parent", "POST", "/entities", entity("school", "s", "north"), 422, faults(`"parent_reference_id":["does not exist"]`))
		bob.want(t, "another tenant's references are free", "POST", "/entities", entity("network", "north", "bob"), 201,
			data(`{"name":"Um nome","entity_type":"network","degree":"F","inep":null,"state":null,"city":null,"reference_id":"north","parent_reference_id":"bob"}`))
		bob.want(t, "another tenant's entities", "GET", "/entities?entity_type=school", "", 200, `{"entries":[],"metadata":{"after":null,"before":null,"limit":50}}`)
	})
}
