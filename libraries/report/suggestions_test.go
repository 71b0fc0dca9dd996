package report_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/fold"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// suggestions groups the requests of a period as L14 says, one group after the other.
func (s *listStore) suggestions(p calendar.Period, search string) []report.SuggestionRow {
	texts := func(title, author, publisher, term string) [4]string {
		return [4]string{fold.Text(title), fold.Text(author), fold.Text(publisher), fold.Text(term)}
	}
	all := only(s.requests, func(q libraries.Request) bool { return p.Contains(q.Day()) && q.Day() >= history })
	var rows []report.SuggestionRow
	for len(all) > 0 {
		of := func(q libraries.Request) bool {
			return texts(q.Title, q.Author, q.Publisher, q.SearchTerm) == texts(all[0].Title, all[0].Author, all[0].Publisher, all[0].SearchTerm)
		}
		group := only(all, of)
		last := slices.MaxFunc(group, func(a, b libraries.Request) int {
			return cmp.Or(a.Requested.Compare(b.Requested), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Reader, b.Reader))
		})
		readers := map[int64]bool{}
		for _, q := range group {
			readers[q.Reader] = true
		}
		row := report.SuggestionRow{
			Title: last.Title, Author: last.Author, Publisher: last.Publisher, SearchTerm: last.SearchTerm,
			Requests: int64(len(group)), Readers: int64(len(readers)), Availability: last.Availability, Last: last.Requested,
		}
		folded := texts(row.Title, row.Author, row.Publisher, row.SearchTerm)
		if strings.Contains(folded[0], search) || strings.Contains(folded[3], search) {
			rows = append(rows, row)
		}
		all = only(all, func(q libraries.Request) bool { return !of(q) })
	}
	// A text that is null is after every other: no text of the tests begins with the last character there is.
	key := func(r report.SuggestionRow) string {
		k := texts(r.Title, r.Author, r.Publisher, r.SearchTerm)
		for i, s := range k {
			k[i] = cmp.Or(s, "\U0010ffff")
		}
		return strings.Join(k[:], "\x00")
	}
	slices.SortFunc(rows, func(a, b report.SuggestionRow) int {
		return cmp.Or(-cmp.Compare(a.Requests, b.Requests), -cmp.Compare(calendar.Day(a.Last), calendar.Day(b.Last)), strings.Compare(key(a), key(b)))
	})
	return rows
}

// TestSuggestionPages checks every page of the suggestions, with and without a search, against the whole list.
func TestSuggestionPages(t *testing.T) {
	s := newListStore(t, 41, testDays)
	for name, r := range listReports(s) {
		for _, period := range somePeriods(testDays) {
			for search, folded := range map[string]string{"": "", "Á": "a", "bola": "bola", " BÔLA  azul ": "bola azul", "a%": "a%", "nada": "nada"} {
				q := report.SuggestionQuery{Period: period}
				if search != "" {
					q.Search = &search
				}
				what := fmt.Sprintf("suggestions %s, %s to %s, search %q", name, period.Start, period.End, search)
				checkPages(t, what, s.suggestions(period, folded), func(p paging.Page) (paging.List[report.SuggestionRow], error) {
					return r.Suggestions(t.Context(), s.access(), q, p)
				})
			}
		}
	}
}

// request is a request for a title at an hour of the history's first day.
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

// TestSuggestions has the rules of L14 one by one. A suggestion is written as its texts, requests/readers.
func TestSuggestions(t *testing.T) {
	found := request(3, 1, "Iracema", 2)
	found.Availability = libraries.InMarketplace
	tests := []struct {
		rule     string
		requests []libraries.Request // in the order of the store
		want     string
	}{
		{
			"accents, case and spaces do not tell titles apart",
			[]libraries.Request{request(1, 1, "Ária", 0), request(2, 2, " ARIA ", 1)}, "ARIA none 2/2",
		},
		{"the latest request shows", []libraries.Request{request(2, 1, "ARIA", 0), request(1, 1, "Ária", 1)}, "Ária none 2/1"},
		{"of requests of one instant the higher identifier is the latest", []libraries.Request{request(1, 9, "Ária", 0), request(2, 1, "aria", 0)}, "aria none 2/2"},
		{"the latest request's availability shows", []libraries.Request{request(1, 1, "Iracema", 1), found}, "Iracema marketplace 2/1"},
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
		{"a title of null last", []libraries.Request{with(request(1, 1, "", 0), "a", "", ""), request(2, 1, "z", 0)}, "z none 1/1, a none 1/1"},
		{
			"then author, publisher and search term, nulls last",
			[]libraries.Request{
				request(1, 1, "T", 0), with(request(2, 1, "T", 0), "", "", "z"), with(request(3, 1, "T", 0), "", "p", ""), with(request(4, 1, "T", 0), "b", "", ""),
				with(request(5, 1, "T", 0), "A", "", ""), with(request(6, 1, "T", 0), "A", "q", ""), with(request(7, 1, "T", 0), "A", "q", "x"),
			},
			"T A q x none 1/1, T A q none 1/1, T A none 1/1, T b none 1/1, T p none 1/1, T z none 1/1, T none 1/1",
		},
		{
			"texts do not run into one another",
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

// TestRequestPages checks every page of the requests, under each filter, against the whole list.
func TestRequestPages(t *testing.T) {
	s := newListStore(t, 43, testDays)
	same := func(asked *string, text string) bool {
		return asked == nil || text != "" && strings.EqualFold(strings.TrimSpace(*asked), strings.TrimSpace(text))
	}
	for name, r := range listReports(s) {
		for _, period := range somePeriods(testDays) {
			for _, title := range []*string{nil, new(" aria"), new("ária"), new("ari"), new("")} {
				for _, author := range []*string{nil, new("EÇA ")} {
					for _, reader := range s.readersToAsk() {
						q := report.RequestQuery{Period: period, Title: title, Author: author, Reader: reader}
						want := only(s.requests, func(v libraries.Request) bool {
							return period.Contains(v.Day()) && same(title, v.Title) && same(author, v.Author) && is(reader, v.Reader)
						})
						checkPages(t, fmt.Sprintf("requests %s, %+v", name, q), want, func(p paging.Page) (paging.List[libraries.Request], error) {
							return r.Requests(t.Context(), s.access(), q, p)
						})
					}
				}
			}
		}
	}
}

// TestRequestsCompareTitlesWhole: but for case and outer spaces every character counts (L15).
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
