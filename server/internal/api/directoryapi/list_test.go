package directoryapi_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/directory"
)

// rows returns entities with the ids first to last.
func rows(first, last directory.EntityID) (list []directory.EntityRecord) {
	for id := first; id <= last; id++ {
		list = append(list, directory.EntityRecord{Entity: directory.Entity{
			ID: id, Ref: directory.Ref(fmt.Sprint("n", id)), Type: directory.Network, Name: "Rede", Degree: "F",
		}, ParentRef: "p"})
	}
	return list
}

type metadata struct {
	Metadata struct {
		After, Before *string
		Limit         int
	}
}

func TestListDocument(t *testing.T) {
	store := &fixed{entities: directory.Page[directory.EntityRecord]{Rows: rows(4, 5)}}
	w := send(t, newAPI(store), "GET", prefix+"/entities?entity_type=network", "")
	row := `{"name":"Rede","entity_type":"network","degree":"F","inep":null,"state":null,"city":null,"reference_id":"n%d"}`
	want := fmt.Sprintf(`{"entries":[`+row+`,`+row+`],"metadata":{"after":null,"before":null,"limit":50}}`, 4, 5)
	expect(t, "a list", w, 200, want)
	if h := w.Header(); h.Get("ETag") == "" || h.Get("Cache-Control") != "private, no-cache" || h.Get("Vary") != "Accept, Accept-Encoding, Authorization, X-Api-Key" {
		t.Errorf("headers of a list = %v, want those of H8", h)
	}
	again := send(t, newAPI(store), "GET", prefix+"/entities?entity_type=network", "", "If-None-Match", w.Header().Get("ETag"))
	expect(t, "unchanged", again, 304, "")

	empty := send(t, newAPI(&fixed{entities: directory.Page[directory.EntityRecord]{HasBefore: true, HasAfter: true}}), "GET", prefix+"/entities/n/subtree", "")
	expect(t, "an empty page has no cursors", empty, 200, `{"entries":[],"metadata":{"after":null,"before":null,"limit":50}}`)
}

// cursors returns the cursors of the list at target, whose rows are 4 and 5.
func cursors(t *testing.T, target string) (after, before string) {
	t.Helper()
	store := &fixed{entities: directory.Page[directory.EntityRecord]{Rows: rows(4, 5), HasAfter: true, HasBefore: true}}
	var m metadata
	if err := json.Unmarshal(send(t, newAPI(store), "GET", prefix+target, "").Body.Bytes(), &m); err != nil {
		t.Fatal(err)
	}
	return *m.Metadata.After, *m.Metadata.Before
}

func TestCursors(t *testing.T) {
	subtree := "/entities/a%2F%F0%9F%93%9A/subtree?x=1"
	after, before := cursors(t, subtree)
	other, _ := cursors(t, "/entities/b/subtree")
	networks, _ := cursors(t, "/entities?entity_type=network")
	for _, c := range []string{after, before, other, networks} {
		if !regexp.MustCompile(`^[A-Za-z0-9_-]+$`).MatchString(c) {
			t.Errorf("cursor %q, want only A-Za-z0-9_-", c)
		}
	}
	tests := []struct {
		rule, target string
		want         directory.Cursor
		status       int
	}{
		{"none", subtree, directory.Cursor{}, 200},
		{"empty cursors are absent", subtree + "&after=&before=", directory.Cursor{}, 200},
		{"after", subtree + "&after=" + after, directory.Cursor{After: 5}, 200},
		{"before", subtree + "&before=" + before, directory.Cursor{Before: 4}, 200},
		{"before, after empty", subtree + "&after=&before=" + before, directory.Cursor{Before: 4}, 200},
		{"a cursor works in both directions", subtree + "&before=" + after, directory.Cursor{Before: 5}, 200},
		{"the reference with other escapes", "/entities/%61%2f📚/subtree?after=" + after, directory.Cursor{After: 5}, 200},
		{"both", subtree + "&after=" + after + "&before=" + before, directory.Cursor{}, 400},
		{"twice", subtree + "&after=" + after + "&after=" + after, directory.Cursor{}, 400},
		{"twice, once empty", subtree + "&after=&after=" + after, directory.Cursor{}, 400},
		{"altered", subtree + "&after=B" + after[1:], directory.Cursor{}, 400},
		{"truncated", subtree + "&after=" + after[1:], directory.Cursor{}, 400},
		{"padded", subtree + "&after=" + after + "%3D", directory.Cursor{}, 400},
		{"of another entity", subtree + "&after=" + other, directory.Cursor{}, 400},
		{"of another route", subtree + "&after=" + networks, directory.Cursor{}, 400},
		{"of another type", "/entities?entity_type=school&after=" + networks, directory.Cursor{}, 400},
		{"malformed escape", subtree + "&after=%zz", directory.Cursor{}, 400},
	}
	for _, tt := range tests {
		store := &fixed{}
		w := send(t, newAPI(store), "GET", prefix+tt.target, "")
		if tt.status == 400 {
			expect(t, tt.rule, w, 400, detail("invalid cursor"))
			continue
		}
		if w.Code != 200 || store.asked[2] != tt.want {
			t.Errorf("%s: %d, asked %v, want 200, %v", tt.rule, w.Code, store.asked, tt.want)
		}
	}
}

func TestEntityType(t *testing.T) {
	tests := map[string]string{
		"":                                       directory.MsgBlank,
		"?entity_type=":                          directory.MsgBlank,
		"?entity_type=+":                         directory.MsgBlank,
		"?Entity_type=school":                    directory.MsgBlank,
		"?entity_type=Network":                   directory.MsgInvalid,
		"?entity_type=partner":                   directory.MsgInvalid,
		"?entity_type=school&entity_type=school": directory.MsgInvalid,
		"?entity_type=school&x=1&after=":         "",
		"?entity_type=%63lass":                   "",
	}
	for query, message := range tests {
		w := send(t, newAPI(&fixed{}), "GET", prefix+"/entities"+query, "")
		if message == "" {
			expect(t, query, w, 200, `{"entries":[],"metadata":{"after":null,"before":null,"limit":50}}`)
			continue
		}
		expect(t, query, w, 422, `{"errors":{"entity_type":["`+message+`"]}}`)
	}
}

// FuzzCursor checks that a list accepts no text that is not a cursor of its own.
func FuzzCursor(f *testing.F) {
	f.Add("", "")
	f.Add("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "")
	f.Add("", strings.Repeat("-", 32))
	f.Fuzz(func(t *testing.T, after, before string) {
		query := url.Values{"after": {after}, "before": {before}}.Encode()
		w := send(t, newAPI(&fixed{}), "GET", prefix+"/entities/n/subtree?"+query, "")
		if want := map[bool]int{true: 200, false: 400}[after == "" && before == ""]; w.Code != want {
			t.Errorf("after=%q before=%q = %d %s, want %d", after, before, w.Code, w.Body, want)
		}
	})
}
