package librariesapi_test

import (
	"encoding/json"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/reading/calendar"
)

const (
	badStart = "startDate must be a valid date in the form YYYY-MM-DD"
	badEnd   = "endDate must be a valid date in the form YYYY-MM-DD"
	after    = "startDate must not be after endDate"
	tooLong  = "the period must not exceed 31 days"
)

func date(name string) string    { return name + " must be a valid date in the form YYYY-MM-DD" }
func integer(name string) string { return name + " must be an integer number" }
func words(name string) string   { return name + " must be a string of 1 to 200 characters" }
func nothing(name string) string { return "property " + name + " should not exist" }
func oneOf(name, values string) string {
	return name + " must be one of the following values: " + values
}

const (
	bookOrders  = "title, loans, returns, readings10, readings50, readingSeconds, renewals, reservations, activeReservations, convertedReservations"
	stockOrders = "title, activeLoans, readings, possibleReadings, percentage, activeReservations"
	bands       = "0, 1-10, 11-20, 21-30, 31-40, 41-50, 51-60, 61-70, 71-80, 81-90, 91-100, 101+"
)

func TestMessages(t *testing.T) {
	tests := []struct {
		rule, path string
		want       []string // none: 200
	}{
		{"summary swaps", "/summary?startDate=2026-09-02&endDate=2026-09-01", nil},
		{"summary has no longest period", "/summary?startDate=0000-01-01&endDate=9999-12-31", nil},
		{"summary in the future", "/summary?startDate=2030-01-01&endDate=2031-01-01", nil},
		{"summary, all wrong", "/summary?pageSize=101&page=0&newUsers=1&gender=&ageGroupId=x&city=&state=&libraryId=&groupBy=gender&endDate=x&startDate=2026-02-30&zeta=1&status=active",
			[]string{nothing("zeta"), nothing("status"), badStart, badEnd, oneOf("groupBy", "library, state, city, ageGroup"), integer("libraryId"),
				words("state"), words("city"), integer("ageGroupId"), words("gender"), "newUsers must be a boolean string",
				"page must not be less than 1", "pageSize must not be greater than 100"}},
		{"summary, page without groupBy", "/summary?page=2&pageSize=100", nil},
		{"newUsers true", "/summary?newUsers=true", nil},
		{"newUsers false", "/summary?newUsers=false", nil},
		{"newUsers in capitals", "/summary?newUsers=True", []string{"newUsers must be a boolean string"}},
		{"newUsers empty", "/summary?newUsers=", []string{"newUsers must be a boolean string"}},
		{"newUsers twice", "/summary?newUsers=true&newUsers=true", []string{"newUsers must be a boolean string"}},

		{"a text of any words", "/summary?gender=robot&state=xx&city=%F0%9F%93%9A", nil},
		{"a text of 200 characters", "/summary?city=" + strings.Repeat("%C3%A3", 200), nil},
		{"a text of 201 characters", "/summary?city=" + strings.Repeat("a", 201), []string{words("city")}},
		{"a text of 201 spaces and letters, as sent", "/summary?city=" + strings.Repeat("+", 200) + "a", []string{words("city")}},
		{"a text of spaces", "/summary?city=+%C2%A0%09", []string{words("city")}},
		{"a text of only marks folds to nothing", "/summary?city=%CC%81", []string{words("city")}},
		{"a text twice", "/summary?city=a&city=a", []string{words("city")}},

		{"engagements of 31 days", "/engagements?startDate=2026-08-01&endDate=2026-08-31", nil},
		{"engagements of 32 days", "/engagements?startDate=2026-08-01&endDate=2026-09-01", []string{tooLong}},
		{"engagements of one day", "/engagements?startDate=2026-08-01&endDate=2026-08-01", nil},
		{"engagements never swap", "/engagements?startDate=2026-08-02&endDate=2026-08-01", []string{after}},
		{"one message for the period", "/engagements?startDate=2026-08-02&endDate=2025-08-01", []string{after}},
		{"engagements need both", "/engagements", []string{badStart, badEnd}},
		{"engagements need the start", "/engagements?endDate=2026-08-01", []string{badStart}},
		{"engagements need the end", "/engagements?startDate=2026-08-01", []string{badEnd}},
		{"a bad day suppresses the error of the period", "/engagements?startDate=2026-01-01&endDate=2026-08-32", []string{badEnd}},
		{"the error of the window is listed at startDate", "/engagements?userId=x&endDate=2026-09-01&startDate=2026-08-01&a=", []string{nothing("a"), tooLong, integer("userId")}},

		{"users, all wrong", "/users?pageSize=1001&page=100001&updatedSince=today&registeredTo=x&registeredFrom=&libraryId=1.5&status=blocked&userId=-1&startDate=2026-01-01&email=a",
			[]string{nothing("startDate"), nothing("email"), integer("userId"), oneOf("status", "active, deactivated, deleted"), integer("libraryId"),
				date("registeredFrom"), date("registeredTo"), date("updatedSince"), "page must not be greater than 100000", "pageSize must not be greater than 1000"}},
		{"users, registered dates swap", "/users?registeredFrom=2026-09-02&registeredTo=2020-09-01", nil},
		{"users, largest page", "/users?page=100000&pageSize=1000", nil},

		{"dimensions have none", "/dimensions?page=1&search=a", []string{nothing("page"), nothing("search")}},

		{"books, all wrong", "/datasets/books?pageSize=101&page=x&orderDir=up&orderBy=percentage&publicationYear=-1&bookId=&format=video&collection=legacy&subjectId=x&categoryId=x&publisherId=x&author=&search=&endDate=x&startDate=x",
			[]string{badStart, badEnd, words("search"), words("author"), integer("publisherId"), integer("categoryId"), integer("subjectId"),
				oneOf("collection", "all, platform, additional, external, manual"), oneOf("format", "ebook, audiobook"), integer("bookId"),
				integer("publicationYear"), oneOf("orderBy", bookOrders), oneOf("orderDir", "asc, desc"), integer("page"), "pageSize must not be greater than 100"}},
		{"books have no longest period", "/datasets/books?startDate=2020-01-01", nil},

		{"stock, all wrong", "/datasets/stock?pageSize=101&page=0&orderDir=&orderBy=loans&publicationYear=x&bookId=x&collection=platform&subjectId=x&categoryId=x&publisherId=x&search=+&consumptionBand=1-11&purchasedTo=x&purchasedFrom=x",
			[]string{date("purchasedFrom"), date("purchasedTo"), oneOf("consumptionBand", bands), words("search"), integer("publisherId"), integer("categoryId"),
				integer("subjectId"), oneOf("collection", "additional, external, manual"), integer("bookId"), integer("publicationYear"),
				oneOf("orderBy", stockOrders), oneOf("orderDir", "asc, desc"), "page must not be less than 1", "pageSize must not be greater than 100"}},
		{"stock of all collections", "/datasets/stock?collection=all", []string{oneOf("collection", "additional, external, manual")}},
		{"a band without its plus", "/datasets/stock?consumptionBand=101", []string{oneOf("consumptionBand", bands)}},
		{"a band empty", "/datasets/stock?consumptionBand=", []string{oneOf("consumptionBand", bands)}},

		{"loans, all wrong", "/datasets/loans?pageSize=1001&page=0&status=late&bookId=x&userId=x&endDate=x&startDate=x",
			[]string{badStart, badEnd, integer("userId"), integer("bookId"), oneOf("status", "active, returned, expired"),
				"page must not be less than 1", "pageSize must not be greater than 1000"}},
		{"loans of a reservation's status", "/datasets/loans?status=waiting", []string{oneOf("status", "active, returned, expired")}},
		{"loans have no longest period", "/datasets/loans?startDate=2026-01-01&endDate=2026-12-31", nil},

		{"reservations, all wrong", "/datasets/reservations?pageSize=1001&page=0&status=active&bookId=x&userId=x&endDate=x&startDate=x",
			[]string{badStart, badEnd, oneOf("status", "waiting, available, converted, cancelled, lost"), integer("userId"), integer("bookId"),
				"page must not be less than 1", "pageSize must not be greater than 1000"}},

		{"logins of 31 days", "/datasets/logins?startDate=2026-08-01&endDate=2026-08-31&pageSize=1000", nil},
		{"logins of 32 days", "/datasets/logins?startDate=2026-08-01&endDate=2026-09-01", []string{tooLong}},
		{"logins swap before the days are counted", "/datasets/logins?startDate=2026-08-31&endDate=2026-08-01", nil},
		{"logins of 32 days, swapped", "/datasets/logins?startDate=2026-09-01&endDate=2026-08-01", []string{tooLong}},
		{"logins from a day up to today, 31 days", "/datasets/logins?startDate=2026-08-16", nil},
		{"logins from a day up to today, 32 days", "/datasets/logins?startDate=2026-08-15", []string{tooLong}},
		{"logins up to a day", "/datasets/logins?endDate=2020-08-15", nil},
		{"logins, all wrong", "/datasets/logins?pageSize=0&page=0&userId=x&startDate=2026-01-01&endDate=2026-12-31",
			[]string{tooLong, integer("userId"), "page must not be less than 1", "pageSize must not be less than 1"}},
		{"logins, a bad day suppresses the error of the window", "/datasets/logins?startDate=2020-01-01&endDate=x", []string{badEnd}},

		{"channels of 32 days", "/datasets/channels?startDate=2026-08-01&endDate=2026-09-01&channel=tv",
			[]string{tooLong, oneOf("channel", "web-mobile, web-desktop, web-tablet, app")}},
		{"channels, page and pageSize are ignored", "/datasets/channels?page=x&pageSize=1000000&page=", nil},

		{"suggestions, all wrong", "/datasets/suggestions?pageSize=101&page=0&search=&endDate=x&startDate=x",
			[]string{badStart, badEnd, words("search"), "page must not be less than 1", "pageSize must not be greater than 100"}},
		{"suggestion-requests, all wrong", "/datasets/suggestion-requests?pageSize=1001&page=0&userId=x&author=&title=&endDate=x&startDate=x",
			[]string{badStart, badEnd, words("title"), words("author"), integer("userId"),
				"page must not be less than 1", "pageSize must not be greater than 1000"}},

		{"the removed parameter of logins", "/datasets/logins?method=google", []string{nothing("method")}},
		{"parameters of other routes", "/datasets/loans?groupBy=x&libraryId=1&updatedSince=x&newUsers=x",
			[]string{nothing("groupBy"), nothing("libraryId"), nothing("updatedSince"), nothing("newUsers")}},
		{"outside the vocabulary, on channels too", "/datasets/channels?colour=red", []string{nothing("colour")}},
		{"names compare exactly", "/datasets/books?orderby=title", []string{nothing("orderby")}},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			f := &fixed{}
			w := get(newAPI(f, 0), tt.path)
			if tt.want == nil {
				if w.Code != 200 || f.calls != 1 {
					t.Errorf("GET %s = %d %s, want 200", tt.path, w.Code, w.Body)
				}
				return
			}
			messages, err := json.Marshal(tt.want)
			if err != nil {
				t.Fatal(err)
			}
			want := `{"statusCode":400,"error":"Bad Request","message":` + string(messages) + `}`
			if w.Code != 400 || w.Body.String() != want {
				t.Errorf("GET %s = %d\n%s\nwant 400\n%s", tt.path, w.Code, w.Body, want)
			}
			if f.calls != 0 {
				t.Error("the report was called, want no call")
			}
		})
	}
}

// own maps each dataset to its parameters, as the specification lists them.
var own = map[string]string{
	"books":               "startDate endDate search author publisherId categoryId subjectId collection format bookId publicationYear orderBy orderDir page pageSize",
	"stock":               "purchasedFrom purchasedTo consumptionBand search publisherId categoryId subjectId collection bookId publicationYear orderBy orderDir page pageSize",
	"loans":               "startDate endDate userId bookId status page pageSize",
	"reservations":        "startDate endDate userId bookId status page pageSize",
	"logins":              "startDate endDate userId page pageSize",
	"channels":            "startDate endDate channel",
	"suggestions":         "startDate endDate search page pageSize",
	"suggestion-requests": "startDate endDate title author userId page pageSize",
}

// TestDatasetVocabulary tests that a dataset ignores the parameters of other datasets, even if they are invalid or sent
// twice. It reads its own (H3).
func TestDatasetVocabulary(t *testing.T) {
	vocabulary := make(map[string]bool)
	for _, params := range own {
		for name := range strings.FieldsSeq(params) {
			vocabulary[name] = true
		}
	}
	for dataset, params := range own {
		for name := range vocabulary {
			mine := strings.Contains(" "+params+" ", " "+name+" ")
			for _, value := range []string{"", "%zz&" + name + "=%00"} {
				w := get(newAPI(&fixed{}, 0), "/datasets/"+dataset+"?"+name+"="+value)
				if (w.Code == 400) != mine || w.Code != 200 && w.Code != 400 {
					t.Errorf("%s: %s=%s = %d %s; a parameter of the dataset: %v", dataset, name, value, w.Code, w.Body, mine)
				}
			}
		}
	}
}

func TestParametersReachTheReport(t *testing.T) {
	period := calendar.Period{Start: day("2026-08-01"), End: day("2026-08-03")}
	ask := calendar.Asked{Start: ptr(day("2026-08-01")), End: ptr(day("2026-08-03"))}
	days := "startDate=2026-08-03&endDate=2026-08-01&page=3&pageSize=50" // swapped
	titles := "&search=Dom&publisherId=1&categoryId=2&subjectId=3&bookId=4&publicationYear=1899"
	filter := report.TitleFilter{Search: ptr("Dom"), Publisher: ptr[int64](1), Category: ptr[int64](2), Subject: ptr[int64](3), Book: ptr[int64](4), Year: ptr[int64](1899)}
	external := filter
	external.Collection = stock.External
	tests := []struct {
		path  string
		query any
	}{
		{"/summary?groupBy=ageGroup&libraryId=0&state=PA&city=Bel%C3%A9m&ageGroupId=2&gender=feminino&newUsers=true&" + days, report.SummaryQuery{
			Period: period, NewUsers: true, GroupBy: report.ByAgeGroup, Today: day("2026-09-15"), Filter: report.ReaderFilter{
				Library: ptr[int64](0), AgeGroup: ptr[int64](2), State: ptr("PA"), City: ptr("Belém"), Gender: ptr("feminino")}}},
		{"/engagements?startDate=2026-08-01&endDate=2026-08-03&userId=7&page=3&pageSize=50", report.DayQuery{Period: period, Reader: ptr[int64](7)}},
		{"/users?userId=9007199254740991&status=deleted&libraryId=4&registeredFrom=2026-08-01&registeredTo=2026-08-03&updatedSince=2026-08-03&page=3&pageSize=50",
			report.UserQuery{Reader: ptr[int64](9007199254740991), Status: libraries.ReaderDeleted, Library: ptr[int64](4), Registered: ask, UpdatedSince: ptr(day("2026-08-03"))}},
		{"/datasets/books?author=Machado&collection=external&format=audiobook&orderBy=renewals&orderDir=asc&" + days + titles, report.BookQuery{
			Period: period, Filter: external, Author: ptr("Machado"), Format: libraries.Audiobook, Order: report.BooksByRenewals, Asc: true}},
		{"/datasets/books?collection=all&orderBy=loans&orderDir=desc&" + days + titles, report.BookQuery{Period: period, Filter: filter}},
		{"/datasets/books?collection=platform&page=3&pageSize=50", report.BookQuery{
			Period: calendar.Period{Start: day("2026-08-16"), End: day("2026-09-15")}, Filter: report.TitleFilter{Collection: stock.Platform}}},
		{"/datasets/stock?purchasedFrom=2026-08-01&purchasedTo=2026-08-03&consumptionBand=0&collection=external&orderBy=possibleReadings&orderDir=asc&page=3&pageSize=50" + titles, report.StockQuery{
			Purchased: ask, Filter: external, Band: ptr(stock.BandNone), Order: report.StockByPossibleReadings, Asc: true}},
		{"/datasets/stock?consumptionBand=101%2B&page=3&pageSize=50", report.StockQuery{Band: ptr(stock.BandOver)}},
		{"/datasets/stock?consumptionBand=101+&page=3&pageSize=50", report.StockQuery{Band: ptr(stock.BandOver)}},
		{"/datasets/loans?userId=7&bookId=8&status=expired&" + days, report.LoanQuery{Period: period, Reader: ptr[int64](7), Book: ptr[int64](8), Status: libraries.LoanExpired}},
		{"/datasets/reservations?userId=7&bookId=8&status=lost&" + days, report.ReservationQuery{Period: period, Reader: ptr[int64](7), Book: ptr[int64](8), Status: libraries.Lost}},
		{"/datasets/logins?userId=7&" + days, report.DayQuery{Period: period, Reader: ptr[int64](7)}},
		{"/datasets/channels?channel=web-tablet&" + days, report.ChannelQuery{Period: period, Channel: libraries.WebTablet}},
		{"/datasets/suggestions?search=50%25&" + days, report.SuggestionQuery{Period: period, Search: ptr("50%")}},
		{"/datasets/suggestion-requests?title=+A+&author=B&userId=7&" + days, report.RequestQuery{Period: period, Title: ptr(" A "), Author: ptr("B"), Reader: ptr[int64](7)}},
	}
	for _, tt := range tests {
		f := &fixed{}
		if w := get(newAPI(f, 0), tt.path); w.Code != 200 || f.calls != 1 || f.access != testAccess {
			t.Errorf("GET %s = %d %s with %d calls, access %v", tt.path, w.Code, w.Body, f.calls, f.access)
		}
		if !reflect.DeepEqual(f.query, tt.query) {
			t.Errorf("GET %s: query\n%+v, want\n%+v", tt.path, f.query, tt.query)
		}
		page := paging.Page{Number: 3, Size: 50}
		if strings.Contains(tt.path, "channels") {
			page = paging.Page{}
		}
		if f.page != page {
			t.Errorf("GET %s: page %v, want %v", tt.path, f.page, page)
		}
	}
}

// TestEveryEnumValue tests that each name of an enum in the specification is valid, and is its own value of the query.
func TestEveryEnumValue(t *testing.T) {
	tests := []struct{ path, param, values string }{
		{"/summary", "groupBy", "library, state, city, ageGroup"},
		{"/users", "status", "active, deactivated, deleted"},
		{"/datasets/books", "collection", "all, platform, additional, external, manual"},
		{"/datasets/books", "format", "ebook, audiobook"},
		{"/datasets/books", "orderBy", bookOrders},
		{"/datasets/books", "orderDir", "asc, desc"},
		{"/datasets/stock", "collection", "additional, external, manual"},
		{"/datasets/stock", "consumptionBand", bands},
		{"/datasets/stock", "orderBy", stockOrders},
		{"/datasets/stock", "orderDir", "asc, desc"},
		{"/datasets/loans", "status", "active, returned, expired"},
		{"/datasets/reservations", "status", "waiting, available, converted, cancelled, lost"},
		{"/datasets/channels", "channel", "web-mobile, web-desktop, web-tablet, app"},
	}
	for _, tt := range tests {
		var asked []any
		for value := range strings.SplitSeq(tt.values, ", ") {
			f := &fixed{}
			w := get(newAPI(f, 0), tt.path+"?"+tt.param+"="+url.QueryEscape(value))
			if w.Code != 200 {
				t.Errorf("%s: %s=%s = %d %s, want 200", tt.path, tt.param, value, w.Code, w.Body)
			}
			for _, other := range asked {
				if reflect.DeepEqual(f.query, other) {
					t.Errorf("%s: %s=%s gives the same query as another value", tt.path, tt.param, value)
				}
			}
			asked = append(asked, f.query)
		}
	}
}

// TestPeriodAtTheCalendarsBeginning tests that the earliest default start is 0000-01-01, the first valid day.
func TestPeriodAtTheCalendarsBeginning(t *testing.T) {
	w := get(newAPI(&fixed{}, 0), "/datasets/loans?endDate=0000-01-05")
	if want := `"period":{"startDate":"0000-01-01","endDate":"0000-01-05"}`; !strings.Contains(w.Body.String(), want) {
		t.Errorf("the period up to 0000-01-05 = %s, want %s", w.Body, want)
	}
}
