package web

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/wire"
)

// format is a form of rows.
type format uint8

const (
	formatJSON format = iota
	formatCSV
	formatCSVpt // for spreadsheets of the pt-BR locale
	formatNDJSON
	formatXLSX
)

var contentTypes = [...]string{
	formatJSON:   jsonType,
	formatCSV:    "text/csv; charset=utf-8; header=present",
	formatCSVpt:  "text/csv; charset=utf-8; header=present; profile=pt-BR",
	formatNDJSON: "application/x-ndjson; charset=utf-8",
	formatXLSX:   wire.XLSXType,
}

// WriteRows answers as WriteJSON does, with the rows alone where the client asks for CSV, NDJSON or XLSX (H11), else with the
// object whose members a function writes.
func (a *Answers) WriteRows(w http.ResponseWriter, r *http.Request, rows wire.Rows, members func(*wire.Writer)) {
	f := accepted(r.Header.Values("Accept"))
	if f == formatJSON {
		a.WriteJSON(w, r, members)
		return
	}
	buf := a.buffer()
	switch f {
	case formatNDJSON:
		*buf = rows.AppendNDJSON((*buf)[:0])
	case formatXLSX:
		*buf = rows.AppendXLSX((*buf)[:0])
	default:
		*buf = rows.AppendCSV((*buf)[:0], f == formatCSVpt)
	}
	w.Header().Set("X-Total-Rows", strconv.FormatInt(rows.Total, 10))
	a.write(w, r, contentTypes[f], *buf)
	a.release(buf)
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
	case wire.XLSXType:
		f = formatXLSX
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

// WritePeriod writes the effective period of an answer, a part of its meta.
func WritePeriod(w *wire.Writer, p calendar.Period) {
	w.Object("period", "Period", "", func() {
		w.Date("startDate", p.Start, "First day, after defaults.")
		w.Date("endDate", p.End, "Last day, after defaults.")
	})
}

// WritePage writes the page that an answer is, a part of its meta.
func WritePage(w *wire.Writer, p paging.Page, total int64, about string) {
	w.Object("page", "Page", about, func() {
		w.Int("page", int64(p.Number), "Number of the page, from 1.")
		w.Int("pageSize", int64(p.Size), "Rows of a full page.")
		w.Int("totalRows", total, "Rows of all pages.")
	})
}
