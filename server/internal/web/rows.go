package web

import (
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/wire"
)

// format is a form of rows.
type format uint8

const (
	formatJSON format = iota
	formatCSV
	formatNDJSON
	formatXLSX
)

var contentTypes = [...]string{
	formatJSON:   jsonType,
	formatCSV:    "text/csv; charset=utf-8; header=present",
	formatNDJSON: "application/x-ndjson; charset=utf-8",
	formatXLSX:   wire.XLSXType,
}

// accepted returns the form that an Accept header prefers: of those with the highest q the first. What it does not name,
// and anything that it names besides, is JSON.
func accepted(lines []string) format {
	best, chosen := 0, formatJSON
	for o := range offers(lines) {
		f := formatJSON
		switch o.name {
		case "text/csv":
			f = formatCSV
		case "application/x-ndjson":
			f = formatNDJSON
		case wire.XLSXType:
			f = formatXLSX
		case "application/json":
		case "application/*", "*/*": // a little less than a type
			o.q--
		default:
			continue
		}
		if o.q > best {
			best, chosen = o.q, f
		}
	}
	return chosen
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
