package web

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/server/internal/api/wire"
)

// answerRows answers a request with rows of a list of 12,345. The headers are given in pairs.
func answerRows(t *testing.T, target string, rows []int64, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequest("GET", target, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	table := wire.Table[int64]{Write: func(w *wire.Writer, n *int64) { w.Int("n", *n, "") }}
	list := table.Rows(paging.List[int64]{Rows: rows, Total: 12345})
	found, err := (&Front{Answers: new(Answers)}).Find(r, Reply{Rows: true, Read: func(context.Context, Snapshots, time.Time) (Content, error) {
		return Content{Rows: list}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	found.Send(w, r)
	return w
}

// TestAccept tests which form an Accept header chooses (H11).
func TestAccept(t *testing.T) {
	const (
		document = "application/json; charset=utf-8"
		table    = "text/csv; charset=utf-8; header=present"
		lines    = "application/x-ndjson; charset=utf-8"
		workbook = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	)
	for accept, want := range map[string]string{
		"":                                document,
		"*/*":                             document,
		"text/html, */*;q=0.8":            document,
		"image/png":                       document,
		"text/csv":                        table,
		"TEXT/CSV":                        table,
		"text/csv, */*":                   table,
		"*/*, text/csv":                   table,
		"text/csv;q=0":                    document,
		"text/csv;q=x":                    document,
		"text/csv;q=0.5,application/json": document,
		"text/csv;q=0.5,application/x-ndjson;q=0.6":     lines,
		"application/x-ndjson,text/csv":                 lines,
		`text/csv;header="present";q=0.9`:               table,
		workbook:                                        workbook,
		strings.ToUpper(workbook) + ";q=0.9, */*;q=0.8": workbook,
		workbook + ";q=0.5, text/csv":                   table,
	} {
		w := answerRows(t, "/", nil, "Accept", accept)
		if got := w.Header().Get("Content-Type"); got != want {
			t.Errorf("Accept %q = %s, want %s", accept, got, want)
		}
		if file := w.Header().Get("Content-Disposition"); (file == "") == (want == workbook) {
			t.Errorf("Accept %q: Content-Disposition %q", accept, file)
		}
		if total := w.Header().Get("X-Total-Rows"); (total == "12345") == (want == document) {
			t.Errorf("Accept %q: X-Total-Rows %q", accept, total)
		}
	}
}

// TestWorkbookIsNotCompressed tests that a workbook has no coding unless the client requires one.
func TestWorkbookIsNotCompressed(t *testing.T) {
	for codings, want := range map[string]string{"gzip, zstd": "", "gzip;q=1, identity;q=0.1": "", "gzip, identity;q=0": "gzip"} {
		w := answerRows(t, "/datasets/books?page=1", []int64{1}, "Accept", wire.XLSXType, "Accept-Encoding", codings)
		if got := w.Header().Get("Content-Encoding"); got != want || w.Body.Len() < plainBelow {
			t.Errorf("Accept-Encoding %q: %q of %d bytes, want %q", codings, got, w.Body.Len(), want)
		}
		if got := w.Header().Get("Content-Disposition"); got != `attachment; filename="books.xlsx"` {
			t.Errorf("Content-Disposition = %s", got)
		}
	}
}
