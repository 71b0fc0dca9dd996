package main

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

const sheet = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

// otherForm asks for the first page of a pull in another form, which has the same rows (H11).
func (t *trial) otherForm(c chance, p *pull, s *server) error {
	if !t.product.snapshots || t.trouble {
		return nil
	}
	form := pick(c, []string{"text/csv", "text/csv; profile=pt-BR", "application/x-ndjson", sheet})
	q := url.Values{}
	for name, v := range paged(p.params, 1, p.size, p.snapshot) {
		q.Set(name, v)
	}
	rows := p.rows[:min(p.size, len(p.rows))]
	if strings.HasSuffix(p.path, "/channels") {
		rows = p.rows
	}
	a := t.ask(s, call{method: "GET", path: p.path, query: q, header: http.Header{"X-Api-Key": {p.key.key}, "Accept": {form}}})
	if said, err := t.allowed(a); !said {
		return err
	}
	if total := fmt.Sprint(len(p.lists[0].lines)); a.status != 200 || a.header.Get("X-Total-Rows") != total {
		return differs("%s as %s: %d, %s rows, want 200, %s: %s", a.what, form, a.status, a.header.Get("X-Total-Rows"), total, a.body)
	}
	if err := sameRows(form, a.body, rows); err != nil {
		return differs("%s as %s: %v", a.what, form, err)
	}
	return nil
}

// sameRows holds a body against the rows of the JSON.
func sameRows(form string, body []byte, rows []row) error {
	if form == "application/x-ndjson" {
		var got []string
		for l := range bytes.Lines(body) {
			r, err := decoded(l)
			if err != nil {
				return err
			}
			got = append(got, line(r))
		}
		if want := lines(rows); !slices.Equal(got, want) {
			return fmt.Errorf("got\n%v, want\n%v", got, want)
		}
		return nil
	}
	table, err := tableOf(form, body)
	if err != nil || len(table) != len(rows)+1 {
		return fmt.Errorf("%d rows, want %d: %w", len(table)-1, len(rows), err)
	}
	for i, r := range rows {
		want := map[string]any{}
		flatten(want, "", r)
		for j, name := range table[0] {
			if v, _ := want[name]; !sameCell(form, table[i+1][j], v) {
				return fmt.Errorf("row %d: %s is %q, want %v", i+1, name, table[i+1][j], v)
			}
			delete(want, name)
		}
		for name, v := range want {
			if v != nil || !slices.ContainsFunc(table[0], func(n string) bool { return strings.HasPrefix(n, name+".") }) {
				return fmt.Errorf("row %d: no column has %s", i+1, name)
			}
		}
	}
	return nil
}

// flatten names the members of a row as columns are.
func flatten(into map[string]any, before string, r row) {
	for name, v := range r {
		if inner, ok := v.(row); ok {
			flatten(into, before+name+".", inner)
		} else {
			into[before+name] = v
		}
	}
}

// sameCell reports whether a cell shows a value.
func sameCell(form, got string, v any) bool {
	brazilian := strings.Contains(form, "pt-BR")
	if brazilian {
		got = strings.TrimSuffix(strings.TrimPrefix(got, `="`), `"`)
	}
	switch v := v.(type) {
	case nil:
		return got == ""
	case bool:
		return strings.EqualFold(got, strconv.FormatBool(v)) || form == sheet && got == map[bool]string{true: "1", false: "0"}[v]
	case json.Number:
		if brazilian {
			got = strings.ReplaceAll(got, ",", ".")
		}
		n, err := strconv.ParseFloat(got, 64)
		want, _ := v.Float64()
		return err == nil && n == want && (form == sheet || got == v.String())
	case string:
		return got == v || brazilian && strings.ReplaceAll(strings.TrimPrefix(got, "'"), `""`, `"`) == v || form == sheet && got != "" && got == serial(got, v)
	}
	var list any
	d := json.NewDecoder(strings.NewReader(got))
	d.UseNumber()
	return d.Decode(&list) == nil && line(list) == line(v)
}

// serial is a cell's number where it is the day or time that a text shows, as spreadsheets count.
func serial(got, text string) string {
	n, err := strconv.ParseFloat(got, 64)
	for _, form := range []string{dayForm, time.DateTime, "2006-01-02T15:04:05Z"} {
		at, wrong := time.Parse(form, text)
		if zero := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC); err == nil && wrong == nil && math.Round(n*86400) == at.Sub(zero).Seconds() {
			return got
		}
	}
	return ""
}

// tableOf reads the cells of a table, with its header.
func tableOf(form string, body []byte) ([][]string, error) {
	if form == sheet {
		return cellsOf(body)
	}
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(body, []byte("\ufeff"))))
	r.LazyQuotes = true
	if strings.Contains(form, "pt-BR") {
		r.Comma = ';'
	}
	return r.ReadAll()
}

// cellsOf reads the one sheet of a workbook.
func cellsOf(body []byte) (table [][]string, err error) {
	z, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		return nil, err
	}
	type text struct {
		T string `xml:"t"`
	}
	var shared struct {
		SI []text `xml:"si"`
	}
	var page struct {
		Rows []struct {
			Cells []struct {
				At   string `xml:"r,attr"`
				Kind string `xml:"t,attr"`
				V    string `xml:"v"`
				IS   text   `xml:"is"`
			} `xml:"c"`
		} `xml:"sheetData>row"`
	}
	for name, into := range map[string]any{"xl/sharedStrings.xml": &shared, "xl/worksheets/sheet1.xml": &page} {
		f, err := z.Open(name)
		if err != nil {
			continue
		}
		part, err := io.ReadAll(f)
		if err == nil {
			err = xml.Unmarshal(part, into)
		}
		if err != nil {
			return nil, err
		}
	}
	for _, r := range page.Rows {
		cells := map[int]string{}
		for i, c := range r.Cells {
			at := i
			if letters := strings.TrimRight(c.At, "0123456789"); letters != "" {
				at = 0
				for _, l := range letters {
					at = 26*at + int(l-'A') + 1
				}
				at--
			}
			cells[at] = c.V + c.IS.T
			if n, err := strconv.Atoi(c.V); err == nil && c.Kind == "s" && n < len(shared.SI) {
				cells[at] = shared.SI[n].T
			}
		}
		width := len(cells)
		if len(table) > 0 {
			width = len(table[0])
		}
		list := make([]string, width)
		for at := range list {
			list[at] = cells[at]
		}
		table = append(table, list)
	}
	return table, nil
}
