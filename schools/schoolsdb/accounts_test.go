package schoolsdb_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/schools/report"
	"github.com/lectern-dev/lectern/schools/schoolsdb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// partner is a partner whose accounts and entities change.
type partner struct {
	*testing.T
	db       *database.DB
	id       directory.PartnerID
	entities directory.EntityID // how many there are: networks, schools and classes in turn
	users    directory.UserID
}

func newPartner(t *testing.T, db *database.DB) *partner {
	t.Helper()
	if _, err := db.Migrate(t.Context(), authdb.Migrations, snapshotdb.Migrations, directorydb.Migrations, schoolsdb.Migrations); err != nil {
		t.Fatal(err)
	}
	id, err := directorydb.CreatePartner(t.Context(), db, "p", "P")
	if err != nil {
		t.Fatal(err)
	}
	return &partner{T: t, db: db, id: id}
}

func (p *partner) versions() snapshot.Versions {
	p.Helper()
	v, err := snapshotdb.ReadCurrent(p.Context(), p.db, auth.Tenant(p.id))
	if err != nil {
		p.Fatal(err)
	}
	return snapshot.Versions{Registers: v.Registers, Facts: v.Facts}
}

// entity returns a random version of the entity with a number.
func (p *partner) entity(r *rand.Rand, id directory.EntityID) directory.Entity {
	e := directory.Entity{ID: id, Ref: directory.Ref(fmt.Sprint("e", id)), Name: fmt.Sprint("name ", r.IntN(1000)), Degree: fmt.Sprint(1 + r.IntN(9)), Deleted: r.IntN(9) == 0}
	e.Type = directory.EntityType(1 + (id-1)%3)
	if e.Type != directory.Network {
		e.Parent = id - 1
	}
	return e
}

func (p *partner) account(r *rand.Rand, id directory.UserID) directory.Account {
	return directory.Account{
		ID: id, Ref: directory.Ref(fmt.Sprint("u", id)), Kind: directory.Kind(1 + r.IntN(4)), AccessToken: fmt.Sprint("T", id),
		Entity: directory.EntityID(r.Int64N(int64(p.entities) + 1)), Active: r.IntN(3) > 0, Deleted: r.IntN(9) == 0,
	}
}

// change writes a few random rows, new ones too, or many, and publishes them. It returns an error, since goroutines call
// it too.
func (p *partner) change(ctx context.Context, r *rand.Rand) error {
	return p.db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		h, err := snapshotdb.Lock(ctx, tx, auth.Tenant(p.id))
		if err != nil {
			return err
		}
		h.Registers = snapshotdb.NextNumber(h.Registers)
		w := &directorydb.Write{IDB: tx, Partner: p.id, Version: h.Registers}
		n := r.IntN(4)
		if r.IntN(8) == 0 {
			n = 60
		}
		var entities []directory.Entity
		var accounts []directory.Account
		for range n * r.IntN(2) {
			id := directory.EntityID(1 + r.Int64N(int64(p.entities)+2))
			p.entities = max(p.entities, id)
			entities = append(entities, p.entity(r, id))
		}
		for range n {
			id := directory.UserID(1 + r.Int64N(int64(p.users)+3))
			p.users = max(p.users, id)
			accounts = append(accounts, p.account(r, id))
		}
		if r.IntN(5) == 0 {
			degrees := directory.Degrees{{Code: fmt.Sprint(1 + r.IntN(9)), Stage: "MEDIO"}}
			if _, err := w.PutDegrees(ctx, degrees); err != nil {
				return err
			}
		}
		if err := errors.Join(w.PutEntities(ctx, entities), w.PutAccounts(ctx, accounts)); err != nil {
			return err
		}
		if r.IntN(2) == 0 {
			h.Facts = snapshotdb.NextNumber(h.Facts)
		}
		return h.Publish(ctx, tx, auth.Tenant(p.id), time.Now())
	})
}

// fresh reads the accounts with a new store.
func (p *partner) fresh(at snapshot.Versions) *report.Accounts {
	p.Helper()
	accounts, err := (&schoolsdb.Store{DB: p.db.DB}).Accounts(p.Context(), p.id, at)
	if err != nil {
		p.Fatal(err)
	}
	return accounts
}

// TestAccountsFollow reads accounts on top of earlier ones, across any number of versions. It tests that they are the
// same as in a full read, and that the earlier ones do not change.
func TestAccountsFollow(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		p := newPartner(t, db)
		store := &schoolsdb.Store{DB: db.DB}
		r := rand.New(rand.NewPCG(1, 9))
		var earlier, earlierFull *report.Accounts
		for i := range 120 {
			for range r.IntN(3) {
				if err := p.change(t.Context(), r); err != nil {
					t.Fatal(err)
				}
			}
			at := p.versions()
			got, err := store.Accounts(t.Context(), p.id, at)
			if err != nil {
				t.Fatal(err)
			}
			want := p.fresh(at)
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("read %d, of version %d, differs from a full read:\n%+v\nwant\n%+v", i, at.Registers, got, want)
			}
			if earlier != nil && !reflect.DeepEqual(earlier, earlierFull) {
				t.Fatalf("read %d changed the accounts of the read before", i)
			}
			earlier, earlierFull = got, want
		}
	})
}

// TestAccountsReadWhatChanged tests that rows are not read again if nothing has written them since. The test alters
// them behind the store's back, so that reading them would show.
func TestAccountsReadWhatChanged(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		p := newPartner(t, db)
		r := rand.New(rand.NewPCG(2, 2))
		for range 10 {
			if err := p.change(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
		store := &schoolsdb.Store{DB: db.DB}
		first, err := store.Accounts(t.Context(), p.id, p.versions())
		if err != nil {
			t.Fatal(err)
		}
		before := p.fresh(p.versions())
		for _, statement := range []string{`UPDATE accounts SET active = NOT active`, `UPDATE entities SET name = 'behind'`} {
			if _, err := db.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
		h, err := snapshotdb.ReadCurrent(t.Context(), db, auth.Tenant(p.id))
		if err != nil {
			t.Fatal(err)
		}
		h.Registers = snapshotdb.NextNumber(h.Registers)
		if err := h.Publish(t.Context(), db, auth.Tenant(p.id), time.Now()); err != nil {
			t.Fatal(err)
		}
		second, err := store.Accounts(t.Context(), p.id, p.versions())
		if err != nil || !reflect.DeepEqual(second, before) {
			t.Errorf("the second read differs from the first, or fails: %v", err)
		}
		if reflect.DeepEqual(second, p.fresh(p.versions())) {
			t.Error("a full read equals the first: the test altered nothing")
		}
		runtime.KeepAlive(first)
	})
}

// TestErasedAccounts tests that accounts are read correctly after earlier ones were garbage collected.
func TestErasedAccounts(t *testing.T) {
	p := newPartner(t, dbtest.SQLite(t))
	store := &schoolsdb.Store{DB: p.db.DB}
	r := rand.New(rand.NewPCG(3, 3))
	for range 3 {
		if err := p.change(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		if _, err := store.Accounts(t.Context(), p.id, p.versions()); err != nil {
			t.Fatal(err)
		}
		runtime.GC()
	}
	if got, err := store.Accounts(t.Context(), p.id, p.versions()); err != nil || !reflect.DeepEqual(got, p.fresh(p.versions())) {
		t.Errorf("Accounts after garbage collection differ from a full read, or fail: %v", err)
	}
}

// TestAccountsOfEverySnapshot reads the accounts of every snapshot, in any order, with one store for all and with a new
// store for each. They must be as they were when the snapshot was current.
func TestAccountsOfEverySnapshot(t *testing.T) {
	dbtest.Everywhere(t, func(t *testing.T, db *database.DB) {
		p := newPartner(t, db)
		store := &schoolsdb.Store{DB: db.DB}
		r := rand.New(rand.NewPCG(4, 4))
		var snapshots []snapshot.Versions
		var then []*report.Accounts
		for range 60 {
			if err := p.change(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			snapshots, then = append(snapshots, p.versions()), append(then, p.fresh(p.versions()))
		}
		for _, i := range r.Perm(len(snapshots)) {
			got, err := store.Accounts(t.Context(), p.id, snapshots[i])
			if err != nil || !reflect.DeepEqual(got, then[i]) || !reflect.DeepEqual(p.fresh(snapshots[i]), then[i]) {
				t.Errorf("accounts of snapshot %d differ from those read while it was current, or fail: %v", i, err)
			}
		}
	})
}

// TestAccountsRestored tests that accounts in memory are ignored if versions go back, as in a restored copy.
func TestAccountsRestored(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		p := newPartner(t, db)
		store := &schoolsdb.Store{DB: db.DB}
		r := rand.New(rand.NewPCG(5, 5))
		for range 5 {
			if err := p.change(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
		earlier, err := store.Accounts(t.Context(), p.id, p.versions())
		if err != nil {
			t.Fatal(err)
		}
		for _, statement := range []string{`UPDATE versions SET registers = 2`, `UPDATE accounts SET version = 2, active = NOT active`} {
			if _, err := db.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := store.Accounts(t.Context(), p.id, p.versions()); err != nil || !reflect.DeepEqual(got, p.fresh(p.versions())) {
			t.Errorf("Accounts of restored versions differ from a full read, or fail: %v", err)
		}
		runtime.KeepAlive(earlier)
	})
}

// TestAccountsBesideWriters tests that readers of one store, while the accounts change, get the same as a new store
// reads at the same version.
func TestAccountsBesideWriters(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		const changes, readers = 60, 4
		p := newPartner(t, db)
		store := &schoolsdb.Store{DB: db.DB}
		done := make(chan struct{})
		var wg sync.WaitGroup
		wg.Go(func() {
			defer close(done)
			r := rand.New(rand.NewPCG(6, 6))
			for range changes {
				if err := p.change(t.Context(), r); err != nil {
					t.Error(err)
				}
			}
		})
		for range readers {
			wg.Go(func() {
				same := 0
				for stop := false; !stop || same == 0; {
					select {
					case <-done:
						stop = true
					default:
					}
					ok, err := p.compare(store)
					if err != nil {
						t.Error(err)
						return
					}
					if ok {
						same++
					}
				}
			})
		}
		wg.Wait()
	})
}

// compare reads the current accounts with a store that may have earlier ones and with a new store, and reports whether
// both are equal. If they differ, it returns an error.
func (p *partner) compare(store *schoolsdb.Store) (bool, error) {
	v, err := snapshotdb.ReadCurrent(p.Context(), p.db, auth.Tenant(p.id))
	if err != nil {
		return false, err
	}
	at := snapshot.Versions{Registers: v.Registers, Facts: v.Facts}
	got, err := store.Accounts(p.Context(), p.id, at)
	if err != nil {
		return false, err
	}
	want, err := (&schoolsdb.Store{DB: p.db.DB}).Accounts(p.Context(), p.id, at)
	if err == nil && !reflect.DeepEqual(got, want) {
		err = fmt.Errorf("the accounts of version %d differ from a full read", at.Registers)
	}
	return err == nil, err
}

func BenchmarkAccountsSQLite(b *testing.B)   { benchmarkAccounts(b, dbtest.SQLite(b)) }
func BenchmarkAccountsPostgres(b *testing.B) { benchmarkAccounts(b, dbtest.Postgres(b)) }

// benchmarkAccounts measures reading 100,000 accounts: all of them, and those that a directory write changed.
func benchmarkAccounts(b *testing.B, db *database.DB) {
	const users = 100_000
	ctx := b.Context()
	if _, err := db.Migrate(ctx, authdb.Migrations, snapshotdb.Migrations, directorydb.Migrations, schoolsdb.Migrations); err != nil {
		b.Fatal(err)
	}
	id, err := directorydb.CreatePartner(ctx, db, "p", "P")
	if err != nil {
		b.Fatal(err)
	}
	p := &partner{db: db, id: id, entities: 4000}
	r := rand.New(rand.NewPCG(1, 1))
	write := func(accounts []directory.Account) snapshot.Versions {
		var v snapshot.Versions
		err := db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
			h, err := snapshotdb.Lock(ctx, tx, auth.Tenant(id))
			if err != nil {
				return err
			}
			h.Registers = snapshotdb.NextNumber(h.Registers)
			v = h.Versions
			w := &directorydb.Write{IDB: tx, Partner: id, Version: v.Registers}
			return errors.Join(w.PutAccounts(ctx, accounts), h.Publish(ctx, tx, auth.Tenant(id), time.Now()))
		})
		if err != nil {
			b.Fatal(err)
		}
		return snapshot.Versions{Registers: v.Registers, Facts: v.Facts}
	}
	accounts := make([]directory.Account, users)
	for i := range accounts {
		accounts[i] = p.account(r, directory.UserID(i+1))
	}
	at := write(accounts)
	b.Run("Whole", func(b *testing.B) {
		for b.Loop() {
			if _, err := (&schoolsdb.Store{DB: db.DB}).Accounts(ctx, id, at); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("AfterWrite", func(b *testing.B) {
		store := &schoolsdb.Store{DB: db.DB}
		earlier, err := store.Accounts(ctx, id, at)
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			b.StopTimer()
			at = write(accounts[r.IntN(users):][:1])
			b.StartTimer()
			if earlier, err = store.Accounts(ctx, id, at); err != nil {
				b.Fatal(err)
			}
		}
		runtime.KeepAlive(earlier)
	})
}
