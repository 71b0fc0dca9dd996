package directorydb_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// TestPutDegrees tests that PutDegrees replaces the whole vocabulary, keeps its order, and raises the version of the
// tables. Entities keep their degrees.
func TestPutDegrees(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		p, other := newPartner(t, db, "a"), newPartner(t, db, "b")
		store := &directorydb.Store{DB: db.DB}
		network := newSchool("rede", "a")
		network.EntityType, network.Degree = sent("network"), sent("F")
		_, err := store.CreateEntity(ctx, p, network)
		must(t, err)
		school := newSchool("escola", "rede")
		school.Degree = sent("9")
		_, err = store.CreateEntity(ctx, p, school)
		must(t, err)

		before, err := snapshotdb.ReadCurrent(ctx, db, auth.Tenant(p))
		must(t, err)
		first := directory.Degrees{{Code: "Z", Stage: "MEDIO"}, {Code: "F"}, {Code: "A", Grade: 3}}
		v, left, err := (&directorydb.Store{DB: db.DB}).PutDegrees(ctx, p, first)
		if want := []directorydb.DegreeCount{{Code: "9", Entities: 1}}; !slices.Equal(left, want) || err != nil {
			t.Errorf("PutDegrees = %v, %v, want %v", left, err, want)
		}
		if now, _ := snapshotdb.ReadCurrent(ctx, db, auth.Tenant(p)); v != now.Versions || v.Registers <= before.Registers || v.Facts != before.Facts {
			t.Errorf("versions %+v after %+v, stored %+v, want only Registers raised", v, before, now)
		}
		if got, err := directorydb.Latest(db, p).Degrees(ctx); !slices.Equal(got, first) || err != nil {
			t.Errorf("Degrees = %v, %v, want %v", got, err, first)
		}
		if got, err := directorydb.Latest(db, other).Degrees(ctx); !slices.Equal(got, directory.DefaultDegrees()) || err != nil {
			t.Errorf("Degrees of another partner = %v, %v, want the default ones", got, err)
		}
		e, err := store.UpdateEntity(ctx, p, "escola", directory.EntityInput{Name: sent("Escola Nova")})
		if err != nil || e.Degree != "9" || e.Name != "Escola Nova" {
			t.Errorf("UpdateEntity with a degree outside the vocabulary = %+v, %v, want it to keep its degree", e, err)
		}

		v2, left, err := (&directorydb.Store{DB: db.DB}).PutDegrees(ctx, p, directory.DefaultDegrees())
		if len(left) != 0 || err != nil || v2.Registers <= v.Registers {
			t.Errorf("PutDegrees(default) = %+v, %v, %v, want no other degree left", v2, left, err)
		}
	})
}

func TestPutDegreesErrors(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		p := newPartner(t, db, "a")
		kept := directory.Degrees{{Code: "Z"}}
		_, _, err := (&directorydb.Store{DB: db.DB}).PutDegrees(t.Context(), p, kept)
		must(t, err)
		for _, c := range []struct {
			rule string
			ds   directory.Degrees
		}{
			{"none", nil},
			{"blank code", directory.Degrees{{Code: " "}}},
			{"code twice", directory.Degrees{{Code: "A"}, {Code: "B"}, {Code: "A", Grade: 1}}},
			{"code with NUL", directory.Degrees{{Code: "A\x00"}}},
		} {
			if _, _, err := (&directorydb.Store{DB: db.DB}).PutDegrees(t.Context(), p, c.ds); !errors.Is(err, directorydb.ErrDegrees) {
				t.Errorf("%s: PutDegrees = %v, want ErrDegrees", c.rule, err)
			}
		}
		if _, _, err := (&directorydb.Store{DB: db.DB}).PutDegrees(t.Context(), p+1, kept); !errors.Is(err, directory.ErrNotFound) {
			t.Errorf("PutDegrees(unknown partner) = %v, want ErrNotFound", err)
		}
		if got, err := directorydb.Latest(db, p).Degrees(t.Context()); !slices.Equal(got, kept) || err != nil {
			t.Errorf("Degrees after errors = %v, %v, want %v", got, err, kept)
		}
	})
}
