package statedb_test

import (
	"slices"
	"testing"

	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// After a tenant's first load PostgreSQL knows how much there is: else the next one reads a whole kind for each of its parts.
func TestStatistics(t *testing.T) {
	db := dbtest.Postgres(t)
	s, tenant, _ := newStore(t, db)
	known := func() (rows float64) {
		if err := db.NewRaw(`SELECT reltuples FROM pg_class WHERE oid = 'blocks'::regclass`).Scan(t.Context(), &rows); err != nil {
			t.Fatal(err)
		}
		return rows
	}
	if got := known(); got >= 0 {
		t.Fatalf("before the first load there are statistics of %v rows", got)
	}
	l, err := s.Begin(t.Context(), tenant, nil)
	if err != nil {
		t.Fatal(err)
	}
	blocks := []state.Block{{BlockKey: state.BlockKey{A: 1}, Data: []byte("one")}, {BlockKey: state.BlockKey{A: 2}, Data: []byte("two")}}
	if err := l.Write(t.Context(), state.BlockChange(tenant, shelf, nil, slices.Values(blocks))); err != nil {
		t.Fatal(err)
	}
	if err := hold(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := known(); got != 2 {
		t.Errorf("after the first load there are statistics of %v rows, want 2", got)
	}
}
