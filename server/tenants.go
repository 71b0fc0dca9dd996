package server

import (
	"context"
	"errors"
	"fmt"

	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	libraryreport "github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging/handle"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/schools/report"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/uptrace/bun"
)

// Create creates a partner or a library network with a name, and a reference that no other tenant of its kind has.
func Create(ctx context.Context, db *database.DB, kind snapshotdb.Kind, reference, name string) (snapshotdb.Tenant, error) {
	word := "reference"
	var err error
	switch kind {
	case snapshotdb.Partner:
		_, err = directorydb.CreatePartner(ctx, db, directory.Ref(reference), name)
	case snapshotdb.Library:
		_, err = librariesdb.CreateNetwork(ctx, db, reference, name)
		word = "slug"
	default:
		err = fmt.Errorf("%q is no kind of tenant", kind)
	}
	if errors.Is(err, snapshotdb.ErrExist) {
		err = fmt.Errorf("there is a %s %q already; choose another %s", kind, reference, word)
	}
	if err != nil {
		return snapshotdb.Tenant{}, err
	}
	return snapshotdb.TenantOf(ctx, db, kind, reference)
}

// tenantTables returns all tables with rows of a tenant, except the list of tenants, each with the columns that identify a row
// beside tenant_id.
func tenantTables(of *snapshotdb.Remover) []snapshotdb.Rows {
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

// Remove removes a tenant for good. Its keys end at once, on every server, and its loads fail. Remove then calls ended, which
// must return when no request that such a key allowed is under way any more: no request may miss rows, or write any. The rows are
// removed in small batches, the entry in the list of tenants last. If Remove is interrupted, call it again.
func Remove(ctx context.Context, db *database.DB, t snapshotdb.Tenant, ended func() error) error {
	rows := Remover(db, nil)
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
		err = rows.RemoveAll(ctx, t.ID, tenantTables(rows))
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

// SchoolsReports answer questions about one network of a partner. Access names the snapshot that they read.
type SchoolsReports struct {
	report.Reports
	Access report.Access
}

// ReadSchools returns the reports of a partner's network, with access to the current snapshot. The error is
// snapshotdb.ErrNotFound if there is no such partner, and ErrNetwork if it has no such network.
func ReadSchools(ctx context.Context, db *database.DB, partner, network directory.Ref) (*SchoolsReports, error) {
	t, err := snapshotdb.TenantOf(ctx, db, snapshotdb.Partner, string(partner))
	if err != nil {
		return nil, err
	}
	store, _ := stores(db, nil)
	r := &SchoolsReports{Reports: report.Reports{Store: store}}
	r.Access.Partner = directory.PartnerID(t.ID)
	if r.Access.Network, err = Network(ctx, db, r.Access.Partner, network); err != nil {
		return nil, err
	}
	current, err := snapshotdb.ReadCurrent(ctx, db, t.ID)
	r.Access.At, r.Access.Erasures = current.Versions, current.Erasures
	return r, err
}

// LibrariesReports answer questions about one library network. Access names the snapshot that they read.
type LibrariesReports struct {
	libraryreport.Reports
	Access libraryreport.Access
}

// ReadLibraries returns the reports of a library network, with access to the current snapshot. The error is
// snapshotdb.ErrNotFound if there is no such network.
func ReadLibraries(ctx context.Context, db *database.DB, slug string) (*LibrariesReports, error) {
	t, err := snapshotdb.TenantOf(ctx, db, snapshotdb.Library, slug)
	if err != nil {
		return nil, err
	}
	_, store := stores(db, nil)
	r := &LibrariesReports{Reports: libraryreport.Reports{Store: store}}
	r.Access, err = store.Present(ctx, libraries.NetworkID(t.ID))
	return r, err
}

// ErrNetwork says that a partner has no live network with a reference.
var ErrNetwork = errors.New("the partner has no network")

// Network returns a partner's live network with a reference, or ErrNetwork.
func Network(ctx context.Context, idb bun.IDB, p directory.PartnerID, ref directory.Ref) (directory.EntityID, error) {
	entities, err := directorydb.Latest(idb, p).Entities(ctx)
	if err != nil {
		return 0, err
	}
	for _, e := range entities {
		if e.Type == directory.Network && e.Ref == ref && !e.Deleted {
			return e.ID, nil
		}
	}
	return 0, fmt.Errorf("%w %q", ErrNetwork, ref)
}
