package librariesdb

import (
	"errors"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
)

func TestSlugs(t *testing.T) {
	for _, slug := range []string{"a", "0", "a-b", "a--b", "rede-1", strings.Repeat("z", 63)} {
		if err := CheckSlug(slug); err != nil {
			t.Errorf("CheckSlug(%q) = %v, want nil", slug, err)
		}
	}
	for _, slug := range []string{"", "-", "-a", "a-", "A", "a_b", "a b", "a.b", "a/b", "ação", "a\x00b", "a\n", strings.Repeat("z", 64)} {
		if err := CheckSlug(slug); !errors.Is(err, ErrSlug) {
			t.Errorf("CheckSlug(%q) = %v, want ErrSlug", slug, err)
		}
	}
}

func TestCreateNetwork(t *testing.T) {
	eachEngine(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		if v, err := snapshotdb.ReadCurrent(ctx, f.db, auth.Tenant(f.a.Network)); err != nil || v != (snapshotdb.Current{}) {
			t.Errorf("versions of a new network = %v, %v, want zeros", v, err)
		}
		if a, err := f.Present(ctx, f.a.Network); err != nil || a != (report.Access{Network: f.a.Network}) {
			t.Errorf("Present of a new network = %+v, %v, want no snapshot", a, err)
		}
		if h, err := networkOf(ctx, f, f.a); err != nil || len(h.Titles)+len(h.Days.Dates) != 0 {
			t.Errorf("counts of a new network = %v, %v, want none", h, err)
		}
		for _, c := range []struct {
			slug, name string
			want       error
		}{
			{"One", "N", ErrSlug},
			{"one", "N", snapshotdb.ErrExist},
			{"new", "", ErrName},
			{"new", " \t", ErrName},
			{"new", "a\x00", ErrName},
			{"new", "a\xff", ErrName},
			{"new", strings.Repeat("é", 256), ErrName},
			{"new", strings.Repeat("é", 255), nil},
			{"new", "N", snapshotdb.ErrExist},
		} {
			if id, err := CreateNetwork(ctx, f.db, c.slug, c.name); !errors.Is(err, c.want) || err != nil && id != 0 {
				t.Errorf("CreateNetwork(%q, %.9q) = %d, %v, want %v", c.slug, c.name, id, err, c.want)
			}
		}
	})
}

func TestFindNetworks(t *testing.T) {
	eachEngine(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		partner, err := snapshotdb.CreateTenant(ctx, f.db, snapshotdb.Tenant{Kind: snapshotdb.Partner, Reference: "partner", Name: "Partner"})
		if err != nil {
			t.Fatal(err)
		}
		named, err := CreateNetwork(ctx, f.db, "a-rede", "A Rede")
		if err != nil {
			t.Fatal(err)
		}
		want := Network{named, "a-rede", "A Rede"}
		if n, err := NetworkOf(ctx, f.db, named); err != nil || n != want {
			t.Errorf("NetworkOf = %+v, %v, want %+v", n, err, want)
		}
		for _, id := range []libraries.NetworkID{0, -1, 99, libraries.NetworkID(partner)} {
			if n, err := NetworkOf(ctx, f.db, id); !errors.Is(err, ErrNotFound) {
				t.Errorf("NetworkOf(%d) = %+v, %v, want ErrNotFound", id, n, err)
			}
		}
	})
}
