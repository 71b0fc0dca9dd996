package web

import (
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// MaxInt is the largest number that a parameter may hold: all up to it are exact in every client (H3).
const MaxInt = 1<<53 - 1

// Query reads the parameters of a request and collects one message for each invalid one (H3). A parameter that is
// absent or invalid reads as its default, so that all can be read before Err is asked once. The order of reading does
// not matter: Err has the messages in the order of the route's table.
type Query struct {
	route    []string
	values   map[string][]string
	unknown  []string // messages, as the query has them
	messages map[string]string
}

// NewQuery parses a raw query for a route with the given parameters, in the order of its table. Names of the vocabulary
// that are not the route's are valid and not read at all.
//
// A malformed escape leaves its text as it stands, so that it is reported as the invalid value or the unknown name that
// it is.
func NewQuery(raw string, route, vocabulary []string) *Query {
	q := &Query{route: route, values: make(map[string][]string)}
	seen := make(map[string]bool)
	for name, value := range Pairs(raw) {
		switch {
		case slices.Contains(route, name):
			q.values[name] = append(q.values[name], value)
		case !slices.Contains(vocabulary, name) && !seen[name]:
			seen[name] = true
			q.unknown = append(q.unknown, "property "+name+" should not exist")
		}
	}
	return q
}

// Pairs yields the names and values of a raw query, as it has them. The text is split at '&' alone; '+' is a space, and
// a malformed escape leaves its text as it stands.
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

// Err returns a *Problem with all messages, or nil when every parameter was valid. Parameters that do not belong to the
// route come first.
func (q *Query) Err() error {
	all := slices.Clone(q.unknown)
	for _, name := range q.route {
		if m, ok := q.messages[name]; ok {
			all = append(all, m)
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

// Require makes parameters of the route that are absent read as empty ones, so that each gives the message of its type.
func (q *Query) Require(names ...string) {
	for _, name := range names {
		if len(q.values[name]) == 0 {
			q.values[name] = []string{""}
		}
	}
}

// value returns what a parameter was sent with; ok is false when it is absent. One sent twice reads as empty, which
// every type refuses.
func (q *Query) value(name string) (v string, ok bool) {
	switch vs := q.values[name]; len(vs) {
	case 0:
		return "", false
	case 1:
		return vs[0], true
	}
	return "", true
}

// Int returns a whole number from 0 to MaxInt, or nil. Leading zeros are plain digits too; a sign is not.
func (q *Query) Int(name string) *int64 {
	v, ok := q.value(name)
	if !ok {
		return nil
	}
	n, ok := digits(v)
	if !ok {
		q.Fail(name, name+" must be an integer number")
		return nil
	}
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

// IntBetween returns a whole number from 1 to limit, or def when it is absent or invalid.
func (q *Query) IntBetween(name string, limit, def int64) int64 {
	n := q.Int(name)
	switch {
	case n == nil:
		return def
	case *n < 1:
		q.Fail(name, name+" must not be less than 1")
	case *n > limit:
		q.Fail(name, fmt.Sprintf("%s must not be greater than %d", name, limit))
	default:
		return *n
	}
	return def
}

// Limits are the bounds of an API's pages. The first page is 1, and so is the smallest size.
type Limits struct{ MaxPage, DefaultSize, MaxSize int }

// Page returns the page asked for by page and pageSize: by default the first, of the default size.
func (q *Query) Page(l Limits) paging.Page {
	return paging.Page{
		Number: int(q.IntBetween("page", int64(l.MaxPage), 1)),
		Size:   int(q.IntBetween("pageSize", int64(l.MaxSize), int64(l.DefaultSize))),
	}
}

// Enum returns one of the values, or "" when the parameter is absent or invalid. They are compared exactly.
func (q *Query) Enum(name string, values ...string) string {
	v := EnumOf(q, name, func(v string) (string, bool) { return v, slices.Contains(values, v) }, values...)
	if v == nil {
		return ""
	}
	return *v
}

// EnumOf returns what parse makes of a parameter, or nil when that is absent or parse refuses it. The values are those
// that the message lists.
func EnumOf[E any](q *Query, name string, parse func(string) (E, bool), values ...string) *E {
	v, ok := q.value(name)
	if !ok {
		return nil
	}
	e, ok := parse(v)
	if !ok {
		q.Fail(name, name+" must be one of the following values: "+strings.Join(values, ", "))
		return nil
	}
	return &e
}

// Bool returns true where the parameter is `true`, and false where it is `false`, absent or invalid.
func (q *Query) Bool(name string) bool {
	v, ok := q.value(name)
	if ok && v != "true" && v != "false" {
		q.Fail(name, name+" must be a boolean string")
	}
	return v == "true"
}

// MaxText is how many characters a text may have, as it is sent.
const MaxText = 200

// Text returns a text as it was sent, or nil. One of which nothing is left when it is compared is invalid: blank says so.
func (q *Query) Text(name string, blank func(string) bool) *string {
	v, ok := q.value(name)
	if !ok {
		return nil
	}
	if v == "" || utf8.RuneCountInString(v) > MaxText || blank(v) {
		q.Fail(name, fmt.Sprintf("%s must be a string of 1 to %d characters", name, MaxText))
		return nil
	}
	return &v
}

// Date returns a day of the calendar in the form YYYY-MM-DD, or nil.
func (q *Query) Date(name string) *calendar.Date {
	v, ok := q.value(name)
	if !ok {
		return nil
	}
	d, err := calendar.Parse(v)
	if err != nil {
		q.Fail(name, name+" must be a valid date in the form YYYY-MM-DD")
		return nil
	}
	return &d
}
