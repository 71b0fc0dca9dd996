package web

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/server/internal/api/wire"
)

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

// Send sends the answer, once.
func (a *Found) Send(w http.ResponseWriter, r *http.Request) {
	a.reply.ShowSnapshot(w)
	if a.form != formatJSON {
		w.Header().Set("X-Total-Rows", strconv.FormatInt(a.Total, 10))
	}
	a.body.write(w, r, contentTypes[a.form])
}

// key is what the body is kept under. Its size is not known yet, on which its coding depends. What it depends on is in it, the
// versions of its state too, so that nothing has to be withdrawn from the cache.
func (a *Found) key() snapshot.Key {
	return snapshot.Key{Tenant: a.reply.Tenant, At: a.reply.At.Versions, What: "answer " + a.name + " " + a.wants.large + " " + a.wants.small}
}

// load takes the body from the cache, or makes it. Requests for the same body at once make it once, and it belongs to none of
// them: who leaves does so alone.
func (a *Found) load(ctx context.Context, from time.Time) (*body, error) {
	if a.answers.Kept == nil || a.name == "" || a.reply.People { // no cache holds people (G8)
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
