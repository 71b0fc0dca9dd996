package directoryapi

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/server/internal/api/web"
)

// list is one list of a partner: a route with a filter, which is a type or a reference.
type list struct {
	partner       directory.PartnerID
	route, filter string
	sealer        paging.Sealer // of its cursors
}

// name returns a name that no other list has: no part has a NUL.
func (l list) name() string { return fmt.Sprintf("%d\x00%s\x00%s", l.partner, l.route, l.filter) }

// cursor returns the position that a request asks for. One parameter with a text at most may be there, once (P8).
func (l list) cursor(query map[string][]string) (at directory.Cursor, err error) {
	after, before := query["after"], query["before"]
	a, b := strings.Join(after, ""), strings.Join(before, "")
	switch {
	case len(after) > 1 || len(before) > 1 || a != "" && b != "":
		err = errCursor
	case a != "":
		at.After, err = l.sealer.Open(l.name(), a)
	case b != "":
		at.Before, err = l.sealer.Open(l.name(), b)
	}
	if err != nil {
		return directory.Cursor{}, errCursor
	}
	return at, nil
}

// parameters returns the parameters of a query by name. Malformed escapes are kept as they are.
func parameters(r *http.Request) map[string][]string {
	values := make(map[string][]string)
	for name, value := range web.Pairs(r.URL.RawQuery) {
		values[name] = append(values[name], value)
	}
	return values
}
