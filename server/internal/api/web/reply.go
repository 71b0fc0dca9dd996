package web

import (
	"context"
	"time"

	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/api/wire"
)

// Reply is an answer of a reporting API before anything is read for it: what its bytes depend on, and a function that reads them.
// The entity tag is made only of what the bytes depend on, so that a client that has the bytes gets a 304 without a report (H8).
type Reply struct {
	Snapshots // set by the Front
	// Of says what the bytes depend on besides the program, the route, the tenant, its network, the snapshots, the parameters,
	// the period and the format: settings and, if the answer shows it, the day or the hour of the snapshot.
	Of string
	// Period is the effective period; nil if the route has none.
	Period *calendar.Period
	// Page is the page asked for; nil if the answer has no pages. If Breakdown is not nil, the pages are those of a part of the
	// answer, which is present if *Breakdown is true.
	Page      *paging.Page
	Breakdown *bool
	// Meta is the name of the schema of the member meta. Head writes its first members; it is passed since when the snapshot's
	// facts are current. Nil writes nothing.
	Meta string
	Head func(w *wire.Writer, from time.Time)
	// Sample is made-up content for the document.
	Sample Content
	// Changes says that the route has changedSince (H14).
	Changes bool
	// Rows says that the answer is a list of rows, which has other formats too (H11).
	Rows bool
	// People says that the answer shows names or e-mails, so that it changes when somebody is erased.
	People bool
	// Loose says that the bytes depend on more than is told here. The answer is then always made, and its tag is computed from
	// the bytes.
	Loose bool
	// Enter waits for a slot before the reply is read, and returns a function that gives it back; nil waits for nothing.
	Enter func(ctx context.Context, s Snapshots) (leave func(), err error)
	// Read reads the content from a snapshot; from is since when its facts are current.
	Read func(ctx context.Context, s Snapshots, from time.Time) (Content, error)

	pull string // names the query as one of a pull
}

// Content is the data of an answer: rows, or members that a function writes, beside which Rows has only the total of the pages.
// If somebody was erased from the rows since the key was checked, the rows are older than the erasure in part, and the tag must
// be computed from the bytes.
type Content struct {
	Rows    wire.Rows
	Members func(*wire.Writer)
}

// List is the reply that is a page of a list. ask returns the rows; with changedSince those that have changed.
func List[T any](table wire.Table[T], page paging.Page, ask func(ctx context.Context, s Snapshots, from time.Time) (paging.List[T], error)) Reply {
	return Reply{
		Page: &page, Changes: table.Key != nil, Rows: true, Sample: Content{Rows: table.Rows(paging.List[T]{})},
		Read: func(ctx context.Context, s Snapshots, from time.Time) (Content, error) {
			list, err := ask(ctx, s, from)
			return Content{Rows: table.Rows(list)}, err
		},
	}
}

// Object is the reply that shows one value, which ask returns.
func Object[T any](content func(*T) Content, ask func(ctx context.Context, s Snapshots, from time.Time) (*T, error)) Reply {
	return Reply{Sample: content(new(T)), Read: func(ctx context.Context, s Snapshots, from time.Time) (Content, error) {
		v, err := ask(ctx, s, from)
		if err != nil {
			return Content{}, err
		}
		return content(v), nil
	}}
}

// Over returns the reply with a period.
func (p Reply) Over(period calendar.Period) Reply {
	p.Period = &period
	return p
}

// write writes an answer as an object: what it says of itself, and its data.
func (p *Reply) write(w *wire.Writer, c Content, from time.Time) {
	w.Object("meta", p.Meta, "", func() {
		if p.Head != nil {
			p.Head(w, from)
		}
		if p.Period != nil {
			w.Object("period", "Period", "", func() {
				w.Date("startDate", p.Period.Start, "First day, after defaults.")
				w.Date("endDate", p.Period.End, "Last day, after defaults.")
			})
		}
		switch {
		case p.Page == nil:
		case p.Breakdown == nil:
			writePage(w, *p.Page, c.Rows.Total, "")
		case w.Optional(*p.Breakdown):
			writePage(w, *p.Page, c.Rows.Total, "The page of the breakdown, if there is one.")
		}
	})
	w.Object("data", "", "", func() {
		if c.Members == nil {
			c.Members = c.Rows.Members
		}
		c.Members(w)
	})
}

func writePage(w *wire.Writer, p paging.Page, total int64, about string) {
	w.Object("page", "Page", about, func() {
		w.Int("page", int64(p.Number), "Number of the page, from 1.")
		w.Int("pageSize", int64(p.Size), "Rows of a full page.")
		w.Int("totalRows", total, "Rows of all pages.")
	})
}
