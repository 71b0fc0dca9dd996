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

// Kind says what a tenant is. References are unique within a kind.
type Kind string

// The two kinds of tenants (G3).
const (
	Partner Kind = "partner" // of directory and schools; the reference is its reference_id
	Library Kind = "library" // a library network; the reference is its slug
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

// CreateTenant adds a tenant, with both versions 0, and returns its number, which it gives. Where t has no time of its creation, that is
// the clock's. It runs on idb in a transaction, which is a savepoint where idb is one already, so that the caller can create what belongs
// to the tenant along with it. The error is ErrExist where the kind has the reference. The reference is not validated.
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

// lockTenants makes others wait that create or remove a tenant. Readers go on.
func lockTenants(ctx context.Context, tx bun.Tx) error {
	if !handle.Postgres(tx) {
		return nil
	}
	_, err := tx.ExecContext(ctx, `LOCK TABLE tenants IN SHARE ROW EXCLUSIVE MODE`)
	return err
}

// lastNumber returns the last number that a tenant was given, also one that was removed: what servers keep in memory of that is never
// taken for another's.
func lastNumber(ctx context.Context, tx bun.Tx) (last auth.Tenant, err error) {
	err = tx.NewRaw(`
		SELECT max(n)
		  FROM (SELECT 0 AS n UNION ALL SELECT tenant_id FROM tenants
		         UNION ALL SELECT CAST(value AS bigint) FROM settings WHERE name = 'last_tenant') AS given`).Scan(ctx, &last)
	return last, err
}

// EndTenant begins the removal of a tenant: it deletes the row that says what is current, so that what locks the tenant, as to issue a
// key or to load, fails with ErrRemoved from now on. Its other rows stay; see RemoveTenant. It may be repeated.
func EndTenant(ctx context.Context, tx bun.IDB, t auth.Tenant) error {
	_, err := Lock(ctx, tx, t)
	if err == nil {
		_, err = tx.NewRaw(`DELETE FROM versions WHERE tenant_id = ?`, t).Exec(ctx)
	}
	if err != nil && !errors.Is(err, ErrRemoved) {
		return fmt.Errorf("end tenant %d: %w", t, err)
	}
	return nil
}

// RemoveTenant takes a tenant from the list, which has no other rows any more. Its number is not given again.
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
	if err != nil {
		return fmt.Errorf("remove tenant %d: %w", t, err)
	}
	return nil
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

// ByNumber returns the numbers of tenants, in their order, and the tenants by these.
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

// TenantOf returns the tenant of the kind with the reference, compared exactly, or
// ErrNotFound.
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

// TenantVersions are a tenant and what its row says. Facts that wait may be due: see Current.At.
type TenantVersions struct {
	Tenant
	Current
	Began time.Time // when the versions began to be current; zero where that is not known
	Last  LastLoad  // its zero value where there was none
}

// LoadedLast returns the versions of up to limit of some tenants in one statement: those whose data were loaded last come first, and
// then those that were never loaded, by number. All is joined with the tenant of versions, and the tenants are said of each table: a
// distributed database knows only so what lies together, and where.
func LoadedLast(ctx context.Context, db bun.IDB, limit int, of ...auth.Tenant) (list []TenantVersions, err error) {
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
	return list, Visit(rows, err, "versions of tenants", func(r *sql.Rows) error {
		var of TenantVersions
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

// LastLoad is the last load of a tenant's data, as the operator sees it.
type LastLoad struct {
	Ended time.Time
	Took  time.Duration // kept to the millisecond
	Rows  int64         // that were read, of all files
}

// NoteLoad records the last load that ended, for [LoadedLast], and replaces the record before. It is not part of the load's
// transaction: nothing but a status is computed from it, and a load is not undone because its note cannot be written.
func NoteLoad(ctx context.Context, db bun.IDB, t auth.Tenant, l LastLoad) error {
	_, err := db.NewRaw(`
		INSERT INTO loads (tenant_id, ended, milliseconds, row_count)
		VALUES (?, ?, ?, ?)
		    ON CONFLICT (tenant_id) DO UPDATE
		   SET ended = EXCLUDED.ended, milliseconds = EXCLUDED.milliseconds, row_count = EXCLUDED.row_count`,
		t, l.Ended.UTC().Truncate(time.Microsecond), l.Took.Milliseconds(), l.Rows).Exec(ctx)
	if err != nil {
		return fmt.Errorf("note the load of tenant %d: %w", t, err)
	}
	return nil
}
