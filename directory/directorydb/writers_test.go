package directorydb_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// TestWaitingWritersLeaveConnections tests that reads continue while many writes wait for a partner's lock, which a
// load may have.
func TestWaitingWritersLeaveConnections(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		p := newPartner(t, db, "a")
		store := &directorydb.Store{DB: db.DB}
		tx, err := db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := snapshotdb.Lock(t.Context(), tx, auth.Tenant(p)); err != nil {
			t.Fatal(err)
		}
		waiting, cancel := context.WithCancel(t.Context())
		var begun, ended sync.WaitGroup
		for range 40 {
			begun.Add(1)
			ended.Go(func() {
				begun.Done()
				_ = store.DeleteTeacher(waiting, p, directory.Ref("nobody"))
			})
		}
		begun.Wait()
		for range 20 {
			ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
			if _, err := snapshotdb.ReadCurrent(ctx, db, auth.Tenant(p)); err != nil {
				t.Errorf("ReadCurrent beside waiting writes = %v, want nil", err)
			}
			stop()
		}
		cancel()
		if err := tx.Rollback(); err != nil {
			t.Error(err)
		}
		ended.Wait()
	})
}

// TestWritersBesideReaders runs many writers on two stores, as on two replicas, beside a reader of one snapshot after
// the other. Each snapshot has the first writes in the order of their numbers, and every write acknowledged before it
// was read. A snapshot never changes.
func TestWritersBesideReaders(t *testing.T) {
	const writers, each = 8, 12
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		s := newStage(t, db, "a")
		stores := []*directorydb.Store{s.Store, {DB: openAgain(t, db).DB}}
		var acknowledged [writers]atomic.Int64
		var all sync.WaitGroup
		for w := range writers {
			all.Go(func() {
				r := rand.New(rand.NewPCG(1, uint64(w)))
				for i := range each {
					store := stores[r.IntN(len(stores))]
					_, err := store.CreateEntity(t.Context(), s.p, newSchool(ownRef(w, i), "network"))
					must(t, err)
					acknowledged[w].Store(int64(i + 1))
					switch r.IntN(3) {
					case 0:
						if _, err := store.CreateEntity(t.Context(), s.p, newSchool(ownRef(w, i), "network")); messages(err)["reference_id"] == "" {
							t.Errorf("CreateEntity with a reference in use = %v, want an error for reference_id", err)
						}
					case 1:
						_, err := store.UpdateEntity(t.Context(), s.p, "school", directory.EntityInput{Name: sent(string(ownRef(w, i)))})
						must(t, err)
					}
				}
			})
		}
		done := make(chan struct{})
		go func() { all.Wait(); close(done) }()
		seen := map[int64][]directory.Entity{}
		var last int64
		for reading := true; reading; {
			select {
			case <-done:
				reading = false
			default:
			}
			var least [writers]int64
			for w := range least {
				least[w] = acknowledged[w].Load()
			}
			h, err := snapshotdb.ReadCurrent(t.Context(), db, auth.Tenant(s.p))
			must(t, err)
			list := s.entitiesAt(h.Registers)
			if h.Registers < last || h.Registers > last && last > 0 && slices.Equal(list, seen[last]) {
				t.Errorf("version %d follows %d, want a later one with other entities, or the same version", h.Registers, last)
			}
			checkPrefix(t, list, least[:])
			last, seen[h.Registers] = h.Registers, list
		}
		for version, list := range seen {
			if !slices.Equal(s.entitiesAt(version), list) {
				t.Errorf("version %d has changed since it was read", version)
			}
		}
		if n := len(seen[last]); n != 3+writers*each {
			t.Errorf("%d entities, want %d", n, 3+writers*each)
		}
	})
}

func ownRef(writer, i int) directory.Ref { return directory.Ref(fmt.Sprintf("w%d-%d", writer, i)) }

// entitiesAt returns the entities of a version.
func (s stage) entitiesAt(version int64) []directory.Entity {
	s.Helper()
	list, err := directorydb.View{DB: s.db, Partner: s.p, At: version}.Entities(s.Context())
	must(s.T, err)
	return list
}

// checkPrefix checks that the entities are the first that were created, and include each writer's acknowledged ones.
func checkPrefix(t *testing.T, list []directory.Entity, least []int64) {
	t.Helper()
	got := make([]int64, len(least))
	for i, e := range list {
		if e.ID != directory.EntityID(i+1) {
			t.Fatalf("entity %d is at position %d", e.ID, i+1)
		}
		var w, n int
		if _, err := fmt.Sscanf(string(e.Ref), "w%d-%d", &w, &n); err == nil {
			if int64(n) != got[w] {
				t.Errorf("write %d of writer %d comes after %d of its writes", n, w, got[w])
			}
			got[w]++
		}
	}
	for w := range least {
		if got[w] < least[w] {
			t.Errorf("%d writes of writer %d, want at least the %d acknowledged ones", got[w], w, least[w])
		}
	}
}
