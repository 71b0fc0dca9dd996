package erase_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/feed"
	"github.com/lectern-dev/lectern/server/internal/load"
	"github.com/lectern-dev/lectern/server/internal/operate/erase"
)

// TestErasures tests that a step raises the tenant's number of erasures if it erases from every snapshot, and only then.
func TestErasures(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		w := newFixture(t, db)
		f := &erase.Eraser{DB: db}
		deleted := func(now bool) func() {
			return func() {
				dir := w.feed(map[string]string{"readers": fmt.Sprintf(
					`{"userId":%d,"name":"Zuleica 3","email":"z@casa.example","registeredAt":"2026-01-01","status":"deleted","deletedAt":"2026-08-05","updatedAt":"2026-08-05T12:00:00Z"}`, reader)})
				store := &librariesdb.Store{DB: db.DB, Copy: db.Copy}
				must[*feed.Totals](t)(load.Libraries(t.Context(), store, w.network, os.DirFS(dir), load.Options{Immediately: now}))
			}
		}
		for _, step := range []struct {
			what             string
			do               func()
			partner, network bool // whether its number rises
		}{
			{"a feed of schools", func() { w.loadSchools("Zuleica 4") }, false, false},
			{"an edit", func() { w.put("Zuleica 5") }, false, false},
			{"a feed of readers", func() { w.loadReaders("Zuleica 4", 4, true) }, false, false},
			{"a feed with a deleted reader that waits for its hour", deleted(false), false, true},
			{"the same again", deleted(true), false, false},
			{"a teacher's DELETE", func() {
				if err := (&directorydb.Store{DB: db.DB}).DeleteTeacher(t.Context(), w.partner, "b"); err != nil {
					t.Fatal(err)
				}
			}, true, false},
			{"an account is erased", func() {
				must[erase.Done](t)(f.Person(t.Context(), snapshotdb.Tenant{ID: auth.Tenant(w.partner), Kind: snapshotdb.Partner}, pupil))
			}, true, false},
			{"a reader is erased", func() {
				must[erase.Done](t)(f.Person(t.Context(), snapshotdb.Tenant{ID: auth.Tenant(w.network), Kind: snapshotdb.Library}, reader))
			}, false, true},
		} {
			partner, network := w.erasures(auth.Tenant(w.partner)), w.erasures(auth.Tenant(w.network))
			step.do()
			if now := w.erasures(auth.Tenant(w.partner)); (now > partner) != step.partner || now < partner {
				t.Errorf("%s: erasures of the partner = %d, were %d", step.what, now, partner)
			}
			if now := w.erasures(auth.Tenant(w.network)); (now > network) != step.network || now < network {
				t.Errorf("%s: erasures of the network = %d, were %d", step.what, now, network)
			}
		}
	})
}

// erasures returns a tenant's number of erasures.
func (w *fixture) erasures(of auth.Tenant) int64 {
	w.t.Helper()
	return must[snapshotdb.Current](w.t)(snapshotdb.ReadCurrent(w.t.Context(), w.db, of)).Erasures
}
