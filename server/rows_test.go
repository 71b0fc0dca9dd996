package server_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/lectern-dev/lectern/schools/schoolsdb"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/internal/api/wire"
	"github.com/lectern-dev/lectern/server/internal/load"
	"github.com/lectern-dev/lectern/server/internal/tools/xlsxtest"
)

// form is a form of rows, besides JSON, with its name and its content type (H11).
type form struct{ accept, contentType string }

var (
	plainCSV = form{"text/csv", "text/csv; charset=utf-8; header=present"}
	ndjson   = form{"application/x-ndjson", "application/x-ndjson; charset=utf-8"}
	xlsx     = form{wire.XLSXType, wire.XLSXType}
	forms    = []form{plainCSV, ndjson, xlsx}
)

const documentType = "application/json; charset=utf-8"

// rowClient calls one API of a server over the network, with a key.
type rowClient struct {
	*testing.T
	base, key string
}

func newRowClient(t *testing.T, s *server.Server, base, key string) *rowClient {
	t.Helper()
	h := httptest.NewServer(documented(t, s.Handler()))
	t.Cleanup(h.Close)
	return &rowClient{t, h.URL + base, key}
}

// plainHTTP takes bodies as they are sent.
var plainHTTP = &http.Client{Transport: &http.Transport{DisableCompression: true, DisableKeepAlives: true}}

// get returns the answer to a GET with header lines in pairs, and its body.
func (c *rowClient) get(route, accept string, headers ...string) (*http.Response, []byte) {
	c.Helper()
	r, err := http.NewRequestWithContext(c.Context(), "GET", c.base+route, nil)
	if err != nil {
		c.Fatal(err)
	}
	r.Header.Set("X-Api-Key", c.key)
	r.Header.Set("Accept", accept)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := plainHTTP.Do(r)
	if err != nil {
		c.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		c.Fatal(err)
	}
	return res, body
}

// document is the JSON answer to a route.
func (c *rowClient) document(route string) (rows []json.RawMessage, total string) {
	c.Helper()
	res, body := c.get(route, "application/json")
	var a struct {
		Meta struct {
			Page *struct{ TotalRows json.Number }
		}
		Data struct{ Rows []json.RawMessage }
	}
	if err := json.Unmarshal(body, &a); err != nil || res.StatusCode != 200 || res.Header.Get("Content-Type") != documentType || res.Header.Get("X-Total-Rows") != "" {
		c.Fatalf("GET %s = %d %v %s (%v), want 200, JSON without X-Total-Rows", route, res.StatusCode, res.Header, body, err)
	}
	if a.Meta.Page == nil { // channels
		return a.Data.Rows, fmt.Sprint(len(a.Data.Rows))
	}
	return a.Data.Rows, a.Meta.Page.TotalRows.String()
}

// inForm returns the body of a route in a form, with its header lines checked.
func (c *rowClient) inForm(route string, f form, total string) []byte {
	c.Helper()
	res, body := c.get(route, f.accept)
	h := res.Header
	if res.StatusCode != 200 || h.Get("Content-Type") != f.contentType || h.Get("X-Total-Rows") != total || !strings.HasPrefix(h.Get("Vary"), "Accept,") {
		c.Fatalf("GET %s as %s = %d %v %s\nwant 200, %s, %s rows in all", route, f.accept, res.StatusCode, h, body, f.contentType, total)
	}
	return body
}

// holds checks that a route's rows are the same in all forms, cell by cell, and returns their number. columns are those
// of CSV.
func (c *rowClient) holds(route, columns string) int {
	c.Helper()
	rows, total := c.document(route)
	var lines []byte
	for _, r := range rows {
		lines = append(append(lines, r...), '\n')
	}
	if got := c.inForm(route, ndjson, total); !bytes.Equal(got, lines) {
		c.Errorf("GET %s as NDJSON =\n%s\nwant\n%s", route, got, lines)
	}
	text := string(c.inForm(route, plainCSV, total))
	body, ok := strings.CutPrefix(text, columns+"\r\n")
	if !ok {
		c.Fatalf("GET %s as CSV =\n%s\nwant it to begin with\n%s", route, text, columns)
	}
	c.compare(route, body, rows, strings.Split(columns, ","))
	c.compareSheet(route, "rows", c.inForm(route, xlsx, total), rows, strings.Split(columns, ","))
	return len(rows)
}

// purchases checks that the second sheet of the stock has a line for each purchase, with its title.
func (c *rowClient) purchases(route string) {
	c.Helper()
	rows, total := c.document(route)
	var lines []json.RawMessage
	for _, row := range rows {
		var title struct {
			BookID    json.RawMessage
			Title     json.RawMessage
			Purchases []json.RawMessage
		}
		if err := json.Unmarshal(row, &title); err != nil {
			c.Fatal(err)
		}
		for _, p := range title.Purchases {
			lines = append(lines, fmt.Appendf(nil, `{"bookId":%s,"title":%s,%s`, title.BookID, title.Title, p[1:]))
		}
	}
	if len(lines) == 0 {
		c.Error("the stock has no purchase: the test shows nothing")
	}
	const columns = "bookId,title,purchaseId,modality,model,copies,possibleReadings,consumed,percentage,purchasedAt,unitPrice,totalPrice,expiresAt"
	c.compareSheet(route, "purchases", c.inForm(route, xlsx, total), lines, strings.Split(columns, ","))
}

// compareSheet compares the cells of a workbook's sheet with the rows of JSON: what they show, and what they are.
func (c *rowClient) compareSheet(route, sheet string, workbook []byte, rows []json.RawMessage, columns []string) {
	c.Helper()
	lines, err := xlsxtest.ReadSheet(workbook, sheet)
	if err != nil || len(lines) != len(rows)+1 {
		c.Fatalf("GET %s as a workbook: %d lines (%v), want a header and %d", route, len(lines), err, len(rows))
	}
	for n, column := range columns {
		if want := (xlsxtest.Cell{Kind: xlsxtest.Text, Text: column}); len(lines[0]) != len(columns) || lines[0][n] != want {
			c.Fatalf("GET %s as a workbook has the columns %q, want %q", route, lines[0], columns)
		}
		for i, row := range rows {
			if got, want := lines[i+1][n], sheetCell(c.T, row, column); got != want {
				c.Errorf("GET %s as a workbook, row %d, %s = %q, want %q", route, i, column, got, want)
			}
		}
	}
}

// sheetCell returns what a cell of a workbook is of a row of JSON (H11). Days, instants and prices are in the columns that are named so.
func sheetCell(t *testing.T, row json.RawMessage, column string) xlsxtest.Cell {
	t.Helper()
	value, shown := member(t, row, column), cell(t, row, column)
	dated := column == "date" || strings.HasSuffix(column, "At")
	switch {
	case string(value) == "null":
		return xlsxtest.Cell{}
	case dated && len(shown) == len(time.DateOnly):
		return xlsxtest.Cell{Kind: xlsxtest.Day, Text: shown}
	case dated:
		return xlsxtest.Cell{Kind: xlsxtest.Instant, Text: strings.NewReplacer("T", " ", "Z", "").Replace(shown)}
	case value[0] == 't' || value[0] == 'f':
		return xlsxtest.Cell{Kind: xlsxtest.Boolean, Text: shown}
	case strings.HasSuffix(column, "Price"): // a text in JSON
		return xlsxtest.Cell{Kind: xlsxtest.Number, Text: shown}
	case value[0] == '"' || value[0] == '[':
		return xlsxtest.Cell{Kind: xlsxtest.Text, Text: shown}
	}
	return xlsxtest.Cell{Kind: xlsxtest.Number, Text: shown}
}

// compare compares the lines after the header of a CSV with the rows of JSON.
func (c *rowClient) compare(route, body string, rows []json.RawMessage, columns []string) {
	c.Helper()
	records, err := csv.NewReader(strings.NewReader(body)).ReadAll()
	if err != nil || len(records) != len(rows) {
		c.Fatalf("GET %s as CSV: %d lines (%v), want %d", route, len(records), err, len(rows))
	}
	for i, row := range rows {
		want := make([]string, len(columns))
		for n, column := range columns {
			want[n] = cell(c.T, row, column)
		}
		if !slices.Equal(records[i], want) {
			c.Errorf("GET %s as CSV, row %d =\n%q\nwant\n%q", route, i, records[i], want)
		}
	}
}

// cell returns what a cell of CSV shows of a row of JSON (H11).
func cell(t *testing.T, row json.RawMessage, column string) string {
	t.Helper()
	value := member(t, row, column)
	var text string
	switch {
	case string(value) == "null":
		return ""
	case json.Unmarshal(value, &text) == nil:
		return text
	}
	return string(value)
}

// member returns the value of a row of JSON that a column shows, null where the object that has it is null.
func member(t *testing.T, row json.RawMessage, column string) json.RawMessage {
	t.Helper()
	value := row
	for name := range strings.SplitSeq(column, ".") {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(value, &object); err != nil {
			t.Fatalf("%s of %s: %v", column, row, err)
		}
		if value = object[name]; value == nil {
			t.Fatalf("%s has no %s", row, column)
		}
		if string(value) == "null" {
			break
		}
	}
	return value
}

// each checks routes with rows and, with none, that the header stands alone.
func (c *rowClient) each(routes []rowRoute) {
	c.Helper()
	for _, r := range routes {
		if n := c.holds(r.path, r.columns); n == 0 {
			c.Errorf("GET %s has no rows: nothing is compared", r.path)
		}
		none := r.path + "&page=100000"
		if r.none != "" {
			none = r.none
		}
		if n := c.holds(none, r.columns); n != 0 {
			c.Errorf("GET %s has %d rows, want none", none, n)
		}
	}
}

// rowRoute is a call with rows, and the columns of its CSV in the order of the specification's table.
type rowRoute struct{ path, columns, none string }

// tagged checks that each form of a route has an entity tag of its own, by which it is not sent twice, and that each is
// compressed when that is asked for (H8).
func (c *rowClient) tagged(route string) {
	c.Helper()
	tags := map[string]string{}
	for _, accept := range []string{"application/json", plainCSV.accept, ndjson.accept, xlsx.accept} {
		res, body := c.get(route, accept)
		tag := res.Header.Get("ETag")
		if other, taken := tags[tag]; taken || tag == "" {
			c.Errorf("GET %s: %q and %q have the tag %q", route, accept, other, tag)
		}
		tags[tag] = accept
		again, none := c.get(route, accept, "If-None-Match", tag)
		if again.StatusCode != 304 || len(none) != 0 || again.Header.Get("X-Total-Rows") != res.Header.Get("X-Total-Rows") {
			c.Errorf("GET %s as %s with its tag = %d %v %s, want 304 and no body", route, accept, again.StatusCode, again.Header, none)
		}
		for _, coding := range []string{"gzip", "zstd"} {
			res, packed := c.get(route, accept, "Accept-Encoding", coding)
			if accept == xlsx.accept { // which is compressed by itself, and is the same bytes each time
				if !bytes.Equal(packed, body) || res.Header.Get("Content-Encoding") != "" || res.Header.Get("ETag") != tag {
					c.Errorf("GET %s as %s in %s: %v", route, accept, coding, res.Header)
				}
				continue
			}
			if res.Header.Get("Content-Encoding") != coding || res.Header.Get("ETag") != tag {
				c.Fatalf("GET %s as %s in %s: %v", route, accept, coding, res.Header)
			}
			if got := unpacked(c.T, coding, packed); !bytes.Equal(got, body) {
				c.Errorf("GET %s as %s in %s =\n%s\nwant\n%s", route, accept, coding, got, body)
			}
		}
	}
	for tag, accept := range tags {
		for _, f := range forms {
			if res, _ := c.get(route, f.accept, "If-None-Match", tag); (res.StatusCode == 304) != (f.accept == accept) {
				c.Errorf("GET %s as %s with the tag of %s = %d", route, f.accept, accept, res.StatusCode)
			}
		}
	}
}

func unpacked(t *testing.T, coding string, body []byte) []byte {
	t.Helper()
	var r io.Reader
	var err error
	if coding == "gzip" {
		r, err = gzip.NewReader(bytes.NewReader(body))
	} else {
		r, err = zstd.NewReader(bytes.NewReader(body), zstd.WithDecoderConcurrency(1))
	}
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// oddTexts are what separators, quotes, spreadsheets and their locale stumble over.
var oddTexts = []string{`=SOMA(1;2)`, `+55, "91"`, `-1.5`, `@ana`, `9788535914849`, `1.5`, "duas\nlinhas", `Ana <b>; é`, `\"`, `'x`, `[1]`, `null`,
	`2026-10-01`, `_x0041_`, "tab\vulação <&>"}

// oddRows returns rows for the feed of a test, made of a form with a number, a text in JSON, and as many of them.
func oddRows(row string) string {
	var b strings.Builder
	for i := range 3 * len(oddTexts) {
		text, _ := json.Marshal(oddTexts[i%len(oddTexts)]) // of a string
		b.WriteString(strings.NewReplacer("{n}", fmt.Sprint(100+i), "{text}", string(text)).Replace(row) + "\n")
	}
	return b.String()
}

// TestSchoolsRowsInAllForms is H11 on the schools API.
func TestSchoolsRowsInAllForms(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db, server.Config{SchoolsRate: -1})
		f.loadRows(t, map[string]string{
			"accounts": oddRows(`{"referenceId":"r{n}","kind":"reader","name":"Leitor {n}","email":"r{n}@escola.example","entityReferenceId":"class","active":true}`),
			"books":    strings.ReplaceAll(oddRows(`{"bookId":{n},"title":{text},"author":{text},"isbn":{text},"length":1000}`), `\n`, " "),
			"segments": oddRows(`{"segmentId":"o{n}","account":"r{n}","bookId":{n},"startedAt":"2026-03-03T10:00:00-03:00","durationMs":{n}000,"from":0,"to":{n},"wpm":200}`),
		})
		c := newRowClient(t, f.server, prefix, f.north)
		c.each([]rowRoute{
			{path: "/users?pageSize=10&page=2", columns: "userId,name,email,profile,school.id,school.name,class.id,class.name,grade,stage,active", none: "/users?page=99"},
			{path: "/users?profile=teacher", columns: "userId,name,email,profile,school.id,school.name,class.id,class.name,grade,stage,active"},
			{path: "/engagements?startDate=2026-03-01", columns: "date,userId,readingMinutes"},
			{path: "/readings?startDate=2026-03-01", columns: "userId,book.id,book.title,book.author,book.isbn,percent,readingMinutes,firstReadAt,lastReadAt,finished"},
		})
		c.tagged("/readings?startDate=2026-03-01")
		other := newRowClient(t, f.server, prefix, f.south) // whose only user is in no school
		other.each([]rowRoute{{path: "/users?pageSize=1", columns: "userId,name,email,profile,school.id,school.name,class.id,class.name,grade,stage,active"}})
	})
}

// loadRows loads more rows for the partner.
func (f *fixture) loadRows(t *testing.T, rows map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range rows {
		if err := os.WriteFile(filepath.Join(dir, name+".ndjson"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	store := &schoolsdb.Store{DB: f.db.DB, Copy: f.db.Copy, Now: f.clock.time}
	if _, err := load.Schools(t.Context(), store, f.partner, "ana", os.DirFS(dir), load.Options{Now: f.clock.time}); err != nil {
		t.Fatal(err)
	}
}

// TestLibrariesRowsInAllForms is H11 on the libraries API. The summary and the dimensions have no rows and are JSON always.
func TestLibrariesRowsInAllForms(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		n := newNetwork(t, db, server.Config{LibrariesRate: -1})
		n.load(map[string]string{
			"publishers":   oddRows(`{"id":{n},"name":{text}}`),
			"books":        oddRows(`{"bookId":{n},"title":{text},"isbn":{text},"author":{text},"publisherId":{n},"categoryIds":[],"subjectIds":[],"hasEbook":true,"hasAudiobook":false,"hasVideo":false,"maxUses":null,"publicationYear":null}`),
			"lines":        oddRows(`{"lineId":{n},"bookId":{n},"collection":"additional","kind":"purchase","number":{n},"modality":{text},"copies":1,"unitPrice":1.5,"totalPrice":1.5,"purchasedAt":"2026-08-01","expiresAt":null}`),
			"readers":      oddRows(`{"userId":{n},"name":{text},"email":"{n}@rede.example","libraryId":1,"ageGroupId":null,"city":{text},"state":{text},"ra":null,"gender":null,"registeredAt":"2026-08-01","status":"active","deletedAt":null,"updatedAt":"2026-08-01T12:00:00Z","confirmedAt":"2026-08-01T12:00:00Z","lastSignInAt":null}`),
			"loans":        oddRows(`{"loanId":{n},"userId":{n},"bookId":{n},"borrowedAt":"2026-09-01T10:00:00-03:00","dueAt":"2026-09-15","returnedAt":null,"status":"active"}`),
			"reservations": oddRows(`{"reservationId":{n},"userId":{n},"bookId":{n},"status":"waiting","position":1,"reservedAt":"2026-09-02T10:00:00-03:00","resolvedAt":null}`),
			"sessions":     oddRows(`{"sessionId":"o{n}","userId":{n},"bookId":{n},"startedAt":"2026-09-01T11:00:00-03:00","seconds":{n},"mode":"online","format":"ebook","progress":12.5}`),
			"suggestions":  oddRows(`{"requestId":{n},"userId":{n},"title":{text},"author":{text},"publisher":null,"searchTerm":{text},"availability":"marketplace","requestedAt":"2026-09-03T10:00:00-03:00"}`),
		})
		c := newRowClient(t, n.server, librariesPrefix, n.key)
		c.each([]rowRoute{
			{path: "/engagements?startDate=2026-09-01&endDate=2026-09-15", columns: "date,userId,logins,loans,returns,readings10,readings50,previews,distinctBooks,readingSeconds,renewals,reservations,reservationsConverted"},
			{path: "/users?pageSize=1000", columns: "userId,name,email,library,ageGroup,city,state,gender,registeredAt,status,deletedAt,updatedAt,confirmedAt,lastSignInAt,totalLoans"},
			{path: "/datasets/books?pageSize=5", columns: "bookId,title,isbn,author,publisher,collection,hasEbook,hasAudiobook,model,copies,consumedCopies,availableCopies," +
				"loans,returns,readings10,readings50,renewals,readingSeconds,reservations,convertedReservations,activeReservations", none: "/datasets/books?search=nenhum"},
			{path: "/datasets/stock?pageSize=100", columns: "bookId,title,activeLoans,readings,possibleReadings,percentage,activeReservations,purchases"},
			{path: "/datasets/loans?pageSize=100", columns: "loanId,userId,bookId,title,isbn,author,borrowedAt,dueAt,returnedAt,status,readingSeconds,progress"},
			{path: "/datasets/reservations?pageSize=100", columns: "reservationId,userId,bookId,title,isbn,status,position,titleQueue,reservedAt,resolvedAt"},
			{path: "/datasets/logins?pageSize=100", columns: "userId,date,firstSeenAt,lastSeenAt,events"},
			{path: "/datasets/channels", columns: "date,channel,sessions,estimated", none: "/datasets/channels?channel=web-tablet"},
			{path: "/datasets/suggestions?pageSize=100", columns: "title,author,publisher,searchTerm,requestsCount,uniqueUsers,availability,lastRequestedAt"},
			{path: "/datasets/suggestion-requests?pageSize=100", columns: "userId,title,author,searchTerm,requestedAt"},
		})
		c.tagged("/users?pageSize=1000")
		c.purchases("/datasets/stock?pageSize=100")
		for _, route := range []string{"/summary", "/summary?groupBy=state", "/dimensions", "/users?page=0"} {
			for _, f := range forms {
				res, body := c.get(route, f.accept)
				if h := res.Header; h.Get("Content-Type") != documentType || h.Get("X-Total-Rows") != "" || !json.Valid(body) {
					t.Errorf("GET %s as %s = %v %.100s, want JSON", route, f.accept, h, body)
				}
			}
		}
	})
}
