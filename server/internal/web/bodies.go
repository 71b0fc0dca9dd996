package web

import (
	"context"
	"slices"
	"sync"

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

// makings are the bodies that are being made, each by one request: after each load and write the bodies of before are worth nothing, and
// all who ask for the same then would make it. The zero value is ready to use.
type makings struct {
	mu    sync.Mutex
	under map[state.Key]chan struct{} // closed at the end
}

// begin notes that the body of a key is being made until end is called, unless it is: then it returns what is closed at the end of that.
func (m *makings) begin(k state.Key) (end func(), others <-chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if other, ok := m.under[k]; ok {
		return nil, other
	}
	if m.under == nil {
		m.under = make(map[state.Key]chan struct{})
	}
	done := make(chan struct{})
	m.under[k] = done
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.under, k)
		close(done)
	}, nil
}

// awaited waits while another request makes the same body, and reports whether it is kept now. It is not where that request failed or
// the body is too large: then each makes its own.
func (a *Found) awaited(ctx context.Context) bool {
	if !a.keeps() {
		return false
	}
	end, others := a.answers.makings.begin(a.key())
	if others == nil {
		a.end = end
		return false
	}
	TraceOf(ctx).Aside(ctx, func() {
		select {
		case <-others:
		case <-ctx.Done():
		}
	})
	return a.kept()
}
