package main

import (
	"errors"
	"fmt"
	"slices"
)

// worlds are the possible outcomes: a change that was requested and not acknowledged has happened in some of them, and not in others.
// Each answer removes those that disagree with it. At least one must remain.
type worlds[M interface{ clone() M }] struct {
	all []world[M]
}

type world[M any] struct {
	model M
	open  []*maybe[M] // may still happen
	done  []*maybe[M] // happened, and was not acknowledged when it did
}

// A maybe is a change that may happen at any time, or never.
type maybe[M any] struct {
	what string
	do   func(M) M // may change its argument
	feed feed      // of a load
}

func newWorlds[M interface{ clone() M }](m M) *worlds[M] { return &worlds[M]{[]world[M]{{model: m}}} }

// clone copies the worlds. Open changes may still happen in the copies.
func (w *worlds[M]) clone() *worlds[M] {
	c := &worlds[M]{slices.Clone(w.all)}
	for i := range c.all {
		c.all[i].model = c.all[i].model.clone()
	}
	return c
}

// likely returns the model of the first world.
func (w *worlds[M]) likely() M { return w.all[0].model }

// begin notes that a change may happen from now on.
func (w *worlds[M]) begin(m *maybe[M]) {
	for i := range w.all {
		w.all[i].open = append(slices.Clone(w.all[i].open), m)
	}
}

// acknowledged notes that a change has happened by now.
func (w *worlds[M]) acknowledged(m *maybe[M]) {
	for i := range w.all {
		w.all[i].happen(m)
	}
	w.forget(m)
	w.merge()
}

// happens makes a change in every world at once.
func (w *worlds[M]) happens(do func(M)) {
	m := &maybe[M]{do: func(m M) M { do(m); return m }}
	w.begin(m)
	w.acknowledged(m)
}

// refused notes that a change has not happened, and will not.
func (w *worlds[M]) refused(m *maybe[M]) {
	kept := slices.DeleteFunc(slices.Clone(w.all), func(o world[M]) bool { return slices.Contains(o.done, m) })
	if len(kept) == 0 {
		fail("%s was refused, and has taken effect", m.what)
	}
	w.all = kept
	w.forget(m)
}

// unknown notes that a change may have happened, and cannot happen any more.
func (w *worlds[M]) unknown(m *maybe[M]) {
	w.expand()
	w.forget(m)
	w.merge()
}

func (w *worlds[M]) forget(m *maybe[M]) {
	for i := range w.all {
		w.all[i].open = without(w.all[i].open, m)
		w.all[i].done = without(w.all[i].done, m)
	}
}

func without[T comparable](list []T, v T) []T {
	return slices.DeleteFunc(slices.Clone(list), func(o T) bool { return o == v })
}

// happen lets an open change happen in a world.
func (o *world[M]) happen(m *maybe[M]) {
	if slices.Contains(o.open, m) {
		o.model = m.do(o.model)
		o.open, o.done = without(o.open, m), append(slices.Clone(o.done), m)
	}
}

const mostWorlds = 200

// expand adds copies of the worlds in which open changes have happened, in any order.
func (w *worlds[M]) expand() {
	for i := 0; i < len(w.all) && len(w.all) < mostWorlds; i++ {
		for _, m := range w.all[i].open {
			o := w.all[i]
			o.model = o.model.clone()
			o.happen(m)
			w.all = append(w.all, o)
		}
	}
}

// observe keeps the worlds that agree with an observation. At least one must. see may note in a model what it learns.
func (w *worlds[M]) observe(what string, see func(M) error) {
	if err := w.agree(see); err != nil {
		fail("%s, of %d ways in which it may be: %v", what, len(w.all), err)
	}
}

// agree keeps the worlds that agree with an observation, or returns why none does.
func (w *worlds[M]) agree(see func(M) error) (wrong error) {
	w.expand()
	var kept []world[M]
	for i, o := range w.all {
		if err := see(o.model); err == nil {
			kept = append(kept, o)
		} else if i < 4 {
			wrong = errors.Join(wrong, err)
		}
	}
	if len(kept) == 0 {
		return wrong
	}
	w.all = kept
	w.merge()
	return nil
}

// merge keeps one of several worlds with the same model and the same open changes.
func (w *worlds[M]) merge() {
	if len(w.all) == 1 {
		return
	}
	seen := map[string]bool{}
	w.all = slices.DeleteFunc(w.all, func(o world[M]) bool {
		text := fmt.Sprintf("%+v", o.model)
		for _, m := range o.open {
			text += fmt.Sprintf(" %p", m)
		}
		again := seen[text]
		seen[text] = true
		return again
	})
}

// A difference is an answer that the specification does not allow.
type difference struct{ text string }

func (d *difference) Error() string { return d.text }

func isDifference(err error) bool {
	_, is := errors.AsType[*difference](err)
	return is
}

// fail ends a scenario that found a difference. It panics: steps are nested, and run recovers it.
func fail(format string, args ...any) { panic(&difference{fmt.Sprintf(format, args...)}) }

// check ends a scenario on an error of the trials themselves.
func check(err error) {
	if d, is := errors.AsType[*difference](err); is {
		panic(d)
	} else if err != nil {
		panic(stopped{err})
	}
}

func must[T any](v T, err error) T {
	check(err)
	return v
}

// stopped is an error that is not a difference.
type stopped struct{ error }

// caught calls f and returns the difference or the error that ended it.
func caught(f func()) (err error) {
	defer func() {
		switch end := recover().(type) {
		case nil:
		case *difference:
			err = end
		case stopped:
			err = end.error
		default:
			panic(end)
		}
	}()
	f()
	return nil
}
