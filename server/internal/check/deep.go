package check

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/paging/state/statedb"
	"github.com/lectern-dev/lectern/reading/packed"
	"github.com/lectern-dev/lectern/schools/schoolsdb"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
)

const (
	// What to do about stored data that are wrong.
	restore = "restore a backup from before, and load what came since"

	// mostFaults is how many faults of one tenant are told one by one.
	mostFaults = 20

	// useEvery is how often it is said that a state is read.
	useEvery = time.Minute
)

// Deep checks what is stored alone: every form of every tenant. The schema must be the program's.
func (c *Checker) Deep(ctx context.Context) error {
	if err := c.file(ctx); err != nil {
		return err
	}
	tenants, err := (&authdb.Store{DB: c.DB.DB}).Tenants(ctx)
	if err != nil {
		return err
	}
	numbers, named := authdb.ByNumber(tenants)
	return c.leftOut(c.DB.EachNode(ctx, numbers, func(of []auth.Tenant) error {
		for _, n := range of {
			t := named[n]
			d := &deepCheck{Checker: c, tenant: t, what: fmt.Sprintf("%s %s", t.Kind, t.Reference), states: server.States(c.DB, c.Clock)}
			if err := d.run(ctx); err != nil {
				return fmt.Errorf("check of %s %q: %w", t.Kind, t.Reference, err)
			}
		}
		return nil
	}))
}

// file has SQLite look at its pages. PostgreSQL looks at its own, where its checksums are on, as it reads them.
func (c *Checker) file(ctx context.Context) error {
	if c.DB.Engine != database.SQLite {
		return nil
	}
	var said string
	if err := c.DB.NewRaw(`PRAGMA quick_check(1)`).Scan(ctx, &said); err != nil && ctx.Err() != nil {
		return err
	} else if err != nil {
		said = err.Error()
	}
	if said != "ok" {
		c.fault("pages of the file", restore, "%s", said)
		return nil
	}
	c.ok("pages of the file", "whole")
	return nil
}

// deepCheck checks one tenant.
type deepCheck struct {
	*Checker
	tenant authdb.Tenant
	what   string
	states *statedb.Store
	faults int
	blocks int64
}

// found tells a fault, unless there were many.
func (d *deepCheck) found(text string) {
	if d.faults++; d.faults <= mostFaults {
		d.fault(d.what, restore, "%s", text)
	}
}

func (d *deepCheck) run(ctx context.Context) error {
	if err := d.everyBlock(ctx); err != nil {
		return err
	}
	switch h, err := authdb.ReadHeld(ctx, d.DB, d.tenant.ID); {
	case err != nil:
		return err
	case d.faults > 0:
		d.fault(d.what, restore, "totals were not computed anew, since blocks are damaged")
	default:
		if err := d.verify(ctx, h); err != nil {
			return err
		}
	}
	if n := d.faults - mostFaults; n > 0 {
		d.fault(d.what, restore, "%d more", n)
	}
	d.settle(d.what, d.wrong-d.faults, "%d blocks", d.blocks)
	return nil
}

// verify computes anew what the present state says, and the one that waits for its hour.
func (d *deepCheck) verify(ctx context.Context, h authdb.Held) error {
	at := state.Versions(h.Versions)
	if err := d.pinned(ctx, at); err != nil || h.Next == 0 {
		return err
	}
	at.Facts = h.Next
	return d.pinned(ctx, at)
}

// pinned verifies a state, which is kept meanwhile.
func (d *deepCheck) pinned(ctx context.Context, at state.Versions) error {
	tenant := state.Tenant(d.tenant.ID)
	use := func(ctx context.Context) { _ = d.states.Use(ctx, tenant, at, "check") }
	use(ctx)
	ctx, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(useEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				use(ctx)
			case <-ctx.Done():
				return
			}
		}
	}()
	var found []string
	err := d.recompute(ctx, at, func(text string) { found = append(found, text) })
	stop()
	<-done
	return d.judge(context.WithoutCancel(ctx), at, found, err)
}

// judge tells what was found of a state. Where a load came in between, what is found may be of two: it is looked at again by the next check.
func (d *deepCheck) judge(ctx context.Context, at state.Versions, found []string, err error) error {
	h, readErr := authdb.ReadHeld(ctx, d.DB, d.tenant.ID)
	if readErr != nil {
		return readErr
	}
	moved := h.Facts != at.Facts && h.Next != at.Facts
	switch {
	case errors.Is(err, state.ErrCorrupt) || errors.Is(err, packed.ErrCorrupt):
		d.found(err.Error())
		return nil
	case err != nil:
		return err
	case moved && len(found) > 0:
		d.ok(d.what, "a load came in between: totals were computed of data that it has replaced; check again")
		return nil
	}
	for _, text := range found {
		d.found(text)
	}
	return nil
}

// recompute computes the totals of a state anew.
func (d *deepCheck) recompute(ctx context.Context, at state.Versions, found func(string)) error {
	if d.tenant.Kind == authdb.Library {
		store := &librariesdb.Store{DB: d.DB.DB, Now: d.Clock}
		return store.Verify(ctx, report.Access{Network: libraries.NetworkID(d.tenant.ID), At: at}, found)
	}
	partner := directory.PartnerID(d.tenant.ID)
	// Of one moment: the directory is written meanwhile.
	options := &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
	err := d.DB.RunInTx(ctx, options, func(ctx context.Context, tx bun.Tx) error { return directorydb.Verify(ctx, tx, partner, found) })
	if err != nil {
		return err
	}
	return (&schoolsdb.Store{DB: d.DB.DB, Now: d.Clock}).Verify(ctx, partner, at, found)
}

// everyBlock looks at every block that is stored, of whatever state.
func (d *deepCheck) everyBlock(ctx context.Context) error {
	kinds := map[int16]state.Kind{}
	verify := schoolsdb.VerifyBlock
	list := schoolsdb.Kinds
	if d.tenant.Kind == authdb.Library {
		verify, list = librariesdb.VerifyBlock, librariesdb.Kinds
	}
	for _, k := range list {
		kinds[k.Number] = k
	}
	var last statedb.Stored
	return d.states.All(ctx, state.Tenant(d.tenant.ID), func(b statedb.Stored) error {
		d.blocks++
		if d.Progress != nil && d.blocks%1000 == 0 {
			d.Progress(d.what, d.blocks, 0)
		}
		k, known := kinds[b.Kind]
		if !known {
			d.found(fmt.Sprintf("block %d/%d is of the kind %d, which is none of it", b.A, b.B, b.Kind))
			return nil
		}
		name := fmt.Sprintf("%s %d/%d of state %d", k.Name, b.A, b.B, b.Since)
		if last.Kind == b.Kind && last.BlockKey == b.BlockKey && last.Until > b.Since {
			d.found(name + " is there twice")
		}
		last = statedb.Stored{Kind: b.Kind, Block: state.Block{BlockKey: b.BlockKey}, Until: b.Until}
		open := b.Block
		data, err := state.Unseal(state.Tenant(d.tenant.ID), k, b.Block)
		if open.Data = data; err == nil {
			err = verify(k, open)
		}
		if err != nil {
			d.found(fmt.Sprintf("%s: %v", name, err))
		}
		return nil
	})
}
