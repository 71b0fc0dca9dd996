package main

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/lectern-dev/lectern/server/database"
)

// ended injects a fault into a running load and returns when the load has ended and the servers answer again. It reports whether the
// load's own result is certain: no fault can have hidden it.
func (t *tenant) ended(c chance, fault string, run *command) (certain bool) {
	certain = t.during(c, fault, run)
	if errors.Is(run.ended(), errHangs) {
		fail("%v", run)
	}
	if t.trouble && fault != "in trouble" {
		t.calm()
	}
	return certain
}

// during injects a fault into a running load, or runs steps beside it. It reports whether the load's result is certain.
func (t *tenant) during(c chance, fault string, run *command) (certain bool) {
	moment := time.Duration(c.IntN(150)) * time.Millisecond
	if t.scenario.Engine == sqlite && (fault == "cut" || fault == "overtaken") {
		fault = "beside" // there is no connection to cut, and a stopped load may hold the lock of the file
	}
	switch fault {
	case "in trouble":
		return false
	case "beside", "slow":
		defer t.hindered(c, fault)()
		for run.runs() {
			t.something(c)
		}
		return true
	case "kill", "cut", "overtaken":
		select {
		case <-run.done:
			return true
		case <-time.After(moment):
		}
	}
	switch fault {
	case "kill":
		_ = run.Process.Kill()
		t.counts.kills.Add(1)
	case "cut":
		t.trouble = true
		t.cut()
	case "overtaken":
		t.overtaken(c, run)
	default:
		return true
	}
	return false
}

// overtaken stops a load, lets another one take its place when the lease has ended, and lets the first one go on.
func (t *tenant) overtaken(c chance, run *command) {
	_ = run.Process.Signal(syscall.SIGSTOP)
	defer func() { _ = run.Process.Signal(syscall.SIGCONT) }()
	t.leaseEnds()
	t.trouble = true
	t.own.load(c, loading{feed: pick(c, t.feeds), now: c.one(2), fault: "in trouble"})
}

// hindered slows the network down if the fault is "slow". The function that it returns ends this.
func (t *harness) hindered(c chance, fault string) (over func()) {
	if fault != "slow" {
		return func() {}
	}
	set := func(delay int64) {
		for _, s := range t.servers {
			s.proxy.Slow.Store(delay)
		}
		if t.store.pg != nil {
			for _, n := range t.store.pg.nodes {
				n.proxy.Slow.Store(delay)
			}
		}
	}
	set(int64(time.Millisecond) * int64(1+c.IntN(8)))
	return func() { set(0) }
}

// cut breaks the connections to the database.
func (t *harness) cut() {
	for _, n := range t.store.pg.nodes {
		n.proxy.Cut()
	}
}

// quiet waits until the database has finished the work of clients that died.
func (t *harness) quiet() {
	if t.scenario.Engine == sqlite {
		return
	}
	check(t.store.open(func(ctx context.Context, db *database.DB) error {
		for n := 1; n > 0; {
			err := db.QueryRowContext(ctx, `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state <> 'idle' AND pid <> pg_backend_pid()`).Scan(&n)
			if err != nil {
				return fmt.Errorf("the database is not quiet: %w", err)
			}
		}
		return nil
	}))
}
