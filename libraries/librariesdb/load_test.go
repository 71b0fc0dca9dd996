package librariesdb_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/intake"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/reading/extsort"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// loader loads into one network.
type loader struct {
	*testing.T
	*librariesdb.Store
	db      *database.DB
	network libraries.NetworkID
	now     time.Time // of the store's clock
	dir     string    // of the sorters
	limit   int
}

// noon is the hour 500,000, when the loaders begin.
var noon = libraries.Hour(500_000).Time()

// loaders returns a loader for each slug, all on one database.
func loaders(t *testing.T, db *database.DB, slugs ...string) []*loader {
	t.Helper()
	if _, err := db.Migrate(t.Context(), snapshotdb.Migrations, librariesdb.Migrations); err != nil {
		t.Fatal(err)
	}
	var ls []*loader
	for _, slug := range slugs {
		id, err := librariesdb.CreateNetwork(t.Context(), db, slug, slug)
		if err != nil {
			t.Fatal(err)
		}
		l := &loader{T: t, Store: &librariesdb.Store{DB: db.DB, Copy: db.Copy}, db: db, network: id, now: noon}
		l.Store.Now = func() time.Time { return l.now }
		ls = append(ls, l)
	}
	return ls
}

// atOnce are the options of loads that are published at once.
var atOnce = librariesdb.SaveOptions{Immediately: true}

// present returns the access to the current snapshot.
func (l *loader) present() report.Access {
	l.Helper()
	a, err := l.Present(l.Context(), l.network)
	if err != nil {
		l.Fatal(err)
	}
	return a
}

// snapshot returns the tables of the snapshot of an access, as a load reads them.
func (l *loader) snapshot(a report.Access) intake.Stored {
	l.Helper()
	st, err := l.State(l.Context(), a)
	if err != nil {
		l.Fatal(err)
	}
	return st
}

// intake returns an intake that validates a feed against a snapshot.
func (l *loader) intake(a report.Access) *intake.Intake {
	l.Helper()
	return intake.NewIntake(l.snapshot(a), (lastDay + 1).Start(), firstDay)
}

// sorter sorts a feed, and reconciles its loans and reservations with the stored ones.
func (l *loader) sorter(in *intake.Intake, a report.Access, f feed) *intake.Sorter {
	l.Helper()
	s := &intake.Sorter{Sorter: extsort.Sorter{Dir: l.dir, Limit: l.limit}}
	l.Cleanup(func() { s.Close() })
	loans, reservations := l.RecordSorters(in, s, a)
	var errs []error
	for _, r := range f.readers {
		errs = append(errs, s.AddReader(r))
	}
	for _, e := range f.events {
		errs = append(errs, s.AddEvent(e))
	}
	for i, loan := range f.loans {
		errs = append(errs, loans.Add(loan, i))
	}
	for i, r := range f.reservations {
		errs = append(errs, reservations.Add(r, i))
	}
	for _, r := range f.requests {
		errs = append(errs, s.AddRequest(r))
	}
	bad := func(line int, field, reason string) error { return fmt.Errorf("row %d: %s %s", line, field, reason) }
	errs = append(errs, loans.Reconcile(l.Context(), &row.Counts{}, bad), reservations.Reconcile(l.Context(), &row.Counts{}, bad))
	if err := errors.Join(errs...); err != nil {
		l.Fatal(err)
	}
	return s
}

// load saves a feed.
func (l *loader) load(f feed, o librariesdb.SaveOptions) librariesdb.Saved {
	l.Helper()
	saved, err := l.try(l.Context(), f, o, nil)
	if err != nil {
		l.Fatal(err)
	}
	return saved
}

// try saves a feed. If change is not nil, it makes the changes of the tables.
func (l *loader) try(ctx context.Context, f feed, o librariesdb.SaveOptions, change func(*intake.Intake)) (saved librariesdb.Saved, err error) {
	l.Helper()
	w, err := l.Begin(ctx, l.network, nil)
	if err != nil {
		return saved, err
	}
	defer func() { err = errors.Join(err, w.Close(context.WithoutCancel(ctx))) }()
	in := l.intake(w.Base)
	if change != nil {
		change(in)
	}
	sorter := l.sorter(in, w.Base, f)
	saved, err = w.Save(ctx, in, sorter, o)
	return saved, errors.Join(err, sorter.Close())
}

// dump returns all rows and blocks of a snapshot as texts, by table and by kind.
func (l *loader) dump(a report.Access) map[string][]string {
	l.Helper()
	dump := map[string][]string{}
	for _, t := range l.Snapshots().Tables {
		rows, err := l.db.QueryContext(l.Context(), `SELECT ? FROM ? WHERE tenant_id = ? AND since <= ? AND until > ?`,
			bun.Safe(strings.Join(slices.Concat(t.Key, t.Columns), ", ")), bun.Ident(t.Name), a.Network, a.At.Facts, a.At.Facts)
		if err != nil {
			l.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			values := make([]any, len(t.Key)+len(t.Columns))
			pointers := make([]any, len(values))
			for i := range values {
				pointers[i] = &values[i]
			}
			if err := rows.Scan(pointers...); err != nil {
				l.Fatal(err)
			}
			dump[t.Name] = append(dump[t.Name], fmt.Sprint(values...))
		}
		if err := rows.Err(); err != nil {
			l.Fatal(err)
		}
		slices.Sort(dump[t.Name])
	}
	for _, k := range kinds {
		err := l.Snapshots().Scan(l.Context(), auth.Tenant(a.Network), a.At.Facts, k, snapshot.Range{}, func(b snapshot.Block) error {
			dump[k.Name] = append(dump[k.Name], fmt.Sprint(b.BlockKey, b.Lo, b.Hi, b.Data))
			return nil
		})
		if err != nil {
			l.Fatal(err)
		}
	}
	return dump
}

// kinds are the kinds of a network's blocks.
var kinds = []snapshot.Kind{
	facts.AttributesKind, facts.ReaderTitlesKind, facts.EventSetKind, facts.NetworkKind, facts.DayOfReadersKind, facts.DayOfTitlesKind,
	facts.LoanReadingsKind,
}

// rows counts all rows of the network, and how many of them are superseded or deleted.
func (l *loader) rows() (all, closed int) {
	l.Helper()
	tables := []string{"blocks"}
	for _, t := range l.Snapshots().Tables {
		tables = append(tables, t.Name)
	}
	for _, t := range tables {
		var n, m int
		err := l.db.NewRaw(`SELECT count(*), coalesce(sum(CASE WHEN until < ? THEN 1 ELSE 0 END), 0) FROM ? WHERE tenant_id = ?`,
			snapshot.Open, bun.Ident(t), l.network).Scan(l.Context(), &n, &m)
		if err != nil {
			l.Fatal(err)
		}
		all, closed = all+n, closed+m
	}
	return all, closed
}

// checkSame compares two dumps.
func checkSame(t *testing.T, what string, got, want map[string][]string) {
	t.Helper()
	for table := range want {
		if len(got[table]) != len(want[table]) {
			t.Errorf("%s: %s has %d rows, want %d", what, table, len(got[table]), len(want[table]))
			continue
		}
		for i, row := range got[table] {
			if row != want[table][i] {
				t.Errorf("%s: %s has %.300s, want %.300s", what, table, row, want[table][i])
				break
			}
		}
	}
	for table := range got {
		if want[table] == nil {
			t.Errorf("%s: %s has %d rows, want none", what, table, len(got[table]))
		}
	}
}

func checkEmpty(t *testing.T, dir string) {
	t.Helper()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("temporary files after the load: %v, %v, want none", left, err)
	}
}

// TestRepetitionChangesNothing tests that a repeated feed and an empty feed make new snapshots with the same data.
func TestRepetitionChangesNothing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		l := loaders(t, db, "twice")[0]
		first := l.load(whole(0), librariesdb.SaveOptions{})
		before := l.present()
		if first.Hour != 500_000 || first.Versions != before.At || before.Hour != first.Hour {
			t.Errorf("first load = %+v, Present = %+v, want the same versions and hour 500000", first, before)
		}
		was := l.dump(before)

		l.now = noon.Add(time.Hour)
		again := l.load(whole(0), atOnce)
		after := l.present()
		want := librariesdb.Saved{
			Loaded: intake.Loaded{Repeated: first.New, Readers: row.Counts{Unchanged: len(feedReaders)}},
			Hour:   500_001, Versions: after.At,
		}
		if again != want || after.At.Facts <= before.At.Facts || after.Hour != again.Hour {
			t.Errorf("second load = %+v, Present = %+v, want %+v", again, after, want)
		}
		checkSame(t, "after the second load", l.dump(after), was)
		all, _ := l.rows()
		if l.load(feed{}, atOnce); l.present().At.Facts <= after.At.Facts {
			t.Errorf("Present after an empty load = %+v, want a newer snapshot than %+v", l.present(), after)
		}
		checkSame(t, "after an empty load", l.dump(l.present()), was)
		if n, _ := l.rows(); n != all+1 { // the titles' counts
			t.Errorf("%d rows after an empty load, want one more than %d", n, all)
		}
	})
}

// TestFailedLeavesNothing tests that a cancelled load leaves nothing behind and does not affect the next one.
func TestFailedLeavesNothing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		ls := loaders(t, db, "stopped", "never")
		l := ls[0]
		half := whole(0)
		half.events, half.loans, half.reservations = half.events[:25], half.loans[:10], nil
		l.load(half, atOnce)
		before, at := l.dump(l.present()), l.present()
		all, closed := l.rows()
		for _, step := range []int{1, 256, 512} {
			ctx, cancel := context.WithCancel(t.Context())
			l.dir, l.limit = t.TempDir(), 1
			o := librariesdb.SaveOptions{}
			o.Progress = func(done, _ int) {
				if done == step {
					checkSame(t, "while a load is under way", l.dump(l.present()), before)
					cancel()
				}
			}
			if saved, err := l.try(ctx, whole(0), o, nil); !errors.Is(err, context.Canceled) {
				t.Errorf("cancelled at step %d: Save = %+v, %v, want Canceled", step, saved, err)
			}
			cancel()
			if now := l.present(); now != at {
				t.Errorf("cancelled at step %d: Present = %+v, want %+v", step, now, at)
			}
			n, m := l.rows()
			if checkSame(t, fmt.Sprint("cancelled at step ", step), l.dump(at), before); n != all || m != closed {
				t.Errorf("cancelled at step %d: %d rows, %d of them superseded or deleted, want %d and %d", step, n, m, all, closed)
			}
			checkEmpty(t, l.dir)
		}
		l.load(whole(0), atOnce)
		ls[1].load(half, atOnce)
		ls[1].load(whole(0), atOnce)
		checkSame(t, "after failed loads", l.dump(l.present()), ls[1].dump(ls[1].present()))
	})
}

// TestNetworksAreApart tests that networks whose feeds have the same identifiers do not affect each other.
func TestNetworksAreApart(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		ls := loaders(t, db, "a", "b", "alone")
		ls[0].load(whole(1), atOnce)
		first := ls[0].dump(ls[0].present())
		ls[1].load(whole(2), atOnce)
		checkSame(t, "after loads of another network", ls[0].dump(ls[0].present()), first)
		ls[2].load(whole(2), atOnce)
		checkSame(t, "next to another network", ls[1].dump(ls[1].present()), ls[2].dump(ls[2].present()))
	})
}

// TestProgress tests that Progress counts every step once, up to the total.
func TestProgress(t *testing.T) {
	l := loaders(t, dbtest.SQLite(t), "steps")[0]
	want, total := 0, 0 // 0 is reported when the load begins
	o := atOnce
	o.Progress = func(done, of int) {
		if done != want {
			t.Errorf("step %d is reported as %d of %d", want, done, of)
		}
		want, total = done+1, of
	}
	l.load(whole(0), o)
	if want-1 != total {
		t.Errorf("%d steps were reported, want %d", want-1, total)
	}
}
