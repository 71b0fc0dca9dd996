package status_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/internal/status"
)

// silent returns a distributed database with twelve partners, of which those in one partition cannot be read, and their references.
func silent(t *testing.T) (db *database.DB, unread []string) {
	t.Helper()
	whole := dbtest.Distributed(t)
	if _, err := server.Migrate(t.Context(), whole); err != nil {
		t.Fatal(err)
	}
	for _, ref := range strings.Split("abcdefghijkl", "") {
		if _, err := directorydb.CreatePartner(t.Context(), whole, directory.Ref(ref), ref); err != nil {
			t.Fatal(err)
		}
	}
	_, err := whole.ExecContext(t.Context(), `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET lock_timeout = 100', current_database()); END $$`)
	if err != nil {
		t.Fatal(err)
	}
	err = whole.NewRaw(`
		SELECT t.reference FROM tenants t
		 WHERE satisfies_hash_partition('versions'::regclass, 4, 1, t.tenant_id)
		 ORDER BY t.tenant_id`).Scan(t.Context(), &unread)
	if err != nil || len(unread) == 0 || len(unread) == 12 {
		t.Fatalf("partners in a partition: %q, %v, want some", unread, err)
	}
	tx, err := whole.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tx.Rollback() })
	if _, err := tx.ExecContext(t.Context(), `LOCK TABLE versions__1 IN ACCESS EXCLUSIVE MODE`); err != nil {
		t.Fatal(err)
	}
	db, err = database.Open(t.Context(), whole.URL) // with the bound
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db, unread
}

// Where a part of the database does not answer, what does is told of.
func TestAnswering(t *testing.T) {
	db, unread := silent(t)
	store := &authdb.Store{DB: db.DB}
	if _, _, err := store.LoadedLast(t.Context(), 100); err == nil {
		t.Error("LoadedLast of all partners has no error, want that of the lock")
	}
	list, total, err := store.Answering(t.Context(), 100)
	var got []string
	for _, v := range list {
		got = append(got, v.Reference)
	}
	check(t, "Answering", got, unread)
	if total != 12 || err != nil {
		t.Errorf("Answering of %d, %v, want 12", total, err)
	}

	got = nil
	r := &status.Reader{Store: store, Former: server.Remover(db, nil)}
	err = r.Each(t.Context(), func(st status.Tenant) error { got = append(got, st.Reference); return nil })
	check(t, "Each", got, unread)
	if err == nil || !strings.Contains(err.Error(), `status of partner "`+unread[0]+`"`) {
		t.Errorf("Each = %v, want the first that cannot be read, %s", err, unread[0])
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Each(ctx, func(status.Tenant) error { return nil }); err == nil {
		t.Error("Each, called off, has no error")
	}
}

// check compares references with all of the twelve but some.
func check(t *testing.T, what string, got, but []string) {
	t.Helper()
	want := slices.DeleteFunc(strings.Split("abcdefghijkl", ""), func(ref string) bool { return slices.Contains(but, ref) })
	if !slices.Equal(got, want) {
		t.Errorf("%s has %q, want %q", what, got, want)
	}
}
