package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lectern-dev/lectern/server/internal/tools/xlsxtest"
)

const sheet = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

// otherForm asks for the first page of a pull in another form, which has the same rows (H11).
func (t *tenant) otherForm(c chance, p *pull, s *server) error {
	if t.trouble {
		return nil
	}
	form := pick(c, []string{"text/csv", "application/x-ndjson", sheet})
	rows := p.rows[:min(p.size, len(p.rows))]
	if strings.HasSuffix(p.path, "/channels") {
		rows = p.rows
	}
	a := t.getForm(s, p.key, p.path, paged(p.params, 1, p.size, p.snapshot), form)
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
	switch v := v.(type) {
	case nil:
		return got == ""
	case bool:
		return strings.EqualFold(got, strconv.FormatBool(v))
	case json.Number:
		return got == v.String()
	case string:
		if at, err := time.Parse(time.RFC3339, v); form == sheet && err == nil {
			v = at.Format(time.DateTime)
		}
		return got == v
	}
	var list any
	d := json.NewDecoder(strings.NewReader(got))
	d.UseNumber()
	return d.Decode(&list) == nil && line(list) == line(v)
}

// tableOf reads the cells of a table, with its header.
func tableOf(form string, body []byte) (table [][]string, err error) {
	if form == sheet {
		cells, err := xlsxtest.Read(body)
		for _, line := range cells {
			var texts []string
			for _, c := range line {
				texts = append(texts, c.Text)
			}
			table = append(table, texts)
		}
		return table, err
	}
	return csv.NewReader(bytes.NewReader(body)).ReadAll()
}
