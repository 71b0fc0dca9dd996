package web

import (
	"slices"

	"github.com/lectern-dev/lectern/paging/state"
)

// Bodies keeps the bodies of answers, bounded in bytes; *cache.Cache is one. Nothing has to be withdrawn from it: what a body depends on
// is its key, of which the versions of its state are a part, so that those of a state that was replaced leave as they are no longer
// asked for.
type Bodies interface {
	Get(state.Key) (state.Value, bool)
	Put(state.Key, state.Value)
}

// mostKept is the size of a body, as it is sent, that is not kept any more: a page of 1,000 rows has a half of it at most, and none
// may take the place of everything else.
const mostKept = 1 << 19

// body is a body as it was sent.
type body struct {
	bytes  []byte
	coding string
	total  int64
}

// Bytes implements state.Value.
func (b *body) Bytes() int { return len(b.bytes) + 48 }

// keeps reports whether the answer may be kept: no cache holds people (G8).
func (a *Found) keeps() bool { return a.answers.Kept != nil && a.name != "" && !a.reply.People }

// key is what the body is kept under: its size is not known before, on which its coding depends.
func (a *Found) key() state.Key {
	return state.Key{Tenant: a.reply.Tenant, At: a.reply.At.Versions, What: "answer " + a.name + " " + a.wants.large + " " + a.wants.small}
}

// kept finds the body among those that are kept.
func (a *Found) kept() bool {
	if !a.keeps() {
		return false
	}
	v, ok := a.answers.Kept.Get(a.key())
	if ok {
		b := v.(*body)
		a.body, a.coding = b.bytes, b.coding
		a.tagged(b.total)
	}
	return ok
}

// keep keeps the body, which is in a buffer that others will have.
func (a *Found) keep() {
	if a.keeps() && len(a.body) <= mostKept {
		a.answers.Kept.Put(a.key(), &body{slices.Clone(a.body), a.coding, a.Total})
	}
}
