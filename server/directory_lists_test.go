package server_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// listed is a page as a client reads it.
type listed struct {
	Entries []struct {
		Ref string `json:"reference_id"`
	}
	Metadata struct{ After, Before *string }
}

// page reads a page of a list.
func (c *client) page(t *testing.T, path string) (refs []string, l listed) {
	t.Helper()
	a := c.call(t, "GET", path, "")
	if err := json.Unmarshal([]byte(a.body), &l); err != nil || a.status != 200 {
		t.Fatalf("GET %s = %d %s", path, a.status, a.body)
	}
	for _, e := range l.Entries {
		refs = append(refs, e.Ref)
	}
	return refs, l
}

// walk reads a list to its end and back to its start, and checks that both give the same. If between is not nil, walk
// calls it between two pages.
func (c *client) walk(t *testing.T, path string, between func()) []string {
	t.Helper()
	sep := "?"
	if strings.Contains(path, "?") {
		sep = "&"
	}
	all, l := c.page(t, path)
	if l.Metadata.Before != nil {
		t.Errorf("GET %s: before of the first page = %s, want null", path, *l.Metadata.Before)
	}
	last := all
	for l.Metadata.After != nil {
		if between != nil {
			between()
		}
		if len(last) != 50 {
			t.Errorf("GET %s: %d rows on a page before the last, want 50", path, len(last))
		}
		last, l = c.page(t, path+sep+"after="+*l.Metadata.After)
		all = append(all, last...)
	}
	back := last
	for l.Metadata.Before != nil {
		var page []string
		page, l = c.page(t, path+sep+"before="+*l.Metadata.Before)
		back = append(page, back...)
	}
	if between == nil && !slices.Equal(back, all) {
		t.Errorf("GET %s: backward %q\nforward %q", path, back, all)
	}
	return all
}

// TestDirectoryLists tests P8: lists around the page size, changes between two pages, and cursors of other lists.
func TestDirectoryLists(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		c := newClient(t, db, server.Config{})
		root := "raiz/100% à 📚 +&?#"
		path := "/entities/" + url.PathEscape(root) + "/subtree"
		c.call(t, "POST", "/entities", entity("network", root, "ana"))
		var want []string
		for i := range 101 {
			ref := fmt.Sprintf("é/%d 📚%%", i)
			if a := c.call(t, "POST", "/entities", entity("school", ref, root)); a.status != 201 {
				t.Fatalf("create %q = %d %s", ref, a.status, a.body)
			}
			want = append(want, ref)
			if i == 48 || i == 49 || i == 50 || i == 99 || i == 100 {
				if got := c.walk(t, path, nil); !slices.Equal(got, want) {
					t.Errorf("subtree of %d = %q, want %q", i+1, got, want)
				}
			}
		}
		c.want(t, "shown by its reference", "GET", "/entities/"+url.PathEscape("é/7 📚%"), "", 200,
			data(`{"name":"Um nome","entity_type":"school","degree":"F","inep":null,"state":null,"city":null,"reference_id":"é/7 📚%","parent_reference_id":"`+root+`"}`))

		// Between two pages, an earlier row, the last row read and a later row are deleted, and a row is added.
		_, first := c.page(t, path)
		for _, i := range []int{3, 49, 70} {
			c.want(t, "delete", "DELETE", "/entities/"+url.PathEscape(want[i]), "", 204, "")
		}
		c.call(t, "POST", "/entities", entity("school", "late", root))
		second, l := c.page(t, path+"?after="+*first.Metadata.After)
		if rest := append(slices.Concat(want[50:70], want[71:]), "late"); !slices.Equal(second, rest[:50]) {
			t.Errorf("page 2 after inserts and deletions = %q, want %q", second, rest[:50])
		}
		back, _ := c.page(t, path+"?before="+*l.Metadata.Before)
		if earlier := slices.Concat(want[:3], want[4:49]); !slices.Equal(back, earlier) {
			t.Errorf("the page before it after deletions = %q, want %q", back, earlier)
		}

		after := *first.Metadata.After
		other, _ := c.other(t)
		for rule, a := range map[string]reply{
			"on another list":    c.call(t, "GET", "/entities?entity_type=school&after="+after, ""),
			"of another tenant":  other.call(t, "GET", path+"?after="+after, ""),
			"both":               c.call(t, "GET", path+"?after="+after+"&before="+after, ""),
			"altered":            c.call(t, "GET", path+"?after="+after[:31]+map[bool]string{true: "B", false: "A"}[after[31] == 'A'], ""),
			"of an unknown root": c.call(t, "GET", "/entities/nowhere/subtree?after="+after, ""),
		} {
			if a.status != 400 || a.body != `{"errors":{"detail":"invalid cursor"}}` {
				t.Errorf("a cursor %s = %d %s, want 400", rule, a.status, a.body)
			}
		}
	})
}

// TestDirectoryReferences tests that paths, bodies and lists return references of every kind as they were sent.
func TestDirectoryReferences(t *testing.T) {
	refs := []string{
		"a/b", "/", "//", "../x", "x/..", "100%", "%2F", "%25", "a b", " a", "a+b", "ção", "e\u0301", "é", "📚", "👩🏽‍🏫", "a?b#c", `"'<>&\`, "a;b:c@d,e",
		"subtree", "...", "İstanbul", "a\u2028b", "a\u00a0", "\ufeff", "日本語", strings.Repeat("📚", 255),
	}
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		c := newClient(t, db, server.Config{})
		for _, ref := range refs {
			path := "/entities/" + url.PathEscape(ref)
			quoted, _ := json.Marshal(ref)
			if a := c.call(t, "POST", "/entities", entity("network", ref, "ana")); a.status != 201 {
				t.Errorf("create %q = %d %s", ref, a.status, a.body)
				continue
			}
			a := c.call(t, "GET", path, "")
			var got struct {
				Data struct {
					Ref string `json:"reference_id"`
				}
			}
			if err := json.Unmarshal([]byte(a.body), &got); err != nil || a.status != 200 || got.Data.Ref != ref {
				t.Errorf("show %s = %d %s, want %s", path, a.status, a.body, quoted)
			}
			if a := c.call(t, "POST", "/teachers", teacher(ref, ref)); a.status != 201 {
				t.Errorf("teacher %q = %d %s", ref, a.status, a.body)
			}
			if got := c.walk(t, path+"/teachers", nil); !slices.Equal(got, []string{ref}) {
				t.Errorf("teachers of %q = %q", ref, got)
			}
		}
		if got := c.walk(t, "/entities?entity_type=network", nil); !slices.Equal(got[2:], refs) {
			t.Errorf("networks = %q, want %q", got[2:], refs)
		}
	})
}
