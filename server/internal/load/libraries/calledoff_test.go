package libraries_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/internal/load"
)

// TestCalledOff tests that a load that is canceled at any stage says so in one sentence and leaves nothing.
func TestCalledOff(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		for _, stage := range []string{"read", "reconcile", "aggregate"} {
			ctx, cancel := context.WithCancel(t.Context())
			o := load.Options{TempDir: t.TempDir(), Now: noon, Progress: func(now string, _, _ int64) {
				if now == stage {
					cancel()
				}
			}}
			_, err := load.Libraries(ctx, f.store, f.network, os.DirFS(folder(t, good)), o)
			if !errors.Is(err, context.Canceled) || !strings.HasPrefix(err.Error(), "the load was called off; run it again: ") ||
				strings.Contains(err.Error(), "transaction") {
				t.Errorf("called off at %q: %v, want Canceled in one sentence", stage, err)
			}
			f.empty("after a load that was called off at " + stage)
		}
	})
}

// TestCheckKeepsItsSnapshot tests that the snapshot that a check reads is retained, like that of a pull.
func TestCheckKeepsItsSnapshot(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		retained := func() int {
			t.Helper()
			n, err := db.NewSelect().Table("pulls").Where("tenant_id = ? AND facts = ?", f.network, f.access().At.Facts).Count(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return int(n)
		}
		f.must(good)
		if n := retained(); n != 0 {
			t.Fatalf("%d snapshots are retained after a load, want none", n)
		}
		if _, err := f.load(good, func(o *load.Options) { o.Check = true }); err != nil {
			t.Fatal(err)
		}
		if n := retained(); n != 1 {
			t.Errorf("%d snapshots are retained after a check, want its own", n)
		}
	})
}
