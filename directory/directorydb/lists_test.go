package directorydb_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// school returns the school with a number in a network.
func school(id, network directory.EntityID) directory.Entity {
	return directory.Entity{ID: id, Ref: directory.Ref(fmt.Sprint("school-", id)), Type: directory.School, Name: "S", Degree: "F", Parent: network}
}

// TestPageSides reads the page at every position of lists of many lengths around the limit, with some rows deleted. It
// compares each page with the list in memory.
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

// checkPage compares a page with the numbers of all live rows.
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

// newSchool returns the input of a school.
func newSchool(ref, network directory.Ref) directory.EntityInput {
	return directory.EntityInput{Name: sent("Escola"), EntityType: sent("school"), Degree: sent("F"), ReferenceID: sent(string(ref)), ParentReferenceID: sent(string(network))}
}

// TestListsUseIndexes tests that each list, and each check for more rows, uses its own index and does not sort, with
// and without statistics.
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

// TestWritesUseIndexes tests that the reads of a write use an index, so that they do not scan all rows of the partner.
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
						t.Errorf("the plan of\n%s\ncontains %s:\n%s", statement, never, plan)
					}
				}
			}
		}
		check()
		exec(t, db, `ANALYZE`)
		check()
		if n := len(hook.statements); n < 30 {
			t.Errorf("%d statements of eight writes, want at least 30", n)
		}
	})
}

// planned is a hook that records the statements to explain.
type planned struct {
	only       string // a text that the recorded statements contain
	statements []string
	args       map[string][]any // by statement with parameters
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

// checkPlans runs the lists of a partner with many rows, and checks the engine's plans for them.
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
		t.Fatalf("%d list statements, want %d", len(hook.statements), len(wants))
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
					t.Errorf("the plan of\n%s\ncontains %s:\n%s", statement, word, plan)
				}
			}
		}
	}
}

// plans returns the engine's plans for a statement: on PostgreSQL also the generic plan of the prepared statement.
func plans(t *testing.T, db *database.DB, statement string, args []any) (plans []string) {
	t.Helper()
	conn, err := db.Pool().Conn(t.Context())
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

// fill gives a partner n accounts, two networks and n entities. The entities are schools with 24 classes each, and one
// of forty schools is in the first network.
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
	must(tb, putAccounts(tb, db, p, 1, many(n)...))
	must(tb, putEntities(tb, db, p, 1, list...))
	must(tb, (&directorydb.Write{IDB: db, Partner: p}).SetCounters(tb.Context(), directory.EntityID(n), directory.UserID(n)))
}

// TestListsAreStable tests that a row that stays is listed once, forwards and backwards, while others are added and
// deleted (P8).
func TestListsAreStable(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		p, store := newPartner(t, db, "a"), &directorydb.Store{DB: db.DB}
		fill(t, db, p, 2)
		for id := directory.EntityID(3); id <= 130; id++ {
			must(t, putEntities(t, db, p, 1, school(id, 1)))
		}
		must(t, (&directorydb.Write{IDB: db, Partner: p}).SetCounters(t.Context(), 130, 2))
		first, err := store.Subtree(t.Context(), p, "rede-1", directory.Cursor{})
		must(t, err)
		for _, ref := range []directory.Ref{"school-3", "school-52", "school-53", "school-103"} { // the last of page 1, the first of page 2
			must(t, store.DeleteEntity(t.Context(), p, ref))
		}
		_, err = store.CreateEntity(t.Context(), p, newSchool("late", "rede-1"))
		must(t, err)
		second, err := store.Subtree(t.Context(), p, "rede-1", directory.Cursor{After: 52})
		must(t, err)
		back, err := store.Subtree(t.Context(), p, "rede-1", directory.Cursor{Before: 54})
		must(t, err)
		got := []directory.EntityID{first.Rows[0].ID, first.Rows[49].ID, second.Rows[0].ID, second.Rows[49].ID, back.Rows[0].ID, back.Rows[47].ID}
		if want := []directory.EntityID{3, 52, 54, 104, 4, 51}; !slices.Equal(got, want) || len(back.Rows) != 48 || back.HasBefore {
			t.Errorf("ends of the pages = %v, want %v; %d rows before 54, want 48", got, want, len(back.Rows))
		}
	})
}

// TestSubtreeFollowsMoves tests that the classes of a school move with it to another network.
func TestSubtreeFollowsMoves(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		p, other, store := newPartner(t, db, "a"), newPartner(t, db, "b"), &directorydb.Store{DB: db.DB}
		for _, p := range []directory.PartnerID{p, other} {
			fill(t, db, p, 2)
			must(t, putEntities(t, db, p, 1, school(3, 1), school(4, 2),
				directory.Entity{ID: 5, Ref: "c", Type: directory.Class, Parent: 3}, directory.Entity{ID: 6, Ref: "d", Type: directory.Class, Parent: 4}))
		}
		below := func(p directory.PartnerID) string {
			text := ""
			for _, ref := range []directory.Ref{"rede-1", "rede-2", "school-3", "school-4"} {
				page, err := store.Subtree(t.Context(), p, ref, directory.Cursor{})
				must(t, err)
				for _, e := range page.Rows {
					text += fmt.Sprint(e.ID)
				}
				text += "|"
			}
			return text
		}
		for _, c := range []struct {
			rule string
			put  []directory.Entity
			want string
		}{
			{"at first", nil, "35|46|5|6|"},
			{"a school moves", []directory.Entity{school(3, 2)}, "|3456|5|6|"},
			{"a class moves", []directory.Entity{{ID: 5, Ref: "c", Type: directory.Class, Parent: 4}}, "|3456||56|"},
			{"both move at once", []directory.Entity{{ID: 6, Ref: "d", Type: directory.Class, Parent: 3}, school(3, 1)}, "36|45|6|5|"},
		} {
			must(t, putEntities(t, db, p, 2, c.put...))
			if got := below(p); got != c.want {
				t.Errorf("%s: the subtrees are %s, want %s", c.rule, got, c.want)
			}
		}
		if got := below(other); got != "35|46|5|6|" {
			t.Errorf("the subtrees of the other partner are %s, want them unchanged", got)
		}
	})
}
