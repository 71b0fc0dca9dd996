package check

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/schools/schoolsdb"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
)

// restore is the advice for corrupt stored data.
const restore = "restore a backup from before, and load what came since"

// Deep opens every stored block of every tenant, and compares the sums of the current snapshots. The schema must be the
// program's.
func (c *Checker) Deep(ctx context.Context) error {
	if err := c.file(ctx); err != nil {
		return err
	}
	tenants, err := snapshotdb.Tenants(ctx, c.DB)
	if err != nil {
		return err
	}
	numbers, named := snapshotdb.ByNumber(tenants)
	return c.leftOut(c.DB.EachNode(ctx, numbers, func(of []auth.Tenant) error {
		for _, n := range of {
			t := named[n]
			what := fmt.Sprintf("%s %s", t.Kind, t.Reference)
			err := c.tenant(ctx, what, t)
			if errors.Is(err, snapshotdb.ErrRemoved) {
				c.fault(what, fmt.Sprintf("run lectern %s remove %s again", t.Kind, t.Reference), "it is half removed")
			} else if err != nil {
				return fmt.Errorf("check of %s %q: %w", t.Kind, t.Reference, err)
			}
		}
		return nil
	}))
}

// file lets SQLite check its pages. PostgreSQL checks its own as it reads them, if its checksums are on.
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

// tenant checks the stored blocks of one tenant; what is its name in items.
func (c *Checker) tenant(ctx context.Context, what string, t snapshotdb.Tenant) error {
	v, kinds := schoolsdb.NewVerifier(), schoolsdb.Kinds
	if t.Kind == snapshotdb.Library {
		v, kinds = librariesdb.NewVerifier(), librariesdb.Kinds
	}
	before, err := snapshotdb.ReadCurrent(ctx, c.DB, t.ID)
	if err != nil {
		return err
	}
	wrong := c.wrong
	blocks, err := c.everyBlock(ctx, what, t.ID, v, kinds, before.Last())
	if err != nil {
		return err
	}
	after, err := snapshotdb.ReadCurrent(ctx, c.DB, t.ID)
	if err != nil {
		return err
	}
	switch faults := v.Faults(); {
	case after.Last() != before.Last(): // what the load replaced may be removed
		c.ok(what, "a load ended during the check: sums were not compared; check again")
	case c.wrong == wrong:
		for _, text := range faults {
			c.fault(what, restore, "%s", text)
		}
	}
	c.okUnlessWrong(what, wrong, "%d blocks", blocks)
	return nil
}

// everyBlock opens every stored block of every snapshot, and returns how many there are.
func (c *Checker) everyBlock(ctx context.Context, what string, tenant auth.Tenant, v snapshot.Verifier, kinds []snapshot.Kind, latest int64) (blocks int64, err error) {
	err = server.Snapshots(c.DB, c.Clock).All(ctx, tenant, func(b snapshotdb.Stored) error {
		blocks++
		if c.Progress != nil && blocks%1000 == 0 {
			c.Progress(what, blocks, 0)
		}
		i := slices.IndexFunc(kinds, func(k snapshot.Kind) bool { return k.Number == b.Kind })
		if i < 0 {
			c.fault(what, restore, "block %d/%d is of the unknown kind %d", b.A, b.B, b.Kind)
			return nil
		}
		open := b.Block
		data, err := snapshot.Unseal(tenant, kinds[i], b.Block)
		if open.Data = data; err == nil {
			err = v.Block(kinds[i], open, b.Since <= latest && latest < b.Until)
		}
		if err != nil {
			c.fault(what, restore, "%s %d/%d of snapshot %d: %v", kinds[i].Name, b.A, b.B, b.Since, err)
		}
		return nil
	})
	return blocks, err
}
