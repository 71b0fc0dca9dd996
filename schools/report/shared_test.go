package report_test

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// newDB is a database for partners.
func newDB(t *testing.T) *database.DB {
	t.Helper()
	db := dbtest.SQLite(t)
	if _, err := server.Migrate(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	return db
}

// blocks are those of a partner in a database.
type blocks struct {
	*snapshotdb.Store
	tenant auth.Tenant
	at     int64 // number of the latest load
}

func newBlocks(t *testing.T, db *database.DB) *blocks {
	t.Helper()
	id, err := directorydb.CreatePartner(t.Context(), db, directory.Ref(strings.ToLower(rand.Text())), "P")
	if err != nil {
		t.Fatal(err)
	}
	return &blocks{Store: server.States(db, nil), tenant: auth.Tenant(id)}
}

// write writes and publishes a load.
func (b *blocks) write(t *testing.T, f func(snapshot.Writer) error) {
	t.Helper()
	l, err := b.Begin(t.Context(), b.tenant, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err = f(l); err == nil {
		_, err = l.Hold(t.Context(), func(_ context.Context, _ bun.Tx, now time.Time, h *snapshotdb.Current) error {
			h.Facts, h.From = l.Number(), now
			return nil
		})
	}
	if err := errors.Join(err, l.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
	b.at = l.Number()
}

func presentDays(events []schools.Event) []calendar.Date {
	days := map[calendar.Date]bool{}
	for _, e := range events {
		if e.Effect != schools.Silent {
			days[e.Day] = true
		}
	}
	return slices.Sorted(maps.Keys(days))
}

// sharesOf shares the tenths of a day out among its books by the words of S3.
func sharesOf(events []schools.Event, date calendar.Date) map[int64]int64 {
	ms := map[int64]int64{}
	total := int64(0)
	for _, e := range events {
		if e.Effect == schools.EffectiveReading && e.Day == date {
			ms[e.Book] += e.MS
			total += e.MS
		}
	}
	shares := map[int64]int64{}
	left := (total + 3000) / 6000
	for book, n := range ms {
		shares[book] = n / 6000
		left -= n / 6000
	}
	books := slices.SortedFunc(maps.Keys(ms), func(a, b int64) int {
		return cmp.Or(cmp.Compare(ms[b]%6000, ms[a]%6000), cmp.Compare(a, b))
	})
	for _, book := range books[:left] {
		shares[book]++
	}
	return shares
}
