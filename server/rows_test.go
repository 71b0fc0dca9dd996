package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/schools/schoolsdb"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/internal/api/wire"
	"github.com/lectern-dev/lectern/server/internal/load"
	"github.com/lectern-dev/lectern/server/internal/tools/xlsxtest"
)

// form is a format of rows other than JSON, with its name and its content type (H11).
type form struct{ accept, contentType string }

var (
	plainCSV = form{"text/csv", "text/csv; charset=utf-8; header=present"}
	ndjson   = form{"application/x-ndjson", "application/x-ndjson; charset=utf-8"}
	xlsx     = form{wire.XLSXType, wire.XLSXType}
	forms    = []form{plainCSV, ndjson, xlsx}
)

const documentType = "application/json; charset=utf-8"

// oddTexts are texts that may break separators, quotes, spreadsheets or their locales.
var oddTexts = []string{`=SOMA(1;2)`, `+55, "91"`, `-1.5`, `@ana`, `9788535914849`, `1.5`, "duas\nlinhas", `Ana <b>; é`, `\"`, `'x`, `[1]`, `null`,
	`2026-10-01`, `_x0041_`, "tab\vulação <&>"}

// oddRows returns rows for a feed from a template, in which {n} is a number and {text} an odd text in JSON.
func oddRows(row string) string {
	var b strings.Builder
	for i := range 3 * len(oddTexts) {
		text, _ := json.Marshal(oddTexts[i%len(oddTexts)]) // cannot fail for a string
		b.WriteString(strings.NewReplacer("{n}", fmt.Sprint(100+i), "{text}", string(text)).Replace(row) + "\n")
	}
	return b.String()
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

// inAllForms appends a list to a text, in CSV and as sheets of the workbook. Rows in NDJSON must be those in JSON.
func inAllForms(t *testing.T, text *strings.Builder, get func(target string, headers ...string) *httptest.ResponseRecorder, list string) {
	t.Helper()
	answers := map[string]*httptest.ResponseRecorder{}
	for _, f := range forms {
		w := get(list, "Accept", f.accept)
		if h := w.Header(); w.Code != 200 || h.Get("Content-Type") != f.contentType || h.Get("X-Total-Rows") == "" || !strings.HasPrefix(h.Get("Vary"), "Accept,") {
			t.Errorf("%s as %s = %d %v", list, f.accept, w.Code, h)
		}
		answers[f.accept] = w
	}
	fmt.Fprintf(text, "== %s, %s rows\n%s", list, answers[plainCSV.accept].Header().Get("X-Total-Rows"), answers[plainCSV.accept].Body)
	var document struct {
		Data struct{ Rows []json.RawMessage }
	}
	if err := json.Unmarshal(get(list).Body.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	var lines bytes.Buffer
	for _, r := range document.Data.Rows {
		fmt.Fprintf(&lines, "%s\n", r)
	}
	if got := answers[ndjson.accept].Body.String(); got != lines.String() {
		t.Errorf("%s as NDJSON =\n%s\nwant\n%s", list, got, &lines)
	}
	for _, sheet := range []string{"rows", "purchases"} {
		if sheet == "purchases" && !strings.Contains(list, "/stock") {
			continue
		}
		cells, err := xlsxtest.Read(answers[xlsx.accept].Body.Bytes(), sheet)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(text, "-- sheet %s\n", sheet)
		for _, line := range cells[:min(4, len(cells))] {
			fmt.Fprintf(text, "%q\n", line)
		}
	}
}

// TestSchoolsRowsInAllForms compares the lists in all forms with a file (H11).
func TestSchoolsRowsInAllForms(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db, server.Config{SchoolsRate: -1})
		f.loadRows(t, map[string]string{
			"accounts": oddRows(`{"referenceId":"r{n}","kind":"reader","name":"Leitor {n}","email":"r{n}@escola.example","entityReferenceId":"class","active":true}`),
			"books":    strings.ReplaceAll(oddRows(`{"bookId":{n},"title":{text},"author":{text},"isbn":{text},"length":1000}`), `\n`, " "),
			"segments": oddRows(`{"segmentId":"o{n}","account":"r{n}","bookId":{n},"startedAt":"2026-03-03T10:00:00-03:00","durationMs":{n}000,"from":0,"to":{n},"wpm":200}`),
		})
		var text strings.Builder
		get := func(target string, headers ...string) *httptest.ResponseRecorder {
			return f.get(f.north, target, headers...)
		}
		for _, list := range []string{"/users?pageSize=20&page=2", "/users?page=99", "/engagements?startDate=2026-03-01&pageSize=3", "/readings?startDate=2026-03-01&pageSize=20"} {
			inAllForms(t, &text, get, prefix+list)
		}
		golden(t, filepath.Join("testdata", "schools.rows.txt"), text.String())
	})
}

// TestLibrariesRowsInAllForms compares those of the libraries. The summary and the dimensions are always JSON.
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
		var text strings.Builder
		get := func(target string, headers ...string) *httptest.ResponseRecorder {
			return n.get(n.key, target, headers...)
		}
		for _, list := range []string{"/engagements?startDate=2026-09-01&endDate=2026-09-15&pageSize=3", "/users?pageSize=20", "/datasets/books?pageSize=20", "/datasets/books?search=nenhum",
			"/datasets/stock?pageSize=20", "/datasets/loans?pageSize=20", "/datasets/reservations?pageSize=20", "/datasets/logins?pageSize=3", "/datasets/channels?", "/datasets/channels?channel=web-tablet",
			"/datasets/suggestions?pageSize=20", "/datasets/suggestion-requests?pageSize=20"} {
			inAllForms(t, &text, get, librariesPrefix+list)
		}
		golden(t, filepath.Join("testdata", "libraries.rows.txt"), text.String())
		for _, route := range []string{"/summary", "/summary?groupBy=state", "/dimensions"} {
			for _, f := range forms {
				w := get(librariesPrefix+route, "Accept", f.accept)
				if h := w.Header(); h.Get("Content-Type") != documentType || h.Get("X-Total-Rows") != "" || !json.Valid(w.Body.Bytes()) {
					t.Errorf("GET %s as %s = %v %.100s, want JSON", route, f.accept, h, w.Body)
				}
			}
		}
	})
}
