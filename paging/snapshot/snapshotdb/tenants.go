package snapshotdb

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/paging/handle"
)

// Kind says what a tenant is. A reference is unique within a kind.
type Kind string

// The two kinds of tenants (G3).
const (
	Partner Kind = "partner" // of directory and schools, by its reference_id
	Library Kind = "library" // a library network, by its slug
)

// Tenant is one entry in the list of tenants.
type Tenant struct {
	bun.BaseModel `bun:"table:tenants"`

	ID        auth.Tenant `bun:"tenant_id,pk"`
	Kind      Kind
	Reference string
	Name      string
	Created   time.Time
}

// CreateTenant adds a tenant with an empty snapshot and returns its new number. A zero t.Created is set by the clock.
// It runs in a transaction on idb, or in a savepoint if idb is a transaction, in which the caller creates what belongs
// to the tenant. The error is ErrExist if the kind has the reference. The reference is not validated.
func CreateTenant(ctx context.Context, idb bun.IDB, t Tenant) (auth.Tenant, error) {
	err := idb.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error { return createTenant(ctx, tx, &t) })
	if err != nil {
		return 0, fmt.Errorf("%s %q: %w", t.Kind, t.Reference, err)
	}
	return t.ID, nil
}

func createTenant(ctx context.Context, tx bun.Tx, t *Tenant) error {
	if err := lockTenants(ctx, tx); err != nil {
		return err
	}
	taken, err := tx.NewSelect().Model((*Tenant)(nil)).Where("kind = ? AND reference = ?", t.Kind, t.Reference).Exists(ctx)
	if err != nil {
		return err
	}
	if taken {
		return ErrExist
	}
	if t.Created.IsZero() {
		if t.Created, err = handle.Clock(ctx, tx, nil); err != nil {
			return err
		}
	}
	last, err := lastNumber(ctx, tx)
	if err != nil {
		return err
	}
	t.ID = last + 1
	if _, err := tx.NewInsert().Model(t).Exec(ctx); err != nil {
		return err
	}
	secret := make([]byte, 16)
	rand.Read(secret)
	_, err = tx.NewRaw(`INSERT INTO versions (tenant_id, registers, facts, secret) VALUES (?, 0, 0, ?)`, t.ID, secret).Exec(ctx)
	if err != nil {
		return err
	}
	return Current{}.Publish(ctx, tx, t.ID, t.Created)
}

// lockTenants makes others that create or remove a tenant wait. Readers do not wait.
func lockTenants(ctx context.Context, tx bun.Tx) error {
	if !handle.Postgres(tx) {
		return nil
	}
	_, err := tx.ExecContext(ctx, `LOCK TABLE tenants IN SHARE ROW EXCLUSIVE MODE`)
	return err
}

// lastNumber returns the last number that any tenant was given, even one that was removed: servers may still have its
// data in memory.
func lastNumber(ctx context.Context, tx bun.Tx) (last auth.Tenant, err error) {
	err = tx.NewRaw(`
		SELECT max(n)
		  FROM (SELECT 0 AS n UNION ALL SELECT tenant_id FROM tenants
		         UNION ALL SELECT CAST(value AS bigint) FROM settings WHERE name = 'last_tenant') AS given`).Scan(ctx, &last)
	return last, err
}

// EndTenant begins the removal of a tenant. It deletes the row that says what is current, so that every step that locks
// the tenant, such as issuing a key or loading, fails with ErrRemoved. Its other rows stay; see RemoveAll. It may be
// repeated.
func EndTenant(ctx context.Context, tx bun.IDB, t auth.Tenant) error {
	_, err := Lock(ctx, tx, t)
	if err == nil {
		_, err = tx.NewRaw(`DELETE FROM versions WHERE tenant_id = ?`, t).Exec(ctx)
	}
	if errors.Is(err, ErrRemoved) {
		return nil
	}
	return ofTenant(t, "begin the removal", err)
}

// RemoveTenant deletes a tenant without other rows from the list. Its number is not given again.
func RemoveTenant(ctx context.Context, db bun.IDB, t auth.Tenant) error {
	err := db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		if err := lockTenants(ctx, tx); err != nil {
			return err
		}
		last, err := lastNumber(ctx, tx)
		if err == nil {
			_, err = tx.NewRaw(`
				INSERT INTO settings (name, value)
				VALUES ('last_tenant', ?)
				    ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value`, fmt.Sprint(last)).Exec(ctx)
		}
		if err == nil {
			_, err = tx.NewDelete().Model((*Tenant)(nil)).Where("tenant_id = ?", t).Exec(ctx)
		}
		return err
	})
	return ofTenant(t, "removal", err)
}

// Tenants returns the list of tenants, by number.
func Tenants(ctx context.Context, db bun.IDB) (list []Tenant, err error) {
	if err := db.NewSelect().Model(&list).Order("tenant_id").Scan(ctx); err != nil {
		return nil, fmt.Errorf("tenants: %w", err)
	}
	for i := range list {
		list[i].Created = list[i].Created.UTC()
	}
	return list, nil
}

// ByNumber returns the numbers of tenants, in their order, and the tenants by number.
func ByNumber(list []Tenant) (numbers []auth.Tenant, named map[auth.Tenant]Tenant) {
	named = make(map[auth.Tenant]Tenant, len(list))
	for _, t := range list {
		numbers, named[t.ID] = append(numbers, t.ID), t
	}
	return numbers, named
}

// Numbers returns the numbers of all tenants, ascending.
func Numbers(ctx context.Context, db bun.IDB) (list []auth.Tenant, err error) {
	if err := db.NewSelect().Model((*Tenant)(nil)).Column("tenant_id").Order("tenant_id").Scan(ctx, &list); err != nil {
		return nil, fmt.Errorf("tenants: %w", err)
	}
	return list, nil
}

// TenantOf returns the tenant of a kind with a reference, which is compared exactly, or ErrNotFound.
func TenantOf(ctx context.Context, db bun.IDB, kind Kind, reference string) (t Tenant, err error) {
	err = db.NewSelect().Model(&t).Where("kind = ? AND reference = ?", kind, reference).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNotFound
	}
	if err != nil {
		return Tenant{}, fmt.Errorf("%s %q: %w", kind, reference, err)
	}
	t.Created = t.Created.UTC()
	return t, nil
}

// TenantStatus is a tenant with its current snapshot and its last load. Facts that wait may be due: see Current.At.
type TenantStatus struct {
	Tenant
	Current
	Began time.Time // of the current snapshot; zero if that is not known
	Last  LastLoad  // zero if there was none
}

// LoadedLast returns the status of up to limit of some tenants, in one statement. The tenants loaded last come first,
// and those never loaded come last, by number. The statement joins every table with the tenant of versions and names
// the tenants for each: only then does a distributed database know which rows are on one node.
func LoadedLast(ctx context.Context, db bun.IDB, limit int, of ...auth.Tenant) (list []TenantStatus, err error) {
	if len(of) == 0 {
		return nil, nil
	}
	among := bun.List(of)
	rows, err := db.QueryContext(ctx, `
		SELECT t.tenant_id, t.kind, t.reference, t.name, t.created, `+CurrentColumns+`,
		       coalesce((SELECT s.began FROM snapshots s WHERE s.tenant_id = v.tenant_id AND s.tenant_id IN (?0) AND s.registers = v.registers AND s.facts = v.facts), 0),
		       l.ended, coalesce(l.milliseconds, 0), coalesce(l.row_count, 0)
		  FROM versions v
		  JOIN tenants t ON t.tenant_id = v.tenant_id
		  LEFT JOIN loads l ON l.tenant_id = v.tenant_id AND l.tenant_id IN (?0)
		 WHERE v.tenant_id IN (?0)
		 ORDER BY l.ended IS NULL, l.ended DESC, t.tenant_id
		 LIMIT ?1`, among, limit)
	return list, Visit(rows, err, "status of tenants", func(r *sql.Rows) error {
		var of TenantStatus
		var ended sql.NullTime
		var milliseconds int64
		to := append([]any{&of.ID, &of.Kind, &of.Reference, &of.Name, &of.Created}, of.Fields()...)
		err := r.Scan(append(to, (*instant)(&of.Began), &ended, &milliseconds, &of.Last.Rows)...)
		of.Created, of.Last.Took = of.Created.UTC(), time.Duration(milliseconds)*time.Millisecond
		if ended.Valid {
			of.Last.Ended = ended.Time.UTC()
		}
		list = append(list, of)
		return err
	})
}

// LastLoad is what an operator sees of a tenant's last load.
type LastLoad struct {
	Ended time.Time
	Took  time.Duration // in milliseconds
	Rows  int64         // read from all files
}

// NoteLoad records the last load that ended, for [LoadedLast]. It is not part of the load's transaction: the record is
// for the status only, and a load is not undone because it cannot be written.
func NoteLoad(ctx context.Context, db bun.IDB, t auth.Tenant, l LastLoad) error {
	_, err := db.NewRaw(`
		INSERT INTO loads (tenant_id, ended, milliseconds, row_count)
		VALUES (?, ?, ?, ?)
		    ON CONFLICT (tenant_id) DO UPDATE
		   SET ended = EXCLUDED.ended, milliseconds = EXCLUDED.milliseconds, row_count = EXCLUDED.row_count`,
		t, l.Ended.UTC().Truncate(time.Microsecond), l.Took.Milliseconds(), l.Rows).Exec(ctx)
	return ofTenant(t, "record the load", err)
}
