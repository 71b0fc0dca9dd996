package directorydb_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// benchUsers is the size of a large partner.
const benchUsers = 100_000

// many returns n accounts as a feed has them.
func many(n int) []directory.Account {
	accounts := make([]directory.Account, n)
	for i := range accounts {
		accounts[i] = directory.Account{
			ID: directory.UserID(i + 1), Ref: directory.Ref(fmt.Sprintf("aluno-%06d", i)), Kind: directory.Reader,
			Name: fmt.Sprintf("Maria Aparecida de Souza %d", i), Email: fmt.Sprintf("aluno%d@escola.example", i),
			AccessToken: fmt.Sprintf("TOKEN%011d", i*7919%1_000_003), Entity: directory.EntityID(i%4000 + 1), Active: i%10 > 0,
		}
	}
	return accounts
}

// put writes accounts in a transaction.
func put(tb testing.TB, db *database.DB, p directory.PartnerID, version int64, accounts []directory.Account) {
	tb.Helper()
	err := db.RunInTx(tb.Context(), nil, func(ctx context.Context, tx bun.Tx) error {
		return (&directorydb.Write{IDB: tx, Partner: p, Version: version}).PutAccounts(ctx, accounts)
	})
	if err != nil {
		tb.Fatal(err)
	}
}

func BenchmarkSQLite(b *testing.B)   { benchmark(b, dbtest.SQLite(b)) }
func BenchmarkPostgres(b *testing.B) { benchmark(b, dbtest.Postgres(b)) }

// benchmark times the calls of a load and of a report on a partner of benchUsers accounts.
func benchmark(b *testing.B, db *database.DB) {
	p := newPartner(b, db, "grande")
	put(b, db, p, 1, many(benchUsers))
	accounts := many(benchUsers)
	b.Run("PutNew", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			put(b, db, newPartner(b, db, directory.Ref(fmt.Sprint("grande-", i))), 1, accounts)
		}
	})
	b.Run("PutChanged", func(b *testing.B) {
		for b.Loop() {
			put(b, db, p, 2, accounts)
		}
	})
	b.Run("Accounts", func(b *testing.B) {
		for b.Loop() {
			n := 0
			err := directorydb.Latest(db, p).Accounts(b.Context(), func(directory.UserID, directory.Kind, directory.EntityID, bool, bool) { n++ })
			if err != nil || n != benchUsers {
				b.Fatal(n, err)
			}
		}
	})
	b.Run("AccountRefs", func(b *testing.B) {
		for b.Loop() {
			if err := directorydb.Latest(db, p).AccountRefs(b.Context(), func(directory.Account) error { return nil }); err != nil {
				b.Fatal(err)
			}
		}
	})
	for apart, name := range map[int]string{1: "Names", 50: "NamesApart"} {
		b.Run(name, func(b *testing.B) {
			ids := make([]directory.UserID, 1000)
			for i := range ids {
				ids[i] = directory.UserID(50_000 + apart*i)
			}
			for b.Loop() {
				n := 0
				_, err := directorydb.Names(b.Context(), db.DB, p, directorydb.Now, ids, 0, func(int, string, string) { n++ })
				if err != nil || n != len(ids) {
					b.Fatal(n, err)
				}
			}
		})
	}
}

func BenchmarkListsSQLite(b *testing.B)   { benchmarkLists(b, dbtest.SQLite(b)) }
func BenchmarkListsPostgres(b *testing.B) { benchmarkLists(b, dbtest.Postgres(b)) }

// benchmarkLists times pages of a partner of benchUsers entities, at the beginning and at the end of lists: the depth is to
// make no difference. The database has no statistics but those that the engine makes by itself.
func benchmarkLists(b *testing.B, db *database.DB) {
	p := newPartner(b, db, "grande")
	fill(b, db, p, benchUsers)
	store := &directorydb.Store{DB: db.DB}
	ctx := b.Context()
	for _, at := range []struct {
		name string
		directory.Cursor
	}{{"First", directory.Cursor{}}, {"Middle", directory.Cursor{After: benchUsers / 2}}, {"Last", directory.Cursor{Before: benchUsers}}} {
		for _, network := range []directory.Ref{"rede-1", "rede-2"} {
			b.Run("Subtree/"+string(network)+"/"+at.name, func(b *testing.B) {
				for b.Loop() {
					if page, err := store.Subtree(ctx, p, network, at.Cursor); err != nil || len(page.Rows) != directory.Limit {
						b.Fatal(len(page.Rows), err)
					}
				}
			})
		}
		b.Run("Entities/"+at.name, func(b *testing.B) {
			for b.Loop() {
				if page, err := store.Entities(ctx, p, directory.Class, at.Cursor); err != nil || len(page.Rows) != directory.Limit {
					b.Fatal(len(page.Rows), err)
				}
			}
		})
	}
	b.Run("UpdateEntity", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			if _, err := store.UpdateEntity(ctx, p, "rede-1", directory.EntityInput{Name: sent(fmt.Sprint("Rede ", i)), Degree: sent("F")}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkWritesSQLite(b *testing.B)   { benchmarkWrites(b, dbtest.SQLite(b)) }
func BenchmarkWritesPostgres(b *testing.B) { benchmarkWrites(b, dbtest.Postgres(b)) }

// benchmarkWrites times writes of one partner beside a bare insert, one after the other and eight at once: each is acknowledged
// when it is on the disk. TMPDIR says which disk.
func benchmarkWrites(b *testing.B, db *database.DB) {
	p := newPartner(b, db, "grande")
	store := &directorydb.Store{DB: db.DB}
	network := newSchool("rede", "grande")
	network.EntityType, network.Degree = sent("network"), sent("F")
	if _, err := store.CreateEntity(b.Context(), p, network); err != nil {
		b.Fatal(err)
	}
	exec(b, db, `CREATE TABLE bare (tenant_id bigint NOT NULL, entity_id bigint NOT NULL, name text NOT NULL, PRIMARY KEY (tenant_id, entity_id))`)
	var n atomic.Int64
	for _, write := range []struct {
		name string
		once func(ref directory.Ref) error
	}{
		{"Bare", func(ref directory.Ref) error {
			_, err := db.Writer.DB.ExecContext(b.Context(), `INSERT INTO bare (tenant_id, entity_id, name) VALUES ($1, $2, $3)`, p, n.Add(1), ref)
			return err
		}},
		{"CreateEntity", func(ref directory.Ref) error {
			_, err := store.CreateEntity(b.Context(), p, newSchool(ref, "rede"))
			return err
		}},
		{"UpdateEntity", func(ref directory.Ref) error {
			_, err := store.UpdateEntity(b.Context(), p, "rede", directory.EntityInput{Name: sent(string(ref))})
			return err
		}},
		{"CreateTeacher", func(ref directory.Ref) error {
			_, err := store.CreateTeacher(b.Context(), p, newTeacher(ref, "rede"))
			return err
		}},
	} {
		for _, writers := range []int{1, 8} {
			b.Run(fmt.Sprint(write.name, "/", writers), func(b *testing.B) {
				took := make([]time.Duration, b.N)
				var next, wrong atomic.Int64
				var all sync.WaitGroup
				for range writers {
					all.Go(func() {
						for i := next.Add(1) - 1; i < int64(b.N); i = next.Add(1) - 1 {
							began := time.Now()
							if err := write.once(directory.Ref(fmt.Sprint("ref-", n.Add(1)))); err != nil {
								wrong.Add(1)
							}
							took[i] = time.Since(began)
						}
					})
				}
				all.Wait()
				if wrong.Load() > 0 {
					b.Error(wrong.Load(), "writes failed")
				}
				slices.Sort(took)
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "writes/s")
				b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
			})
		}
	}
}
