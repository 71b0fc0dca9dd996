package main

import (
	"context"
	"errors"
	"syscall"
	"time"

	"github.com/lectern-dev/lectern/server/database"
)

// ended does a fault to a load that runs, and returns when the load has ended, and the servers answer again; certain is that of during.
func (t *tenant) ended(c chance, fault string, run *command) (certain bool, err error) {
	certain, err = t.during(c, fault, run)
	if err == nil && errors.Is(run.ended(), errHangs) {
		err = differs("%v", run)
	}
	if err == nil && t.trouble && fault != "in trouble" {
		err = t.calm()
	}
	return certain, err
}

// during lets a fault befall a load that runs, or something happen beside it. It reports whether what the load says of itself
// is all that there is to know.
func (t *tenant) during(c chance, fault string, run *command) (certain bool, err error) {
	moment := time.Duration(c.IntN(150)) * time.Millisecond
	switch fault {
	case "kill":
		select {
		case <-run.done:
		case <-time.After(moment):
			_ = run.Process.Kill()
			<-run.done
			t.counts.kills.Add(1)
			return false, nil
		}
	case "beside", "slow":
		defer t.hindered(c, fault)()
		return true, t.beside(c, run)
	case "cut":
		if t.scenario.Engine == sqlite {
			return true, t.beside(c, run)
		}
		select {
		case <-run.done:
		case <-time.After(moment):
			t.trouble = true
			t.cut()
			_ = run.ended()
			return false, t.calm()
		}
	case "overtaken": // on SQLite a stopped load may hold the lock of the file
		if t.scenario.Engine == postgres {
			return false, t.overtaken(c, moment, run)
		}
		return true, t.beside(c, run)
	case "in trouble":
		return false, nil
	}
	return true, nil
}

// beside pulls and writes until a load has ended.
func (t *harness) beside(c chance, run *command) error {
	for {
		select {
		case <-run.done:
			return nil
		default:
		}
		if err := t.something(c); err != nil {
			return err
		}
	}
}

// overtaken stops a load where it is, has another one take its place when its lease has run out, and lets it go on.
func (t *tenant) overtaken(c chance, moment time.Duration, run *command) error {
	select {
	case <-run.done:
		return nil
	case <-time.After(moment):
	}
	_ = run.Process.Signal(syscall.SIGSTOP)
	defer func() { _ = run.Process.Signal(syscall.SIGCONT) }()
	t.leaseEnds()
	t.trouble = true
	return t.own.load(c, loading{feed: pick(c, t.feeds), now: c.one(2), fault: "in trouble"})
}

// hindered makes the network slow until the function that it returns is called.
func (t *harness) hindered(c chance, fault string) (over func()) {
	if fault != "slow" {
		return func() {}
	}
	delay := int64(time.Millisecond) * int64(1+c.IntN(8))
	set := func(delay int64) {
		for _, p := range t.proxies() {
			p.slow.Store(delay)
		}
	}
	set(delay)
	return func() { set(0) }
}

// proxies are those in front of servers and databases.
func (t *harness) proxies() (all []*proxy) {
	for _, s := range t.servers {
		all = append(all, s.proxy)
	}
	if t.store.pg != nil {
		for _, n := range t.store.pg.nodes {
			all = append(all, n.proxy)
		}
	}
	return all
}

// cut breaks the connections to the database.
func (t *harness) cut() {
	for _, n := range t.store.pg.nodes {
		n.proxy.cut()
	}
}

// quiet waits until the database has no more to do for those who died.
func (t *harness) quiet() error {
	if t.scenario.Engine == sqlite {
		return nil
	}
	return t.store.open(func(ctx context.Context, db *database.DB) error {
		for n := 1; n > 0; {
			err := db.QueryRowContext(ctx, `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state <> 'idle' AND pid <> pg_backend_pid()`).Scan(&n)
			if err != nil {
				return errors.Join(errors.New("the database is not quiet"), err)
			}
		}
		return nil
	})
}
