package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// loadAll has two processes at once load the feeds of several tenants, of which one may be killed. The other loads what is left,
// and afterwards there is nothing to load. One of the feeds may be bad, which keeps no other one from being loaded.
func (t *harness) loadAll(c chance, a Step) error {
	folder, loaded, bad, err := t.feedsOfAll(c)
	if err != nil {
		return err
	}
	first, err := t.product.start(t.env(), t.clock.now(), "load", "all", folder)
	if err != nil {
		return err
	}
	time.Sleep(time.Duration(c.IntN(60)) * time.Millisecond)
	second, err := t.product.start(t.env(), t.clock.now(), "load", "all", folder, "--jobs", pick(c, []string{"1", "2", "4"}))
	if err != nil {
		return err
	}
	t.counts.loads.Add(2)
	if a.Fault == "kill" {
		time.Sleep(time.Duration(c.IntN(200)) * time.Millisecond)
		_ = first.Process.Kill()
		t.counts.kills.Add(1)
	}
	for running := true; running; {
		select {
		case <-second.done:
			running = false
		default: // no directory writes: numbers that a load has reserved come before theirs, whenever it ends
			if err := ofTenant((*tenant).pull)(t, c, Step{}); err != nil {
				return err
			}
		}
	}
	killed := a.Fault == "kill" && first.ended() != nil
	for _, run := range []*command{first, second} {
		ended := run.ended()
		t.log("%v", run)
		if errors.Is(ended, errHangs) || (run.err != nil) != bad && !(run == first && killed) {
			return differs("a feed is bad: %v: %v", bad, run)
		}
	}
	for _, done := range loaded {
		done()
	}
	if err := t.everything(t.servers[0]); err != nil || bad {
		return err
	}
	again, err := t.lectern("load", "all", folder)
	if err == nil && (again.err != nil || again.out.String() != "") {
		return differs("there is nothing more to load: %v", again)
	}
	return err
}

// feedsOfAll writes the feeds of several tenants, and begins what they make. One may be bad, and after the clock
// went back more of them.
func (t *harness) feedsOfAll(c chance) (folder string, loaded []func(), bad bool, err error) {
	if folder, err = os.MkdirTemp(t.dir, "feeds-"); err != nil {
		return folder, nil, false, err
	}
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
		dir, err := t.writeFeed(c, f)
		to := filepath.Join(folder, of.api, of.name)
		if err := errors.Join(err, os.MkdirAll(filepath.Dir(to), 0o755), os.Rename(dir, to)); err != nil {
			return folder, nil, false, err
		}
		t.log("%s", strings.TrimPrefix(to, folder)+" "+line(f))
	}
	return folder, loaded, bad, nil
}
