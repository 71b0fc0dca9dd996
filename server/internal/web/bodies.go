package web

import (
	"context"
	"time"

	"github.com/lectern-dev/lectern/paging/state"
)

// keeps reports whether the body may be kept: no cache holds people (G8).
func (a *Found) keeps() bool { return a.answers.Kept != nil && a.name != "" && !a.reply.People }

// key is what the body is kept under. Its size is not known yet, on which its coding depends. What it depends on is in it, the
// versions of its state too, so that nothing has to be withdrawn from the cache.
func (a *Found) key() state.Key {
	return state.Key{Tenant: a.reply.Tenant, At: a.reply.At.Versions, What: "answer " + a.name + " " + a.wants.large + " " + a.wants.small}
}

// load takes the body from the cache, or makes it. Requests for the same body at once make it once, and it belongs to none of
// them: who leaves does so alone.
func (a *Found) load(ctx context.Context, from time.Time) (*body, error) {
	if !a.keeps() {
		return a.make(ctx, from)
	}
	v, err := a.answers.Kept.Load(ctx, a.key(), func(ctx context.Context) (state.Value, error) { return a.make(ctx, from) })
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
	*text = c.append((*text)[:0], a.form)
	b := a.answers.pack(*text, a.wants)
	if b.total = c.Total; a.name == "" || c.Erased {
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
