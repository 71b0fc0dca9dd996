package snapshotdb

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/paging/snapshot"
)

const (
	// removeAfter is the time between raising the oldest retained snapshot and removing the rows below it. Requests
	// that read them have ended by then.
	removeAfter = 5 * time.Minute

	// DefaultMaxSuperseded is how many superseded directory rows are retained of a tenant (G8).
	DefaultMaxSuperseded = 2_000_000

	// tenantsAtOnce is how many tenants one statement is about.
	tenantsAtOnce = 1000
)

// Remover removes snapshots that are no longer retained.
type Remover struct {
	*Store
	// EachNode, if not nil, is database.DB.EachNode: the tenants of a node that is down are skipped.
	EachNode func(ctx context.Context, tenants []auth.Tenant, f func([]auth.Tenant) error) error
	// Window is how long an idle pull retains its snapshot; 0 is DefaultPullWindow.
	Window time.Duration
	// Superseded are the tables of superseded directory rows, with their columns tenant_id and until.
	Superseded []Rows
	// MaxSuperseded is how many rows of these tables a tenant may have. Beyond it the oldest snapshots end even while a
	// pull uses them. 0 is DefaultMaxSuperseded.
	MaxSuperseded int64

	now, before time.Time // of a turn; snapshots that were superseded before the latter end
}

// Rows returns the tables that loads write, and those of superseded directory rows.
func (r *Remover) Rows() []Rows {
	list := slices.Clone(r.Superseded)
	for _, t := range r.tables() {
		list = append(list, rowsOf(t))
	}
	return list
}

// Remove does one turn for every tenant: it undoes dead loads, removes the rows below the snapshot that has been the
// oldest retained one for five minutes, and then raises that snapshot. A superseded snapshot so stays readable for the
// retention, and up to five minutes and a turn longer. An error of one tenant, or of a node that is down, does not stop
// the others. The error names the node.
func (r *Remover) Remove(ctx context.Context) error {
	now, err := r.Clock(ctx, r.DB)
	if err != nil {
		return err
	}
	keep, err := r.Retention(ctx)
	if err != nil {
		return err
	}
	turn := *r
	turn.now, turn.before = now, now.Add(-keep)
	return r.each(ctx, func(of []auth.Tenant) error {
		errs := []error{turn.undoDead(ctx, of)}
		tenants, err := turn.due(ctx, of)
		errs = append(errs, err)
		for _, t := range tenants {
			if ctx.Err() == nil {
				errs = append(errs, ofTenant(t, "remove superseded rows", turn.remove(ctx, t)))
			}
		}
		return errors.Join(errs...)
	})
}

// each calls f with all tenants, some at a time, that are on one node. It returns all errors.
func (r *Remover) each(ctx context.Context, f func(of []auth.Tenant) error) error {
	all, err := Numbers(ctx, r.DB)
	if err != nil {
		return err
	}
	var errs []error
	part := func(of []auth.Tenant) error {
		for some := range slices.Chunk(of, tenantsAtOnce) {
			errs = append(errs, f(some))
		}
		return nil
	}
	if r.EachNode != nil {
		err = r.EachNode(ctx, all, part)
	} else {
		err = part(all)
	}
	return errors.Join(append(errs, err)...)
}

// undoDead undoes the loads whose lease expired some time ago. Until then a load whose process only slept may go on.
func (r *Remover) undoDead(ctx context.Context, of []auth.Tenant) error {
	tenants, err := r.readTenants(ctx, "expired leases", bun.SafeQuery(`
		SELECT tenant_id FROM leases WHERE tenant_id IN (?) GROUP BY tenant_id HAVING max(expires) <= ? ORDER BY 1`,
		bun.List(of), r.now.Add(-removeAfter).UnixMicro()))
	errs := []error{err}
	for _, t := range tenants {
		l, err := r.take(ctx, t)
		if l != nil { // otherwise another load has begun, which undoes the dead one
			if err = l.begin(ctx); err == nil {
				err = l.Close(context.WithoutCancel(ctx))
			}
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// due returns the tenants that have snapshots to end, or rows to remove.
func (r *Remover) due(ctx context.Context, of []auth.Tenant) ([]auth.Tenant, error) {
	return r.readTenants(ctx, "tenants with superseded rows", bun.SafeQuery(`
		SELECT v.tenant_id
		  FROM versions v
		 WHERE v.tenant_id IN (?0) AND v.oldest_since > 0 AND v.oldest_since <= ?1
		 UNION
		SELECT s.tenant_id
		  FROM snapshots s
		  JOIN versions v ON v.tenant_id = s.tenant_id
		 WHERE s.tenant_id IN (?0) AND v.tenant_id IN (?0) AND s.began <= ?2 AND (s.registers > v.oldest_registers OR s.facts > v.oldest_facts)
		 UNION
		SELECT tenant_id
		  FROM versions v
		 WHERE v.tenant_id IN (?0) AND ?3 > ?4
		 ORDER BY 1`, bun.List(of), r.now.Add(-removeAfter).UnixMicro(), r.before.UnixMicro(), r.countSuperseded(of), r.maxSuperseded()))
}

func (r *Remover) maxSuperseded() int64 { return cmp.Or(r.MaxSuperseded, DefaultMaxSuperseded) }

// countSuperseded returns an expression for the number of superseded directory rows of the tenant v.tenant_id. It names the tenants for each
// table: only then does a cluster ask a single node.
func (r *Remover) countSuperseded(of []auth.Tenant) schema.QueryWithArgs {
	sum := bun.SafeQuery("0")
	for _, p := range r.Superseded {
		sum = bun.SafeQuery("? + (SELECT count(*) FROM ? WHERE tenant_id = v.tenant_id AND tenant_id IN (?))", sum, bun.Ident(p.Table), bun.List(of))
	}
	return sum
}

// readTenants reads a list of tenants.
func (s *Store) readTenants(ctx context.Context, what string, query schema.QueryWithArgs) (tenants []auth.Tenant, err error) {
	rows, err := s.DB.QueryContext(ctx, `?`, query)
	return tenants, Visit(rows, err, what, func(rows *sql.Rows) error {
		var t auth.Tenant
		err := rows.Scan(&t)
		tenants = append(tenants, t)
		return err
	})
}

// SupersededRows counts the rows that are not in the current snapshot, of all tenants but those on a node that is down,
// which the error names.
func (r *Remover) SupersededRows(ctx context.Context) (rows int64, err error) {
	err = r.each(ctx, func(of []auth.Tenant) error {
		counts, err := r.SupersededRowsOf(ctx, r.DB, of)
		for _, n := range counts {
			rows += n
		}
		return err
	})
	return rows, err
}

// SupersededRowsOf counts the superseded rows of some tenants in one statement. Tenants without such rows are left out.
func (r *Remover) SupersededRowsOf(ctx context.Context, idb bun.IDB, of []auth.Tenant) (map[auth.Tenant]int64, error) {
	all := bun.SafeQuery("")
	count := func(table, which string) {
		all = bun.SafeQuery("? SELECT tenant_id, count(*) AS n FROM ? WHERE tenant_id IN (?) AND "+which+" GROUP BY tenant_id UNION ALL", all, bun.Ident(table), bun.List(of))
	}
	for _, t := range r.tables() {
		count(t.Name, "until < "+string(open))
	}
	for _, p := range r.Superseded {
		count(p.Table, "TRUE")
	}
	counts := make(map[auth.Tenant]int64)
	rows, err := idb.QueryContext(ctx, `? SELECT 0, 0`, all)
	err = Visit(rows, err, "numbers of superseded rows", func(rows *sql.Rows) error {
		var t auth.Tenant
		var n int64
		err := rows.Scan(&t, &n)
		if n > 0 {
			counts[t] += n
		}
		return err
	})
	return counts, err
}

// remove removes the rows below the oldest retained snapshot, five minutes after it was raised, and raises it again.
func (r *Remover) remove(ctx context.Context, t auth.Tenant) error {
	var oldest snapshot.Versions // read in one statement with since, as another server may raise it at any time
	var since int64              // it was raised then; 0 if no rows below it wait to be removed
	err := r.DB.NewRaw(`SELECT oldest_registers, oldest_facts, oldest_since FROM versions WHERE tenant_id = ?`, t).
		Scan(ctx, &oldest.Registers, &oldest.Facts, &since)
	if err != nil || since > r.now.Add(-removeAfter).UnixMicro() {
		return err
	}
	if since > 0 {
		if all, err := r.sweepBelow(ctx, t, oldest); err != nil || !all {
			return err // the next turn removes the rest
		}
	}
	return r.raise(ctx, t, oldest, since)
}

// raise raises the oldest retained snapshot of a tenant to the one that was current when the retention began, or to the
// oldest one that a pull uses.
func (r *Remover) raise(ctx context.Context, t auth.Tenant, was snapshot.Versions, since int64) error {
	oldest, err := r.lastBefore(ctx, t)
	if err == nil {
		oldest, err = r.notPulled(ctx, t, was, oldest)
	}
	if err == nil {
		oldest, err = r.bounded(ctx, t, oldest)
	}
	if err != nil {
		return err
	}
	raised := r.now.UnixMicro()
	if oldest.Registers <= was.Registers && oldest.Facts <= was.Facts {
		oldest, raised = was, 0
	}
	if raised != since {
		// The WHERE keeps what another server has raised in between.
		_, err = r.DB.NewRaw(`
			UPDATE versions
			   SET oldest_registers = ?, oldest_facts = ?, oldest_since = ?
			 WHERE tenant_id = ? AND oldest_registers = ? AND oldest_facts = ?`,
			max(oldest.Registers, was.Registers), max(oldest.Facts, was.Facts), raised, t, was.Registers, was.Facts).Exec(ctx)
		if err != nil {
			return err
		}
	}
	_, err = r.deleteFree(ctx, t, pullRows, bun.SafeQuery("began <= ?", r.now.Add(-PullFor).UnixMicro()))
	return err
}

// lastBefore returns the snapshot that was current when the retention began, the zero one if there was none.
func (r *Remover) lastBefore(ctx context.Context, t auth.Tenant) (v snapshot.Versions, err error) {
	err = r.DB.NewRaw(`
		SELECT registers, facts
		  FROM snapshots
		 WHERE tenant_id = ? AND began <= ?
		 ORDER BY registers DESC, facts DESC
		 LIMIT 1`, t, r.before.UnixMicro()).Scan(ctx, &v.Registers, &v.Facts)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return v, err
}

// notPulled lowers a snapshot to the oldest that a pull uses. A pull of a snapshot below the oldest retained one has no
// effect.
func (r *Remover) notPulled(ctx context.Context, t auth.Tenant, was, oldest snapshot.Versions) (snapshot.Versions, error) {
	window := cmp.Or(r.Window, DefaultPullWindow)
	var pulled snapshot.Versions
	err := r.DB.NewRaw(`
		SELECT coalesce(min(registers), ?0), coalesce(min(facts), ?1)
		  FROM pulls
		 WHERE tenant_id = ?2 AND asked > ?3 AND began > ?4 AND registers >= ?5 AND facts >= ?6`,
		oldest.Registers, oldest.Facts, t, r.now.Add(-window-touchEvery).UnixMicro(), r.now.Add(-PullFor).UnixMicro(), was.Registers, was.Facts).
		Scan(ctx, &pulled.Registers, &pulled.Facts)
	return snapshot.Versions{Registers: min(oldest.Registers, pulled.Registers), Facts: min(oldest.Facts, pulled.Facts)}, err
}

// bounded raises a snapshot until the later ones have no more than the allowed superseded directory rows.
func (r *Remover) bounded(ctx context.Context, t auth.Tenant, oldest snapshot.Versions) (snapshot.Versions, error) {
	if len(r.Superseded) == 0 {
		return oldest, nil
	}
	all := bun.SafeQuery("SELECT until FROM ? WHERE tenant_id = ?", bun.Ident(r.Superseded[0].Table), t)
	for _, p := range r.Superseded[1:] {
		all = bun.SafeQuery("? UNION ALL SELECT until FROM ? WHERE tenant_id = ?", all, bun.Ident(p.Table), t)
	}
	var until int64
	err := r.DB.NewRaw(`SELECT until FROM (?) AS superseded ORDER BY until DESC LIMIT 1 OFFSET ?`, all, r.maxSuperseded()).Scan(ctx, &until)
	if errors.Is(err, sql.ErrNoRows) {
		return oldest, nil
	}
	oldest.Registers = max(oldest.Registers, until)
	return oldest, err
}

// sweepBelow removes the rows that are in no snapshot from the oldest retained one on, in small batches. It reports
// whether it has removed all of them.
func (r *Remover) sweepBelow(ctx context.Context, t auth.Tenant, oldest snapshot.Versions) (all bool, err error) {
	all = true
	remove := func(rows Rows, which string, bounds ...any) {
		if err == nil {
			var done bool
			done, err = r.clear(ctx, t, rows, bun.SafeQuery(which, bounds...))
			all = all && done
		}
	}
	const below = "until <= ? AND until < ?" // the second is the condition of the partial index
	for _, k := range r.Kinds {
		remove(rowsOf(snapshot.BlocksTable), "kind = ? AND "+below, k.Number, oldest.Facts, open)
	}
	for _, table := range r.Tables {
		remove(rowsOf(table), below, oldest.Facts, open)
	}
	for _, rows := range r.Superseded {
		remove(rows, "until <= ?", oldest.Registers)
	}
	remove(Rows{"snapshots", []string{"registers", "facts"}}, "registers < ? OR facts < ?", oldest.Registers, oldest.Facts)
	return all && err == nil, err
}

// EndLoads takes the lease from a load under way, of a tenant whose removal has begun. The load's next transaction
// fails.
func (s *Store) EndLoads(ctx context.Context, t auth.Tenant) error {
	s.endSleeper(ctx, t)
	_, err := s.DB.NewRaw(`DELETE FROM leases WHERE tenant_id = ?`, t).Exec(ctx)
	return ofTenant(t, "end the loads", err)
}
