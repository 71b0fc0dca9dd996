package web

import (
	"context"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/snapshot"
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

// Found is an answer that is to be sent.
type Found struct {
	// Total is the number of rows of all pages, of an answer that is a list.
	Total int64

	reply   Reply
	answers *Answers
	form    format
	name    string // of the bytes; empty where they have to be seen
	wants   wanted
	body    *body
}

// Find finds the answer to a request, which is of GET and whose parameters are good: none of it where the client has it. The error
// is ErrGone where a state that the request names is not kept, or that of reading.
func (f *Front) Find(r *http.Request, p Reply) (*Found, error) {
	a := &Found{reply: p, answers: f.Answers}
	if p.Rows {
		a.form = accepted(r.Header.Values("Accept"))
	}
	a.wants = wantedBy(r, a.form == formatXLSX)
	err := p.Report(r.Context(), f.Pulls, func(from time.Time) (err error) {
		if a.identify(from); a.hadBefore(r) {
			return nil
		}
		a.body, err = a.load(r.Context(), from)
		return err
	})
	if err != nil {
		return nil, err
	}
	a.Total = a.body.total
	return a, nil
}

// identify gives the bytes a name: all that they depend on, which makes another one of each difference.
func (a *Found) identify(from time.Time) {
	p := &a.reply
	if p.Loose {
		return
	}
	var build string
	if a.answers.Build != nil {
		build = a.answers.Build()
	}
	var erasures int64
	if p.People {
		erasures = p.Erasures
	}
	a.name = digest(fmt.Appendf(nil, "%q %d %d %+v %d %d %d %s",
		build, p.Tenant, p.Network, p.At.Versions, from.UnixMicro(), erasures, a.form, p.Of))
}

// tagOf is the entity tag of the name. A list's has its total too: it is shown, and says whether a pull begins, without a row
// read.
func (a *Found) tagOf(total int64) string {
	if a.reply.Rows || a.reply.Page != nil {
		return `W/"` + a.name + "." + strconv.FormatInt(total, 10) + `"`
	}
	return `W/"` + a.name + `"`
}

// hadBefore reports whether the client names the bytes, and learns the total from the tag that it was given. `*` does not tell it.
func (a *Found) hadBefore(r *http.Request) bool {
	if a.name == "" {
		return false
	}
	for t := range entityTags(r.Header.Values("If-None-Match")) {
		if rest, ok := strings.CutPrefix(t, `"`+a.name); ok {
			total, _ := strconv.ParseInt(strings.Trim(rest, `."`), 10, 64)
			if tag := a.tagOf(total); total >= 0 && tag == "W/"+t {
				a.body = &body{total: total, tag: tag}
				return true
			}
		}
	}
	return false
}

// append appends the content in the form.
func (a *Found) append(to []byte, c Content, from time.Time) []byte {
	switch a.form {
	case formatJSON:
		return wire.AppendJSON(to, func(w *wire.Writer) { a.reply.write(w, c, from) })
	case formatNDJSON:
		return c.Rows.AppendNDJSON(to)
	case formatXLSX:
		return c.Rows.AppendXLSX(to)
	}
	return c.Rows.AppendCSV(to)
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

// Send sends the answer, once.
func (a *Found) Send(w http.ResponseWriter, r *http.Request) {
	a.reply.ShowSnapshot(w)
	if a.form != formatJSON {
		w.Header().Set("X-Total-Rows", strconv.FormatInt(a.Total, 10))
	}
	a.body.write(w, r, contentTypes[a.form])
}

// keeps reports whether the body may be kept: no cache holds people (G8).
func (a *Found) keeps() bool { return a.answers.Kept != nil && a.name != "" && !a.reply.People }

// key is what the body is kept under. Its size is not known yet, on which its coding depends. What it depends on is in it, the
// versions of its state too, so that nothing has to be withdrawn from the cache.
func (a *Found) key() snapshot.Key {
	return snapshot.Key{Tenant: a.reply.Tenant, At: a.reply.At.Versions, What: "answer " + a.name + " " + a.wants.large + " " + a.wants.small}
}

// load takes the body from the cache, or makes it. Requests for the same body at once make it once, and it belongs to none of
// them: who leaves does so alone.
func (a *Found) load(ctx context.Context, from time.Time) (*body, error) {
	if !a.keeps() {
		return a.make(ctx, from)
	}
	v, err := a.answers.Kept.Load(ctx, a.key(), func(ctx context.Context) (snapshot.Value, error) { return a.make(ctx, from) })
	if err != nil {
		return nil, err
	}
	return v.(*body), nil
}

// make reads the content and makes the body.
func (a *Found) make(ctx context.Context, from time.Time) (*body, error) {
	end, err := a.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	c, err := a.reply.Read(ctx, a.reply.States, from)
	if err != nil {
		return nil, err
	}
	text := a.answers.buffer()
	defer a.answers.release(text)
	*text = a.append((*text)[:0], c, from)
	b := a.answers.pack(*text, a.wants)
	if b.total = c.Rows.Total; a.name == "" || c.Rows.Erased {
		b.tag = entityTag(*text)
	} else {
		b.tag = a.tagOf(b.total)
	}
	return b, nil
}

// begin waits in the reply's queue and for a slot. The function that it returns gives both back.
func (a *Found) begin(ctx context.Context) (end func(), err error) {
	leave := func() {}
	if a.reply.Enter != nil {
		if leave, err = a.reply.Enter(ctx, a.reply.States); err != nil {
			return nil, err
		}
	}
	slots := a.answers.Slots
	if slots == nil {
		return leave, nil
	}
	if err := slots.Acquire(ctx, 1); err != nil {
		leave()
		return nil, err
	}
	return func() { slots.Release(1); leave() }, nil
}

// Answers writes the successful answers of GET (H8). The zero value is ready; it holds pools and must not be copied.
type Answers struct {
	// Build returns a text that no two programs share which may write other bytes of the same; nil is for one program alone.
	Build func() string
	// Kept keeps bodies as they were sent, but for those that show people; nil keeps none.
	Kept snapshot.Cache
	// Slots bounds how many replies are read at once, since each takes memory, and connections to the database again and again.
	// Nil sets no bound.
	Slots *semaphore.Weighted

	texts sync.Pool // of *[]byte
	coder coder
}

// keptBuffer is the largest buffer that goes back into the pool, so that one huge answer does not hold its memory.
const keptBuffer = 4 << 20

const jsonType = "application/json; charset=utf-8"

// WriteJSON answers 200 with the object whose members a function writes, or 304 without a body when the client has it already.
// The body is complete in memory before the status is sent. Its entity tag is weak and depends on its text alone, not on
// the coding, so that a client may change the codings it accepts.
func (a *Answers) WriteJSON(w http.ResponseWriter, r *http.Request, members func(*wire.Writer)) {
	text := a.buffer()
	defer a.release(text)
	*text = wire.AppendJSON((*text)[:0], members)
	b := a.pack(*text, wantedBy(r, false))
	b.tag = entityTag(*text)
	b.write(w, r, jsonType)
}

// WriteJSON answers with a status other than 200 of a GET: the object whose members a function writes, complete before the
// status is sent, without an entity tag and not compressed.
func WriteJSON(w http.ResponseWriter, status int, members func(*wire.Writer)) {
	body := wire.AppendJSON(nil, members)
	h := w.Header()
	h.Set("Content-Type", jsonType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	w.Write(body)
}

// body is a body as it is sent, with the total and the entity tag of its answer. It has no bytes where the client has them.
type body struct {
	bytes       []byte
	coding, tag string
	total       int64
}

// Bytes implements snapshot.Value.
func (b *body) Bytes() int { return len(b.bytes) + len(b.tag) + 64 }

// had reports whether the client has the answer already.
func (b *body) had(r *http.Request) bool { return matches(r.Header.Values("If-None-Match"), b.tag) }

func (b *body) write(w http.ResponseWriter, r *http.Request, contentType string) {
	h := w.Header()
	h.Set("ETag", b.tag)
	h.Set("Cache-Control", "private, no-cache")
	h.Set("Vary", "Accept, Accept-Encoding, Authorization, X-Api-Key")
	if b.had(r) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if b.coding != identity {
		h.Set("Content-Encoding", b.coding)
	}
	if contentType == wire.XLSXType { // the name of the route: a person has it as a file
		h.Set("Content-Disposition", `attachment; filename="`+path.Base(r.URL.Path)+`.xlsx"`)
	}
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", strconv.Itoa(len(b.bytes)))
	w.WriteHeader(http.StatusOK)
	w.Write(b.bytes)
}

// pack returns the body of a text, which is copied.
func (a *Answers) pack(text []byte, w wanted) *body {
	b := &body{coding: w.of(len(text))}
	if b.coding == identity {
		b.bytes = slices.Clone(text)
	} else {
		b.bytes = a.coder.encode(make([]byte, 0, len(text)/4), b.coding, text)
	}
	return b
}

func (a *Answers) buffer() *[]byte {
	if b, ok := a.texts.Get().(*[]byte); ok {
		return b
	}
	return new([]byte)
}

func (a *Answers) release(b *[]byte) {
	if cap(*b) <= keptBuffer {
		a.texts.Put(b)
	}
}
