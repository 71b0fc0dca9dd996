package main

import (
	"context"
	"syscall"
	"time"
)

// crashDatabase ends PostgreSQL at once and starts it again; what it has acknowledged is there.
func (t *trial) crashDatabase(_ chance, _ Act) error {
	if t.plan.Engine == sqlite {
		return nil
	}
	t.trouble = true
	t.figures.kills.Add(1)
	if err := t.store.pg.crash(t.store.pg.primary()); err != nil {
		return err
	}
	if err := t.calm(); err != nil {
		return err
	}
	return t.whole(t.servers[0])
}

// killBackend ends one of the database's processes, by itself or with all others, as a crash in one does.
func (t *trial) killBackend(c chance, _ Act) error {
	if t.plan.Engine == sqlite {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	db, err := t.store.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	beside, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer beside.Close()
	var pid int
	const one = `SELECT coalesce(max(pid), 0) FROM (SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1) AS one`
	if err := db.QueryRowContext(ctx, one).Scan(&pid); err != nil || pid == 0 {
		return err
	}
	t.trouble = true
	t.figures.kills.Add(1)
	if c.one(2) {
		if _, err := db.ExecContext(ctx, `SELECT pg_terminate_backend(?)`, pid); err != nil {
			return err
		}
	} else if syscall.Kill(pid, syscall.SIGKILL) == nil {
		for err == nil { // until the crash has ended all of them
			_, err = beside.ExecContext(ctx, `SELECT 1`)
		}
	}
	return t.calm()
}

// promote lets the standby take over; what was acknowledged before is there.
func (t *trial) promote(_ chance, _ Act) error {
	if !t.plan.Pair || t.promoted {
		return nil
	}
	t.promoted, t.trouble = true, true
	t.figures.kills.Add(1)
	if err := t.store.pg.promote(); err != nil {
		return err
	}
	if err := t.calm(); err != nil {
		return err
	}
	return t.whole(t.servers[0])
}

// freeze lets nothing pass between the servers and the database for a while, and breaks nothing.
func (t *trial) freeze(c chance, _ Act) error {
	if t.plan.Engine == sqlite {
		return nil
	}
	t.trouble = true
	set := func(frozen bool) {
		for _, n := range t.store.pg.nodes {
			n.proxy.frozen.Store(frozen)
		}
	}
	set(true)
	thaw := time.AfterFunc(time.Duration(100+c.IntN(1000))*time.Millisecond, func() { set(false) })
	defer thaw.Stop()
	err := t.pullSchools(c, Act{})
	set(false)
	if err != nil {
		return err
	}
	return t.calm()
}
