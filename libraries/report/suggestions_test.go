package report_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// request returns a request for a title at an hour of the history's first day.
func request(id, reader int64, title string, hour int) libraries.Request {
	return libraries.Request{
		ID: id, Reader: reader, Title: title, Availability: libraries.NotFound, Requested: history.Start().Add(time.Duration(hour) * time.Hour),
	}
}

// with returns a request with another author, publisher and search term.
func with(q libraries.Request, author, publisher, term string) libraries.Request {
	q.Author, q.Publisher, q.SearchTerm = author, publisher, term
	return q
}

// TestSuggestions tests the rules of L14 one by one. A suggestion is written as its texts, requests/readers.
func TestSuggestions(t *testing.T) {
	found := request(3, 1, "Iracema", 2)
	found.Availability = libraries.InMarketplace
	tests := []struct {
		rule     string
		requests []libraries.Request // in the order of the store
		want     string
	}{
		{
			"accents, case and spaces do not distinguish titles",
			[]libraries.Request{request(1, 1, "Ária", 0), request(2, 2, " ARIA ", 1)}, "ARIA none 2/2",
		},
		{"days outside the period do not count", []libraries.Request{request(1, 1, "A", -1), request(2, 1, "A", 0), request(3, 1, "A", 47), request(4, 1, "A", 48)}, "A none 2/1"},
		{"the latest request is shown", []libraries.Request{request(2, 1, "ARIA", 0), request(1, 1, "Ária", 1)}, "Ária none 2/1"},
		{"of simultaneous requests the highest identifier is the latest", []libraries.Request{request(1, 9, "Ária", 0), request(2, 1, "aria", 0)}, "aria none 2/2"},
		{"the latest request's availability is shown", []libraries.Request{request(1, 1, "Iracema", 1), found}, "Iracema marketplace 2/1"},
		{"most requests first", []libraries.Request{request(1, 1, "A", 0), request(2, 1, "B", 1), request(3, 1, "B", 2)}, "B none 2/1, A none 1/1"},
		{
			"then the latest day, not the latest hour",
			[]libraries.Request{request(1, 1, "C", 0), request(2, 1, "D", 5), request(3, 1, "B", 23), request(4, 1, "Z", 24)},
			"Z none 1/1, B none 1/1, C none 1/1, D none 1/1",
		},
		{
			"then the folded title",
			[]libraries.Request{request(1, 1, "Z", 0), request(2, 1, "á", 1), request(3, 1, "b", 1)},
			"á none 1/1, b none 1/1, Z none 1/1",
		},
		{"a null title comes last", []libraries.Request{with(request(1, 1, "", 0), "a", "", ""), request(2, 1, "z", 0)}, "z none 1/1, a none 1/1"},
		{
			"then author, publisher and search term, nulls last",
			[]libraries.Request{
				request(1, 1, "T", 0), with(request(2, 1, "T", 0), "", "", "z"), with(request(3, 1, "T", 0), "", "p", ""), with(request(4, 1, "T", 0), "b", "", ""),
				with(request(5, 1, "T", 0), "A", "", ""), with(request(6, 1, "T", 0), "A", "q", ""), with(request(7, 1, "T", 0), "A", "q", "x"),
			},
			"T A q x none 1/1, T A q none 1/1, T A none 1/1, T b none 1/1, T p none 1/1, T z none 1/1, T none 1/1",
		},
		{
			"adjacent texts are not joined",
			[]libraries.Request{with(request(1, 1, "a", 0), "bc", "", ""), with(request(2, 1, "ab", 0), "c", "", "")},
			"a bc none 1/1, ab c none 1/1",
		},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			s := newListStore(t, 42, 0)
			s.requests = tt.requests
			l, err := (&report.Reports{Store: s}).Suggestions(t.Context(), s.access(),
				report.SuggestionQuery{Period: calendar.Period{Start: history, End: history + 1}}, paging.Page{Number: 1, Size: 100})
			var got []string
			for _, row := range l.Rows {
				counts := fmt.Sprintf("%d/%d", row.Requests, row.Readers)
				texts := []string{strings.TrimSpace(row.Title), row.Author, row.Publisher, row.SearchTerm, row.Availability.String(), counts}
				got = append(got, strings.Join(only(texts, func(s string) bool { return s != "" }), " "))
			}
			if err != nil || strings.Join(got, ", ") != tt.want {
				t.Errorf("suggestions = %s, %v, want %s", strings.Join(got, ", "), err, tt.want)
			}
		})
	}
}

// TestSuggestionSearch tests the search in folded titles and search terms.
func TestSuggestionSearch(t *testing.T) {
	s := newListStore(t, 41, 0)
	s.requests = []libraries.Request{request(1, 1, "Ária", 0), request(2, 1, "Dom", 1), with(request(3, 1, "", 2), "Aria", "Aria", "bôla  azul"), with(request(4, 1, "Eco", 3), "", "", "ária")}
	q := report.SuggestionQuery{Period: calendar.Period{Start: history, End: history}}
	for search, want := range map[string]string{"": "Ária, Dom, Ecoária, bôla  azul", "Á": "Ária, Ecoária, bôla  azul", "bola": "bôla  azul", " BÔLA  azul ": "bôla  azul", "dom": "Dom", "a%": "", "nada": ""} {
		q.Search = &search
		checkRows(t, fmt.Sprintf("search %q", search), want, func(r report.SuggestionRow) string { return r.Title + r.SearchTerm }, func(p paging.Page) (paging.List[report.SuggestionRow], error) {
			return (&report.Reports{Store: s}).Suggestions(t.Context(), s.access(), q, p)
		})
	}
}

// TestRequests tests each filter of the requests for titles, and that requests of other days are left out.
func TestRequests(t *testing.T) {
	s := newListStore(t, 43, 0)
	s.requests = []libraries.Request{request(1, 1, "Ária", -1), request(2, 2, "Ária", 0), with(request(3, 1, "aria", 1), "Eça", "", ""), with(request(4, 2, "aria", 23), "eça", "", ""), request(5, 2, "aria", 24)}
	period := calendar.Period{Start: history, End: history}
	for _, cache := range []snapshot.Cache{nil, &keepAll{}} {
		for _, test := range []struct {
			q    report.RequestQuery
			want string
		}{
			{report.RequestQuery{Period: period}, "2, 3, 4"}, {report.RequestQuery{Period: calendar.Period{Start: history + 1, End: history + 9}}, "5"},
			{report.RequestQuery{Period: period, Title: new(" ARIA")}, "3, 4"}, {report.RequestQuery{Period: period, Title: new("ária")}, "2"},
			{report.RequestQuery{Period: period, Author: new("EÇA ")}, "3, 4"}, {report.RequestQuery{Period: period, Author: new("eca")}, ""},
			{report.RequestQuery{Period: period, Reader: new(int64(2))}, "2, 4"}, {report.RequestQuery{Period: period, Reader: new(int64(9))}, ""},
			{report.RequestQuery{Period: period, Title: new("aria"), Author: new("eça"), Reader: new(int64(1))}, "3"},
		} {
			checkRows(t, fmt.Sprintf("requests %+v", test.q), test.want, func(r libraries.Request) string { return fmt.Sprint(r.ID) }, func(p paging.Page) (paging.List[libraries.Request], error) {
				return (&report.Reports{Store: s, Cache: cache}).Requests(t.Context(), s.access(), test.q, p)
			})
		}
	}
}

// TestRequestsCompareTitlesWhole tests that the title filter ignores only case and outer spaces (L15).
func TestRequestsCompareTitlesWhole(t *testing.T) {
	s := newListStore(t, 44, 0)
	s.requests = []libraries.Request{request(1, 1, "Dom Casmurro", 0), request(2, 1, "", 1)}
	for title, want := range map[string]int64{
		"dom casmurro": 1, "  DOM CASMURRO\t": 1, "dom  casmurro": 0, "dóm casmurro": 0, "casmurro": 0, "%": 0, "dom_casmurro": 0, "": 0, " ": 0,
	} {
		q := report.RequestQuery{Period: calendar.Period{Start: history, End: history}, Title: &title}
		l, err := (&report.Reports{Store: s}).Requests(t.Context(), s.access(), q, paging.Page{Number: 1, Size: 10})
		if err != nil || l.Total != want {
			t.Errorf("requests of title %q: total %d, %v, want %d", title, l.Total, err, want)
		}
	}
}
