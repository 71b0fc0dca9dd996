package clients_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	workbook = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	// asCSV makes LibreOffice write what the cells show, with semicolons, in UTF-8, and with quotes only around texts.
	asCSV = "csv:Text - txt - csv (StarCalc):59,34,76,1,,0,true,false,true"
)

// oddTexts are texts that spreadsheets, their files or their locales may misread.
var oddTexts = []string{`=1+1`, `+55`, `@ana`, `007`, `9788535914849`, `1-10`, `2026-10-01`, `12:30`, `10%`, `TRUE`, `1e5`, ` a `, "a\tb", "duas\nlinhas",
	`"aspas"`, `<b>&amp;</b>]]>`, `_x0041_`, `'x`, `ção 😀`, `null`}

// TestSpreadsheets opens the workbooks of all lists with LibreOffice, and compares the cells with the JSON of the same page: what
// they show, and which of them are texts.
func TestSpreadsheets(t *testing.T) {
	s := serve(t)
	s.loadOddBooks(t)
	s.environment = append(os.Environ(), "LC_ALL=C.UTF-8")
	var pages []string
	for path, key := range s.lists(t) {
		for page := 1; page <= s.pages(t, path, key); page++ {
			pages = append(pages, fmt.Sprintf("%spageSize=100&page=%d", path, page))
		}
	}
	if len(pages) < 13 {
		t.Fatalf("%d pages of lists, want at least 13", len(pages))
	}
	dir := t.TempDir()
	for i, page := range pages {
		s.write(t, filepath.Join(dir, fmt.Sprintf("%d.xlsx", i)), s.getAs(t, workbook, page, s.keyOf(page)))
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.xlsx"))
	options := []string{"-env:UserInstallation=file://" + filepath.Join(dir, "profile"), "--headless", "--convert-to", asCSV, "--outdir", "shown"}
	s.run(t, dir, "soffice", append(options, files...)...)
	odd := 0
	for i, page := range pages {
		table, err := os.ReadFile(filepath.Join(dir, "shown", fmt.Sprintf("%d.csv", i)))
		if err != nil {
			t.Fatal(err)
		}
		odd += s.compare(t, page, table)
	}
	if odd < len(oddTexts) {
		t.Errorf("%d odd texts were compared, want %d", odd, len(oddTexts))
	}
}

// keyOf returns the key for a page.
func (s *server) keyOf(page string) string {
	if strings.Contains(page, "/libraries/") {
		return s.books
	}
	return s.schools
}

// loadOddBooks adds books with odd titles to the library.
func (s *server) loadOddBooks(t *testing.T) {
	t.Helper()
	var books bytes.Buffer
	for i, text := range oddTexts {
		row, err := json.Marshal(map[string]any{"bookId": 900_000 + i, "title": text, "isbn": text, "author": text})
		if err != nil {
			t.Fatal(err)
		}
		books.Write(append(row, '\n'))
	}
	s.load(t, "books.ndjson", books.Bytes(), "libraries", "--library", "clients", "--now")
}

// load loads a feed of one file.
func (s *server) load(t *testing.T, file string, rows []byte, args ...string) {
	t.Helper()
	feed := t.TempDir()
	s.write(t, filepath.Join(feed, file), rows)
	s.lectern(t, append(append([]string{"load"}, args...), feed)...)
}

func (s *server) write(t *testing.T, file string, text []byte) {
	t.Helper()
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// lists returns the paths of the lists that the documents offer as workbooks, each with its key. Parameters can follow a path.
func (s *server) lists(t *testing.T) map[string]string {
	t.Helper()
	keys := map[string]string{}
	for api, key := range map[string]string{"schools": s.schools, "libraries": s.books} {
		var document struct {
			Paths map[string]map[string]struct {
				Responses map[string]struct{ Content map[string]any }
			}
		}
		if err := json.Unmarshal(s.get(t, "/openapi/"+api+".json", ""), &document); err != nil {
			t.Fatal(err)
		}
		for path, operations := range document.Paths {
			if operations["get"].Responses["200"].Content[workbook] == nil {
				continue
			}
			query := "?"
			if api == "libraries" && strings.HasSuffix(path, "/engagements") { // it requires a period
				now := time.Now()
				query += "startDate=" + now.AddDate(0, 0, -29).Format(time.DateOnly) + "&endDate=" + now.Format(time.DateOnly) + "&"
			}
			keys[path+query] = key
		}
	}
	return keys
}

// pages returns how many of a list's pages are compared.
func (s *server) pages(t *testing.T, path, key string) int {
	t.Helper()
	var a struct {
		Meta struct{ Page struct{ TotalRows int } }
	}
	if err := json.Unmarshal(s.get(t, path+"pageSize=100", key), &a); err != nil {
		t.Fatal(err)
	}
	return min(max(1, (a.Meta.Page.TotalRows+99)/100), 4)
}

// shown is a cell as LibreOffice shows it.
type shown struct {
	text   string
	quoted bool // it is a text
}

// compare compares a table with the rows of the page in JSON, and returns how many odd texts were in it.
func (s *server) compare(t *testing.T, page string, table []byte) (odd int) {
	t.Helper()
	key := s.keyOf(page)
	var a struct {
		Data struct{ Rows []map[string]json.RawMessage }
	}
	if err := json.Unmarshal(s.get(t, page, key), &a); err != nil {
		t.Fatal(err)
	}
	header, _, _ := strings.Cut(string(s.getAs(t, "text/csv", page, key)), "\r\n")
	lines := readTable(string(table))
	if len(lines) != len(a.Data.Rows)+1 || len(a.Data.Rows) == 0 {
		t.Fatalf("%s: %d lines, want a header and %d", page, len(lines), len(a.Data.Rows))
	}
	for c, column := range strings.Split(header, ",") {
		if got := lines[0][c]; got != (shown{column, true}) {
			t.Fatalf("%s: header %+v, want %s", page, lines[0], header)
		}
		for i, row := range a.Data.Rows {
			got, want := lines[i+1][c], expected(t, row, column)
			if got != want {
				t.Errorf("%s, row %d: %s = %+v, want %+v", page, i, column, got, want)
			}
			if column == "title" && slices.Contains(oddTexts, want.text) {
				odd++
			}
		}
	}
	return odd
}

// expected returns the expected cell of a row. Columns named date or …At have days and times.
func expected(t *testing.T, row map[string]json.RawMessage, column string) shown {
	t.Helper()
	if name, member, ok := strings.Cut(column, "."); ok {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(row[name], &object); err != nil {
			t.Fatal(err)
		}
		if object == nil {
			return shown{}
		}
		return expected(t, object, member)
	}
	value := string(row[column])
	switch {
	case value == "null":
		return shown{}
	case value == "true", value == "false":
		return shown{strings.ToUpper(value), false}
	case value == "":
		t.Fatalf("no member %s in %s", column, row)
	case value[0] == '[':
		return shown{value, true}
	case value[0] != '"':
		return shown{value, false}
	case column == "date" || strings.HasSuffix(column, "At"):
		return shown{strings.NewReplacer(`"`, "", "T", " ", "Z", "").Replace(value), false}
	}
	var text string
	if err := json.Unmarshal([]byte(value), &text); err != nil {
		t.Fatal(err)
	}
	return shown{text, text != ""} // an empty text shows as nothing
}

// readTable reads a CSV table, and which of its cells are in quotes.
func readTable(s string) (lines [][]shown) {
	s = strings.TrimPrefix(s, "\ufeff")
	for s != "" {
		var line []shown
		for more := true; more; {
			var cell shown
			if cell.quoted = strings.HasPrefix(s, `"`); cell.quoted {
				end := 1
				for !strings.HasPrefix(s[end:], `"`) || strings.HasPrefix(s[end:], `""`) {
					if s[end] == '"' {
						end++
					}
					end++
				}
				cell.text, s = strings.ReplaceAll(s[1:end], `""`, `"`), s[end+1:]
			} else {
				end := strings.IndexAny(s, ";\n")
				cell.text, s = s[:end], s[end:]
			}
			line, more, s = append(line, cell), s[0] == ';', s[1:]
		}
		lines = append(lines, line)
	}
	return lines
}
