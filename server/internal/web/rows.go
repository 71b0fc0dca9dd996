package web

import (
	"net/http"
	"strconv"
	"strings"
)

// Rows is an answer that is a list of rows: what H11 shows as CSV and as NDJSON too.
type Rows struct {
	// Columns are the fields of a row in their order, those of an object as book.id; a list is one field.
	Columns []string
	Count   int
	Total   int64 // of all pages
	// Write writes the fields of the row at i.
	Write func(j *JSON, i int)
}

// format is a form of rows.
type format uint8

const (
	formatJSON format = iota
	formatCSV
	formatCSVpt // for spreadsheets of the pt-BR locale
	formatNDJSON
)

var contentTypes = [...]string{
	formatJSON:   "application/json; charset=utf-8",
	formatCSV:    "text/csv; charset=utf-8; header=present",
	formatCSVpt:  "text/csv; charset=utf-8; header=present; profile=pt-BR",
	formatNDJSON: "application/x-ndjson; charset=utf-8",
}

// WriteRows answers as WriteJSON does, with the rows alone where the client asks for CSV or NDJSON (H11), else with the
// document that build writes.
func (a *Answers) WriteRows(w http.ResponseWriter, r *http.Request, rows Rows, build func(*JSON)) {
	f := accepted(r.Header.Values("Accept"))
	if f == formatJSON {
		a.WriteJSON(w, r, build)
		return
	}
	buf := a.buffer()
	if f == formatNDJSON {
		*buf = rows.appendNDJSON((*buf)[:0])
	} else {
		*buf = rows.appendCSV((*buf)[:0], f == formatCSVpt)
	}
	w.Header().Set("X-Total-Rows", strconv.FormatInt(rows.Total, 10))
	a.write(w, r, contentTypes[f], *buf)
	a.release(buf)
}

// appendNDJSON appends one row a line.
func (rows Rows) appendNDJSON(b []byte) []byte {
	for i := range rows.Count {
		j := JSON{b: b}
		rows.row(&j, i)
		b = append(j.b, '\n')
	}
	return b
}

// row writes a row as an object.
func (rows Rows) row(j *JSON, i int) {
	j.Begin()
	rows.Write(j, i)
	j.End()
}

// Array writes the rows as an array that is a member of an object.
func (rows Rows) Array(j *JSON, name string) {
	j.Array(name)
	for i := range rows.Count {
		rows.row(j, i)
	}
	j.EndArray()
}

// accepted returns the form that an Accept header prefers: of those with the highest q the first. What it does not name,
// and anything that it names besides, is JSON.
func accepted(lines []string) format {
	best, chosen := 0, formatJSON
	for _, part := range strings.Split(strings.Join(lines, ","), ",") {
		f, q := mediaType(part)
		if q > best {
			best, chosen = q, f
		}
	}
	return chosen
}

// mediaType reads one element of an Accept header: the form that it names, and its weight in thousandths. What is none of
// the forms has no weight, and a range a little less than a type.
func mediaType(element string) (f format, q int) {
	name, params, _ := strings.Cut(element, ";")
	q, ok := quality(params)
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "text/csv":
		f = formatCSV
	case "application/x-ndjson":
		f = formatNDJSON
	case "application/json":
	case "application/*", "*/*":
		q--
	default:
		ok = false
	}
	if !ok {
		return formatJSON, 0
	}
	if f == formatCSV && profile(params) == "pt-br" {
		f = formatCSVpt
	}
	return f, q
}

// profile returns the parameter profile in lower case.
func profile(params string) string {
	for p := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(p), "=")
		if strings.EqualFold(name, "profile") {
			return strings.ToLower(strings.Trim(value, `"`))
		}
	}
	return ""
}
