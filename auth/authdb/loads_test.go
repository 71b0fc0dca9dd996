package authdb_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
)

func TestLoads(t *testing.T) {
	everywhere(t, func(t *testing.T, s *authdb.Store, _ *clock) {
		p, other := create(t, s, authdb.Partner, "a"), create(t, s, authdb.Library, "b")
		record := func(tenant auth.Tenant, l authdb.Load) {
			t.Helper()
			if err := s.RecordLoad(t.Context(), tenant, l); err != nil {
				t.Fatal(err)
			}
		}
		check := func(tenant auth.Tenant, want ...authdb.Load) {
			t.Helper()
			if got, err := authdb.Loads(t.Context(), s.DB, tenant); !slices.Equal(got, want) || err != nil {
				t.Errorf("Loads(%d) = %+v, %v, want %+v", tenant, got, err, want)
			}
		}
		check(p)
		first := authdb.Load{API: auth.Schools, Ended: start.Add(1234567 * time.Microsecond), Took: 1500 * time.Millisecond, Rows: 1 << 40}
		record(p, first)
		check(p, first)
		check(other)

		second := authdb.Load{API: auth.Schools, Ended: start.Add(time.Hour), Took: time.Millisecond, Rows: 7}
		record(p, second)
		record(other, authdb.Load{API: auth.Libraries, Ended: start, Took: 1999 * time.Microsecond})
		check(p, second)
		check(other, authdb.Load{API: auth.Libraries, Ended: start, Took: time.Millisecond})
	})
}

func TestIssueIn(t *testing.T) {
	each(t, func(t *testing.T, s *authdb.Store, _ *clock) {
		p := create(t, s, authdb.Partner, "a")
		params := authdb.IssueParams{Tenant: p, API: auth.Schools, Network: 3}
		issue := func(then error) (text string, err error) {
			err = s.DB.RunInTx(t.Context(), nil, func(ctx context.Context, tx bun.Tx) error {
				if _, err := authdb.Lock(ctx, tx, p); err != nil {
					return err
				}
				if text, _, err = s.IssueIn(ctx, tx, params); err != nil {
					return err
				}
				return then
			})
			return text, err
		}
		stop := errors.New("stop")
		text, err := issue(stop)
		if !errors.Is(err, stop) {
			t.Fatal(err)
		}
		if _, err := s.Check(t.Context(), text, auth.Schools); !errors.Is(err, authdb.ErrKey) {
			t.Errorf("Check of a key that was rolled back = %v, want ErrKey", err)
		}
		if text, err = issue(nil); err != nil {
			t.Fatal(err)
		}
		g, err := s.Check(t.Context(), text, auth.Schools)
		if err != nil || g.Key.Network != 3 || g.Key.ID() != "1-1" {
			t.Errorf("Check = %+v, %v, want key 1-1 of network 3", g.Key, err)
		}
		params.Expires = start
		if _, err := issue(nil); !errors.Is(err, authdb.ErrExpiry) {
			t.Errorf("IssueIn of a key that is over = %v, want ErrExpiry", err)
		}
		for _, wrong := range []authdb.IssueParams{{Tenant: p, API: auth.Directory}, {Tenant: p, API: auth.Schools}, {Tenant: p, API: "x"}} {
			params = wrong
			if text, err := issue(nil); err == nil || text != "" {
				t.Errorf("IssueIn(%+v) = %q, %v, want an error", wrong, text, err)
			}
		}
	})
}

// Who was loaded last comes first, then who never was, by number; the limit bounds the list.
func TestLoadedLast(t *testing.T) {
	everywhere(t, func(t *testing.T, s *authdb.Store, _ *clock) {
		if list, err := authdb.LoadedLast(t.Context(), s.DB, 9); len(list) != 0 || err != nil {
			t.Errorf("without tenants: %+v, %v, want none", list, err)
		}
		never, old, late, last := create(t, s, authdb.Partner, "never"), create(t, s, authdb.Partner, "old"), create(t, s, authdb.Library, "late"), create(t, s, authdb.Partner, "last")
		for tenant, loads := range map[auth.Tenant][]authdb.Load{
			old:  {{API: auth.Schools, Ended: start}},
			late: {{API: auth.Libraries, Ended: start.Add(time.Hour), Took: 1500 * time.Millisecond, Rows: 7}, {API: auth.Schools, Ended: start}},
		} {
			for _, l := range loads {
				if err := s.RecordLoad(t.Context(), tenant, l); err != nil {
					t.Fatal(err)
				}
			}
		}
		versions, err := authdb.Raise(t.Context(), s.DB, late, true, false)
		if err != nil {
			t.Fatal(err)
		}
		for limit, want := range map[int][]auth.Tenant{2: {late, old}, 3: {late, old, never}, 4: {late, old, never, last}, 5: {late, old, never, last}} {
			list, err := authdb.LoadedLast(t.Context(), s.DB, limit, never, old, late, last)
			var ids []auth.Tenant
			for _, tenant := range list {
				ids = append(ids, tenant.ID)
			}
			if !slices.Equal(ids, want) || err != nil {
				t.Errorf("LoadedLast(%d) = %v, %v, want %v", limit, ids, err, want)
				continue
			}
			if first := list[0]; first.Versions != versions || first.Reference != "late" || first.Kind != authdb.Library || list[1].Versions != (authdb.Versions{}) {
				t.Errorf("LoadedLast(%d) begins %+v, want late with %+v", limit, first, versions)
			}
			if want := (authdb.Load{API: auth.Libraries, Ended: start.Add(time.Hour).UTC(), Took: 1500 * time.Millisecond, Rows: 7}); list[0].Last != want {
				t.Errorf("LoadedLast(%d): the last load of late is %+v, want %+v", limit, list[0].Last, want)
			}
			if end := list[len(list)-1]; limit > 2 && end.Last != (authdb.Load{}) {
				t.Errorf("LoadedLast(%d): the last load of %s is %+v, want none", limit, end.Reference, end.Last)
			}
		}
	})
}
