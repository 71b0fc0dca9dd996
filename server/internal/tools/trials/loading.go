package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// model is the model of a tenant, which loads change.
type model[M any] interface {
	clone() M
	load(l loading, at time.Time) error // the model is unusable after an error
}

// A feed maps a file to its rows.
type feed map[string][]row

func (f feed) add(file string, r row) { f[file] = append(f[file], r) }

// loading is a load with its flags and its fault.
type loading struct {
	feed             feed
	skip, check, now bool // --skip-bad; --check; --now for the libraries
	fault            string
}

// load loads a feed and compares the result with the model.
func (t *side[M]) load(c chance, l loading) {
	args := slices.Concat([]string{"load", t.api}, t.flags, []string{t.writeFeed(l.feed)})
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
	t.result(l, m, run, t.ended(c, l.fault, run))
}

// writeFeed writes the rows of a feed to a new folder.
func (t *harness) writeFeed(f feed) (dir string) {
	dir = must(os.MkdirTemp(t.dir, "feed-"))
	for name, rows := range f {
		check(os.WriteFile(filepath.Join(dir, name+".ndjson"), []byte(strings.Join(lines(rows), "\n")+"\n"), 0o644))
	}
	return dir
}

// begins notes that a load may take effect from now on.
func (t *side[M]) begins(l loading, at time.Time) *maybe[M] {
	t.own.loads(l.feed)
	m := &maybe[M]{"a load", func(m M) M {
		if n := m.clone(); n.load(l, at) == nil {
			return n
		}
		return m
	}, l.feed}
	t.worlds.begin(m)
	t.feeds = append(t.feeds, l.feed)
	return m
}

// mayLoad notes that a load may take effect from now on. The function that it returns notes that it did.
func (t *side[M]) mayLoad(l loading, at time.Time) (loaded func()) {
	m := t.begins(l, at)
	return func() { t.worlds.acknowledged(m) }
}

// good reports whether a feed can be loaded at a time: after the clock went back, its rows may be in the future (F3).
func (t *side[M]) good(l loading, at time.Time) bool {
	return t.worlds.clone().agree(func(m M) error { return m.clone().load(l, at) }) == nil
}

// checked compares the result of a check with the model at its beginning or its end: other steps may write between them.
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

// said returns a function that checks that a command succeeded if and only if the model accepts the feed.
func said[M model[M]](l loading, run *command) func(M) error {
	return func(m M) error {
		if err := m.clone().load(l, run.from); (err == nil) != (run.err == nil) {
			return fmt.Errorf("the feed has %v: %v", err, run)
		}
		return nil
	}
}

// result notes the result of a load that has ended. It is certain if no fault can have hidden it.
func (t *side[M]) result(l loading, m *maybe[M], run *command, certain bool) {
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
		if l.fault != "in trouble" { // then a load is stopped, perhaps in a transaction, and this one has ended by itself
			t.quiet()
		}
		t.worlds.unknown(m)
		t.leaseEnds()
		if !t.trouble {
			t.own.whole(t.servers[0])
		}
	}
}

// loadAll lets two processes load the feeds of several tenants at once. The first may be killed. The second loads the rest,
// and then nothing is left to load. One feed may be bad, which must not prevent the others from being loaded.
func (t *harness) loadAll(c chance, a Step) {
	folder, loaded, bad := t.feedsOfAll(c)
	first := t.product.start(t.env(), t.clock.now(), "load", "all", folder)
	time.Sleep(time.Duration(c.IntN(60)) * time.Millisecond)
	second := t.product.start(t.env(), t.clock.now(), "load", "all", folder, "--jobs", pick(c, []string{"1", "2", "4"}))
	t.counts.loads.Add(2)
	if a.Fault == "kill" {
		time.Sleep(time.Duration(c.IntN(200)) * time.Millisecond)
		_ = first.Process.Kill()
		t.counts.kills.Add(1)
	}
	for second.runs() { // pulls run beside it, but no writes: a load's numbers come before theirs, whenever it ends
		ofTenant((*tenant).pull)(t, c, Step{})
	}
	killed := a.Fault == "kill" && first.ended() != nil
	for _, run := range []*command{first, second} {
		ended := run.ended()
		t.log("%v", run)
		if errors.Is(ended, errHangs) || (run.err != nil) != bad && !(run == first && killed) {
			fail("a feed is bad: %v: %v", bad, run)
		}
	}
	for _, done := range loaded {
		done()
	}
	t.everything(t.servers[0])
	if bad {
		return
	}
	if again := t.lectern("load", "all", folder); again.err != nil || again.out.String() != "" {
		fail("there is nothing more to load: %v", again)
	}
}

// feedsOfAll writes the feeds of several tenants and notes that they may be loaded. One may be bad, or several if the clock went back.
func (t *harness) feedsOfAll(c chance) (folder string, loaded []func(), bad bool) {
	folder = must(os.MkdirTemp(t.dir, "feeds-"))
	for _, of := range t.tenants {
		if c.one(4) {
			continue
		}
		f := of.own.chunk(c)
		if of.api == "schools" && !bad && c.one(6) {
			spoil(c, f, t.clock.now())
			bad = true
		} else if l := (loading{feed: f}); of.own.good(l, t.clock.now()) {
			loaded = append(loaded, of.own.mayLoad(l, t.clock.now()))
		} else {
			bad = true
		}
		to := filepath.Join(folder, of.api, of.name)
		check(os.MkdirAll(filepath.Dir(to), 0o755))
		check(os.Rename(t.writeFeed(f), to))
		t.log("%s", strings.TrimPrefix(to, folder)+" "+line(f))
	}
	return folder, loaded, bad
}
