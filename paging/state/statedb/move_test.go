package statedb_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/lectern-dev/lectern/paging/state/statedb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// TestToMove: former tables are found under either name and weighed, on SQLite where the file is large enough for it to matter;
// several at once move each row once.
func TestToMove(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		store, tenant, _ := newStore(t, db)
		tables := []statedb.Former{{Table: "shelves_former", Before: "shelves", Key: []string{"n"}, Forms: []statedb.Form{{Column: "data", Kind: shelf}}}}
		check := func(enough int64, want []string, least, most int64) {
			t.Helper()
			if names, size, err := store.ToMove(t.Context(), tables, enough); err != nil || !slices.Equal(names, want) || size < least || size > most {
				t.Errorf("to move = %v, %d bytes, %v, want %v and %d to %d bytes", names, size, err, want, least, most)
			}
		}
		check(0, nil, 0, 0)
		data := "bytea"
		if db.Engine == database.SQLite {
			data = "BLOB"
		}
		if _, err := db.ExecContext(t.Context(), `CREATE TABLE shelves (tenant_id bigint, n bigint, data `+data+`)`); err != nil {
			t.Fatal(err)
		}
		const rows, size = 1200, 2000
		for n := range rows {
			form := bytes.Repeat([]byte{byte(n), byte(n >> 8), 7, 9, byte(n * 31)}, size/5)
			if _, err := db.NewRaw(`INSERT INTO shelves VALUES (?, ?, ?)`, tenant, n, form).Exec(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		least := int64(100_000) // PostgreSQL compresses
		check(0, []string{"shelves"}, least, 4*rows*size)
		if db.Engine == database.SQLite {
			check(1<<30, []string{"shelves"}, 0, 0)
		}
		if _, err := db.ExecContext(t.Context(), `ALTER TABLE shelves RENAME TO shelves_former`); err != nil {
			t.Fatal(err)
		}
		check(0, []string{"shelves_former"}, least, 4*rows*size)
		errs := make(chan error, 3)
		for range cap(errs) {
			go func() { errs <- store.Move(t.Context(), tables, nil) }()
		}
		for range cap(errs) {
			if err := <-errs; err != nil {
				t.Errorf("Move beside others = %v", err)
			}
		}
		check(0, nil, 0, 0)
		if n, err := db.NewSelect().Table("blocks").Count(t.Context()); err != nil || n != rows {
			t.Errorf("%d blocks, %v, want %d", n, err, rows)
		}
	})
}
