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

// Found is an answer that can be sent.
type Found struct {
	front   *Front
	reply   Reply
	form    format
	name    string // of the bytes; empty where they have to be seen
	codings codings
	body    *body
}

// Find returns the answer to a GET request whose parameters are valid. It reads nothing if the client has the answer. The error
// is ErrGone if a snapshot that the request names is not kept, or that of the report.
func (f *Front) Find(r *http.Request, p Reply) (*Found, error) {
	a := &Found{front: f, reply: p}
	if p.Rows {
		a.form = accepted(r.Header.Values("Accept"))
	}
	a.codings = acceptedCodings(r.Header.Values("Accept-Encoding"))
	from, err := p.readFrom(r.Context(), f.Pulls)
	if err != nil {
		return nil, err
	}
	if a.identify(from); !a.hadBefore(r) {
		if a.body, err = a.load(r.Context(), from); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// identify gives the bytes a name: a digest of everything that they depend on.
func (a *Found) identify(from time.Time) {
	p := &a.reply
	if p.Loose {
		return
	}
	var build string
	if a.front.Answers.Build != nil {
		build = a.front.Answers.Build()
	}
	var erasures int64
	if p.People {
		erasures = p.Erasures
	}
	a.name = digest(fmt.Appendf(nil, "%q %d %d %+v %d %d %d %s",
		build, p.Tenant, p.Network, p.At.Versions, from.UnixMicro(), erasures, a.form, p.Of))
}

// tagOf is the entity tag of the name. The tag of a list has its total too: a 304 shows it, and decides by it whether a pull
// begins, without a row read.
func (a *Found) tagOf(total int64) string {
	if a.reply.Rows || a.reply.Page != nil {
		return `W/"` + a.name + "." + strconv.FormatInt(total, 10) + `"`
	}
	return `W/"` + a.name + `"`
}

// hadBefore reports whether the client names the bytes, and takes the total from the tag. `*` has no total.
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
		w.Header().Set("X-Total-Rows", strconv.FormatInt(a.body.total, 10))
	}
	a.body.write(w, r, contentTypes[a.form])
}

// key is the cache key of the body. The coding depends on the size, which is not known yet, so the key has the codings for both.
// It contains the versions of the snapshot, so that nothing needs to be withdrawn from the cache.
func (a *Found) key() snapshot.Key {
	large, small := a.codings.choose(a.form == formatXLSX), a.codings.choose(true)
	return snapshot.Key{Tenant: a.reply.Tenant, At: a.reply.At.Versions, What: "answer " + a.name + " " + large + " " + small}
}

// load takes the body from the cache, or makes it. Simultaneous requests for one body make it once. The work belongs to none of
// them: a client that leaves does not end it.
func (a *Found) load(ctx context.Context, from time.Time) (*body, error) {
	if a.front.Answers.Kept == nil || a.name == "" || a.reply.People { // no cache holds people (G8)
		return a.make(ctx, from)
	}
	v, err := a.front.Answers.Kept.Load(ctx, a.key(), func(ctx context.Context) (snapshot.Value, error) { return a.make(ctx, from) })
	if err != nil {
		return nil, err
	}
	return v.(*body), nil
}

// make waits in the reply's queue and for a slot, reads the content and makes the body. The snapshot must be kept until the last
// statement.
func (a *Found) make(ctx context.Context, from time.Time) (*body, error) {
	if a.reply.Enter != nil {
		leave, err := a.reply.Enter(ctx, a.reply.Snapshots)
		if err != nil {
			return nil, err
		}
		defer leave()
	}
	if slots := a.front.Answers.Slots; slots != nil {
		if err := slots.Acquire(ctx, 1); err != nil {
			return nil, err
		}
		defer slots.Release(1)
	}
	c, err := a.reply.Read(ctx, a.reply.Snapshots, from)
	if _, kept := a.reply.keptFrom(ctx, a.front.Pulls); err == nil || kept == ErrGone {
		err = kept
	}
	if err != nil {
		return nil, explainGone(err)
	}
	text := texts.Get().(*[]byte)
	defer release(text)
	*text = a.append((*text)[:0], c, from)
	b := pack(*text, a.codings, a.form == formatXLSX)
	if b.total = c.Rows.Total; a.name == "" || c.Rows.Erased {
		b.tag = entityTag(*text)
	} else {
		b.tag = a.tagOf(b.total)
	}
	return b, nil
}
