package snapshotdb

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/paging/handle"
	"github.com/lectern-dev/lectern/paging/snapshot"
)

const (
	// DefaultRetention is how long a state that was replaced stays readable, and MinRetention the least that an operator may set (G8).
	DefaultRetention = 2 * time.Hour
	MinRetention     = 15 * time.Minute

	// removeAfter is how long after the oldest kept state was raised what lies below it is removed: who was reading it has
	// ended by then.
	removeAfter = 5 * time.Minute

	// DefaultMaxPast is how many rows of what a directory has replaced are kept of a tenant (G8).
	DefaultMaxPast = 2_000_000
)

// Keep returns how long states are kept, as it was set for the database.
func (s *Store) Retention(ctx context.Context) (time.Duration, error) {
	var text string
	err := s.DB.NewRaw(`SELECT value FROM settings WHERE name = 'keep'`).Scan(ctx, &text)
	if errors.Is(err, sql.ErrNoRows) {
		return DefaultRetention, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read how long states are kept: %w", err)
	}
	return time.ParseDuration(text)
}

// SetRetention sets how long states are kept, for all servers of the database. Nothing is written where that is so already: a server
// starts while a node of a cluster is down.
func (s *Store) SetRetention(ctx context.Context, keep time.Duration) error {
	if was, err := s.Retention(ctx); err == nil && was == keep {
		return nil
	}
	_, err := s.DB.NewRaw(`
		INSERT INTO settings (name, value)
		VALUES ('keep', ?)
		    ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value`, keep.String()).Exec(ctx)
	if err != nil {
		return fmt.Errorf("set how long states are kept: %w", err)
	}
	return nil
}

// Remover removes what is no longer kept.
type Remover struct {
	*Store
	// EachNode, if not nil, is database.DB.EachNode: the tenants of a node that is down wait, and those of the others do not.
	EachNode func(ctx context.Context, tenants []auth.Tenant, f func([]auth.Tenant) error) error
	// Window is how long a pull that asks for nothing keeps its state; 0 is DefaultPullWindow.
	Window time.Duration
	// Past are the tables of what was replaced in registers that count versions, with their columns tenant_id and until.
	Past []Rows
	// MaxPast is how many rows of the past a tenant may have, of all those tables together: beyond it the oldest states go, whoever
	// uses them. 0 is DefaultMaxPast.
	MaxPast int64
}

// Rows are a table of the tenants: the columns of Key name a row besides tenant_id.
type Rows struct {
	Table string
	Key   []string
}

// Rows returns the tables that loads write, and those of the past.
func (r *Remover) Rows() []Rows {
	list := slices.Clone(r.Past)
	for _, t := range r.tables() {
		list = append(list, Rows{t.Name, append(slices.Clone(t.Key), "since")})
	}
	return list
}

// RemoveAll removes all rows of a tenant whose removal has begun (EndTenant) from tables, in small batches. It waits for
// what others have locked, and may be repeated.
func (s *Store) RemoveAll(ctx context.Context, t auth.Tenant, from []Rows) error {
	for _, rows := range from {
		for {
			all, err := s.clear(ctx, t, rows.Table, rows.Key, bun.SafeQuery("TRUE"))
			if err != nil {
				return ofTenant(t, err)
			}
			if all {
				break
			}
			if err := pause(ctx, waitStep); err != nil {
				return err
			}
		}
	}
	return nil
}

// EndLoads takes the lease of a load that is under way of a tenant whose removal has begun: the load's next transaction fails.
func (s *Store) EndLoads(ctx context.Context, t auth.Tenant) error {
	s.endSleeper(ctx, t)
	_, err := s.DB.NewRaw(`DELETE FROM leases WHERE tenant_id = ?`, t).Exec(ctx)
	return ofTenant(t, err)
}

// Remove takes one turn: it undoes what loads that died have left, removes what lay below the oldest kept state of each tenant
// five minutes ago, and raises that state: so a state stays readable for the keep at least, and up to five minutes and a turn
// longer. What fails for one tenant keeps it from no other, nor does a node of a cluster that is down: the error names it.
func (r *Remover) Remove(ctx context.Context) error {
	now, err := r.Clock(ctx, r.DB)
	if err != nil {
		return err
	}
	keep, err := r.Retention(ctx)
	if err != nil {
		return err
	}
	return r.each(ctx, func(of []auth.Tenant) error {
		errs := []error{r.undoDead(ctx, of, now)}
		tenants, err := r.due(ctx, of, now, keep)
		errs = append(errs, err)
		for _, t := range tenants {
			if ctx.Err() != nil {
				break
			}
			if err := r.remove(ctx, t, now, keep); err != nil {
				errs = append(errs, fmt.Errorf("remove former states of tenant %d: %w", t, err))
			}
		}
		return errors.Join(errs...)
	})
}

// tenantsAtOnce is how many tenants one statement tells of.
const tenantsAtOnce = 1000

// each calls f with all tenants, some at a time, which lie on one node. It returns all errors.
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

// undoDead undoes what loads have left whose lease ran out some time ago: one that only slept may go on until then.
func (r *Remover) undoDead(ctx context.Context, of []auth.Tenant, now time.Time) error {
	tenants, err := r.readTenants(ctx, "leases that ran out", bun.SafeQuery(`
		SELECT tenant_id FROM leases WHERE tenant_id IN (?) GROUP BY tenant_id HAVING max(expires) <= ? ORDER BY 1`,
		bun.List(of), now.Add(-removeAfter).UnixMicro()))
	errs := []error{err}
	for _, t := range tenants {
		l, err := r.take(ctx, t)
		if l != nil { // else another load has begun, which does it
			if err = l.begin(ctx); err == nil {
				err = l.Close(context.WithoutCancel(ctx))
			}
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// due returns those of some tenants that have states which are older than is kept, or rows of such, or too many of them.
func (r *Remover) due(ctx context.Context, of []auth.Tenant, now time.Time, keep time.Duration) ([]auth.Tenant, error) {
	return r.readTenants(ctx, "tenants with former states", bun.SafeQuery(`
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
		 ORDER BY 1`, bun.List(of), now.Add(-removeAfter).UnixMicro(), now.Add(-keep).UnixMicro(), r.countPast(of), r.maxPast()))
}

func (r *Remover) maxPast() int64 { return cmp.Or(r.MaxPast, DefaultMaxPast) }

// countPast is an expression for the number of rows of the past that the tenant v.tenant_id has, which is one of some: a cluster asks
// no other node only where each table says so.
func (r *Remover) countPast(of []auth.Tenant) schema.QueryWithArgs {
	sum := bun.SafeQuery("0")
	for _, p := range r.Past {
		sum = bun.SafeQuery("? + (SELECT count(*) FROM ? WHERE tenant_id = v.tenant_id AND tenant_id IN (?))", sum, bun.Ident(p.Table), bun.List(of))
	}
	return sum
}

// FormerRows counts the rows that some snapshot which is kept has and the current one has not, or that wait to be removed: of all
// tenants, but of those on a node that is down, which the error names.
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

// FormerRowsOf is FormerRows of some tenants, in one statement; those that have none are left out.
func (r *Remover) SupersededRowsOf(ctx context.Context, idb bun.IDB, of []auth.Tenant) (map[auth.Tenant]int64, error) {
	all := bun.SafeQuery("")
	for table, which := range r.former() {
		all = bun.SafeQuery("? SELECT tenant_id, count(*) AS n FROM ? WHERE tenant_id IN (?) AND ? GROUP BY tenant_id UNION ALL", all, bun.Ident(table), bun.List(of), which)
	}
	counts := make(map[auth.Tenant]int64)
	rows, err := idb.QueryContext(ctx, `? SELECT 0, 0`, all)
	err = Visit(rows, err, "numbers of former rows", func(rows *sql.Rows) error {
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

// former returns the tables with rows of former states, each with the condition for these.
func (r *Remover) former() iter.Seq2[string, schema.QueryWithArgs] {
	return func(yield func(string, schema.QueryWithArgs) bool) {
		for _, t := range r.tables() {
			if !yield(t.Name, bun.SafeQuery("until < ?", snapshot.Open)) {
				return
			}
		}
		for _, p := range r.Past {
			if !yield(p.Table, bun.SafeQuery("TRUE")) {
				return
			}
		}
	}
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

// kept is the oldest state of a tenant that is kept, and since when where older ones wait to be removed.
type kept struct {
	snapshot.Versions
	since int64
}

// remove removes what lay below the oldest kept state five minutes ago, and raises that state.
func (r *Remover) remove(ctx context.Context, t auth.Tenant, now time.Time, keep time.Duration) error {
	var k kept // in one statement: another server may raise it at any time
	err := r.DB.NewRaw(`SELECT oldest_registers, oldest_facts, oldest_since FROM versions WHERE tenant_id = ?`, t).
		Scan(ctx, &k.Registers, &k.Facts, &k.since)
	if err != nil {
		return err
	}
	if k.since > now.Add(-removeAfter).UnixMicro() {
		return nil // the next turn
	}
	if k.since > 0 {
		if all, err := r.sweepBelow(ctx, t, k.Versions); err != nil || !all {
			return err // the rest in the next turn
		}
	}
	return r.raise(ctx, t, k, now, keep)
}

// raise raises the oldest kept state of a tenant to what was the present one when the keep began, or the oldest that a pull uses.
func (r *Remover) raise(ctx context.Context, t auth.Tenant, k kept, now time.Time, keep time.Duration) error {
	oldest, err := r.lastBefore(ctx, t, now.Add(-keep))
	if err == nil {
		oldest, err = r.notPulled(ctx, t, k, oldest, now)
	}
	if err == nil {
		oldest, err = r.bounded(ctx, t, oldest)
	}
	if err != nil {
		return err
	}
	since := now.UnixMicro()
	if oldest.Registers <= k.Registers && oldest.Facts <= k.Facts {
		oldest, since = k.Versions, 0
	}
	if since != k.since {
		// What another server has raised meanwhile stays.
		_, err = r.DB.NewRaw(`
			UPDATE versions
			   SET oldest_registers = ?, oldest_facts = ?, oldest_since = ?
			 WHERE tenant_id = ? AND oldest_registers = ? AND oldest_facts = ?`,
			max(oldest.Registers, k.Registers), max(oldest.Facts, k.Facts), since, t, k.Registers, k.Facts).Exec(ctx)
		if err != nil {
			return err
		}
	}
	_, err = r.deleteFree(ctx, t, "pulls", pullKey, bun.SafeQuery("began <= ?", now.Add(-PullFor).UnixMicro()))
	return err
}

// notPulled lowers a state to the oldest that a pull uses. A pull whose state is gone keeps nothing.
func (r *Remover) notPulled(ctx context.Context, t auth.Tenant, k kept, oldest snapshot.Versions, now time.Time) (snapshot.Versions, error) {
	window := cmp.Or(r.Window, DefaultPullWindow)
	var pull struct{ Registers, Facts sql.NullInt64 }
	err := r.DB.NewRaw(`
		SELECT min(registers), min(facts)
		  FROM pulls
		 WHERE tenant_id = ? AND asked > ? AND began > ? AND registers >= ? AND facts >= ?`,
		t, now.Add(-window-touchEvery).UnixMicro(), now.Add(-PullFor).UnixMicro(), k.Registers, k.Facts).Scan(ctx, &pull.Registers, &pull.Facts)
	if pull.Facts.Valid {
		oldest.Registers, oldest.Facts = min(oldest.Registers, pull.Registers.Int64), min(oldest.Facts, pull.Facts.Int64)
	}
	return oldest, err
}

// bounded raises a state until the later ones have no more rows of the past than a tenant may have.
func (r *Remover) bounded(ctx context.Context, t auth.Tenant, oldest snapshot.Versions) (snapshot.Versions, error) {
	if len(r.Past) == 0 {
		return oldest, nil
	}
	all := bun.SafeQuery("SELECT until FROM ? WHERE tenant_id = ?", bun.Ident(r.Past[0].Table), t)
	for _, p := range r.Past[1:] {
		all = bun.SafeQuery("? UNION ALL SELECT until FROM ? WHERE tenant_id = ?", all, bun.Ident(p.Table), t)
	}
	var until int64
	err := r.DB.NewRaw(`SELECT until FROM (?) AS past ORDER BY until DESC LIMIT 1 OFFSET ?`, all, r.maxPast()).Scan(ctx, &until)
	if errors.Is(err, sql.ErrNoRows) {
		return oldest, nil
	}
	oldest.Registers = max(oldest.Registers, until)
	return oldest, err
}

// lastBefore returns the state that was the present one at a time, the zero one where there was none.
func (r *Remover) lastBefore(ctx context.Context, t auth.Tenant, when time.Time) (v snapshot.Versions, err error) {
	err = r.DB.NewRaw(`
		SELECT registers, facts
		  FROM snapshots
		 WHERE tenant_id = ? AND began <= ?
		 ORDER BY registers DESC, facts DESC
		 LIMIT 1`, t, when.UnixMicro()).Scan(ctx, &v.Registers, &v.Facts)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return v, err
}

// sweepBelow removes the rows that no state from the oldest kept one on has, in small batches. It reports whether it has
// removed all of them.
func (r *Remover) sweepBelow(ctx context.Context, t auth.Tenant, oldest snapshot.Versions) (all bool, err error) {
	all = true
	remove := func(table string, key []string, which schema.QueryWithArgs) error {
		done, err := r.clear(ctx, t, table, key, which)
		all = all && done
		return err
	}
	for _, table := range r.tables() {
		which := bun.SafeQuery("until <= ? AND until < ?", oldest.Facts, snapshot.Open) // the second is the index's own condition
		if err := remove(table.Name, append(slices.Clone(table.Key), "since"), which); err != nil {
			return false, err
		}
	}
	for _, p := range r.Past {
		if err := remove(p.Table, p.Key, bun.SafeQuery("until <= ?", oldest.Registers)); err != nil {
			return false, err
		}
	}
	err = remove("snapshots", []string{"registers", "facts"}, bun.SafeQuery("registers < ? OR facts < ?", oldest.Registers, oldest.Facts))
	return all, err
}

// clear deletes the rows of a tenant that a condition holds for, a batch at a time. It holds for each still when that is deleted:
// a standby may have taken over that knows less. It passes over those that somebody has locked, and reports whether there were none.
func (s *Store) clear(ctx context.Context, t auth.Tenant, table string, key []string, which schema.QueryWithArgs) (all bool, err error) {
	for {
		began := time.Now()
		var some bool
		err := s.DB.NewRaw(`SELECT EXISTS (SELECT 1 FROM ? WHERE tenant_id = ? AND (?))`, bun.Ident(table), t, which).Scan(ctx, &some)
		if err != nil || !some {
			return err == nil, err
		}
		deleted, err := s.deleteFree(ctx, t, table, key, which)
		if err != nil || deleted == 0 {
			return false, err
		}
		if err := s.letIn(ctx, time.Since(began)); err != nil {
			return false, err
		}
	}
}

// deleteFree deletes a batch of the rows of a tenant that a condition holds for, but those that somebody has locked: they may be
// written (what is erased is erased in former rows too) or deleted by another server, in another order. Who waits for no row while it
// has others is in no deadlock.
//
// The batch is chosen within the statement: PostgreSQL compares each row with a list of keys that is given to it, which took a minute
// for 2,000 keys where it has no statistics.
func (s *Store) deleteFree(ctx context.Context, t auth.Tenant, table string, key []string, which schema.QueryWithArgs) (rows int64, err error) {
	batch, free := clearRows, ""
	if handle.Postgres(s.DB) {
		batch, free = chunk, " FOR UPDATE SKIP LOCKED"
	}
	res, err := s.DB.NewRaw(`
		DELETE FROM ?0
		 WHERE tenant_id = ?1 AND (`+list(key)+`) IN (SELECT `+list(key)+` FROM ?0 WHERE tenant_id = ?1 AND (?2) LIMIT ?3`+free+`)`,
		bun.Ident(table), t, which, batch).Exec(ctx)
	if err == nil {
		rows, err = res.RowsAffected()
	}
	if err != nil {
		return 0, fmt.Errorf("remove rows of %s: %w", table, err)
	}
	return rows, nil
}

// letIn leaves a SQLite file to other writers for as long as the last statement took: there is no fair queue for it.
func (s *Store) letIn(ctx context.Context, took time.Duration) error {
	if handle.Postgres(s.DB) {
		return ctx.Err()
	}
	return pause(ctx, took)
}

// pause waits for a while, or returns the error of ctx.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// clearRows is how many rows of a SQLite file one statement removes: other writers wait for no longer.
const clearRows = 200

// clearUnread removes blocks that loads up to the one that holds have replaced, of the kinds that no report reads. Which one holds
// the database says, not who made it hold: a failover may have lost that.
func (s *Store) clearUnread(ctx context.Context, t auth.Tenant) error {
	for _, k := range s.Unread {
		which := bun.SafeQuery("kind = ? AND until < ? AND until <= (SELECT facts FROM versions WHERE tenant_id = ?)", k.Number, snapshot.Open, t)
		if _, err := s.clear(ctx, t, snapshot.BlocksTable.Name, append(slices.Clone(snapshot.BlocksTable.Key), "since"), which); err != nil {
			return err
		}
	}
	return nil
}
