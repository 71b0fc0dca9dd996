package web_test

import (
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
	"github.com/lectern-dev/lectern/server/internal/web"
)

// route has one parameter of each type, in the order of its table.
var route = []string{"startDate", "userId", "profile", "page", "pageSize"}

// read reads all parameters of route and returns the messages.
func read(t interface{ Fatalf(string, ...any) }, q *web.Query) []string {
	// Not in the table's order: the order of reading must not matter.
	q.Page(web.Limits{MaxPage: 100_000, DefaultSize: 100, MaxSize: 1000})
	q.Enum("profile", "student", "teacher")
	q.Int("userId")
	q.Date("startDate")
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
		{"empty pieces", "&&userId=1&", nil},

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
		{"vocabulary is not read", "orderBy=%zz&orderBy=", nil},

		{
			"unknown first as sent, then the table's order",
			"pageSize=0&zeta=1&page=0&profile=&alpha=1&userId=&startDate=",
			[]string{"property zeta should not exist", "property alpha should not exist", date, integer, enum, pageLow, sizeLow},
		},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			got := read(t, web.NewQuery(tt.query, route, []string{"orderBy"}))
			if !slices.Equal(got, tt.want) {
				t.Errorf("messages of %q = %q, want %q", tt.query, got, tt.want)
			}
		})
	}
}

func TestQueryValues(t *testing.T) {
	q := web.NewQuery("pageSize=0250&startDate=2026-03-01&profile=teacher&userId=12&page=3", route, nil)
	limits := web.Limits{MaxPage: 100_000, DefaultSize: 100, MaxSize: 1000}
	if got, want := q.Page(limits), (paging.Page{Number: 3, Size: 250}); got != want {
		t.Errorf("Page = %v, want %v", got, want)
	}
	if got := q.Int("userId"); got == nil || *got != 12 {
		t.Errorf("Int(userId) = %v, want 12", got)
	}
	if got := q.Enum("profile", "student", "teacher"); got != "teacher" {
		t.Errorf("Enum(profile) = %q, want teacher", got)
	}
	if got, want := q.Date("startDate"), calendar.MustParse("2026-03-01"); got == nil || *got != want {
		t.Errorf("Date(startDate) = %v, want %v", got, want)
	}
	if err := q.Err(); err != nil {
		t.Errorf("Err() = %v, want nil", err)
	}
}

func TestQueryDefaults(t *testing.T) {
	q := web.NewQuery("", route, nil)
	limits := web.Limits{MaxPage: 100_000, DefaultSize: 100, MaxSize: 1000}
	if got, want := q.Page(limits), (paging.Page{Number: 1, Size: 100}); got != want {
		t.Errorf("Page = %v, want %v", got, want)
	}
	if u, e, d := q.Int("userId"), q.Enum("profile", "a"), q.Date("startDate"); u != nil || e != "" || d != nil {
		t.Errorf("absent parameters = %v, %q, %v, want nil, \"\", nil", u, e, d)
	}
}

// blank takes spaces alone for nothing, as texts are compared without them.
func blank(s string) bool { return strings.TrimSpace(s) == "" }

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
		q := web.NewQuery("city="+url.QueryEscape(tt.value), []string{"city"}, nil)
		got := q.Text("city", blank)
		if err := q.Err(); tt.ok && (err != nil || got == nil || *got != tt.value) {
			t.Errorf("%s: Text = %v, %v, want %q", tt.rule, got, err, tt.value)
		} else if want := `400 ["city must be a string of 1 to 200 characters"]`; !tt.ok && (got != nil || err == nil || err.Error() != want) {
			t.Errorf("%s: Text = %v, %v, want %s", tt.rule, got, err, want)
		}
	}
	if q := web.NewQuery("city=a&city=a", []string{"city"}, nil); q.Text("city", blank) != nil || q.Err() == nil {
		t.Error("a text sent twice is taken")
	}
	if q := web.NewQuery("", []string{"city"}, nil); q.Text("city", blank) != nil || q.Err() != nil {
		t.Error("an absent text is no nil without a message")
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
		q := web.NewQuery(tt.query, []string{"new"}, nil)
		got, err := q.Bool("new"), q.Err()
		if got != tt.want || (err == nil) != tt.ok || err != nil && err.Error() != `400 ["new must be a boolean string"]` {
			t.Errorf("Bool of %q = %v, %v, want %v, good: %v", tt.query, got, err, tt.want, tt.ok)
		}
	}
}

// A parameter that must be given and is not has the message of its type.
func TestQueryRequire(t *testing.T) {
	q := web.NewQuery("userId=7", route, nil)
	q.Require("startDate", "userId", "page")
	want := []string{"startDate must be a valid date in the form YYYY-MM-DD", "page must be an integer number"}
	if got := read(t, q); !slices.Equal(got, want) {
		t.Errorf("messages = %q, want %q", got, want)
	}
}

func TestEnumOf(t *testing.T) {
	parse := func(s string) (int, bool) { n, err := strconv.Atoi(s); return n, err == nil }
	for _, tt := range []struct {
		query string
		want  int // -1: nil
		ok    bool
	}{{"", -1, true}, {"n=0", 0, true}, {"n=12", 12, true}, {"n=x", -1, false}, {"n=", -1, false}, {"n=1&n=1", -1, false}} {
		q := web.NewQuery(tt.query, []string{"n"}, nil)
		got, err := web.EnumOf(q, "n", parse, "1", "2"), q.Err()
		if (got == nil) != (tt.want < 0) || got != nil && *got != tt.want || (err == nil) != tt.ok ||
			err != nil && err.Error() != `400 ["n must be one of the following values: 1, 2"]` {
			t.Errorf("EnumOf %q = %v, %v, want %d, good: %v", tt.query, got, err, tt.want, tt.ok)
		}
	}
}

func TestQueryFail(t *testing.T) {
	q := web.NewQuery("colour=red", route, nil)
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

// Law: the messages are those of net/url's own parse, read name by name, wherever that parse accepts the query.
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
		if got := read(t, web.NewQuery(raw, route, nil)); !slices.Equal(got, want) {
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
		messages := read(t, web.NewQuery(raw, route, nil))
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
	q := web.NewQuery("page=0&colour=red", []string{"page", "pageSize"}, nil)
	q.Page(web.Limits{MaxPage: 100000, DefaultSize: 100, MaxSize: 1000})
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
