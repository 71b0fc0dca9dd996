package directoryapi

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/server/internal/web"
)

// list is one list of a partner, and what seals its cursors. No two lists have the same name.
type list struct {
	name   string
	sealer paging.Sealer
}

// list returns the list that a route gives a partner under a filter, which is a type or a reference. A filter has no
// NUL that could stand for the one between the parts.
func (a *API) list(partner directory.PartnerID, route, filter string) (list, error) {
	sealer, err := a.Cursors()
	name := strings.Join([]string{strconv.FormatInt(int64(partner), 10), route, filter}, "\x00")
	return list{name, sealer}, err
}

// cursor returns the position that a request asks for. One parameter with a text at most may be there, once (P8).
func (l list) cursor(query map[string][]string) (directory.Cursor, error) {
	after, before := query["after"], query["before"]
	if len(after) > 1 || len(before) > 1 {
		return directory.Cursor{}, errCursor
	}
	a, b := strings.Join(after, ""), strings.Join(before, "")
	switch {
	case a != "" && b != "":
		return directory.Cursor{}, errCursor
	case a != "":
		n, err := l.open(a)
		return directory.Cursor{After: n}, err
	case b != "":
		n, err := l.open(b)
		return directory.Cursor{Before: n}, err
	}
	return directory.Cursor{}, nil
}

func (l list) open(cursor string) (int64, error) {
	n, err := l.sealer.Open(l.name, cursor)
	if err != nil {
		return 0, errCursor
	}
	return n, nil
}

// parameters returns the parameters of a query by name, with what a malformed escape spells as it stands.
func parameters(r *http.Request) map[string][]string {
	values := make(map[string][]string)
	for name, value := range web.Pairs(r.URL.RawQuery) {
		values[name] = append(values[name], value)
	}
	return values
}
