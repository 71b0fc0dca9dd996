package authdb_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/auth/authdb"
)

// TestWork: of those who want a tenant's work one has it, until it is given back or the lease runs out.
func TestWork(t *testing.T) {
	each(t, func(t *testing.T, s *authdb.Store, _ *clock) {
		a, b := create(t, s, authdb.Partner, "a"), create(t, s, authdb.Library, "b")
		due := func(at time.Time, want ...string) {
			t.Helper()
			list, err := s.DueWork(t.Context(), at)
			if err != nil || len(list) != len(want) {
				t.Fatalf("DueWork = %+v, %v, want %q", list, err, want)
			}
			for i := range want {
				if list[i].Reference != want[i] {
					t.Errorf("DueWork[%d] = %q, want %q", i, list[i].Reference, want[i])
				}
			}
		}
		take := func(l authdb.Lease, at time.Time) (authdb.Work, bool) {
			t.Helper()
			w, taken, err := s.TakeWork(t.Context(), l, at, at.Add(time.Minute))
			if err != nil {
				t.Fatal(err)
			}
			return w, taken
		}
		due(start, "a", "b")
		var got atomic.Int32
		var all sync.WaitGroup
		leases := make(chan authdb.Lease, 8)
		for _, token := range []string{"1", "2", "3", "4", "5", "6", "7", "8"} {
			all.Go(func() {
				l := authdb.Lease{Tenant: a, Token: token}
				if _, taken := take(l, start); taken {
					got.Add(1)
					leases <- l
				}
			})
		}
		all.Wait()
		if got.Load() != 1 {
			t.Fatalf("%d have the work of a tenant, want one", got.Load())
		}
		first := <-leases
		due(start, "b")
		if kept, err := s.KeepWork(t.Context(), first, start.Add(2*time.Minute)); err != nil || !kept {
			t.Errorf("KeepWork = %v, %v, want it kept", kept, err)
		}
		due(start.Add(2*time.Minute-time.Microsecond), "b")
		second := authdb.Lease{Tenant: a, Token: "second"}
		if _, taken := take(second, start.Add(2*time.Minute)); !taken {
			t.Fatal("the work of who says nothing cannot be taken")
		}
		if kept, err := s.KeepWork(t.Context(), first, start.Add(time.Hour)); err != nil || kept {
			t.Errorf("KeepWork of a lost lease = %v, %v, want false", kept, err)
		}
		is := authdb.Work{Due: start.Add(time.Hour), Failures: 2, Problem: "no room", Content: "c"}
		for _, l := range []authdb.Lease{second, first} {
			if err := s.GiveWork(t.Context(), l, is); err != nil {
				t.Error(err)
			}
			is = authdb.Work{Problem: "of a lost lease"}
		}
		due(start.Add(time.Hour-time.Microsecond), "b")
		due(start.Add(time.Hour), "b", "a")
		if w, taken := take(first, start.Add(time.Hour)); !taken || w != (authdb.Work{Due: start.Add(time.Hour).UTC(), Failures: 2, Problem: "no room", Content: "c"}) {
			t.Errorf("TakeWork = %+v, %v, want what was given back", w, taken)
		}
		if _, known, err := authdb.WorkOf(t.Context(), s.DB, b); known || err != nil {
			t.Errorf("WorkOf(untouched) = %v, %v, want nothing known", known, err)
		}
	})
}
