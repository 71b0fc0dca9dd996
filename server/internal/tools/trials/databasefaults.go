package main

import (
	"context"
	"strings"
	"syscall"
	"time"

	"github.com/lectern-dev/lectern/server/database"
)

// crashDatabase ends PostgreSQL at once and starts it again; what it has acknowledged is there.
func (t *harness) crashDatabase(_ chance, _ Step) error {
	t.trouble = true
	t.counts.kills.Add(1)
	if err := t.store.pg.crash(t.store.pg.primary()); err != nil {
		return err
	}
	return t.recovered()
}

// killBackend ends one of the database's processes, by itself or with all others, as a crash in one does.
func (t *harness) killBackend(c chance, _ Step) error {
	t.trouble = true
	t.counts.kills.Add(1)
	err := t.store.open(func(ctx context.Context, db *database.DB) error {
		beside, err := db.Conn(ctx)
		if err != nil {
			return err
		}
		defer beside.Close()
		var pid int
		const one = `SELECT coalesce(max(pid), 0) FROM (SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1) AS one`
		if err := beside.QueryRowContext(ctx, one).Scan(&pid); err != nil || pid == 0 {
			return err
		}
		if c.one(2) {
			_, err = beside.ExecContext(ctx, `SELECT pg_terminate_backend(?)`, pid)
		} else if syscall.Kill(pid, syscall.SIGKILL) == nil {
			var gone error
			for gone == nil { // until the crash has ended this connection too
				_, gone = beside.ExecContext(ctx, `SELECT 1`)
			}
			// A server may still answer over a connection of before. A new one is refused until all of those are gone.
			for refused := gone; refused != nil && ctx.Err() == nil; time.Sleep(20 * time.Millisecond) {
				refused = t.store.open(func(context.Context, *database.DB) error { return nil })
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	return t.calm()
}

// hold keeps the lock of a SQLite file, as a process does that has stopped with it. Who cannot wait any longer is told to come again.
func (t *partnerSide) hold(c chance, _ Step) error {
	moment := time.Duration(c.IntN(1500)) * time.Millisecond
	if c.one(6) {
		moment = 15 * time.Second // longer than a request waits
	}
	t.trouble = true
	err := t.store.open(func(ctx context.Context, db *database.DB) error {
		ctx, cancel := context.WithTimeout(ctx, moment)
		defer cancel()
		if _, err := db.BeginTx(ctx, nil); err != nil { // it ends with its context
			return err
		}
		a := t.get(t.servers[0], t.keys[0], schoolsPrefix+"/users", map[string]string{"pageSize": "4"}) // which notes that it began
		if a.status != 200 && a.status != 503 {
			return differs("%s while another holds the file: %d %v %s, want 503", a.what, a.status, a.err, a.body)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return t.calm()
}

// promote lets the standby take over; what was acknowledged before is there.
func (t *harness) promote(_ chance, _ Step) error {
	if t.promoted {
		return nil
	}
	t.promoted, t.trouble = true, true
	t.counts.kills.Add(1)
	if err := t.store.pg.promote(); err != nil {
		return err
	}
	return t.recovered()
}

// lose has the standby take over when it lacks the last writes: what they made is gone, and nobody is answered from it.
func (t *harness) lose(c chance, _ Step) error {
	if t.promoted {
		return nil
	}
	if err := t.store.pg.part(); err != nil {
		return err
	}
	var back []func()
	for _, of := range t.tenants {
		back = append(back, of.own.fork())
	}
	for range 3 + c.IntN(5) {
		do := pick(c, []func(*harness, chance, Step) error{ofPartner((*partnerSide).directory), ofTenant((*tenant).pull), ofTenant((*tenant).incremental),
			func(t *harness, c chance, a Step) error { return pick(c, t.tenants).own.loadSome(c, a) }})
		if err := do(t, c, Step{}); err != nil {
			return err
		}
	}
	for _, f := range back {
		f()
	}
	if err := t.promote(c, Step{}); err != nil {
		return err
	}
	return t.checkLost()
}

// checkLost holds that a snapshot of what a failover lost is gone, or of what there was before.
func (t *harness) checkLost() error {
	for _, of := range t.tenants {
		for _, p := range of.lost {
			a := t.get(t.servers[len(t.servers)-1], p.key, p.path, paged(p.params, 1, p.size, p.snapshot))
			if a.status == 410 {
				continue
			}
			got, err := t.page(a)
			if got == nil {
				return err
			}
			if p.page = 1; !strings.HasSuffix(p.path, "/channels") {
				if err := p.agrees(a, *got); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// freeze lets nothing pass between the servers and the database for a while, and breaks nothing.
func (t *harness) freeze(c chance, _ Step) error {
	t.trouble = true
	set := func(frozen bool) {
		for _, n := range t.store.pg.nodes {
			n.proxy.frozen.Store(frozen)
		}
	}
	set(true)
	thaw := time.AfterFunc(time.Duration(100+c.IntN(1000))*time.Millisecond, func() { set(false) })
	defer thaw.Stop()
	err := t.something(c)
	set(false)
	if err != nil {
		return err
	}
	return t.calm()
}
