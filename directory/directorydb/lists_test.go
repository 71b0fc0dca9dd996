package directorydb_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// school returns the entity of a number in a network.
func school(id, network directory.EntityID) directory.Entity {
	return directory.Entity{ID: id, Ref: directory.Ref(fmt.Sprint("school-", id)), Type: directory.School, Name: "S", Degree: "F", Parent: network}
}

// TestPageSides asks for a page at every place of lists of every length around the limit, of which some rows are deleted,
// and compares with the list in memory.
func TestPageSides(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		for _, n := range []int{0, 1, 2, 49, 50, 51, 52, 100, 101, 120} {
			p := newPartner(t, db, directory.Ref(fmt.Sprint("p", n)))
			store := &directorydb.Store{DB: db.DB}
			all := []directory.Entity{{ID: 1, Ref: "rede", Type: directory.Network, Name: "R", Degree: "F"}}
			var live []int64
			for i := range n + 6 { // the first, the last and some between are deleted
				e := school(directory.EntityID(i+2), 1)
				e.Deleted = i < 2 || i == n/2+2 || i > n+2
				if all = append(all, e); !e.Deleted {
					live = append(live, int64(e.ID))
				}
			}
			if len(live) != n {
				t.Fatalf("the list has %d rows, want %d", len(live), n)
			}
			must(t, putEntities(t, db, p, 1, all...))
			for id := range int64(n + 10) {
				for _, at := range []directory.Cursor{{After: id}, {Before: id}} {
					got, err := store.Subtree(t.Context(), p, "rede", at)
					checkPage(t, at, got, err, live)
				}
			}
		}
	})
}

// checkPage compares a page with the list of all numbers.
func checkPage(t *testing.T, at directory.Cursor, got directory.Page[directory.EntityRecord], err error, live []int64) {
	t.Helper()
	from, to := 0, len(live)
	if at.Before != 0 {
		to, _ = slices.BinarySearch(live, at.Before)
		from = max(to-directory.Limit, 0)
	} else {
		from, _ = slices.BinarySearch(live, at.After+1)
		to = min(from+directory.Limit, to)
	}
	var ids []int64
	for _, r := range got.Rows {
		ids = append(ids, int64(r.ID))
	}
	before, after := from < to && from > 0, from < to && to < len(live)
	if err != nil || !slices.Equal(ids, live[from:to]) || got.HasBefore != before || got.HasAfter != after {
		t.Errorf("page at %+v of %d rows = %v, before %t, after %t, %v, want %v, %t, %t", at, len(live), ids, got.HasBefore, got.HasAfter, err, live[from:to], before, after)
	}
}

// TestListsAreStable walks a list while rows come and go. A row that was there from beginning to end is shown once (P8).
func TestListsAreStable(t *testing.T) {
	const walks = 6
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		for i := range uint64(walks) {
			r := rand.New(rand.NewPCG(i, 3))
			p := newPartner(t, db, directory.Ref(fmt.Sprint("p", i)))
			store := &directorydb.Store{DB: db.DB}
			last := directory.EntityID(180)
			there := map[int64]bool{}
			list := []directory.Entity{{ID: 1, Ref: "rede", Type: directory.Network, Name: "R", Degree: "F"}}
			for id := directory.EntityID(2); id <= last; id++ {
				list, there[int64(id)] = append(list, school(id, 1)), true
			}
			must(t, putEntities(t, db, p, 1, list...))
			must(t, (&directorydb.Write{IDB: db, Partner: p}).SetCounters(t.Context(), last, 0))
			change := func() {
				for range 15 {
					id := 2 + r.Int64N(int64(last)-1)
					err := store.DeleteEntity(t.Context(), p, directory.Ref(fmt.Sprint("school-", id)))
					if err != nil && !errors.Is(err, directory.ErrNotFound) {
						t.Fatal(err)
					}
					delete(there, id)
				}
				for range 10 {
					last++
					n := newSchool(directory.Ref(fmt.Sprint("school-", last)), "rede")
					if _, err := store.CreateEntity(t.Context(), p, n); err != nil {
						t.Fatal(err)
					}
				}
			}
			seen := map[int64]int{}
			at, backwards := directory.Cursor{}, i%2 == 1
			if backwards {
				at.Before = int64(last) + 1
			}
			for {
				got, err := store.Subtree(t.Context(), p, "rede", at)
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range got.Rows {
					seen[int64(e.ID)]++
				}
				if more := got.HasAfter && !backwards || got.HasBefore && backwards; !more {
					break
				}
				change()
				if backwards {
					at.Before = int64(got.Rows[0].ID)
				} else {
					at.After = int64(got.Rows[len(got.Rows)-1].ID)
				}
			}
			for id := range there {
				if seen[id] != 1 {
					t.Errorf("walk %d: entity %d, which was there throughout, was shown %d times", i, id, seen[id])
				}
			}
			for id, n := range seen {
				if n > 1 {
					t.Errorf("walk %d: entity %d was shown %d times", i, id, n)
				}
			}
			if len(there) == 179 || len(there) < 60 {
				t.Errorf("walk %d: %d of 179 rows stayed; the test shows nothing", i, len(there))
			}
		}
	})
}

// newSchool is the input of a school.
func newSchool(ref, network directory.Ref) directory.EntityInput {
	return directory.EntityInput{Name: sent("Escola"), EntityType: sent("school"), Degree: sent("F"), ReferenceID: sent(string(ref)), ParentReferenceID: sent(string(network))}
}

// TestNetworks feeds random entities that move about; what lies below each network and school is what the tree says.
func TestNetworks(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		p, other := newPartner(t, db, "a"), newPartner(t, db, "b")
		store := &directorydb.Store{DB: db.DB}
		r := rand.New(rand.NewPCG(5, 5))
		stored := map[directory.EntityID]directory.Entity{}
		must(t, putEntities(t, db, other, 1, school(4, 3), directory.Entity{ID: 10, Ref: "c", Type: directory.Class, Parent: 4}))
		for version := range int64(40) {
			var list []directory.Entity
			for range 1 + r.IntN(10) {
				e := directory.Entity{ID: directory.EntityID(1 + r.IntN(30)), Name: "N", Degree: "F"}
				switch {
				case e.ID <= 3 || len(stored) == 0:
					e.ID = min(e.ID, 3)
					e.Type = directory.Network
				case e.ID <= 9:
					e.Type, e.Parent = directory.School, directory.EntityID(1+r.IntN(3))
				default:
					e.Type, e.Parent = directory.Class, directory.EntityID(4+r.IntN(6))
				}
				e.Ref = directory.Ref(fmt.Sprint(e.ID))
				list = append(list, e)
			}
			must(t, putEntities(t, db, p, version, list...))
			for _, e := range list {
				stored[e.ID] = e
			}
			checkBelow(t, store, p, stored)
		}
		if page, err := store.Entities(t.Context(), other, directory.Class, directory.Cursor{}); err != nil || len(page.Rows) != 1 {
			t.Errorf("Entities(other) = %+v, %v, want its class", page, err)
		}
	})
}

// checkBelow compares the subtree of each stored network and school with the tree.
func checkBelow(t *testing.T, store *directorydb.Store, p directory.PartnerID, stored map[directory.EntityID]directory.Entity) {
	t.Helper()
	var all []directory.Entity
	for _, e := range stored {
		all = append(all, e)
	}
	tree := directory.NewTree(all)
	for id, e := range stored {
		page, err := store.Subtree(t.Context(), p, e.Ref, directory.Cursor{})
		if err != nil {
			t.Fatal(err)
		}
		var got []directory.EntityID
		for _, r := range page.Rows {
			got = append(got, r.ID)
		}
		want := slices.DeleteFunc(tree.Scope(id).Entities(), func(below directory.EntityID) bool { return below == id })
		if !slices.Equal(got, want) {
			t.Fatalf("Subtree(%v %d) = %v, want %v", e.Type, id, got, want)
		}
	}
}

// TestListsUseIndexes: each list, and each question whether there is more, goes along an index of its own and sorts
// nothing, whether the engine has statistics or not.
func TestListsUseIndexes(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) {
		db := dbtest.SQLite(t)
		p := newPartner(t, db, "a")
		fill(t, db, p, 5000)
		checkPlans(t, db, p, "USE TEMP B-TREE")
		exec(t, db, `ANALYZE`)
		checkPlans(t, db, p, "USE TEMP B-TREE")
	})
	t.Run("postgres", func(t *testing.T) {
		db := dbtest.Postgres(t)
		p := newPartner(t, db, "a")
		fill(t, db, p, 5000)
		checkPlans(t, db, p, "Sort", "Seq Scan", "Bitmap")
		exec(t, db, `ANALYZE`)
		checkPlans(t, db, p, "Sort", "Seq Scan", "Bitmap")
	})
}

// TestWritesUseIndexes: the reads of writes go along an index that has a row or so of what is meant, however much the partner has.
func TestWritesUseIndexes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		p := newPartner(t, db, "a")
		fill(t, db, p, 5000)
		hook := &planned{only: "SELECT"}
		store := &directorydb.Store{DB: db.WithQueryHook(hook)}
		ctx := t.Context()
		_, err := store.CreateEntity(ctx, p, newSchool("new", "rede-1"))
		must(t, err)
		must(t, store.DeleteEntity(ctx, p, "new"))
		for _, entity := range []directory.Ref{"rede-1", "rede-2"} {
			_, err = store.CreateTeacher(ctx, p, newTeacher("ana", entity))
			must(t, err)
			_, err = store.UpdateTeacher(ctx, p, "ana", newTeacher("eva", entity))
			must(t, err)
			must(t, store.DeleteTeacher(ctx, p, "eva"))
		}
		check := func() {
			t.Helper()
			for _, statement := range hook.statements {
				plan := strings.Join(plans(t, db, statement, hook.args[statement]), "\n")
				for _, never := range []string{"SCAN e", "SCAN a", "accounts USING PRIMARY KEY (tenant_id=?)", "Seq Scan on entities", "Seq Scan on accounts", "accounts_entity", "entities_type"} {
					if strings.Contains(plan, never) && !strings.Contains(statement, "kind IN") {
						t.Errorf("%s\nhas %s:\n%s", statement, never, plan)
					}
				}
			}
		}
		check()
		exec(t, db, `ANALYZE`)
		check()
		if n := len(hook.statements); n < 30 {
			t.Errorf("%d statements, want those of eight writes", n)
		}
	})
}

// planned is a hook that keeps the statements to be explained.
type planned struct {
	only       string // what they have
	statements []string
	args       map[string][]any // of a statement with parameters
}

func (p *planned) BeforeQuery(ctx context.Context, _ *bun.QueryEvent) context.Context { return ctx }

func (p *planned) AfterQuery(_ context.Context, e *bun.QueryEvent) {
	if strings.Contains(e.Query, p.only) {
		p.statements = append(p.statements, e.Query)
		if p.args == nil {
			p.args = make(map[string][]any)
		}
		if strings.Contains(e.Query, "$1") {
			p.args[e.Query] = e.QueryArgs
		}
	}
}

// checkPlans runs the lists on a partner with many rows and looks at how the engine answers them.
func checkPlans(t *testing.T, db *database.DB, p directory.PartnerID, never ...string) {
	t.Helper()
	hook := &planned{only: "LIMIT $"}
	store := &directorydb.Store{DB: db.WithQueryHook(hook)}
	ctx := t.Context()
	var wants []string
	for _, at := range []directory.Cursor{{}, {After: 2500}, {Before: 2500}} {
		for index, list := range map[string]func() error{
			"entities_type":    func() error { _, err := store.Entities(ctx, p, directory.Class, at); return err },
			"entities_network": func() error { _, err := store.Subtree(ctx, p, "rede-1", at); return err },
			"entities_parent":  func() error { _, err := store.Subtree(ctx, p, "school-20", at); return err },
			"accounts_entity":  func() error { _, err := store.Readers(ctx, p, "school-20", at); return err },
		} {
			must(t, list())
			wants = append(wants, index)
		}
	}
	if len(hook.statements) != len(wants) {
		t.Fatalf("%d statements of lists, want %d", len(hook.statements), len(wants))
	}
	for i, statement := range hook.statements {
		for _, plan := range plans(t, db, statement, hook.args[statement]) {
			if n := strings.Count(plan, wants[i]); n != 1+strings.Count(statement, "IS NOT NULL") {
				t.Errorf("%s\nuses %s %d times:\n%s", statement, wants[i], n, plan)
			}
			if n := strings.Count(plan, "ROW(") + strings.Count(plan, "_id)>(?") + strings.Count(plan, "_id)<(?"); n < 1+strings.Count(statement, "IS NOT NULL") {
				t.Errorf("%s\nis not bounded by a row:\n%s", statement, plan)
			}
			for _, word := range never {
				if strings.Contains(plan, word) {
					t.Errorf("%s\nhas %s:\n%s", statement, word, plan)
				}
			}
		}
	}
}

// plans returns how the engine answers a statement: PostgreSQL also without its values, as it may once it has prepared it.
func plans(t *testing.T, db *database.DB, statement string, args []any) (plans []string) {
	t.Helper()
	conn, err := db.DB.DB.DB.Conn(t.Context())
	must(t, err)
	defer conn.Close()
	explain := func(column int, statement string, args ...any) {
		rows, err := conn.QueryContext(t.Context(), statement, args...)
		must(t, err)
		defer rows.Close()
		var lines []string
		for rows.Next() {
			cells := make([]any, column+1)
			for i := range cells {
				cells[i] = new(any)
			}
			must(t, rows.Scan(cells...))
			lines = append(lines, fmt.Sprint(*cells[column].(*any)))
		}
		plans = append(plans, strings.Join(lines, "\n"))
	}
	if db.Engine == database.SQLite {
		explain(3, "EXPLAIN QUERY PLAN "+statement, args...)
		return plans
	}
	explain(0, "EXPLAIN "+statement, args...)
	if len(args) > 0 {
		_, err := conn.ExecContext(t.Context(), "SET plan_cache_mode = force_generic_plan; DEALLOCATE ALL; PREPARE explained AS "+statement)
		must(t, err)
		explain(0, "EXPLAIN EXECUTE explained ("+strings.Repeat("NULL, ", len(args)-1)+"NULL)")
		_, err = conn.ExecContext(t.Context(), "RESET plan_cache_mode; DEALLOCATE explained")
		must(t, err)
	}
	return plans
}

// fill gives a partner two networks and n entities: schools, one of forty in the first network, with 24 classes each, and
// as many accounts.
func fill(tb testing.TB, db *database.DB, p directory.PartnerID, n int) {
	tb.Helper()
	list := []directory.Entity{{ID: 1, Ref: "rede-1", Type: directory.Network}, {ID: 2, Ref: "rede-2", Type: directory.Network}}
	for id := directory.EntityID(3); len(list) < n; id++ {
		e := school(id, 2)
		switch of := max(id-20, 0) / 25 * 25; {
		case id != 20+of:
			e.Type, e.Ref, e.Parent = directory.Class, directory.Ref(fmt.Sprint("class-", id)), 20+of
		case of%1000 == 0:
			e.Parent = 1
		}
		list = append(list, e)
	}
	put(tb, db, p, 1, many(n))
	must(tb, putEntities(tb, db, p, 1, list...))
	must(tb, (&directorydb.Write{IDB: db, Partner: p}).SetCounters(tb.Context(), directory.EntityID(n), directory.UserID(n)))
}
