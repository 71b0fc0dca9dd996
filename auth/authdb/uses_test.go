package authdb_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
)

// lastUsed returns the last use of a key.
func lastUsed(tb testing.TB, s *authdb.Store, id string) time.Time {
	tb.Helper()
	keys, err := s.List(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	for _, k := range keys {
		if k.ID() == id {
			return k.LastUsed
		}
	}
	tb.Fatalf("no key %s", id)
	return time.Time{}
}

func TestUses(t *testing.T) {
	each(t, func(t *testing.T, s *authdb.Store, c *clock) {
		one, two := auth.Tenant(1), auth.Tenant(2)
		_, a := issue(t, s, authdb.IssueParams{Tenant: one, API: auth.Libraries})
		_, b := issue(t, s, authdb.IssueParams{Tenant: one, API: auth.Libraries})
		_, foreign := issue(t, s, authdb.IssueParams{Tenant: two, API: auth.Libraries})
		uses := &authdb.Uses{DB: s.DB}
		step := func(name string, wantA, wantB time.Time) {
			t.Helper()
			if err := uses.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := lastUsed(t, s, a.ID()); !got.Equal(wantA) {
				t.Errorf("%s: first key last used %v, want %v", name, got, wantA)
			}
			if got := lastUsed(t, s, b.ID()); !got.Equal(wantB) {
				t.Errorf("%s: second key last used %v, want %v", name, got, wantB)
			}
		}
		step("nothing", time.Time{}, time.Time{})
		uses.Used(a, start.Add(59*time.Second))
		step("to the minute", start, time.Time{})
		uses.Used(a, start.Add(2*time.Minute))
		uses.Used(a, start.Add(time.Minute)) // another request was slower
		uses.Used(b, start.Add(time.Minute))
		step("the later of two", start.Add(2*time.Minute), start.Add(time.Minute))
		uses.Used(a, start.Add(time.Minute)) // as from a replica that is behind
		uses.Used(b, start.Add(3*time.Minute))
		step("the database is ahead", start.Add(2*time.Minute), start.Add(3*time.Minute))
		if got := lastUsed(t, s, foreign.ID()); !got.IsZero() {
			t.Errorf("the other tenant's key was last used %v, want never", got)
		}
	})
}

// TestUsesSkipsAKnownMinute tests that a use in the minute that the key shows already is not written.
func TestUsesSkipsAKnownMinute(t *testing.T) {
	each(t, func(t *testing.T, s *authdb.Store, c *clock) {
		id := auth.Tenant(1)
		_, k := issue(t, s, authdb.IssueParams{Tenant: id, API: auth.Libraries})
		k.LastUsed = start
		uses := &authdb.Uses{DB: s.DB}
		uses.Used(k, start.Add(59*time.Second))
		if err := uses.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := lastUsed(t, s, k.ID()); !got.IsZero() {
			t.Errorf("last used %v, want nothing written", got)
		}
	})
}

func TestUsesKeepsWhatItCouldNotWrite(t *testing.T) {
	each(t, func(t *testing.T, s *authdb.Store, c *clock) {
		id := auth.Tenant(1)
		_, k := issue(t, s, authdb.IssueParams{Tenant: id, API: auth.Libraries})
		uses := &authdb.Uses{DB: s.DB}
		uses.Used(k, start)
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		if err := uses.Flush(cancelled); !errors.Is(err, context.Canceled) {
			t.Errorf("Flush = %v, want context.Canceled", err)
		}
		if err := uses.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := lastUsed(t, s, k.ID()); !got.Equal(start) {
			t.Errorf("last used %v, want %v", got, start)
		}
	})
}

func TestUsesIsBounded(t *testing.T) {
	each(t, func(t *testing.T, s *authdb.Store, c *clock) {
		id := auth.Tenant(1)
		_, k := issue(t, s, authdb.IssueParams{Tenant: id, API: auth.Libraries})
		uses := &authdb.Uses{DB: s.DB}
		for n := range 10_000 {
			uses.Used(auth.Key{Tenant: id, Number: 10 + n}, start)
		}
		uses.Used(k, start) // one too many: dropped until its next use
		if err := uses.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := lastUsed(t, s, k.ID()); !got.IsZero() {
			t.Errorf("the 10,001st key was last used %v, want its use dropped", got)
		}
		uses.Used(k, start)
		if err := uses.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := lastUsed(t, s, k.ID()); !got.Equal(start) {
			t.Errorf("after its next use, last used %v, want %v", got, start)
		}
	})
}

// TestUsesRun tests that Run writes regularly, and once more when it stops.
func TestUsesRun(t *testing.T) {
	each(t, func(t *testing.T, s *authdb.Store, c *clock) {
		id := auth.Tenant(1)
		_, k := issue(t, s, authdb.IssueParams{Tenant: id, API: auth.Libraries})

		run := func(uses *authdb.Uses, during func()) {
			t.Helper()
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error)
			go func() { done <- uses.Run(ctx) }()
			during()
			cancel()
			if err := <-done; err != nil {
				t.Fatal(err)
			}
		}
		uses := &authdb.Uses{DB: s.DB}
		run(uses, func() { uses.Used(k, start) }) // ends before the 15 seconds of Every
		if got := lastUsed(t, s, k.ID()); !got.Equal(start) {
			t.Errorf("after Run, last used %v, want %v", got, start)
		}
		often := &authdb.Uses{DB: s.DB, Every: time.Millisecond, Error: func(err error) { t.Error(err) }}
		run(often, func() {
			often.Used(k, start.Add(time.Minute))
			for lastUsed(t, s, k.ID()).Equal(start) { // if nothing is written, the test times out
				runtime.Gosched()
			}
		})
	})
}

func TestUsesRunTellsErrors(t *testing.T) {
	each(t, func(t *testing.T, s *authdb.Store, c *clock) {
		reported := make(chan error)
		uses := &authdb.Uses{DB: s.DB, Every: time.Millisecond, Error: func(err error) {
			select {
			case reported <- err:
			default:
			}
		}}
		if _, err := s.DB.ExecContext(t.Context(), `DROP TABLE keys`); err != nil {
			t.Fatal(err)
		}
		uses.Used(auth.Key{Tenant: 1, Number: 1}, start)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- uses.Run(ctx) }()
		if err := <-reported; err == nil {
			t.Error("Error was called with nil, want an error")
		}
		cancel()
		if err := <-done; err == nil {
			t.Error("Run = nil, want the error of its last flush")
		}
	})
}
