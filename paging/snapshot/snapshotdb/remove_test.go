package snapshotdb_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// superseded is a table of superseded rows.
var superseded = snapshotdb.Rows{Table: "superseded", Key: []string{"n", "until"}}

// site is a tenant with loads, writes to a table, and removal. Its clock moves only when a test sets it.
type site struct {
	*testing.T
	*snapshotdb.Store
	remover *snapshotdb.Remover
	tenant  auth.Tenant
	now     *time.Time
	live    int // blocks 1 to live exist
}

func newSite(t *testing.T, db *database.DB) *site {
	t.Helper()
	store, tenant, now := newStore(t, db)
	if _, err := db.ExecContext(t.Context(), `CREATE TABLE superseded (tenant_id bigint, until bigint, n bigint, PRIMARY KEY (tenant_id, until, n))`); err != nil {
		t.Fatal(err)
	}
	return &site{T: t, Store: store, remover: &snapshotdb.Remover{Store: store, Superseded: []snapshotdb.Rows{superseded}}, tenant: tenant, now: now}
}

// load replaces blocks, adds more, gives them all the text, and returns the new snapshot.
func (s *site) load(replace []int, add int, text string) snapshot.Versions {
	s.Helper()
	l, err := s.Begin(s.Context(), s.tenant, nil)
	if err != nil {
		s.Fatal(err)
	}
	var deleted []snapshot.BlockKey
	var put []snapshot.Block
	for _, i := range replace {
		deleted = append(deleted, snapshot.BlockKey{A: int64(i)})
		put = append(put, snapshot.Block{BlockKey: snapshot.BlockKey{A: int64(i)}, Data: []byte(text)})
	}
	for range add {
		s.live++
		put = append(put, snapshot.Block{BlockKey: snapshot.BlockKey{A: int64(s.live)}, Data: []byte(text)})
	}
	c := snapshot.BlockChange(s.tenant, shelf, deleted, slices.Values(put))
	if err := errors.Join(l.Write(s.Context(), c), publish(s.Context(), l), l.Close(s.Context())); err != nil {
		s.Fatal(err)
	}
	return s.current()
}

// write makes a write to the table that supersedes some rows, and returns the new snapshot.
func (s *site) write(rows int) snapshot.Versions {
	s.Helper()
	err := s.DB.RunInTx(s.Context(), nil, func(ctx context.Context, tx bun.Tx) error {
		h, err := snapshotdb.Lock(ctx, tx, s.tenant)
		if err != nil {
			return err
		}
		h.Registers = snapshotdb.NextNumber(h.Registers)
		for n := range rows {
			if _, err := tx.NewRaw(`INSERT INTO superseded (tenant_id, until, n) VALUES (?, ?, ?)`, s.tenant, h.Registers, n).Exec(ctx); err != nil {
				return err
			}
		}
		return h.Publish(ctx, tx, s.tenant, *s.now)
	})
	if err != nil {
		s.Fatal(err)
	}
	return s.current()
}

func (s *site) current() snapshot.Versions {
	s.Helper()
	h, err := snapshotdb.ReadCurrent(s.Context(), s.DB, s.tenant)
	if err != nil {
		s.Fatal(err)
	}
	return h.Versions
}

// after lets time pass and then runs the removal once.
func (s *site) after(d time.Duration) {
	s.Helper()
	*s.now = s.now.Add(d)
	if err := s.remover.Remove(s.Context()); err != nil {
		s.Fatal(err)
	}
}

// until runs the removal once a minute until a time has passed.
func (s *site) until(d time.Duration) {
	s.Helper()
	for end := s.now.Add(d); s.now.Before(end); {
		s.after(min(time.Minute, end.Sub(*s.now)))
	}
}

// checkRetained checks whether a snapshot is readable.
func (s *site) checkRetained(at snapshot.Versions, want bool, when string) {
	s.Helper()
	if _, err := s.KeptFrom(s.Context(), s.tenant, at); want && err != nil || !want && !errors.Is(err, snapshot.ErrGone) {
		s.Errorf("%s: KeptFrom = %v, want retained %t", when, err, want)
	}
}

func (s *site) count(table string) int {
	s.Helper()
	n, err := s.DB.NewSelect().Table(table).Where("tenant_id = ?", s.tenant).Count(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	return int(n)
}

// TestKeep tests that a superseded snapshot is retained for exactly the retention time, and its rows five minutes
// longer.
func TestKeep(t *testing.T) {
	dbtest.Everywhere(t, func(t *testing.T, db *database.DB) {
		s := newSite(t, db)
		first := s.load(nil, 3, "a")
		*s.now = s.now.Add(time.Hour)
		second := s.load([]int{2}, 0, "b")
		third := s.write(5)
		s.until(snapshotdb.DefaultRetention - time.Minute)
		s.after(time.Minute - time.Microsecond)
		s.checkRetained(first, true, "within the retention time")
		s.after(time.Microsecond)
		s.checkRetained(first, false, "after the retention time")
		s.checkRetained(second, false, "after the retention time, replaced at the same instant")
		s.checkRetained(third, true, "the current snapshot")
		if got, err := scan(t.Context(), s, s.tenant, first.Facts, shelf, snapshot.Range{}); err != nil || strings.Count(got, " a;") != 3 {
			t.Errorf("Scan of the expired snapshot = %q, %v, want all its blocks", got, err)
		}
		s.after(5*time.Minute - time.Microsecond)
		if n, p := s.count("blocks"), s.count("superseded"); n != 4 || p != 5 {
			t.Errorf("%d blocks and %d superseded rows within five minutes, want 4 and 5", n, p)
		}
		s.after(time.Microsecond)
		if n, p, st := s.count("blocks"), s.count("superseded"), s.count("snapshots"); n != 3 || p != 0 || st != 1 {
			t.Errorf("%d blocks, %d superseded rows and %d snapshots after five minutes, want 3, 0 and 1", n, p, st)
		}
		s.checkRetained(third, true, "the current snapshot")
	})
}

// TestSetRetention tests that the retention is one value of the database, with a default of two hours.
func TestSetRetention(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		s := newSite(t, db)
		if retention, err := s.Retention(t.Context()); err != nil || retention != 2*time.Hour {
			t.Errorf("Retention = %v, %v, want 2h", retention, err)
		}
		for _, want := range []time.Duration{26 * time.Hour, 15 * time.Minute} {
			if err := s.SetRetention(t.Context(), want); err != nil {
				t.Fatal(err)
			}
			if retention, err := s.Retention(t.Context()); err != nil || retention != want {
				t.Errorf("Retention = %v, %v, want %v", retention, err, want)
			}
		}
		first := s.load(nil, 1, "a")
		s.load(nil, 1, "b")
		s.after(15*time.Minute - time.Microsecond)
		s.checkRetained(first, true, "within 15 minutes")
		s.after(time.Microsecond)
		s.checkRetained(first, false, "after 15 minutes")
	})
}

// TestPullKeeps tests that a pull retains its snapshot while a page is read in every window, for at most 24 hours.
func TestPullKeeps(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		s := newSite(t, db)
		first := s.load(nil, 3, "a")
		key := snapshot.PullKey{Tenant: s.tenant, Budget: 1, Query: "q"}
		begun := *s.now
		if err := s.BeginPull(t.Context(), key, snapshot.Snapshot{Versions: first}, begun); err != nil {
			t.Fatal(err)
		}
		var second snapshot.Versions
		for hour := range 24 {
			second = s.load([]int{1 + hour%3}, 0, fmt.Sprint(hour))
			for range 4 {
				for range 3 {
					s.after(5 * time.Minute)
				}
				if _, _, ok, err := s.Pull(t.Context(), key, snapshot.Snapshot{}, *s.now); err != nil || ok != (s.now.Sub(begun) < 24*time.Hour) {
					t.Fatalf("Pull after %v = %t, %v, want it found for less than 24 hours", s.now.Sub(begun), ok, err)
				}
			}
			if hour < 23 {
				s.checkRetained(first, true, fmt.Sprint("hours of pulling: ", hour+1))
				if got, err := scan(t.Context(), s, s.tenant, first.Facts, shelf, snapshot.Range{}); err != nil || strings.Count(got, " a;") != 3 {
					t.Fatalf("Scan of the pulled snapshot = %q, %v, want its 3 blocks", got, err)
				}
			}
		}
		if age := s.now.Sub(begun); age != 24*time.Hour {
			t.Fatalf("age of the pull = %v, want 24h", age)
		}
		s.checkRetained(first, false, "pulled for 24 hours")
		s.checkRetained(second, true, "the latest snapshot")
	})
}

// TestPullWindow tests that an idle pull retains its snapshot for the window, and one minute more since requests are
// noted by the minute.
func TestPullWindow(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		s := newSite(t, db)
		s.remover.Window = 20 * time.Minute
		first := s.load(nil, 3, "a")
		second := s.load(nil, 1, "b")
		s.until(snapshotdb.DefaultRetention - time.Minute)
		key := snapshot.PullKey{Tenant: s.tenant, Budget: 1, Query: "q"}
		if err := s.BeginPull(t.Context(), key, snapshot.Snapshot{Versions: first}, *s.now); err != nil {
			t.Fatal(err)
		}
		s.until(20 * time.Minute)
		s.after(time.Minute - time.Microsecond)
		s.checkRetained(first, true, "within the window")
		s.after(time.Microsecond)
		s.checkRetained(first, false, "after the window")
		s.after(5 * time.Minute)
		third := s.load(nil, 1, "c")
		for range 26 { // a pull of the removed snapshot continues
			if _, _, _, err := s.Pull(t.Context(), key, snapshot.Snapshot{}, *s.now); err != nil {
				t.Fatal(err)
			}
			s.after(5 * time.Minute)
		}
		s.checkRetained(second, false, "beside a pull of an older, removed snapshot")
		s.checkRetained(third, true, "the current snapshot")
	})
}

// TestMaxSuperseded tests that the oldest snapshots end first if a tenant has too many superseded rows, even while a pull
// uses them.
func TestMaxSuperseded(t *testing.T) {
	dbtest.Everywhere(t, func(t *testing.T, db *database.DB) {
		s := newSite(t, db)
		s.remover.MaxSuperseded = 10
		snapshots := []snapshot.Versions{s.current()}
		for range 5 {
			snapshots = append(snapshots, s.write(2))
		}
		s.after(time.Minute)
		s.checkRetained(snapshots[0], true, "with ten superseded rows")
		if err := s.BeginPull(t.Context(), snapshot.PullKey{Tenant: s.tenant}, snapshot.Snapshot{Versions: snapshots[0]}, *s.now); err != nil {
			t.Fatal(err)
		}
		snapshots = append(snapshots, s.write(1))
		s.after(time.Minute)
		s.checkRetained(snapshots[0], false, "with eleven superseded rows")
		s.checkRetained(snapshots[1], true, "the next snapshot")
		s.until(6 * time.Minute)
		if n := s.count("superseded"); n != 9 {
			t.Errorf("%d superseded rows are left, want 9", n)
		}
	})
}

// TestDeadLoads tests that removal undoes a dead load some time after its lease has expired, and not before.
func TestDeadLoads(t *testing.T) {
	dbtest.Everywhere(t, func(t *testing.T, db *database.DB) {
		s := newSite(t, db)
		first := s.load(nil, 3, "a")
		dead, err := s.Begin(t.Context(), s.tenant, nil)
		if err != nil {
			t.Fatal(err)
		}
		one := snapshot.BlockKey{A: 1}
		change := snapshot.BlockChange(dead.Tenant(), shelf, []snapshot.BlockKey{one}, slices.Values([]snapshot.Block{{BlockKey: one, Data: []byte("b")}}))
		if err := dead.Write(t.Context(), change); err != nil {
			t.Fatal(err)
		}
		s.after(6*time.Minute - time.Microsecond)
		if n := s.count("leases"); n != 1 || s.count("blocks") != 4 {
			t.Errorf("%d leases and %d blocks while the load may be alive, want 1 and 4", n, s.count("blocks"))
		}
		s.after(time.Microsecond)
		if n := s.count("leases"); n != 0 || s.count("blocks") != 3 {
			t.Errorf("%d leases and %d blocks after the dead load was undone, want 0 and 3", n, s.count("blocks"))
		}
		if err := dead.Write(t.Context(), change); !errors.Is(err, snapshot.ErrLost) {
			t.Errorf("Write of a load that was undone = %v, want ErrLost", err)
		}
		if got := s.current(); got != first {
			t.Errorf("current snapshot = %v, want %v", got, first)
		}
		if open, err := db.NewSelect().Table("blocks").Where("tenant_id = ? AND until = ?", s.tenant, snapshot.Open).Count(t.Context()); err != nil || open != 3 {
			t.Errorf("%d blocks are open, %v, want 3", open, err)
		}
		if err := dead.Close(t.Context()); err != nil && !errors.Is(err, snapshot.ErrLost) {
			t.Error(err)
		}
	})
}

// TestSize tests the number of rows after 48 hourly loads that each change a tenth of the blocks. It is at most 1.5
// times that of one load of the same blocks.
func TestSize(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		s := newSite(t, db)
		s.load(nil, 200, "0")
		most := 0
		for hour := range 48 {
			var replaced []int
			for i := range 20 {
				replaced = append(replaced, 1+(hour*20+i*7)%200)
			}
			slices.Sort(replaced)
			s.load(slices.Compact(replaced), 1, fmt.Sprint(hour))
			most = max(most, s.count("blocks")*100/s.live)
			for range 6 {
				s.after(10 * time.Minute)
			}
		}
		t.Logf("%d rows of %d blocks, at most %d%%", s.count("blocks"), s.live, most)
		if most > 150 {
			t.Errorf("up to %d%% of the rows of one load, want 150%% at most", most)
		}
	})
}

// TestRemovalBesideScan tests that a slow scan finds all rows of its snapshot, or that the snapshot is gone.
func TestRemovalBesideScan(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		s := newSite(t, db)
		all := make([]int, 300)
		for i := range all {
			all[i] = i + 1
		}
		s.load(nil, len(all), "0")
		gone := 0
		for round := range 4 {
			at := s.current()
			rows := 0
			for part := range 3 { // three statements, during which a lot is loaded and removed
				r := snapshot.Range{A: snapshot.Between(int64(part*100+1), int64(part*100+100))}
				err := s.Scan(t.Context(), s.tenant, at.Facts, shelf, r, func(b snapshot.Block) error {
					if rows++; rows%60 == 0 && round > 0 {
						s.load(all, 0, fmt.Sprint(round))
						for range round * 2 {
							s.after(8 * time.Minute)
						}
					}
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			switch _, err := s.KeptFrom(t.Context(), s.tenant, at); {
			case errors.Is(err, snapshot.ErrGone):
				gone++
			case err != nil:
				t.Fatal(err)
			case rows != len(all):
				t.Fatalf("round %d: Scan of a retained snapshot returned %d rows, want %d", round, rows, len(all))
			}
		}
		if gone == 0 || gone == 4 {
			t.Errorf("%d of 4 slow reads ended with ErrGone, want some but not all, or this test shows nothing", gone)
		}
	})
}

// texts is a hook that records the statements.
type texts []string

func (x *texts) BeforeQuery(ctx context.Context, e *bun.QueryEvent) context.Context {
	*x = append(*x, e.Query)
	return ctx
}

func (x *texts) AfterQuery(context.Context, *bun.QueryEvent) {}

// TestStatements tests that a first load and removal run no ANALYZE and no VACUUM, which would touch the rows of all
// tenants. A statement also chooses itself what it removes: with a list of 2,000 keys, PostgreSQL took a minute.
func TestStatements(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		s := newSite(t, db)
		var ran texts
		s.DB = db.DB.WithQueryHook(&ran)
		const blocks = 2500
		all := make([]int, blocks)
		for i := range all {
			all[i] = i + 1
		}
		s.load(nil, blocks, "a")
		s.load(all, 0, "b")
		s.until(snapshotdb.DefaultRetention)
		s.after(6 * time.Minute)
		deletes := 0
		for _, text := range ran {
			if strings.Contains(text, "ANALYZE") || strings.Contains(text, "VACUUM") {
				t.Errorf("a load or removal runs %.80s", text)
			}
			if strings.Contains(text, "DELETE FROM \"blocks\"") {
				if deletes++; len(text) > 1000 {
					t.Errorf("rows are removed by a statement of %d bytes: %.200s…", len(text), text)
				}
			}
		}
		if n := s.count("blocks"); n != blocks || deletes < 2 {
			t.Errorf("%d blocks are left after %d DELETE statements, want %d after several", n, deletes, blocks)
		}
	})
}

// TestSupersededByKind tests that superseded blocks are found by an index that leads with their kind. All blocks that a
// load replaces have the same until: without the kind, each batch of one kind would read those of all others again.
func TestSupersededByKind(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		s := newSite(t, db)
		var ran texts
		s.DB = db.DB.WithQueryHook(&ran)
		s.load(nil, 500, "a")
		s.load([]int{1, 2, 3}, 0, "b")
		loads := snapshot.Span{From: 1, End: s.current().Facts + 1}
		if err := s.Replaced(t.Context(), s.tenant, shelf, loads, func(snapshot.BlockKey) error { return nil }); err != nil {
			t.Fatal(err)
		}
		s.until(snapshotdb.DefaultRetention)
		s.after(6 * time.Minute)
		if n := s.count("blocks"); n != 500 {
			t.Errorf("%d blocks are left, want 500", n)
		}
		index := regexp.MustCompile(`blocks_until \(tenant_id=\? AND kind=\? AND until`)
		if db.Engine == database.Postgres {
			index = regexp.MustCompile(`blocks_until.*\n *Index Cond: \(\(tenant_id = \d+\) AND \(kind = [^\n]* AND \(until <`)
		}
		explained, parameter := 0, regexp.MustCompile(`\$\d+`)
		for _, text := range ran {
			if !strings.Contains(text, "kind") || !strings.Contains(text, "until < ") {
				continue
			}
			explained++
			plan := planOf(t, db, parameter.ReplaceAllString(text, "9"))
			if !index.MatchString(plan) {
				t.Errorf("%s\nhas the plan\n%s\nwant a match of %s", text, plan, index)
			}
		}
		if explained < 5 { // before and after a load, two of a removal, and Replaced
			t.Errorf("%d statements look for superseded blocks, want 5", explained)
		}
	})
}

// planOf returns how the engine would run a query, even of a small table, by indexes.
func planOf(t *testing.T, db *database.DB, query string) string {
	t.Helper()
	conn, err := db.Pool().Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	explain, column := "EXPLAIN QUERY PLAN ", 3
	if db.Engine == database.Postgres {
		explain, column = "EXPLAIN ", 0
		if _, err := conn.ExecContext(t.Context(), "SET enable_seqscan = off; SET enable_bitmapscan = off"); err != nil {
			t.Fatal(err)
		}
	}
	var plan strings.Builder
	rows, err := conn.QueryContext(t.Context(), explain+query)
	err = snapshotdb.Visit(rows, err, "plan", func(rows *sql.Rows) error {
		cells := make([]any, column+1)
		for i := range cells {
			cells[i] = new(any)
		}
		err := rows.Scan(cells...)
		fmt.Fprintln(&plan, *cells[column].(*any))
		return err
	})
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return plan.String()
}

// TestScanSkipsSuperseded tests that the primary key has all columns that Scan's condition needs. Otherwise a scan would
// read superseded blocks too.
func TestScanSkipsSuperseded(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		want := "COVERING INDEX sqlite_autoindex_blocks_1"
		if db.Engine == database.Postgres {
			want = "Index Only Scan using blocks_pkey"
		}
		s := newSite(t, db)
		var ran texts
		s.DB = db.DB.WithQueryHook(&ran)
		none := func(snapshot.Block) error { return nil }
		if err := s.Scan(t.Context(), s.tenant, 9, shelf, snapshot.Range{}, none); err != nil || len(ran) != 1 {
			t.Fatalf("error %v after the statements %q", err, ran)
		}
		query := regexp.MustCompile(`\$\d+`).ReplaceAllString(strings.Replace(ran[0], "data", "until", 1), "9")
		if plan := planOf(t, db, query); !strings.Contains(plan, want) {
			t.Errorf("%s\nhas the plan\n%s\nwant %s", query, plan, want)
		}
		if _, err := db.NewRaw(`INSERT INTO blocks (tenant_id, kind, a, b, since, until, lo, hi, data) VALUES (?, 1, 1, 1, 9, 9, 0, 0, '')`, s.tenant).Exec(t.Context()); err == nil {
			t.Error("a load can close a block of its own")
		}
	})
}
