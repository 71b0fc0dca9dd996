package librariesapi

import (
	"context"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/web"
	"github.com/lectern-dev/lectern/server/internal/wire"
)

// call is a report whose parameters have been read: the parts of meta that its answer has (L21), and what runs it at the state of
// an access.
type call struct {
	period  *calendar.Period
	page    *paging.Page
	grouped *bool  // where not nil, the page is there only if it is true
	sample  answer // what the schema is made of
	rounds  bool   // the route has changedSince (H14)
	// people and channels say that names and e-mails, and sessions by channel, are shown.
	people, channels bool
	queued           bool // it waits in the queue of heavy queries

	run func(context.Context, asked) (answer, error)
}

// asked is what a report is asked with besides its parameters.
type asked struct {
	*API
	access report.Access
	since  *state.Snapshot // nil but with changedSince
}

// answer is what a report returned: either rows or other members of data.
type answer struct {
	hour   libraries.Hour
	total  int64 // of the page
	rows   wire.Rows
	erased bool               // see web.Content
	data   func(*wire.Writer) // where it has no rows
}

// list is a report that is a list of rows, in pages.
type list[T, Q any] struct {
	rows  wire.Table[T]
	ask   asking[T, Q]
	since askingSince[T, Q] // nil where the list has no rounds
}

// asking is how the page of a list is asked for.
type asking[T, Q any] = func(Reports, context.Context, report.Access, Q, paging.Page) (report.List[T], error)

// askingSince is how the page of a round is asked for.
type askingSince[T, Q any] = func(Reports, context.Context, report.Access, state.Versions, Q, paging.Page) (report.List[T], error)

// listOf returns the list that ask returns, of rows with a schema, each written by write, as the sample can be.
func listOf[T, Q any](schema string, write func(*wire.Writer, *T), sample T, ask asking[T, Q]) list[T, Q] {
	return list[T, Q]{rows: wire.Table[T]{Schema: schema, Write: write, Sample: sample}, ask: ask}
}

// inRounds returns the list with rounds, which since returns; key writes the natural key of a row.
func (l list[T, Q]) inRounds(key func(*wire.Writer, *T), since askingSince[T, Q]) list[T, Q] {
	l.rows.Key, l.since = key, since
	return l
}

// unpaged is what asks for all rows of a list at once.
func unpaged[T, Q any](ask func(Reports, context.Context, report.Access, Q) (report.List[T], error)) asking[T, Q] {
	return func(r Reports, ctx context.Context, access report.Access, query Q, _ paging.Page) (report.List[T], error) {
		return ask(r, ctx, access, query)
	}
}

// page is the call for a page of the list.
func (l list[T, Q]) page(query Q, page paging.Page) call {
	return call{page: &page, sample: l.answer(report.List[T]{}), rounds: l.since != nil, run: func(ctx context.Context, of asked) (answer, error) {
		if of.since != nil {
			rows, err := l.since(of.Reports, ctx, of.access, of.since.Versions, query, page)
			return answer{hour: rows.Hour, total: rows.Total, rows: l.rows.Changed(rows.Rows, rows.Removed, rows.Total), erased: rows.Erased}, err
		}
		rows, err := l.ask(of.Reports, ctx, of.access, query, page)
		return l.answer(rows), err
	}}
}

func (l list[T, Q]) answer(rows report.List[T]) answer {
	return answer{hour: rows.Hour, total: rows.Total, rows: l.rows.Rows(rows.Rows, rows.Total), erased: rows.Erased}
}

// over returns the call with a period.
func (c call) over(p calendar.Period) call {
	c.period = &p
	return c
}

// meta is the name of the schema of the parts.
func (c call) meta() string {
	switch {
	case c.grouped != nil:
		return "SummaryMeta"
	case c.period != nil && c.page != nil:
		return "ListMeta"
	case c.period != nil:
		return "SeriesMeta"
	case c.page != nil:
		return "PageMeta"
	}
	return "HourMeta"
}

// write writes the envelope and the data of an answer.
func (c call) write(w *wire.Writer, a answer) {
	w.Object("meta", c.meta(), "", func() {
		w.TextOfOrNull("updatedAt", a.hour.String(), wire.Local, "The hour whose data these are, Brasilia time; null before the first synchronisation.")
		if c.period != nil {
			web.WritePeriod(w, *c.period)
		}
		switch {
		case c.grouped != nil:
			if w.Optional(*c.grouped) {
				web.WritePage(w, *c.page, a.total, "The page of the breakdown, where there is one.")
			}
		case c.page != nil:
			web.WritePage(w, *c.page, a.total, "")
		}
	})
	w.Object("data", "", "", func() {
		if a.data != nil {
			a.data(w)
			return
		}
		a.rows.Members(w)
	})
}
