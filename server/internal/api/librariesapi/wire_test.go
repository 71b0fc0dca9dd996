package librariesapi_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// at parses an instant.
func at(text string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		panic(err)
	}
	return t
}

// title is a title with optional fields, and bare is one with only the required fields.
var (
	title = &report.Title{Book: libraries.Book{ID: 4, Title: "Dom <Casmurro>", ISBN: "9788500000000", Author: "Machado de Assis", HasEbook: true}}
	bare  = &report.Title{Book: libraries.Book{ID: 5, Title: "Iracema", Publisher: libraries.None, Year: libraries.None, HasAudiobook: true}}
)

func measures() (m metric.Measures) {
	for i := range m {
		m[i] = int64(i) + 1
	}
	return m
}

const (
	titleJSON = `"bookId":4,"title":"Dom <Casmurro>","isbn":"9788500000000"`
	bareJSON  = `"bookId":5,"title":"Iracema","isbn":null`
)

// hour is 14:00 in Brasilia.
var hour = libraries.HourOf(time.Date(2026, 9, 15, 17, 59, 59, 0, time.UTC))

const (
	updated = `"updatedAt":"2026-09-15 14:00:00"`
	period  = `"period":{"startDate":"2026-08-01","endDate":"2026-08-03"}`
	page    = `"page":{"page":2,"pageSize":50,"totalRows":9}`
	days    = "?startDate=2026-08-01&endDate=2026-08-03&page=2&pageSize=50"
)

func TestRows(t *testing.T) {
	f := &fixed{
		hour: hour,
		engagements: []report.Engagement{
			{Day: day("2026-08-01"), Reader: 7, Measures: measures()}, {Day: day("2026-08-02"), Reader: 9007199254740991},
		},
		users: []report.User{
			{Reader: &libraries.Reader{ID: 7, Name: "Ana", Email: "ana@rede.example", Library: 1, AgeGroup: 2, City: "Belém", State: "PA", RA: "Norte",
				Gender: libraries.Female, Registered: day("2020-02-29"), Status: libraries.ReaderActive, Updated: at("2026-08-01T02:59:59.999999Z"),
				Confirmed: at("2026-08-01T02:59:59.999999Z"), LastLogin: at("2026-08-01T03:00:00Z")}, LibraryName: "Central", AgeGroup: "Adulto", TotalLoans: 3},
			{Reader: &libraries.Reader{ID: 8, Library: libraries.None, AgeGroup: libraries.None, Registered: day("2026-08-01"),
				Status: libraries.ReaderDeleted, DeletedAt: day("2026-08-02"), Updated: at("2026-08-02T00:00:00Z")}},
			{Reader: &libraries.Reader{ID: 9, Name: "Caio", Gender: libraries.NonBinary, Registered: day("2026-08-01"),
				Status: libraries.ReaderDeactivated, DeletedAt: 0, Updated: at("2026-08-02T00:00:00Z")}},
		},
		books: []report.BookRow{
			{Title: title, Publisher: "Garnier", Collection: stock.External, Own: true, Model: 26, Copies: 52, Consumed: 60, Sums: measures(), ActiveReservations: 5},
			{Title: bare},
		},
		stock: []report.StockRow{
			{Title: title, ActiveLoans: 1, Readings: 60, Possible: 52, Percentage: 11538, ActiveReservations: 2, Purchases: []report.Purchase{
				{Line: stock.Line{Modality: ptr("Assinatura"), Copies: ptr[int64](2), PurchasedAt: day("2026-08-01"), UnitPrice: 1250, TotalPrice: 2500,
					ExpiresAt: ptr(day("2027-08-01"))}, Label: "Compra 12", Possible: 52, Consumed: 52, Percentage: 10000},
				{Line: stock.Line{MaxUses: ptr[int64](1), PurchasedAt: day("2026-07-21")}, Label: "Legado 3", Percentage: 5},
			}},
			{Title: bare, Percentage: 2500},
		},
		loans: []report.LoanRow{
			{Loan: libraries.Loan{ID: 1, Reader: 7, Book: 4, Borrowed: at("2026-08-01T02:59:59Z"), Returned: at("2026-08-05T03:00:00Z"),
				Due: ptr(day("2026-08-15")), Status: libraries.LoanReturned}, Title: title, Seconds: 3600, Highest: 99_325},
			{Loan: libraries.Loan{ID: 2, Reader: 7, Book: 5, Borrowed: at("2026-08-01T03:00:00Z"), Status: libraries.LoanActive}, Title: bare},
		},
		reservations: []report.ReservationRow{
			{Reservation: libraries.Reservation{ID: 1, Reader: 7, Book: 4, Reserved: at("2026-08-01T02:59:59Z"), Position: 0, Status: libraries.Waiting}, Title: title, Queue: 3},
			{Reservation: libraries.Reservation{ID: 2, Reader: 7, Book: 5, Reserved: at("2026-08-01T03:00:00Z"), Resolved: at("2026-08-03T02:59:59Z"),
				Position: libraries.None, Status: libraries.Lost}, Title: bare},
		},
		logins: []report.LoginRow{
			{Day: day("2026-08-01"), Reader: 7, Presence: libraries.Presence{Events: 2, First: 0, Last: 86_399}},
		},
		channels: []libraries.ChannelDay{
			{Day: day("2026-08-01"), Channel: libraries.WebMobile, Sessions: 120}, {Day: day("2026-08-01"), Channel: libraries.App, Estimated: true},
		},
		suggestions: []report.SuggestionRow{
			{Title: "A", Author: "B", Publisher: "C", SearchTerm: "D", Requests: 3, Readers: 2, Availability: libraries.InMarketplace, Last: at("2026-08-02T02:59:59Z")},
			{Availability: libraries.NotFound, Requests: 1, Readers: 1, Last: at("2026-08-02T03:00:00Z")},
		},
		requests: []libraries.Request{
			{ID: 1, Reader: 7, Title: "A", Author: "B", Publisher: "C", SearchTerm: "D", Availability: libraries.NotFound, Requested: at("2026-08-02T02:59:59Z")},
			{ID: 2, Reader: 8, Requested: at("2026-08-02T03:00:00Z")},
		},
	}
	both := updated + `,` + period + `,` + page
	tests := []struct{ path, meta, rows string }{
		{"/engagements" + days, both,
			`{"date":"2026-08-01","userId":7,"logins":1,"loans":2,"returns":3,"readings10":4,"readings50":5,"previews":6,"distinctBooks":7,` +
				`"readingSeconds":8,"renewals":9,"reservations":10,"reservationsConverted":11},` +
				`{"date":"2026-08-02","userId":9007199254740991,"logins":0,"loans":0,"returns":0,"readings10":0,"readings50":0,"previews":0,"distinctBooks":0,` +
				`"readingSeconds":0,"renewals":0,"reservations":0,"reservationsConverted":0}`},
		{"/users?page=2&pageSize=50", updated + `,` + page,
			`{"userId":7,"name":"Ana","email":"ana@rede.example","library":"Central","ageGroup":"Adulto","city":"Belém","state":"PA","gender":"Feminino",` +
				`"registeredAt":"2020-02-29","status":"active","deletedAt":null,"updatedAt":"2026-08-01T02:59:59Z","confirmedAt":"2026-07-31 23:59:59",` +
				`"lastSignInAt":"2026-08-01 00:00:00","totalLoans":3},` +
				`{"userId":8,"name":"","email":"","library":null,"ageGroup":null,"city":null,"state":null,"gender":"Não informado",` +
				`"registeredAt":"2026-08-01","status":"deleted","deletedAt":"2026-08-02","updatedAt":"2026-08-02T00:00:00Z","confirmedAt":null,` +
				`"lastSignInAt":null,"totalLoans":0},` +
				`{"userId":9,"name":"Caio","email":"","library":null,"ageGroup":null,"city":null,"state":null,"gender":"Não-binário",` +
				`"registeredAt":"2026-08-01","status":"deactivated","deletedAt":"1970-01-01","updatedAt":"2026-08-02T00:00:00Z","confirmedAt":null,` +
				`"lastSignInAt":null,"totalLoans":0}`},
		{"/datasets/books" + days, both,
			`{` + titleJSON + `,"author":"Machado de Assis","publisher":"Garnier","collection":"external","hasEbook":true,"hasAudiobook":false,"model":26,"copies":52,` +
				`"consumedCopies":60,"availableCopies":0,"loans":2,"returns":3,"readings10":4,"readings50":5,"renewals":9,"readingSeconds":8,"reservations":10,` +
				`"convertedReservations":14,"activeReservations":5},` +
				`{` + bareJSON + `,"author":null,"publisher":null,"collection":null,"hasEbook":false,"hasAudiobook":true,"model":null,"copies":null,` +
				`"consumedCopies":null,"availableCopies":null,"loans":0,"returns":0,"readings10":0,"readings50":0,"renewals":0,"readingSeconds":0,"reservations":0,` +
				`"convertedReservations":0,"activeReservations":0}`},
		{"/datasets/stock?page=2&pageSize=50&startDate=x", updated + `,` + page,
			`{"bookId":4,"title":"Dom <Casmurro>","activeLoans":1,"readings":60,"possibleReadings":52,"percentage":1.1538,"activeReservations":2,"purchases":[` +
				`{"purchaseId":"Compra 12","modality":"Assinatura","model":26,"copies":2,"possibleReadings":52,"consumed":52,"percentage":1.0000,` +
				`"purchasedAt":"2026-08-01","unitPrice":"12.50","totalPrice":"25.00","expiresAt":"2027-08-01"},` +
				`{"purchaseId":"Legado 3","modality":null,"model":1,"copies":null,"possibleReadings":0,"consumed":0,"percentage":0.0005,` +
				`"purchasedAt":"2026-07-21","unitPrice":"0","totalPrice":"0","expiresAt":null}]},` +
				`{"bookId":5,"title":"Iracema","activeLoans":0,"readings":0,"possibleReadings":0,"percentage":0.2500,"activeReservations":0,"purchases":[]}`},
		{"/datasets/loans" + days, both,
			`{"loanId":1,"userId":7,` + titleJSON + `,"author":"Machado de Assis","borrowedAt":"2026-07-31","dueAt":"2026-08-15","returnedAt":"2026-08-05",` +
				`"status":"returned","readingSeconds":3600,"progress":99.33},` +
				`{"loanId":2,"userId":7,` + bareJSON + `,"author":null,"borrowedAt":"2026-08-01","dueAt":null,"returnedAt":null,` +
				`"status":"active","readingSeconds":0,"progress":0.00}`},
		{"/datasets/reservations" + days, both,
			`{"reservationId":1,"userId":7,` + titleJSON + `,"status":"waiting","position":0,"titleQueue":3,"reservedAt":"2026-07-31","resolvedAt":null},` +
				`{"reservationId":2,"userId":7,` + bareJSON + `,"status":"lost","position":null,"titleQueue":0,"reservedAt":"2026-08-01","resolvedAt":"2026-08-02"}`},
		{"/datasets/logins" + days, both,
			`{"userId":7,"date":"2026-08-01","firstSeenAt":"2026-08-01 00:00:00","lastSeenAt":"2026-08-01 23:59:59","events":2}`},
		{"/datasets/channels" + days, updated + `,` + period,
			`{"date":"2026-08-01","channel":"web-mobile","sessions":120,"estimated":false},{"date":"2026-08-01","channel":"app","sessions":0,"estimated":true}`},
		{"/datasets/suggestions" + days, both,
			`{"title":"A","author":"B","publisher":"C","searchTerm":"D","requestsCount":3,"uniqueUsers":2,"availability":"marketplace","lastRequestedAt":"2026-08-01"},` +
				`{"title":null,"author":null,"publisher":null,"searchTerm":null,"requestsCount":1,"uniqueUsers":1,"availability":"none","lastRequestedAt":"2026-08-02"}`},
		{"/datasets/suggestion-requests" + days, both,
			`{"userId":7,"title":"A","author":"B","searchTerm":"D","requestedAt":"2026-08-01"},` +
				`{"userId":8,"title":null,"author":null,"searchTerm":null,"requestedAt":"2026-08-02"}`},
	}
	h := newAPI(f, 0)
	for _, tt := range tests {
		w := get(h, tt.path)
		want := `{"meta":{` + tt.meta + `},"data":{"rows":[` + tt.rows + `]}}`
		if w.Code != 200 || w.Body.String() != want {
			t.Errorf("GET %s = %d\n%s\nwant 200\n%s", tt.path, w.Code, w.Body, want)
		}
	}
}

// TestNoRows tests that there is no hour before the first load, and that a page past the end has no rows but the true
// total (L1, G7).
func TestNoRows(t *testing.T) {
	w := get(newAPI(&fixed{}, 0), "/users?page=100000")
	const want = `{"meta":{"updatedAt":null,"page":{"page":100000,"pageSize":100,"totalRows":9}},"data":{"rows":[]}}`
	if w.Code != 200 || w.Body.String() != want {
		t.Errorf("a page past the end = %d %s, want 200 %s", w.Code, w.Body, want)
	}
}

func generalJSON(first string) string {
	return `{"registeredUsers":` + first + `,"logins":1,"usersWithLogin":200,"loans":2,"returns":3,"activeLoans":0,"readings10":4,"readings50":5,"previews":6,` +
		`"distinctBooks":300,"readingSeconds":8,"renewals":9,"reservations":10,"activeReservations":400,"convertedReservations":11}`
}

func fullSummary() report.Summary {
	general := report.General{RegisteredUsers: 100, UsersWithLogin: 200, DistinctBooks: 300, ActiveReservations: 400, Sums: measures()}
	group := general
	group.RegisteredUsers = 101
	var histogram [stock.Bands]int64
	histogram[stock.BandOver] = 7
	return report.Summary{
		General:      general,
		Consumption:  metric.DayCounts{OnlineSessions: 1, OfflineSessions: 2, OnlineSeconds: 3, OfflineSeconds: 4},
		Channels:     report.ChannelTotals{Available: true, AppEstimated: true, App: 1000, Mobile: 1, Desktop: 20, Tablet: 300},
		Formats:      report.Formats{Catalogue: report.Split{EbookOnly: 1, AudiobookOnly: 2, Both: 3}, Loans: report.Split{EbookOnly: 4, AudiobookOnly: 5, Both: 6}, Listeners: 7, ListeningSeconds: 8},
		Reservations: report.ReservationTotals{Active: 1, Converted: 2, Cancelled: 3, Lost: 4},
		Stock:        report.StockTotals{ActiveLoans: 1, Readings: 2, Possible: 8, Percentage: 2500, ActiveReservations: 3, Histogram: histogram},
		Deleted: report.DeletedUsers{Total: 3, Last30Days: 2, WithLoans: 1, Daily: []report.DayCount{{Day: day("2026-09-14"), Total: 2}, {Day: day("2026-09-15")}},
			Monthly: []report.DayCount{{Day: day("2026-07-21"), Total: 1}, {Day: day("2026-08-01"), Total: 2}}},
		Profile: report.CatalogueProfile{
			Categories: []report.ProfileItem{{Name: "Romance", Titles: 2, Loans: 3}},
			Origins:    []report.ProfileItem{{Name: "external", Titles: 1}},
			Ebook:      report.ProfileItem{Name: "unused", Titles: 4, Loans: 5}, Audiobook: report.ProfileItem{Titles: 6, Loans: 7},
		},
		Monthly: []report.Month{{Period: calendar.Period{Start: day("2026-07-25"), End: day("2026-07-31")}, Sums: measures()}},
		Breakdown: []report.Group{
			{Key: "2", Label: "Central", Metrics: group}, {Label: "Não informado", Metrics: general},
		},
		BreakdownTotal: 2,
	}
}

const blocks = `"consumption":{"onlineSessions":1,"offlineSessions":2,"onlineSeconds":3,"offlineSeconds":4},` +
	`"channels":{"available":true,"appEstimated":true,"total":1321,"web":321,"app":1000,"webMobile":1,"webDesktop":20,"webTablet":300},` +
	`"formats":{"catalog":{"ebookOnly":1,"audiobookOnly":2,"both":3},"loans":{"ebookOnly":4,"audiobookOnly":5,"both":6},"listening":{"listeners":7,"seconds":8}},` +
	`"reservationsByStatus":{"active":1,"converted":2,"cancelled":3,"lost":4},` +
	`"stock":{"activeLoans":1,"readings":2,"possibleReadings":8,"percentage":0.2500,"activeReservations":3,"histogram":[` +
	`{"band":"0","count":0},{"band":"1-10","count":0},{"band":"11-20","count":0},{"band":"21-30","count":0},{"band":"31-40","count":0},` +
	`{"band":"41-50","count":0},{"band":"51-60","count":0},{"band":"61-70","count":0},{"band":"71-80","count":0},{"band":"81-90","count":0},` +
	`{"band":"91-100","count":0},{"band":"101+","count":7}]},` +
	`"deletedUsers":{"total":3,"last30Days":2,"withLoans":1,"daily":[{"date":"2026-09-14","total":2},{"date":"2026-09-15","total":0}],` +
	`"monthly":[{"month":"2026-07","total":1},{"month":"2026-08","total":2}]},` +
	`"catalogProfile":{"categories":[{"name":"Romance","catalogTitles":2,"loans":3}],"subjects":[],"origins":[{"name":"external","catalogTitles":1,"loans":0}],` +
	`"materials":{"ebook":{"catalogTitles":4,"loans":5},"audiobook":{"catalogTitles":6,"loans":7},"video":null}},` +
	`"monthly":[{"month":"2026-07","loans":2,"readings10":4,"readings50":5,"renewals":9,"readingSeconds":8}]`

// TestSummary tests that a summary has a page and a breakdown only with groupBy (L21).
func TestSummary(t *testing.T) {
	f := &fixed{hour: hour, summary: fullSummary()}
	tests := []struct{ rule, path, want string }{
		{"without groupBy", "/summary" + days,
			`{"meta":{` + updated + `,` + period + `},"data":{"general":` + generalJSON("100") + `,` + blocks + `}}`},
		{"with groupBy", "/summary" + days + "&groupBy=library",
			`{"meta":{` + updated + `,` + period + `,"page":{"page":2,"pageSize":50,"totalRows":2}},"data":{"general":` + generalJSON("100") + `,` + blocks + `,"breakdown":[` +
				`{"key":"2","label":"Central","metrics":` + generalJSON("101") + `},{"key":"","label":"Não informado","metrics":` + generalJSON("100") + `}]}}`},
	}
	for _, tt := range tests {
		if w := get(newAPI(f, 0), tt.path); w.Code != 200 || w.Body.String() != tt.want {
			t.Errorf("%s = %d\n%s\nwant 200\n%s", tt.rule, w.Code, w.Body, tt.want)
		}
	}
}

func TestSummaryVideo(t *testing.T) {
	s := fullSummary()
	s.Profile.Video = &report.ProfileItem{Titles: 1, Loans: 2}
	w := get(newAPI(&fixed{summary: s}, 0), "/summary")
	if want := `"video":{"catalogTitles":1,"loans":2}}`; !strings.Contains(w.Body.String(), want) {
		t.Errorf("summary = %s, want it to have %s", w.Body, want)
	}
}

// TestEmptyNetwork tests that lists in the summary of a network that was never loaded are empty, not null.
func TestEmptyNetwork(t *testing.T) {
	w := get(newAPI(&fixed{}, 0), "/summary?groupBy=city")
	var doc map[string]map[string]json.RawMessage
	if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil {
		t.Fatalf("summary = %s: %v", w.Body, err)
	}
	for _, name := range []string{"monthly", "breakdown"} {
		if got := string(doc["data"][name]); got != "[]" {
			t.Errorf("%s = %s, want []", name, got)
		}
	}
	if got := string(doc["meta"]["updatedAt"]); got != "null" {
		t.Errorf("updatedAt = %s, want null", got)
	}
}

// TestDimensions tests that identifiers are strings in the dimensions, and that meta has only the hour.
func TestDimensions(t *testing.T) {
	const genders = `"genders":["Feminino","Masculino","Não informado","Não-binário","Outro"]`
	f := &fixed{hour: hour, dimensions: report.Dimensions{
		Terms: map[libraries.Vocabulary][]libraries.Term{
			libraries.LibraryTerms:   {{ID: 10, Name: "Central"}, {ID: 2, Name: "Norte"}},
			libraries.AgeGroupTerms:  {{ID: 1, Name: "Adulto"}},
			libraries.PublisherTerms: {{ID: 9007199254740991, Name: "Garnier"}},
			libraries.SubjectTerms:   {{ID: 0, Name: "Ciúme"}},
		},
		RAs: []string{"Norte"}, States: []string{"PA", "SP"}, Cities: []string{"Belém"}, PublicationYears: []int64{1899, 2020},
	}}
	want := `{"meta":{` + updated + `},"data":{"libraries":[{"id":"10","name":"Central"},{"id":"2","name":"Norte"}],"ageGroups":[{"id":"1","name":"Adulto"}],` +
		`"publishers":[{"id":"9007199254740991","name":"Garnier"}],"categories":[],"subjects":[{"id":"0","name":"Ciúme"}],` +
		`"ras":["Norte"],"states":["PA","SP"],"cities":["Belém"],` + genders + `,"publicationYears":[1899,2020]}}`
	if w := get(newAPI(f, 0), "/dimensions"); w.Code != 200 || w.Body.String() != want {
		t.Errorf("dimensions = %d\n%s\nwant 200\n%s", w.Code, w.Body, want)
	}
	want = `{"meta":{"updatedAt":null},"data":{"libraries":[],"ageGroups":[],"publishers":[],"categories":[],"subjects":[],"ras":[],"states":[],"cities":[],` + genders + `,"publicationYears":[]}}`
	if w := get(newAPI(&fixed{}, 0), "/dimensions"); w.Code != 200 || w.Body.String() != want {
		t.Errorf("dimensions of an empty network = %d\n%s\nwant 200\n%s", w.Code, w.Body, want)
	}
}
