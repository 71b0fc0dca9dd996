package main

import (
	"context"
	"strings"
	"syscall"
	"time"

	"github.com/lectern-dev/lectern/server/database"
)

// crashDatabase kills PostgreSQL and starts it again. Acknowledged writes must survive.
func (t *harness) crashDatabase(_ chance, _ Step) {
	t.trouble = true
	t.counts.kills.Add(1)
	t.store.pg.crash(t.store.pg.nodes[0])
	t.store.pg.start(t.store.pg.nodes[0])
	t.recovered()
}

// killBackend terminates one of the database's processes, or kills it, which makes PostgreSQL end all others.
func (t *harness) killBackend(c chance, _ Step) {
	t.trouble = true
	t.counts.kills.Add(1)
	check(t.store.open(func(ctx context.Context, db *database.DB) error {
		conn, err := db.Conn(ctx)
		if err != nil {
			return err
		}
		defer conn.Close()
		var pid int
		const one = `SELECT coalesce(max(pid), 0) FROM (SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1) AS one`
		if err := conn.QueryRowContext(ctx, one).Scan(&pid); err != nil || pid == 0 {
			return err
		}
		if c.one(2) {
			_, err = conn.ExecContext(ctx, `SELECT pg_terminate_backend(?)`, pid)
		} else if syscall.Kill(pid, syscall.SIGKILL) == nil {
			var gone error
			for gone == nil { // until the crash has ended this connection too
				_, gone = conn.ExecContext(ctx, `SELECT 1`)
			}
			// A server may still answer over an earlier connection. PostgreSQL refuses a new one until all of those have ended.
			for refused := gone; refused != nil && ctx.Err() == nil; time.Sleep(20 * time.Millisecond) {
				refused = t.store.open(func(context.Context, *database.DB) error { return nil })
			}
		}
		return err
	}))
	t.calm()
}

// lock locks the SQLite file, like a process that stopped during a write. Requests that cannot wait longer get 503.
func (t *partnerSide) lock(c chance, _ Step) {
	moment := time.Duration(c.IntN(1500)) * time.Millisecond
	if c.one(6) {
		moment = 15 * time.Second // longer than a request waits
	}
	t.trouble = true
	check(t.store.open(func(ctx context.Context, db *database.DB) error {
		ctx, cancel := context.WithTimeout(ctx, moment)
		defer cancel()
		if _, err := db.BeginTx(ctx, nil); err != nil { // the transaction ends with its context
			return err
		}
		a := t.get(t.servers[0], t.keys[0], schoolsPrefix+"/users", map[string]string{"pageSize": "4"}) // this begins a pull, which is a write
		if a.status != 200 && a.status != 503 {
			fail("%s while another process locks the file: %d %v %s, want 503", a.what, a.status, a.err, a.body)
		}
		return nil
	}))
	t.calm()
}

// promote lets the standby take over. Acknowledged writes must survive.
func (t *harness) promote(_ chance, _ Step) {
	if t.promoted {
		return
	}
	t.promoted, t.trouble = true, true
	t.counts.kills.Add(1)
	t.store.pg.promote()
	t.recovered()
}

// lose lets the standby take over without the last writes. The lost writes must be gone, and no answer may show them.
func (t *harness) lose(c chance, _ Step) {
	if t.promoted {
		return
	}
	t.store.pg.part()
	var back []func()
	for _, of := range t.tenants {
		back = append(back, of.own.fork())
	}
	for range 3 + c.IntN(5) {
		pick(c, []func(*harness, chance, Step){ofPartner((*partnerSide).directory), ofTenant((*tenant).pull), ofTenant((*tenant).incremental),
			func(t *harness, c chance, a Step) { pick(c, t.tenants).own.loadSome(c, a) }})(t, c, Step{})
	}
	for _, f := range back {
		f()
	}
	t.promote(c, Step{})
	t.checkLost()
}

// checkLost requests the snapshots that were pulled just before a failover that lost writes. Each is 410 or has the same rows.
func (t *harness) checkLost() {
	for _, of := range t.tenants {
		for _, p := range of.lost {
			a := t.get(t.servers[len(t.servers)-1], p.key, p.path, paged(p.params, 1, p.size, p.snapshot))
			if a.status == 410 {
				continue
			}
			got := t.page(a)
			if p.page = 1; got != nil && !strings.HasSuffix(p.path, "/channels") {
				p.agrees(a, *got)
			}
		}
	}
}

// freeze stops the traffic between the servers and the database for a while, without breaking connections.
func (t *harness) freeze(c chance, _ Step) {
	t.trouble = true
	set := func(frozen bool) {
		for _, n := range t.store.pg.nodes {
			n.proxy.Frozen.Store(frozen)
		}
	}
	set(true)
	thaw := time.AfterFunc(time.Duration(100+c.IntN(1000))*time.Millisecond, func() { set(false) })
	t.something(c)
	thaw.Stop()
	set(false)
	t.calm()
}
