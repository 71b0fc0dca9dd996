package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"
)

// model is what loads have made of a tenant.
type model[M any] interface {
	clone() M
	load(l loading, at time.Time) error // the model is of no use after an error
}

// A feed is what is loaded: rows by file.
type feed map[string][]row

func (f feed) add(file string, r row) { f[file] = append(f[file], r) }

// loading is a load that is to be done.
type loading struct {
	feed             feed
	skip, check, now bool // --skip-bad; --check; --now for the libraries
	fault            string
}

// load loads a feed and compares the result with the model.
func (t *side[M]) load(c chance, l loading) {
	args := slices.Concat([]string{"load", t.api}, t.flags, []string{t.writeFeed(c, l.feed)})
	if l.skip {
		args = append(args, "--skip-bad", filepath.Join(t.dir, "bad.txt"))
	}
	if l.check {
		args = append(args, "--check")
	}
	if l.now && t.api == "libraries" {
		args = append(args, "--now")
	}
	run := t.product.start(t.env(), t.clock.now(), args...)
	t.log("%v %s", args, line(l.feed))
	t.counts.loads.Add(1)
	if l.check {
		t.checked(c, l, run)
		return
	}
	m := t.begins(l, run.from)
	t.settle(l, m, run, t.ended(c, l.fault, run))
}

// begins notes that a load may take effect from now on.
func (t *side[M]) begins(l loading, at time.Time) *maybe[M] {
	t.own.loads(l.feed)
	m := &maybe[M]{"a load", func(m M) M {
		if n := m.clone(); n.load(l, at) == nil {
			return n
		}
		return m
	}}
	t.worlds.begin(m)
	t.feeds = append(t.feeds, l.feed)
	return m
}

// mayLoad notes that a load may take effect from now on. The function that it returns notes that it has.
func (t *side[M]) mayLoad(l loading, at time.Time) (loaded func()) {
	m := t.begins(l, at)
	return func() { t.worlds.acknowledged(m) }
}

// good reports whether a feed can be loaded at a time: after the clock went back, its rows may be in the future (F3).
func (t *side[M]) good(l loading, at time.Time) bool {
	return t.worlds.clone().agree(func(m M) error { return m.clone().load(l, at) }) == nil
}

// checked compares the result of a check with the model when it began, and when it ended: others may write during it.
func (t *side[M]) checked(c chance, l loading, run *command) {
	began := t.worlds.clone()
	certain := t.ended(c, l.fault, run)
	t.log("checked: certain %v: %v", certain, run)
	if certain || run.err == nil {
		if began.agree(said[M](l, run)) != nil {
			t.worlds.observe("a check", said[M](l, run))
		}
	}
}

// said returns a function that compares the exit status of a command with whether the model takes the feed.
func said[M model[M]](l loading, run *command) func(M) error {
	return func(m M) error {
		if err := m.clone().load(l, run.from); (err == nil) != (run.err == nil) {
			return fmt.Errorf("the feed has %v: %v", err, run)
		}
		return nil
	}
}

// settle notes the result of a load that has ended. It is certain if no fault can have hidden it.
func (t *side[M]) settle(l loading, m *maybe[M], run *command, certain bool) {
	t.log("loaded: certain %v: %v", certain, run)
	if certain || run.err == nil {
		t.worlds.observe("a load", said[M](l, run))
	}
	switch {
	case run.err == nil:
		t.worlds.acknowledged(m)
	case certain:
		t.worlds.refused(m)
	default:
		t.quiet()
		t.worlds.unknown(m)
		t.leaseEnds()
		if !t.trouble {
			t.own.whole(t.servers[0])
		}
	}
}
