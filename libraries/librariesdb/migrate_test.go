package librariesdb

import (
	"io/fs"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// until is the migrations up to a number.
func until(t *testing.T, number string) fs.FS {
	t.Helper()
	some := fstest.MapFS{}
	err := fs.WalkDir(Migrations, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if n, _, _ := strings.Cut(path.Base(name), "_"); n > number {
			return nil
		}
		data, err := fs.ReadFile(Migrations, name)
		some[name] = &fstest.MapFile{Data: data}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return some
}

// A database whose loads took note of loans before the history goes on without them; its loans stay.
func TestEarlyLoansGo(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		if _, err := db.Migrate(t.Context(), authdb.Migrations, until(t, "20261121000400")); err != nil {
			t.Fatal(err)
		}
		network, err := CreateNetwork(t.Context(), db, "old", "Old")
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range []string{
			`INSERT INTO libraries_early_loans (tenant_id, loan_id, user_id, book_id, borrowed) VALUES (?, 1, 1, 1, 0)`,
			`INSERT INTO libraries_loans (tenant_id, day, loan_id, user_id, book_id, borrowed, returned, status) VALUES (?, 20655, 2, 1, 1, 0, 0, 1)`,
		} {
			if _, err := db.NewRaw(q, network).Exec(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		applied, err := db.Migrate(t.Context(), authdb.Migrations, Migrations)
		if err != nil || len(applied) == 0 || applied[0] != "20261121000410_early_loans" {
			t.Fatalf("Migrate = %v, %v, want 20261121000410_early_loans first", applied, err)
		}
		if _, err := db.NewRaw(`SELECT loan_id FROM libraries_early_loans`).Exec(t.Context()); err == nil {
			t.Error("the table of early loans is still there")
		}
		store := &Store{DB: db.DB, Copy: db.Copy}
		if loans, err := store.LoansByID(t.Context(), network, []int64{1, 2}); err != nil || len(loans) != 1 {
			t.Errorf("LoansByID = %v, %v, want the loan 2", loans, err)
		}
	})
}
