package web

import (
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/fold"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/api/wire"
)

// MaxInt is the largest number of a parameter: all numbers up to it are exact in every client (H3).
const MaxInt = 1<<53 - 1

// Query reads the parameters of a request and collects one message for each invalid one (H3). A parameter that is absent or
// invalid reads as its default, so that a route reads all of them and then calls Err once.
//
// The parameters of a route are those that it reads, in that order: this is the table of the specification, the order of the
// messages, and, by [Route.Params], the list in the document.
type Query struct {
	values     map[string][]string
	sent       []string // the names, as the query has them
	vocabulary []string
	read       []Param
	said       []said
	messages   map[string]string
}

// said is the value that a parameter, or its default, reads as, in whatever form it was sent.
type said struct{ name, value string }

// Param is a parameter of a route.
type Param struct {
	Name, About string
	Required    bool
	Schema      wire.Object
}

// NewQuery parses a raw query. Names of the vocabulary are valid although the route does not read them.
//
// A malformed escape stays as it is, so that it is reported as an invalid value or an unknown name.
func NewQuery(raw string, vocabulary []string) *Query {
	q := &Query{values: make(map[string][]string), vocabulary: vocabulary}
	for name, value := range Pairs(raw) {
		if q.values[name] == nil {
			q.sent = append(q.sent, name)
		}
		q.values[name] = append(q.values[name], value)
	}
	return q
}

// params returns the parameters that were read. snapshot and changedSince are last in the table of every route, but snapshot is
// read first: it decides the day of the other defaults.
func (q *Query) params() []Param {
	place := func(p Param) int { return slices.Index([]string{SnapshotParam, SinceParam}, p.Name) }
	return slices.SortedStableFunc(slices.Values(q.read), func(x, y Param) int { return place(x) - place(y) })
}

// say notes the value that a parameter reads as.
func (q *Query) say(name, value string) { q.said = append(q.said, said{name, value}) }

// asked returns the values of the parameters but some as a text: it is the same for queries that read the same.
func (q *Query) asked(but ...string) string {
	var asked []byte
	for _, s := range q.said {
		if !slices.Contains(but, s.name) {
			asked = fmt.Appendf(asked, " %s=%q", s.name, s.value)
		}
	}
	return string(asked)
}

// Pairs yields the names and values of a raw query in its order. It splits the text only at '&'. '+' is a space, and a malformed
// escape stays as it is.
func Pairs(raw string) iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		for piece := range strings.SplitSeq(raw, "&") {
			name, value, _ := strings.Cut(piece, "=")
			if piece != "" && !yield(unescape(name), unescape(value)) {
				return
			}
		}
	}
}

func unescape(s string) string {
	if t, err := url.QueryUnescape(s); err == nil {
		return t
	}
	return s
}

// Err returns a *Problem with all messages, or nil if every parameter is valid. Parameters that do not belong to the route come
// first.
func (q *Query) Err() error {
	var all []string
	for _, name := range q.sent {
		read := slices.ContainsFunc(q.read, func(p Param) bool { return p.Name == name })
		if !read && !slices.Contains(q.vocabulary, name) {
			all = append(all, "property "+name+" should not exist")
		}
	}
	if len(q.messages) > 0 {
		for _, p := range q.params() {
			if m, ok := q.messages[p.Name]; ok {
				all = append(all, m)
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	return &Problem{Status: http.StatusBadRequest, Messages: all}
}

// Fail reports a parameter of the route as invalid. Only its first message is kept.
func (q *Query) Fail(name, message string) {
	if q.messages == nil {
		q.messages = make(map[string]string)
	}
	if _, ok := q.messages[name]; !ok {
		q.messages[name] = message
	}
}

// Valid reports whether none of the parameters has a message so far.
func (q *Query) Valid(names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { _, bad := q.messages[name]; return bad })
}

// take reads a parameter. ok is false if it is absent. A parameter that is sent twice, or that is required and absent, reads as
// empty, which every type refuses.
func (q *Query) take(p Param) (v string, ok bool) {
	q.read = append(q.read, p)
	switch vs := q.values[p.Name]; len(vs) {
	case 0:
		return "", p.Required
	case 1:
		return vs[0], true
	}
	return "", true
}

// Int returns a whole number from 0 to MaxInt, or nil. Leading zeros are allowed, a sign is not.
func (q *Query) Int(name, about string) *int64 {
	return q.int(name, about, wire.Whole("minimum", 0, "maximum", MaxInt))
}

func (q *Query) int(name, about string, schema wire.Object) *int64 {
	v, ok := q.take(Param{Name: name, About: about, Schema: schema})
	if !ok {
		return nil
	}
	n, ok := digits(v)
	if !ok {
		q.Fail(name, name+" must be an integer number")
		return nil
	}
	q.say(name, strconv.FormatInt(n, 10))
	return &n
}

func digits(s string) (n int64, ok bool) {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		if n = n*10 + int64(s[i]-'0'); n > MaxInt {
			return 0, false
		}
	}
	return n, s != ""
}

// upTo returns a whole number from 1 to limit, or def if it is absent or invalid.
func (q *Query) upTo(limit, def int, name, about string) int {
	n := q.int(name, about, wire.Whole("minimum", 1, "maximum", limit, "default", def))
	switch {
	case n == nil:
		q.say(name, strconv.Itoa(def))
		return def
	case *n < 1:
		q.Fail(name, name+" must not be less than 1")
	case *n > int64(limit):
		q.Fail(name, fmt.Sprintf("%s must not be greater than %d", name, limit))
	default:
		return int(*n)
	}
	return def
}

// The most rows of a page: SmallPage of titles and groups, LargePage of all other rows.
const (
	SmallPage = 100
	LargePage = 1000
)

// Page returns the page asked for by page and pageSize: by default the first, of 100 rows.
func (q *Query) Page(most int) paging.Page {
	return paging.Page{
		Number: q.upTo(100_000, 1, "page", "Number of the page."),
		Size:   q.upTo(most, 100, "pageSize", "Rows of a page."),
	}
}

// Bool returns true if the parameter is `true`, and false if it is `false`, absent or invalid.
func (q *Query) Bool(name, about string) bool {
	v, ok := q.take(Param{Name: name, About: about, Schema: wire.Enum("true", "false")})
	if ok && v != "true" && v != "false" {
		q.Fail(name, name+" must be a boolean string")
	}
	q.say(name, strconv.FormatBool(v == "true"))
	return v == "true"
}

// MaxText is how many characters a text may have, as it is sent.
const MaxText = 200

// Text returns a text as it was sent, or nil. A text that folds to nothing is invalid, since it would match everything or nothing.
func (q *Query) Text(name, about string) *string {
	v, ok := q.take(Param{Name: name, About: about, Schema: wire.Text.With("minLength", 1, "maxLength", MaxText)})
	if !ok {
		return nil
	}
	if v == "" || utf8.RuneCountInString(v) > MaxText || fold.Text(v) == "" {
		q.Fail(name, fmt.Sprintf("%s must be a string of 1 to %d characters", name, MaxText))
		return nil
	}
	q.say(name, v)
	return &v
}

// Date returns a day of the calendar in the form YYYY-MM-DD, or nil.
func (q *Query) Date(name, about string) *calendar.Date {
	return q.date(Param{Name: name, About: about, Schema: wire.Day})
}

// RequiredDate returns a day as Date does; one that is absent is invalid.
func (q *Query) RequiredDate(name, about string) *calendar.Date {
	return q.date(Param{Name: name, About: about, Required: true, Schema: wire.Day})
}

func (q *Query) date(p Param) *calendar.Date {
	v, ok := q.take(p)
	if !ok {
		return nil
	}
	d, err := calendar.Parse(v)
	if err != nil {
		q.Fail(p.Name, p.Name+" must be a valid date in the form YYYY-MM-DD")
		return nil
	}
	q.say(p.Name, v)
	return &d
}
