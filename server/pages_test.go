package server_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// TestLastPage tests the limits of page and pageSize on each route that has pages.
func TestLastPage(t *testing.T) {
	schools := newFixture(t, dbtest.SQLite(t), server.Config{SchoolsRate: -1})
	libraries := newNetwork(t, dbtest.SQLite(t), server.Config{LibrariesRate: -1})
	get := map[string]func(target string) *httptest.ResponseRecorder{
		prefix:          func(target string) *httptest.ResponseRecorder { return schools.get(schools.north, target) },
		librariesPrefix: func(target string) *httptest.ResponseRecorder { return libraries.get(libraries.key, target) },
	}
	for _, route := range []struct {
		api, path string
		size      int // the largest
	}{
		{prefix, "/users?", 1000},
		{prefix, "/engagements?startDate=2026-03-01&", 1000},
		{prefix, "/readings?startDate=2026-03-01&", 1000},
		{librariesPrefix, "/summary?groupBy=state&", 100},
		{librariesPrefix, "/engagements?startDate=2026-09-01&endDate=2026-09-15&", 1000},
		{librariesPrefix, "/users?", 1000},
		{librariesPrefix, "/datasets/books?", 100},
		{librariesPrefix, "/datasets/stock?", 100},
		{librariesPrefix, "/datasets/loans?", 1000},
		{librariesPrefix, "/datasets/reservations?", 1000},
		{librariesPrefix, "/datasets/logins?", 1000},
		{librariesPrefix, "/datasets/suggestions?", 100},
		{librariesPrefix, "/datasets/suggestion-requests?", 1000},
	} {
		for _, c := range []struct {
			param string
			value int
			wrong string
		}{
			{"page", 100_000, ""},
			{"page", 100_001, "page must not be greater than 100000"},
			{"pageSize", route.size, ""},
			{"pageSize", route.size + 1, fmt.Sprint("pageSize must not be greater than ", route.size)},
		} {
			target := fmt.Sprintf("%s%s%s=%d", route.api, route.path, c.param, c.value)
			w := get[route.api](target)
			status, part := 200, fmt.Sprintf(`"%s":%d`, c.param, c.value)
			if c.wrong != "" {
				status, part = 400, `"message":["`+c.wrong+`"]`
			}
			if w.Code != status || !strings.Contains(w.Body.String(), part) {
				t.Errorf("GET %s = %d %.300s, want %d and %s", target, w.Code, w.Body, status, part)
			}
		}
	}
}
