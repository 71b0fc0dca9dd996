package web

import (
	"context"
	"time"

	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/api/wire"
)

// Reply is an answer of a reporting API before anything is read for it: what its bytes depend on, and what reads them. Its entity tag
// is made of the former alone, so that a client that has the bytes is answered without them (H8).
type Reply struct {
	States // set by the Front
	// Of says what the bytes depend on besides the program, the route, the tenant, its network, the states, the parameters, the
	// period and the form: settings and, where the answer reads it, the day or the hour of the state.
	Of string
	// Period is the effective period, nil where the route has none.
	Period *calendar.Period
	// Page is the page asked for, nil where the answer has no pages. Breakdown, where it is not nil, says that they are those of a part
	// of the answer, which has the part if it is true.
	Page      *paging.Page
	Breakdown *bool
	// Meta is the name of the schema of what the answer says of itself. Head writes what stands first in it, of a state whose facts have
	// held since a time; nil writes nothing.
	Meta string
	Head func(w *wire.Writer, from time.Time)
	// Sample is content with no values that count, for the document.
	Sample Content
	// Changes says that the route has changedSince (H14).
	Changes bool
	// Rows says that the answer is a list of rows, which has other forms (H11).
	Rows bool
	// People says that it shows names or e-mails: it is another one when somebody's is erased.
	People bool
	// Loose says that the bytes depend on more than is told here. They are always made then, and the tag is theirs.
	Loose bool
	// Enter waits in a queue of the reply's own before it is read, and returns what leaves it; nil is none.
	Enter func(ctx context.Context, s States) (leave func(), err error)
	// Read reads what is to be written, of a state whose facts have held since a time.
	Read func(ctx context.Context, s States, from time.Time) (Content, error)

	pull string // names the query as one of a pull
}

// Content is the data of an answer: rows, or the members that a function writes, besides which Rows has the total of the pages alone.
// Where somebody was erased from the rows since the key was checked, what was read is of a time between, and the bytes have to be seen.
type Content struct {
	Rows    wire.Rows
	Members func(*wire.Writer)
}

// List is the reply that is a page of a list: of the rows that ask returns, which with changedSince are those that have changed.
func List[T any](table wire.Table[T], page paging.Page, ask func(ctx context.Context, s States, from time.Time) (paging.List[T], error)) Reply {
	return Reply{
		Page: &page, Changes: table.Key != nil, Rows: true, Sample: Content{Rows: table.Rows(paging.List[T]{})},
		Read: func(ctx context.Context, s States, from time.Time) (Content, error) {
			list, err := ask(ctx, s, from)
			return Content{Rows: table.Rows(list)}, err
		},
	}
}

// Object is the reply that is the content of one value, which ask returns.
func Object[T any](content func(*T) Content, ask func(ctx context.Context, s States, from time.Time) (*T, error)) Reply {
	return Reply{Sample: content(new(T)), Read: func(ctx context.Context, s States, from time.Time) (Content, error) {
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
			writePage(w, *p.Page, c.Rows.Total, "The page of the breakdown, where there is one.")
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
