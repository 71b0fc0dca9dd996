package tenants

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/paging/handle"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
)

// tables returns all tables with rows of a tenant but the list of tenants, each with the columns that name a row besides tenant_id.
func tables(of *snapshotdb.Remover) []snapshotdb.Rows {
	list := of.Rows()
	if handle.Postgres(of.DB) { // one process counts in memory
		list = append(list, snapshotdb.Rows{Table: "rates", Key: []string{"budget"}})
	}
	return append(list, []snapshotdb.Rows{
		{Table: "versions", Key: []string{"tenant_id"}}, {Table: "keys", Key: []string{"number"}},
		{Table: "snapshots", Key: []string{"registers", "facts"}}, {Table: "leases", Key: []string{"number"}},
		{Table: "pulls", Key: []string{"budget", "query"}}, {Table: "loads", Key: []string{"tenant_id"}}, {Table: "feeds", Key: []string{"tenant_id"}},
		{Table: "partners", Key: []string{"tenant_id"}}, {Table: "degrees", Key: []string{"code"}},
		{Table: "entities", Key: []string{"entity_id"}}, {Table: "accounts", Key: []string{"user_id"}},
		{Table: "reference_owners", Key: []string{"reference_id", "since"}}, {Table: "evaluations", Key: []string{"evaluation_id"}},
		{Table: "libraries_channel_answers", Key: []string{"hour", "first_day", "last_day"}},
		{Table: "forgotten", Key: []string{"user_id"}},
	}...)
}

// Remove removes a tenant for good. Its keys end at once, on every server, and loads of it fail. ended is called then, and returns
// when no request that a key of it allowed is under way any more: none shall miss rows, or write any. The rows go in small batches,
// the entry in the list of tenants last. Whatever ends Remove before, it may be called again.
func Remove(ctx context.Context, db *database.DB, t snapshotdb.Tenant, ended func() error) error {
	rows := server.Remover(db, nil)
	err := db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		if err := snapshotdb.EndTenant(ctx, tx, t.ID); err != nil {
			return err
		}
		return authdb.Delete(ctx, tx, t.ID)
	})
	if err == nil {
		err = rows.EndLoads(ctx, t.ID)
	}
	if err == nil {
		err = ended()
	}
	if err == nil {
		err = rows.RemoveAll(ctx, t.ID, tables(rows))
	}
	if err == nil {
		err = db.Scrub(ctx)
	}
	if err == nil {
		err = snapshotdb.RemoveTenant(ctx, db, t.ID)
	}
	if err != nil {
		return fmt.Errorf("remove %s %q: %w", t.Kind, t.Reference, err)
	}
	return nil
}
