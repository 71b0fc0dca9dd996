package server_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/internal/api/librariesapi"
	"github.com/lectern-dev/lectern/server/internal/api/schoolsapi"
	"github.com/lectern-dev/lectern/server/internal/api/web"
)

// TestFailures compares the errors in the documents with real ones, byte by byte.
//
//	go test ./server -run TestFailures -update
func TestFailures(t *testing.T) {
	d := newDemo(t, dbtest.SQLite(t), &clock{demoTime()})
	d.reportFailures(t, "schools", schoolsapi.Prefix+"/users", d.schools, "?page=0&pageSize=1001&schoolId=x")
	d.reportFailures(t, "libraries", librariesapi.Prefix+"/users", d.libraries, "?status=away&page=0&updatedSince=2026-02-30")
	d.goneFailure(t, "schools", schoolsapi.Prefix+"/users")
	d.goneFailure(t, "libraries", librariesapi.Prefix+"/users")
	d.directoryFailures(t)
	narrow := newDemo(t, dbtest.SQLite(t), &clock{demoTime()}, func(c *server.Config) {
		c.SchoolsRate, c.LibrariesRate, c.DirectoryRate = 1, 1, 1
		c.AnalyticsURL = "http://127.0.0.1:1/" // nothing listens there
	})
	checkFailure(t, "channels", 503, narrow.get(narrow.libraries, librariesapi.Prefix+"/datasets/channels"))
	checkFailure(t, "libraries", 429, narrow.get(narrow.libraries, librariesapi.Prefix+"/users"))
	narrow.get(narrow.schools, schoolsapi.Prefix+"/users")
	checkFailure(t, "schools", 429, narrow.get(narrow.schools, schoolsapi.Prefix+"/users"))
	narrow.call(t, "GET", "/entities?entity_type=school", "")
	checkReply(t, "directory", 429, narrow.call(t, "GET", "/entities?entity_type=school", ""))
}

// reportFailures checks the errors of a route of the schools or the libraries.
func (d *demo) reportFailures(t *testing.T, api, path, key, faults string) {
	t.Helper()
	post := httptest.NewRecorder()
	d.handler.ServeHTTP(post, httptest.NewRequest("POST", path, nil))
	fault := httptest.NewRecorder()
	web.Fail(fault, httptest.NewRequest("GET", path, nil), errors.New("a fault of the program"))
	for status, w := range map[int]*httptest.ResponseRecorder{
		400: d.get(key, path+faults),
		401: d.get("", path),
		403: d.get(key, path, "User-Agent", "Python-urllib/3.12"),
		404: d.get(key, path+"/7"),
		405: post,
		500: fault,
	} {
		checkFailure(t, api, status, w)
	}
}

// goneFailure checks the error for a snapshot that a failover has lost.
func (d *demo) goneFailure(t *testing.T, api, path string) {
	t.Helper()
	at := d.ask(path).Header().Get(web.SnapshotHeader)
	for _, query := range []string{`UPDATE versions SET registers = registers + 1`, `DELETE FROM snapshots`} {
		if _, err := d.db.ExecContext(t.Context(), query); err != nil {
			t.Fatal(err)
		}
	}
	checkFailure(t, api, http.StatusGone, d.ask(path+"?snapshot="+at))
}

// directoryFailures checks errors of the directory.
func (d *demo) directoryFailures(t *testing.T) {
	t.Helper()
	unsigned, typed := d.sign(t, "GET", partners+"/teachers/prof-1", ""), d.sign(t, "POST", partners+"/teachers", "{}")
	unsigned.Header.Del("Authorization")
	typed.Header.Set("Content-Type", "text/plain")
	d.seal(typed, "{}")
	for status, a := range map[int]reply{
		400: d.call(t, "GET", "/entities?entity_type=school&after=x", ""),
		401: do(t, unsigned),
		404: d.call(t, "GET", "/teachers/nobody", ""),
		405: d.call(t, "DELETE", "/entities", ""),
		413: d.call(t, "POST", "/entities", `{"name":"`+strings.Repeat("x", 1<<20)+`"}`),
		415: do(t, typed),
		422: d.call(t, "POST", "/teachers", `{"name":"Rui Prado","email":"rui"}`),
	} {
		checkReply(t, "directory", status, a)
	}
}

func checkFailure(t *testing.T, of string, status int, w *httptest.ResponseRecorder) {
	t.Helper()
	checkReply(t, of, status, reply{status: w.Code, body: w.Body.String()})
}

// checkReply compares an error with the one in the documents.
func checkReply(t *testing.T, of string, status int, got reply) {
	t.Helper()
	file := filepath.Join("openapi", "failures", of+"."+strconv.Itoa(status)+".json")
	if got.status != status {
		t.Errorf("%s = %d %s", file, got.status, got.body)
		return
	}
	golden(t, file, got.body)
}

// TestFailuresInWords builds the errors that a test cannot cause from their messages, and checks them.
func TestFailuresInWords(t *testing.T) {
	busy := &web.Problem{Status: http.StatusServiceUnavailable, Message: "too many heavy queries; try again later"}
	for api, p := range map[string]*web.Problem{"libraries": busy, "schools": web.ErrTrouble} {
		w := httptest.NewRecorder()
		web.Fail(w, httptest.NewRequest("GET", "/", nil), p)
		checkFailure(t, api, 503, w)
	}
	for status, body := range map[int]string{500: `{"errors":{"detail":"Internal Server Error"}}`, 503: `{"errors":{"detail":"Service Unavailable"}}`} {
		checkReply(t, "directory", status, reply{status: status, body: body})
	}
}
