package main

import (
	"fmt"
	"slices"
	"time"
)

// A model is what loads have made of a tenant.
type model[M any] interface {
	clone() M
	load(l loading, at time.Time) error // what it has made of the model then is no good where there is an error
}

// A feed is what is loaded: rows by file.
type feed map[string][]row

func (f feed) add(file string, r row) { f[file] = append(f[file], r) }

// loading is a load that is to be done.
type loading struct {
	feed             feed
	skip, check, now bool // bad rows are passed over; nothing is written; the libraries do not wait for the hour
	fault            string
}

// load loads a feed, and holds what comes of it against what must.
func (t *side[M]) load(c chance, l loading) error {
	dir, err := t.writeFeed(c, l.feed)
	if err != nil {
		return err
	}
	args := slices.Concat([]string{"load", t.api}, t.flags, []string{dir})
	if l.skip {
		args = append(args, "--skip-bad", t.file("bad.txt"))
	}
	if l.check {
		args = append(args, "--check")
	}
	if l.now && t.api == "libraries" {
		args = append(args, "--now")
	}
	run, err := t.product.start(t.env(), t.clock.now(), args...)
	if err != nil {
		return err
	}
	t.log("%v %s", args, line(l.feed))
	t.counts.loads.Add(1)
	if l.check {
		return t.checked(c, l, run)
	}
	m := t.begins(l, run.from)
	certain, err := t.ended(c, l.fault, run)
	if err != nil {
		return err
	}
	return t.settle(l, m, run, certain)
}

// begins says that a load may happen from now on.
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

// mayLoad says that a load may happen from now on; what it returns, that it has.
func (t *side[M]) mayLoad(l loading, at time.Time) (loaded func()) {
	m := t.begins(l, at)
	return func() { t.worlds.acknowledged(m) }
}

// good reports whether a feed can be loaded at a time: after the clock went back, its rows may be of the future (F3).
func (t *side[M]) good(l loading, at time.Time) bool {
	return t.worlds.clone().observe("a feed", func(m M) error { return m.clone().load(l, at) }) == nil
}

// checked holds what a check says of a feed against the time at which it began, and at which it ended: others may write meanwhile.
func (t *side[M]) checked(c chance, l loading, run *command) error {
	began := t.worlds.clone()
	certain, err := t.ended(c, l.fault, run)
	t.log("checked: certain %v: %v", certain, run)
	if err != nil || !certain && run.err != nil {
		return err
	}
	if began.observe("a check", said[M](l, run)) == nil {
		return nil
	}
	return t.worlds.observe("a check", said[M](l, run))
}

// said is whether a feed is good in a world as a command has said that it is.
func said[M model[M]](l loading, run *command) func(M) error {
	return func(m M) error {
		if err := m.clone().load(l, run.from); (err == nil) != (run.err == nil) {
			return fmt.Errorf("the feed has %v: %v", err, run)
		}
		return nil
	}
}

// settle says what has become of a load that has ended. It is certain where no fault can have taken its answer away.
func (t *side[M]) settle(l loading, m *maybe[M], run *command, certain bool) error {
	t.log("loaded: certain %v: %v", certain, run)
	if certain || run.err == nil {
		if err := t.worlds.observe("a load", said[M](l, run)); err != nil {
			return err
		}
	}
	switch {
	case run.err == nil:
		t.worlds.acknowledged(m)
	case certain:
		return t.worlds.refused(m)
	default:
		if err := t.quiet(); err != nil {
			return err
		}
		t.worlds.unknown(m)
		t.leaseEnds()
		if !t.trouble {
			return t.own.whole(t.servers[0])
		}
	}
	return nil
}
