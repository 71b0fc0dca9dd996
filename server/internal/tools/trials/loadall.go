package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// loadAll lets two processes load the feeds of several tenants at once. The first may be killed; the second loads the rest, and
// afterwards nothing is left to load. One feed may be bad, which must not keep the others from being loaded.
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
	for second.runs() { // beside pulls, but not writes: a load's numbers come before theirs, whenever it ends
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

// feedsOfAll writes the feeds of several tenants and notes that they may be loaded. One may be bad, and more after the clock went back.
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
		check(os.Rename(t.writeFeed(c, f), to))
		t.log("%s", strings.TrimPrefix(to, folder)+" "+line(f))
	}
	return folder, loaded, bad
}
