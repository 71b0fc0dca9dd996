package directorydb_test

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"testing"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// newPartner applies the migrations and adds a partner.
func newPartner(tb testing.TB, db *database.DB, ref directory.Ref) directory.PartnerID {
	tb.Helper()
	if _, err := db.Migrate(tb.Context(), authdb.Migrations, snapshotdb.Migrations, directorydb.Migrations); err != nil {
		tb.Fatal(err)
	}
	p, err := directorydb.CreatePartner(tb.Context(), db, ref, "Partner "+string(ref))
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// inTx runs f in a transaction.
func inTx(tb testing.TB, db *database.DB, f func(ctx context.Context, tx bun.Tx) error) error {
	tb.Helper()
	return db.RunInTx(tb.Context(), nil, f)
}

// exec runs a statement for which the package has no function.
func exec(tb testing.TB, db *database.DB, query string, args ...any) {
	tb.Helper()
	if _, err := db.ExecContext(tb.Context(), query, args...); err != nil {
		tb.Fatal(err)
	}
}

func TestMigrationsAgree(t *testing.T) {
	list := func(engine database.Engine) []string {
		files, err := fs.Glob(directorydb.Migrations, "migrations/"+string(engine)+"/*")
		if err != nil || len(files) == 0 {
			t.Fatalf("migrations of %s = %v, %v, want some", engine, files, err)
		}
		for i, f := range files {
			files[i] = f[len("migrations/"+string(engine)+"/"):]
		}
		return files
	}
	if a, b := list(database.Postgres), list(database.SQLite); !slices.Equal(a, b) {
		t.Errorf("migrations of postgres = %v, of sqlite = %v, want the same", a, b)
	}
}

func TestPartner(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		a, b := newPartner(t, db, "rede á"), newPartner(t, db, "REDE á")
		if a == b || a < 1 || b < 1 {
			t.Fatalf("CreatePartner twice = %d, %d, want two different numbers", a, b)
		}
		want := directorydb.Partner{ID: a, Ref: "rede á", Name: "Partner rede á"}
		if got, err := directorydb.PartnerByID(ctx, db, a); got != want || err != nil {
			t.Errorf("PartnerByID(%d) = %+v, %v, want %+v", a, got, err, want)
		}
		if _, err := directorydb.PartnerByID(ctx, db, b+1); !errors.Is(err, directory.ErrNotFound) {
			t.Errorf("PartnerByID(unknown) = %v, want ErrNotFound", err)
		}
		if _, err := directorydb.CreatePartner(ctx, db, "rede á", "again"); !errors.Is(err, snapshotdb.ErrExist) {
			t.Errorf("CreatePartner(again) = %v, want ErrExist", err)
		}
		if _, err := directorydb.CreatePartner(ctx, db, "..", "x"); !errors.Is(err, directory.ErrRef) {
			t.Errorf("CreatePartner(..) = %v, want ErrRef", err)
		}
		if _, err := directorydb.CreatePartner(ctx, db, "x", "a\x00"); !errors.Is(err, directory.ErrText) {
			t.Errorf("CreatePartner(name with NUL) = %v, want ErrText", err)
		}
	})
}

func TestCounters(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		p, other := newPartner(t, db, "a"), newPartner(t, db, "b")
		check := func(p directory.PartnerID, wantEntity directory.EntityID, wantUser directory.UserID) {
			t.Helper()
			if got, err := directorydb.PartnerByID(ctx, db, p); got.LastEntity != wantEntity || got.LastUser != wantUser || err != nil {
				t.Errorf("PartnerByID(%d) = %+v, %v, want the counters %d, %d", p, got, err, wantEntity, wantUser)
			}
		}
		check(p, 0, 0)
		for _, c := range []struct {
			rule   string
			entity directory.EntityID
			user   directory.UserID
			want   error
		}{
			{"forward", 10, 1 << 40, nil},
			{"unchanged", 10, 1 << 40, nil},
			{"one forward", 11, 1 << 40, nil},
			{"entity back by one", 10, 1 << 41, directorydb.ErrCounters},
			{"user back by one", 12, 1<<40 - 1, directorydb.ErrCounters},
		} {
			if err := (&directorydb.Write{IDB: db, Partner: p}).SetCounters(ctx, c.entity, c.user); !errors.Is(err, c.want) {
				t.Errorf("%s: SetCounters(%d, %d) = %v, want %v", c.rule, c.entity, c.user, err, c.want)
			}
		}
		check(p, 11, 1<<40)
		check(other, 0, 0)
		none := other + 1
		if err := (&directorydb.Write{IDB: db, Partner: none}).SetCounters(ctx, 1, 1); !errors.Is(err, directory.ErrNotFound) {
			t.Errorf("SetCounters(unknown partner) = %v, want ErrNotFound", err)
		}
	})
}

func TestDegrees(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		p, other := newPartner(t, db, "a"), newPartner(t, db, "b")
		exec(t, db, `INSERT INTO degrees (tenant_id, code, stage, grade, position) VALUES (?, 'Z', 'MEDIO', 0, 1), (?, 'A', '', 3, 2)`, p, p)
		for _, c := range []struct {
			rule    string
			partner directory.PartnerID
			want    directory.Degrees
		}{
			{"replaced, in their order", p, directory.Degrees{{Code: "Z", Stage: "MEDIO"}, {Code: "A", Grade: 3}}},
			{"not replaced", other, directory.DefaultDegrees()},
		} {
			if got, err := directorydb.Latest(db, c.partner).Degrees(t.Context()); !slices.Equal(got, c.want) || err != nil {
				t.Errorf("%s: Degrees = %v, %v, want %v", c.rule, got, err, c.want)
			}
		}
	})
}
