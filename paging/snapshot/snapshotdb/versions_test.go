package snapshotdb_test

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/uptrace/bun"
	"pgregory.net/rapid"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

var (
	shelf  = snapshot.Kind{Number: 101, Name: "shelf"}
	events = snapshot.Kind{Number: 102, Name: "events", LoadsOnly: true}
)

// newStore returns a store with one tenant and a clock that moves only when a test sets it.
func newStore(t *testing.T, db *database.DB) (*snapshotdb.Store, auth.Tenant, *time.Time) {
	t.Helper()
	if _, err := db.Migrate(t.Context(), snapshotdb.Migrations); err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 10, 1, 12, 0, 0, 0, time.UTC)
	id, err := snapshotdb.CreateTenant(t.Context(), db, snapshotdb.Tenant{Kind: snapshotdb.Library, Reference: "norte", Name: "Norte"})
	if err != nil {
		t.Fatal(err)
	}
	return &snapshotdb.Store{DB: db.DB, Copy: db.Copy, Now: func() time.Time { return now }, Kinds: []snapshot.Kind{shelf, events}}, id, &now
}

// publish publishes a load at once.
func publish(ctx context.Context, l *snapshotdb.Load) error {
	_, err := l.Publish(ctx, func(_ context.Context, _ bun.Tx, now time.Time, h *snapshotdb.Current) error {
		h.Facts, h.From = l.Number(), now
		return nil
	})
	return err
}

// scan returns a kind's blocks in the snapshot of a load, as text.
func scan(ctx context.Context, b snapshot.Blocks, t auth.Tenant, at int64, k snapshot.Kind, r snapshot.Range) (string, error) {
	text := ""
	err := b.Scan(ctx, t, at, k, r, func(b snapshot.Block) error {
		text += fmt.Sprintf("%d/%d %s;", b.A, b.B, b.Data)
		return nil
	})
	return text, err
}

// TestSnapshots runs random loads of a tenant that publish, fail, die or sleep. It tests that every published snapshot
// reads as its loads wrote it. A load that another has taken over from must not write.
func TestSnapshots(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		store, tenant, now := newStore(t, db)
		if f := flag.Lookup("rapid.checks"); f.Value.String() == f.DefValue { // each check runs some thirty loads
			t.Cleanup(func() { _ = f.Value.Set(f.DefValue) })
			_ = f.Value.Set("20")
		}
		rapid.Check(t, func(t *rapid.T) {
			m := &machine{T: t, store: store, tenant: tenant, now: now}
			m.clean()
			t.Repeat(map[string]func(*rapid.T){
				"load":  func(*rapid.T) { m.load() },
				"fail":  func(*rapid.T) { m.fail() },
				"die":   func(*rapid.T) { m.die() },
				"sleep": func(*rapid.T) { m.sleep() },
				"":      func(*rapid.T) { m.check() },
			})
		})
	})
}

// machine is one run of TestSnapshots.
type machine struct {
	*rapid.T
	store     *snapshotdb.Store
	tenant    auth.Tenant
	now       *time.Time
	live      map[snapshot.BlockKey]snapshot.Block // of the current snapshot
	snapshots []modelSnapshot
}

// modelSnapshot is the number of a snapshot, and its blocks.
type modelSnapshot struct {
	number int64
	blocks map[snapshot.BlockKey]snapshot.Block
}

// in returns the blocks in a range, as text.
func (s modelSnapshot) in(r snapshot.Range) (text string) {
	byKey := func(x, y snapshot.BlockKey) int { return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B)) }
	for _, k := range slices.SortedFunc(maps.Keys(s.blocks), byKey) {
		b := s.blocks[k]
		if (r.Among == nil || slices.Contains(r.Among, k.A)) && r.A.Contains(k.A) && r.B.Contains(k.B) && (r.Extent == snapshot.Span{} || int64(b.Hi) >= r.Extent.From && int64(b.Lo) < r.Extent.End) {
			text += fmt.Sprintf("%d/%d %s;", k.A, k.B, b.Data)
		}
	}
	return text
}

// clean deletes the data of an earlier run.
func (m *machine) clean() {
	for _, query := range []string{`DELETE FROM blocks`, `DELETE FROM leases`, `DELETE FROM snapshots`, `UPDATE versions SET facts = 0`} {
		if _, err := m.store.DB.ExecContext(m.Context(), query); err != nil {
			m.Fatal(err)
		}
	}
}

func (m *machine) begin() *snapshotdb.Load {
	l, err := m.store.Begin(m.Context(), m.tenant, nil)
	if err != nil {
		m.Fatal(err)
	}
	return l
}

// change draws a change of the current snapshot, and returns it with the resulting blocks.
func (m *machine) change() (snapshot.Change, map[snapshot.BlockKey]snapshot.Block) {
	var deleted []snapshot.BlockKey
	after := map[snapshot.BlockKey]snapshot.Block{}
	maps.Copy(after, m.live)
	var put []snapshot.Block
	for _, k := range rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) snapshot.BlockKey {
		return snapshot.BlockKey{A: rapid.Int64Range(0, 5).Draw(t, "a"), B: rapid.Int64Range(0, 2).Draw(t, "b")}
	}), 0, 9, rapid.ID[snapshot.BlockKey]).Draw(m.T, "keys") {
		_, live := m.live[k]
		if live {
			deleted = append(deleted, k)
			delete(after, k)
		}
		if !live || rapid.Bool().Draw(m.T, "replace") {
			lo := rapid.Int32Range(0, 9).Draw(m.T, "lo")
			after[k] = snapshot.Block{BlockKey: k, Lo: lo, Hi: lo + 2, Data: rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(m.T, "data")}
			put = append(put, after[k])
		}
	}
	return snapshot.BlockChange(m.tenant, shelf, deleted, slices.Values(put)), after
}

func (m *machine) load() {
	l := m.begin()
	c, after := m.change()
	if err := errors.Join(l.Write(m.Context(), c), publish(m.Context(), l), l.Close(m.Context())); err != nil {
		m.Fatal(err)
	}
	m.live, m.snapshots = after, append(m.snapshots, modelSnapshot{l.Number(), after})
}

// fail closes a load without publishing it.
func (m *machine) fail() {
	l := m.begin()
	c, _ := m.change()
	if err := errors.Join(l.Write(m.Context(), c), l.Close(m.Context())); err != nil {
		m.Fatal(err)
	}
}

// die ends a load as a kill would.
func (m *machine) die() {
	l := m.begin()
	c, _ := m.change()
	if err := l.Write(m.Context(), c); err != nil {
		m.Fatal(err)
	}
	l.Kill()
	*m.now = m.now.Add(time.Hour)
}

// sleep lets another load take over from one that tries to write afterwards.
func (m *machine) sleep() {
	l := m.begin()
	first, _ := m.change()
	if err := l.Write(m.Context(), first); err != nil {
		m.Fatal(err)
	}
	l.Kill() // a sleeping load renews nothing
	*m.now = m.now.Add(time.Hour)
	m.load()
	c, _ := m.change()
	if err := l.Write(m.Context(), c); !errors.Is(err, snapshot.ErrLost) {
		m.Fatalf("Write of a load that slept = %v, want ErrLost", err)
	}
	if err := publish(m.Context(), l); !errors.Is(err, snapshot.ErrLost) {
		m.Fatalf("Publish of a load that slept = %v, want ErrLost", err)
	}
}

// check reads a random range of all snapshots.
func (m *machine) check() {
	r := rapid.Custom(func(t *rapid.T) snapshot.Range {
		r := snapshot.Range{}
		if rapid.Bool().Draw(t, "among") {
			r.Among = rapid.SliceOfNDistinct(rapid.Int64Range(0, 6), 0, 4, rapid.ID[int64]).Draw(t, "of")
			slices.Sort(r.Among)
		}
		from := rapid.Int64Range(0, 4).Draw(t, "from")
		switch rapid.IntRange(0, 3).Draw(t, "span") {
		case 0:
			r.A = snapshot.Between(from, from+1)
		case 1:
			r.B = snapshot.Between(from, from+1)
		case 2:
			r.Extent = snapshot.Between(from, from)
		}
		return r
	}).Draw(m.T, "range")
	for i, s := range m.snapshots {
		got, err := scan(m.Context(), m.store, m.tenant, s.number, shelf, r)
		if want := s.in(r); err != nil || got != want {
			m.Fatalf("Scan of snapshot %d of %d in %+v = %q, %v, want %q", i, len(m.snapshots), r, got, err, want)
		}
	}
}

// TestWaitsForALoad tests that a load waits for a live one, reports that once, and continues when the other ends.
func TestWaitsForALoad(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		store, tenant, _ := newStore(t, db)
		first, err := store.Begin(t.Context(), tenant, nil)
		if err != nil {
			t.Fatal(err)
		}
		waits := make(chan struct{}, 2)
		done := make(chan error, 1)
		go func() {
			second, err := store.Begin(t.Context(), tenant, func() { waits <- struct{}{} })
			if err == nil {
				err = second.Close(t.Context())
			}
			done <- err
		}()
		<-waits
		if err := first.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := <-done; err != nil || len(waits) != 0 {
			t.Errorf("second load = %v, reported %d more waits, want nil, 0", err, len(waits))
		}
	})
}

// TestLoadsOnly tests that blocks that only loads read are removed once a published load has replaced them. Other kinds
// stay.
func TestLoadsOnly(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		store, tenant, _ := newStore(t, db)
		for i := range 3 {
			l, err := store.Begin(t.Context(), tenant, nil)
			if err != nil {
				t.Fatal(err)
			}
			key := snapshot.BlockKey{A: 1}
			change := func(k snapshot.Kind) snapshot.Change {
				return snapshot.BlockChange(tenant, k, []snapshot.BlockKey{key}[:min(i, 1)], slices.Values([]snapshot.Block{{BlockKey: key, Data: []byte{byte(i)}}}))
			}
			if err := errors.Join(l.Write(t.Context(), change(shelf), change(events)), publish(t.Context(), l), l.Close(t.Context())); err != nil {
				t.Fatal(err)
			}
		}
		for kind, want := range map[int16]int64{shelf.Number: 3, events.Number: 1} {
			if n, err := db.NewSelect().Table("blocks").Where("kind = ?", kind).Count(t.Context()); n != want || err != nil {
				t.Errorf("%d blocks of kind %d, %v, want %d", n, kind, err, want)
			}
		}
	})
}

// TestLoadsOnlyOfALostLoad tests a published load that a failover has lost. It does not remove the blocks that only loads
// read, since their snapshot is current again, and the next load undoes what it wrote.
func TestLoadsOnlyOfALostLoad(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		store, tenant, _ := newStore(t, db)
		load := func(put byte, deleted ...snapshot.BlockKey) *snapshotdb.Load {
			t.Helper()
			l, err := store.Begin(t.Context(), tenant, nil)
			if err != nil {
				t.Fatal(err)
			}
			c := snapshot.BlockChange(tenant, events, deleted, slices.Values([]snapshot.Block{{BlockKey: snapshot.BlockKey{A: 1}, Data: []byte{put}}}))
			if err := errors.Join(l.Write(t.Context(), c), publish(t.Context(), l)); err != nil {
				t.Fatal(err)
			}
			return l
		}
		first := load('1')
		if err := first.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		lost := load('2', snapshot.BlockKey{A: 1})
		// The standby lacks the last step of the load.
		if _, err := db.NewRaw(`UPDATE versions SET facts = ? WHERE tenant_id = ?`, first.Number(), tenant).Exec(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := db.NewRaw(`INSERT INTO leases (tenant_id, number, token, began, expires) VALUES (?, ?, '', 0, 0)`, tenant, lost.Number()).Exec(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := lost.Close(t.Context()); err != nil {
			t.Errorf("Close of a lost load = %v, want nil", err)
		}
		next, err := store.Begin(t.Context(), tenant, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := scan(t.Context(), store, tenant, next.Base(), events, snapshot.Range{}); err != nil || got != "1/0 1;" {
			t.Errorf("Scan in the next load = %q, %v, want the blocks of the first load", got, err)
		}
		if err := next.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
