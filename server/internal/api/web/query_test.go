package web_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/api/web"
)

// route lists the parameters that read reads, in that order.
var route = []string{"startDate", "userId", "profile", "page", "pageSize"}

// read reads all parameters of route and returns the messages.
func read(t interface{ Fatalf(string, ...any) }, q *web.Query) []string {
	q.Date("startDate", "")
	q.Int("userId", "")
	web.Choose(q, "profile", "", profiles)
	q.Page(web.LargePage)
	err := q.Err()
	if err == nil {
		return nil
	}
	var p *web.Problem
	if !errors.As(err, &p) || p.Status != 400 {
		t.Fatalf("Err() = %v, want a 400", err)
	}
	return p.Messages
}

var profiles = []web.Choice[string]{web.Means("student", "a student"), web.Means("teacher", "a teacher")}

func TestQueryMessages(t *testing.T) {
	const (
		integer  = "userId must be an integer number"
		enum     = "profile must be one of the following values: student, teacher"
		date     = "startDate must be a valid date in the form YYYY-MM-DD"
		pageLow  = "page must not be less than 1"
		pageHigh = "page must not be greater than 100000"
		sizeLow  = "pageSize must not be less than 1"
		sizeHigh = "pageSize must not be greater than 1000"
	)
	tests := []struct {
		rule, query string
		want        []string
	}{
		{"nothing sent", "", nil},
		{"empty pairs", "&&userId=1&", nil},

		{"int zero", "userId=0", nil},
		{"int leading zeros", "userId=000000000000000000000000000007", nil},
		{"int largest", "userId=9007199254740991", nil},
		{"int above the largest", "userId=9007199254740992", []string{integer}},
		{"int far above", "userId=99999999999999999999999999999999", []string{integer}},
		{"int empty", "userId=", []string{integer}},
		{"int without equals", "userId", []string{integer}},
		{"int twice", "userId=1&userId=1", []string{integer}},
		{"int three times, one message", "userId=1&userId=x&userId=", []string{integer}},
		{"int plus", "userId=%2B1", []string{integer}},
		{"int unescaped plus is a space", "userId=+1", []string{integer}},
		{"int minus", "userId=-1", []string{integer}},
		{"int decimal", "userId=1.0", []string{integer}},
		{"int exponent", "userId=1e3", []string{integer}},
		{"int hexadecimal", "userId=0x1", []string{integer}},
		{"int other digits", "userId=%D9%A1", []string{integer}},
		{"int space", "userId=1%20", []string{integer}},
		{"int malformed escape", "userId=1%2", []string{integer}},
		{"int escaped digit", "userId=%31", nil},
		{"int semicolon is a plain character", "userId=1;page=2", []string{integer}},
		{"equals in a value", "userId=1=1", []string{integer}},

		{"page 1", "page=1", nil},
		{"page 0", "page=0", []string{pageLow}},
		{"page largest", "page=100000", nil},
		{"page above", "page=100001", []string{pageHigh}},
		{"page no number", "page=x", []string{"page must be an integer number"}},
		{"pageSize 1", "pageSize=1", nil},
		{"pageSize 0", "pageSize=0", []string{sizeLow}},
		{"pageSize largest", "pageSize=1000", nil},
		{"pageSize above", "pageSize=1001", []string{sizeHigh}},
		{"pageSize minus", "pageSize=-1", []string{"pageSize must be an integer number"}},

		{"enum first", "profile=student", nil},
		{"enum last", "profile=teacher", nil},
		{"enum other", "profile=admin", []string{enum}},
		{"enum case", "profile=Student", []string{enum}},
		{"enum empty", "profile=", []string{enum}},
		{"enum twice", "profile=student&profile=student", []string{enum}},

		{"date", "startDate=2026-02-28", nil},
		{"date not in the calendar", "startDate=2026-02-30", []string{date}},
		{"date leap day", "startDate=2028-02-29", nil},
		{"date no leap day", "startDate=2026-02-29", []string{date}},
		{"date short", "startDate=2026-2-8", []string{date}},
		{"date with time", "startDate=2026-02-08T00:00:00Z", []string{date}},
		{"date empty", "startDate=", []string{date}},
		{"date twice", "startDate=2026-02-28&startDate=2026-02-28", []string{date}},

		{"unknown", "colour=red", []string{"property colour should not exist"}},
		{"unknown twice, one message", "colour=red&colour=blue", []string{"property colour should not exist"}},
		{"unknown by case", "Page=1", []string{"property Page should not exist"}},
		{"unknown by brackets", "page[]=1", []string{"property page[] should not exist"}},
		{"unknown escaped", "a%20b=1", []string{"property a b should not exist"}},
		{"unknown by a malformed escape", "%zz=1", []string{"property %zz should not exist"}},
		{"known name escaped", "p%61ge=0", []string{pageLow}},
		{"without a name", "=1", []string{"property  should not exist"}},
		{"other names of the vocabulary are ignored", "orderBy=%zz&orderBy=", nil},

		{
			"unknown first as sent, then the table's order",
			"pageSize=0&zeta=1&page=0&profile=&alpha=1&userId=&startDate=",
			[]string{"property zeta should not exist", "property alpha should not exist", date, integer, enum, pageLow, sizeLow},
		},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			got := read(t, web.NewQuery(tt.query, []string{"orderBy"}))
			if !slices.Equal(got, tt.want) {
				t.Errorf("messages of %q = %q, want %q", tt.query, got, tt.want)
			}
		})
	}
}

func TestQueryValues(t *testing.T) {
	q := web.NewQuery("pageSize=0250&startDate=2026-03-01&profile=teacher&userId=12&page=3", nil)
	if got, want := q.Page(web.LargePage), (paging.Page{Number: 3, Size: 250}); got != want {
		t.Errorf("Page = %v, want %v", got, want)
	}
	if got := q.Int("userId", ""); got == nil || *got != 12 {
		t.Errorf("Int(userId) = %v, want 12", got)
	}
	if got := web.Choose(q, "profile", "", profiles); got != "a teacher" {
		t.Errorf("Choose(profile) = %q, want a teacher", got)
	}
	if got, want := q.Date("startDate", ""), calendar.MustParse("2026-03-01"); got == nil || *got != want {
		t.Errorf("Date(startDate) = %v, want %v", got, want)
	}
	if err := q.Err(); err != nil {
		t.Errorf("Err() = %v, want nil", err)
	}
}

func TestQueryDefaults(t *testing.T) {
	q := web.NewQuery("", nil)
	if got, want := q.Page(web.LargePage), (paging.Page{Number: 1, Size: 100}); got != want {
		t.Errorf("Page = %v, want %v", got, want)
	}
	if u, e, d := q.Int("userId", ""), web.Choose(q, "profile", "", profiles), q.Date("startDate", ""); u != nil || e != "" || d != nil {
		t.Errorf("absent parameters = %v, %q, %v, want nil, \"\", nil", u, e, d)
	}
}

func TestQueryText(t *testing.T) {
	long := strings.Repeat("ã", web.MaxText)
	tests := []struct {
		rule, value string
		ok          bool
	}{
		{"one character", "a", true},
		{"as it was sent", " A  b ", true},
		{"200 characters", long, true},
		{"201 characters", long + "a", false},
		{"201 characters with spaces at the end", long + " ", false},
		{"empty", "", false},
		{"blank", " \u00a0\t", false},
		{"any characters", "%_\x00\xff", true},
	}
	for _, tt := range tests {
		q := web.NewQuery("city="+url.QueryEscape(tt.value), nil)
		got := q.Text("city", "")
		if err := q.Err(); tt.ok && (err != nil || got == nil || *got != tt.value) {
			t.Errorf("%s: Text = %v, %v, want %q", tt.rule, got, err, tt.value)
		} else if want := `400 ["city must be a string of 1 to 200 characters"]`; !tt.ok && (got != nil || err == nil || err.Error() != want) {
			t.Errorf("%s: Text = %v, %v, want %s", tt.rule, got, err, want)
		}
	}
	if q := web.NewQuery("city=a&city=a", nil); q.Text("city", "") != nil || q.Err() == nil {
		t.Error("Text of a parameter sent twice succeeds, want an error")
	}
	if q := web.NewQuery("", nil); q.Text("city", "") != nil || q.Err() != nil {
		t.Error("Text of an absent parameter: want nil and no error")
	}
}

func TestQueryBool(t *testing.T) {
	tests := []struct {
		query    string
		want, ok bool
	}{
		{"", false, true},
		{"new=true", true, true},
		{"new=false", false, true},
		{"new=", false, false},
		{"new", false, false},
		{"new=1", false, false},
		{"new=TRUE", false, false},
		{"new=true&new=true", false, false},
		{"new=true+", false, false},
	}
	for _, tt := range tests {
		q := web.NewQuery(tt.query, nil)
		got, err := q.Bool("new", ""), q.Err()
		if got != tt.want || (err == nil) != tt.ok || err != nil && err.Error() != `400 ["new must be a boolean string"]` {
			t.Errorf("Bool of %q = %v, %v, want %v, good: %v", tt.query, got, err, tt.want, tt.ok)
		}
	}
}

// TestQueryRequired tests that a missing required parameter gets the message of its type.
func TestQueryRequired(t *testing.T) {
	q := web.NewQuery("endDate=2026-03-01", nil)
	start, end := q.RequiredDate("startDate", ""), q.RequiredDate("endDate", "")
	if err := q.Err(); start != nil || end == nil || err == nil || err.Error() != `400 ["startDate must be a valid date in the form YYYY-MM-DD"]` {
		t.Errorf("RequiredDate = %v, %v, %v, want the message of the one that is absent", start, end, err)
	}
}

// TestParams tests that Params lists what a route reads, in that order, with types, limits and defaults. snapshot and
// changedSince are last.
func TestParams(t *testing.T) {
	got := web.Route{Read: func(q *web.Query, _ calendar.Date) web.Reply {
		q.RequiredDate("startDate", "First day.")
		q.Int("userId", "One user.")
		web.Choose(q, "profile", "Some.", profiles)
		web.Choose(q, "order", "Which.", []web.Choice[int]{web.Means("up", 1), web.Means("down", 0)})
		q.Bool("new", "New ones.")
		q.Text("city", "One city.")
		q.Page(web.LargePage)
		return web.Reply{Changes: true}
	}}.Params()
	want := []string{
		`startDate true First day. {"type":"string","format":"date"}`,
		`userId false One user. {"type":"integer","format":"int64","minimum":0,"maximum":9007199254740991}`,
		`profile false Some. {"type":"string","enum":["student","teacher"]}`,
		`order false Which. {"type":"string","enum":["up","down"],"default":"down"}`,
		`new false New ones. {"type":"string","enum":["true","false"]}`,
		`city false One city. {"type":"string","minLength":1,"maxLength":200}`,
		`page false Number of the page. {"type":"integer","format":"int64","minimum":1,"maximum":100000,"default":1}`,
		`pageSize false Rows of a page. {"type":"integer","format":"int64","minimum":1,"maximum":1000,"default":100}`,
	}
	if n := len(want); len(got) != n+2 || got[n].Name != web.SnapshotParam || got[n+1].Name != web.SinceParam {
		t.Fatalf("%d parameters, want %d, %s and %s", len(got), n, web.SnapshotParam, web.SinceParam)
	}
	for i, p := range got[:len(want)] {
		schema, err := json.Marshal(p.Schema)
		if line := fmt.Sprintf("%s %v %s %s", p.Name, p.Required, p.About, schema); err != nil || line != want[i] {
			t.Errorf("parameter %d = %s, %v, want %s", i, line, err, want[i])
		}
	}
}

func TestChosen(t *testing.T) {
	choices := []web.Choice[int]{web.Means("none", 0), {Name: "12+", Value: 12, Also: "12 "}}
	for _, tt := range []struct {
		query string
		want  int // -1: nil
		ok    bool
	}{
		{"", -1, true}, {"n=none", 0, true}, {"n=12%2B", 12, true}, {"n=12+", 12, true},
		{"n=12", -1, false}, {"n=12++", -1, false}, {"n=", -1, false}, {"n=none&n=none", -1, false},
	} {
		q := web.NewQuery(tt.query, nil)
		got, err := web.Chosen(q, "n", "", choices), q.Err()
		if (got == nil) != (tt.want < 0) || got != nil && *got != tt.want || (err == nil) != tt.ok ||
			err != nil && err.Error() != `400 ["n must be one of the following values: none, 12+"]` {
			t.Errorf("Chosen %q = %v, %v, want %d, good: %v", tt.query, got, err, tt.want, tt.ok)
		}
	}
}

func TestQueryFail(t *testing.T) {
	q := web.NewQuery("colour=red", nil)
	q.Date("startDate", "")
	if !q.Valid("startDate", "page") {
		t.Error("Valid = false before any message, want true")
	}
	q.Fail("startDate", "first")
	q.Fail("startDate", "second")
	if q.Valid("page", "startDate") {
		t.Error("Valid = true after Fail, want false")
	}
	var p *web.Problem
	if err := q.Err(); !errors.As(err, &p) || !slices.Equal(p.Messages, []string{"property colour should not exist", "first"}) {
		t.Errorf("Err() = %v, want the unknown property and the first message", err)
	}
}

// TestQueryAgainstURL checks that the messages are those for the values that net/url reads, name by name.
func TestQueryAgainstURL(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := make(url.Values)
		for range rapid.IntRange(0, 6).Draw(t, "pieces") {
			name := rapid.SampledFrom([]string{"userId", "page", "é b", "x;y", "&"}).Draw(t, "name")
			values.Add(name, rapid.SampledFrom([]string{"", "0", "1", "100001", "9007199254740992", "+1", "%", "a=b"}).Draw(t, "value"))
		}
		raw := values.Encode() // sorted by name
		var want []string
		for _, name := range slices.Sorted(func(yield func(string) bool) {
			for n := range values {
				if !yield(n) {
					return
				}
			}
		}) {
			if !slices.Contains(route, name) {
				want = append(want, "property "+name+" should not exist")
			}
		}
		for _, name := range []string{"userId", "page"} {
			if vs, ok := values[name]; ok {
				want = append(want, slowInt(name, vs)...)
			}
		}
		if got := read(t, web.NewQuery(raw, nil)); !slices.Equal(got, want) {
			t.Fatalf("messages of %q = %q, want %q", raw, got, want)
		}
	})
}

func slowInt(name string, vs []string) []string {
	n, err := strconv.ParseUint(vs[0], 10, 64)
	switch {
	case len(vs) > 1, err != nil, n > 1<<53-1, strings.ContainsAny(vs[0], "+-"):
		return []string{name + " must be an integer number"}
	case name == "page" && n < 1:
		return []string{"page must not be less than 1"}
	case name == "page" && n > 100_000:
		return []string{"page must not be greater than 100000"}
	}
	return nil
}

func FuzzQuery(f *testing.F) {
	f.Add("page=1&page=2&%zz;=&=%")
	f.Add("userId=9007199254740992&profile=student")
	f.Fuzz(func(t *testing.T, raw string) {
		messages := read(t, web.NewQuery(raw, nil))
		seen := make(map[string]bool)
		for _, m := range messages {
			if seen[m] {
				t.Fatalf("messages of %q name %q twice", raw, m)
			}
			seen[m] = true
		}
	})
}

func ExampleQuery() {
	q := web.NewQuery("page=0&colour=red", nil)
	q.Page(web.LargePage)
	fmt.Println(q.Err())
	// Output: 400 ["property colour should not exist" "page must not be less than 1"]
}

func TestPairs(t *testing.T) {
	tests := map[string]string{
		"":                  "",
		"a=1":               "a:1;",
		"a=1&b=2&a=3":       "a:1;b:2;a:3;",
		"&&a&=&b=":          "a:;:;b:;",
		"a=x=y":             "a:x=y;",
		"a%20b=c+d%26":      "a b:c d&;",
		"a=%zz&%=1":         "a:%zz;%:1;",
		"a;b=1":             "a;b:1;",
		"a=%F0%9F%93%9A%2F": "a:📚/;",
	}
	for raw, want := range tests {
		var got strings.Builder
		for name, value := range web.Pairs(raw) {
			got.WriteString(name + ":" + value + ";")
		}
		if got.String() != want {
			t.Errorf("Pairs(%q) = %q, want %q", raw, got.String(), want)
		}
	}
	for range web.Pairs("a&b") {
		break // it must stop
	}
}
