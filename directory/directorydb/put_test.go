package directorydb_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// putEntities writes entities in a transaction.
func putEntities(tb testing.TB, db *database.DB, p directory.PartnerID, version int64, list ...directory.Entity) error {
	tb.Helper()
	return inTx(tb, db, func(ctx context.Context, tx bun.Tx) error {
		return (&directorydb.Write{IDB: tx, Partner: p, Version: version}).PutEntities(ctx, list)
	})
}

// putAccounts writes accounts in a transaction.
func putAccounts(tb testing.TB, db *database.DB, p directory.PartnerID, version int64, list ...directory.Account) error {
	tb.Helper()
	return inTx(tb, db, func(ctx context.Context, tx bun.Tx) error {
		return (&directorydb.Write{IDB: tx, Partner: p, Version: version}).PutAccounts(ctx, list)
	})
}

// accounts reads all accounts of a partner.
func accounts(tb testing.TB, db *database.DB, p directory.PartnerID) (list []directory.Account) {
	tb.Helper()
	err := directorydb.Latest(db, p).AccountRefs(tb.Context(), func(a directory.Account) error {
		list = append(list, a)
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return list
}

// must fails the test on an error.
func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func TestEntities(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		p, other := newPartner(t, db, "a"), newPartner(t, db, "b")
		want := []directory.Entity{
			{ID: 1, Ref: "rede", Type: directory.Network, Name: `Rede "Sul" d'Oeste \n ? ?0 {}`, Degree: "F"},
			{ID: 2, Ref: "escola", Type: directory.School, Name: "São João 語 🙂", Degree: "F", INEP: "00000012", State: "SP", City: "Embu\tdas\nArtes", Parent: 1},
			{ID: 3, Ref: "velha", Type: directory.School, Name: "Velha", Degree: "F", Parent: 1, Deleted: true},
			{ID: 1 << 50, Ref: directory.Ref(strings.Repeat("語", 255)), Type: directory.Class, Name: "7A", Degree: "7", Parent: 2},
		}
		must(t, putEntities(t, db, p, 1, want[2], want[0], want[3], want[1]))
		must(t, putEntities(t, db, other, 1, directory.Entity{ID: 1, Ref: "rede", Type: directory.Network, Name: "of another"}))
		if got, err := directorydb.Latest(db, p).Entities(ctx); !slices.Equal(got, want) || err != nil {
			t.Errorf("Entities = %+v, %v\nwant %+v", got, err, want)
		}
		want[1].Name, want[1].INEP, want[1].Deleted = "Outra", "", true
		must(t, putEntities(t, db, p, 2, want[1]))
		if got, err := directorydb.Latest(db, p).Entities(ctx); !slices.Equal(got, want) || err != nil {
			t.Errorf("Entities(after replacing) = %+v, %v\nwant %+v", got, err, want)
		}
		for since, want := range map[int64][]directory.Entity{0: want, 1: want[1:2], 2: nil} {
			if got, err := (directorydb.View{DB: db, Partner: p, After: since, At: directorydb.Now}).Entities(ctx); !slices.Equal(got, want) || err != nil {
				t.Errorf("Entities after %d = %+v, %v, want %+v", since, got, err, want)
			}
		}
		must(t, putEntities(t, db, p, 3))
		if got, err := directorydb.Latest(db, other+1).Entities(ctx); got != nil || err != nil {
			t.Errorf("Entities(unknown partner) = %+v, %v, want none", got, err)
		}
	})
}

func TestAccounts(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		p, other := newPartner(t, db, "a"), newPartner(t, db, "b")
		want := []directory.Account{
			{ID: 1, Ref: "ana", Kind: directory.Reader, Name: "Ana d'Ávila", Email: "ana@escola.example", Phone: "+55 (11) 9", AccessToken: "T1", Entity: 9, Active: true},
			{ID: 2, Ref: "beto", Kind: directory.Teacher, AccessToken: "T2", Entity: 1 << 50},
			{ID: 3, Ref: "caio", Kind: directory.Administrator, AccessToken: "T3", Active: true, Deleted: true},
			{ID: 1 << 50, Ref: "dora", Kind: directory.Internal, AccessToken: "t1", Active: true},
		}
		must(t, putAccounts(t, db, p, 1, want[3], want[1], want[0], want[2]))
		others := slices.Clone(want)
		must(t, putAccounts(t, db, other, 1, others...))
		if got := accounts(t, db, p); !slices.Equal(got, want) {
			t.Errorf("AccountRefs = %+v\nwant %+v", got, want)
		}
		want[1].Ref, want[1].Kind, want[1].Phone, want[1].Entity, want[1].Active = "bia", directory.Internal, "1", 4, true
		must(t, putAccounts(t, db, p, 2, want[1]))
		if got := accounts(t, db, p); !slices.Equal(got, want) {
			t.Errorf("AccountRefs(after replacing) = %+v\nwant %+v", got, want)
		}
		if got := accounts(t, db, other); !slices.Equal(got, others) {
			t.Errorf("AccountRefs(of the other partner) = %+v\nwant %+v", got, others)
		}
		for since, want := range map[int64][]directory.Account{-1: want, 0: want, 1: want[1:2], 2: nil} {
			var got []directory.Account
			err := (directorydb.View{DB: db, Partner: p, After: since, At: directorydb.Now}).Accounts(ctx, func(id directory.UserID, k directory.Kind, e directory.EntityID, active, deleted bool) {
				got = append(got, directory.Account{ID: id, Kind: k, Entity: e, Active: active, Deleted: deleted})
			})
			if lean := lean(want); !slices.Equal(got, lean) || err != nil {
				t.Errorf("Accounts after %d = %+v, %v\nwant %+v", since, got, err, lean)
			}
		}
	})
}

// lean returns only the fields of accounts that Accounts returns.
func lean(list []directory.Account) (lean []directory.Account) {
	for _, a := range list {
		lean = append(lean, directory.Account{ID: a.ID, Kind: a.Kind, Entity: a.Entity, Active: a.Active, Deleted: a.Deleted})
	}
	return lean
}

func TestNames(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		p, other := newPartner(t, db, "a"), newPartner(t, db, "b")
		all := many(9)
		must(t, putAccounts(t, db, p, 1, all...))
		must(t, putAccounts(t, db, other, 1, many(20)...))
		for _, c := range []struct {
			rule string
			ids  []directory.UserID
			want []directory.Account
		}{
			{"no ids", nil, nil},
			{"ids close together, with a gap", []directory.UserID{2, 4}, []directory.Account{all[1], all[3]}},
			{"ids far apart", []directory.UserID{1, 9}, []directory.Account{all[0], all[8]}},
			{"ids that the partner does not have", []directory.UserID{-1, 0, 9, 10, 11}, all[8:]},
		} {
			got, _ := names(t, db, p, directorydb.Now, 0, c.ids...)
			var want []string
			for _, a := range c.want {
				want = append(want, fmt.Sprint(a.ID, a.Name, a.Email))
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: Names(%v) = %q, want %q", c.rule, c.ids, got, want)
			}
		}
	})
}

// names returns the results of Names.
func names(t *testing.T, db *database.DB, p directory.PartnerID, at, erasures int64, ids ...directory.UserID) (got []string, erased bool) {
	t.Helper()
	erased, err := directorydb.Names(t.Context(), db.DB, p, at, ids, erasures, func(place int, name, email string) {
		got = append(got, fmt.Sprint(ids[place], name, email))
	})
	if err != nil {
		t.Fatal(err)
	}
	return got, erased
}

// TestNamesOfSnapshots tests that a snapshot has the names that were current in it, and that Names reports an erasure
// since. It reads superseded names only for an earlier snapshot.
func TestNamesOfSnapshots(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		p, all := newPartner(t, db, "a"), many(9)
		must(t, putAccounts(t, db, p, 1, all...))
		renamed := all[1]
		renamed.Name = "Outra"
		must(t, putAccounts(t, db, p, 2, renamed))
		exec(t, db, "UPDATE versions SET registers = 2, erasures = 7 WHERE tenant_id = ?", p)
		check := func(at, erasures int64, name string, want bool) {
			t.Helper()
			for _, ids := range [][]directory.UserID{{2, 3}, {2, 9}} {
				got, erased := names(t, db, p, at, erasures, ids...)
				second := all[ids[1]-1]
				if !slices.Equal(got, []string{fmt.Sprint(2, name, renamed.Email), fmt.Sprint(second.ID, second.Name, second.Email)}) || erased != want {
					t.Errorf("names of %v at %d, %d = %q, %t, want %s, %t", ids, at, erasures, got, erased, name, want)
				}
			}
		}
		check(1, 7, all[1].Name, false)
		check(1, 6, all[1].Name, true)
		check(2, 6, "Outra", true)
		exec(t, db, "ALTER TABLE superseded_accounts RENAME TO away")
		check(2, 7, "Outra", false)
	})
}

func TestVisitStops(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		p := newPartner(t, db, "a")
		must(t, putAccounts(t, db, p, 1, many(3)...))
		stop := errors.New("stop")
		calls := 0
		err := directorydb.Latest(db, p).AccountRefs(t.Context(), func(directory.Account) error { calls++; return stop })
		if !errors.Is(err, stop) || calls != 1 {
			t.Errorf("AccountRefs = %v after %d calls, want stop after 1", err, calls)
		}
	})
}

func TestEvaluations(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		p, other := newPartner(t, db, "a"), newPartner(t, db, "b")
		at := time.Date(2026, 3, 4, 5, 6, 7, 123456000, time.UTC)
		want := []directory.Evaluation{
			{ID: 0, Entity: 1, AppliedAt: time.Unix(0, 0).UTC()},
			{ID: 7, Entity: 1, Title: "Fluência", AppliedAt: at},
			{ID: 9007199254740991, Entity: 2, Title: "Sem data"},
		}
		put := func(p directory.PartnerID, list ...directory.Evaluation) {
			t.Helper()
			must(t, inTx(t, db, func(ctx context.Context, tx bun.Tx) error {
				return (&directorydb.Write{IDB: tx, Partner: p}).PutEvaluations(ctx, list)
			}))
		}
		put(other, directory.Evaluation{ID: 7})
		put(p, want[2], directory.Evaluation{ID: 7, Entity: 5}, want[0])
		put(p, directory.Evaluation{ID: 7, Entity: 1, Title: "Fluência", AppliedAt: at.In(time.FixedZone("", -3*3600))})
		put(p)
		if got, err := directorydb.Evaluations(t.Context(), db, p); !reflect.DeepEqual(got, want) || err != nil {
			t.Errorf("Evaluations = %+v, %v\nwant %+v", got, err, want)
		}
	})
}

// TestTokenStays tests that no later row changes an access token (P7, F1).
func TestTokenStays(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		p := newPartner(t, db, "a")
		must(t, putAccounts(t, db, p, 1, directory.Account{ID: 1, Ref: "ana", Kind: directory.Reader, AccessToken: "FIRST"}))
		must(t, putAccounts(t, db, p, 2, directory.Account{ID: 1, Ref: "ana", Kind: directory.Teacher, AccessToken: "SECOND"}))
		if got := accounts(t, db, p); got[0].AccessToken != "FIRST" || got[0].Kind != directory.Teacher {
			t.Errorf("account = %+v, want a teacher with the token FIRST", got[0])
		}
	})
}

func TestLastOfEachWins(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		p := newPartner(t, db, "a")
		for version := range int64(2) { // new, then stored
			must(t, putEntities(t, db, p, version,
				directory.Entity{ID: 2, Ref: "x", Name: "first"}, directory.Entity{ID: 1, Ref: "y"}, directory.Entity{ID: 2, Ref: "x", Name: "last"}))
			got, err := directorydb.Latest(db, p).Entities(t.Context())
			if err != nil || len(got) != 2 || got[1].Name != "last" {
				t.Errorf("Entities = %+v, %v, want two, the second named last", got, err)
			}
		}
	})
}

// TestReferences tests what the uniqueness of references allows and refuses in one call (P2). The stored accounts are 1
// (ana), 2 (beto), and the deleted account 3 (caio).
func TestReferences(t *testing.T) {
	account := func(id directory.UserID, ref directory.Ref, deleted bool) directory.Account {
		return directory.Account{ID: id, Ref: ref, Kind: directory.Reader, AccessToken: fmt.Sprint("T", id), Deleted: deleted}
	}
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		for i, c := range []struct {
			rule string
			put  []directory.Account
			ok   bool
		}{
			{"two accounts exchange references", []directory.Account{account(1, "beto", false), account(2, "ana", false)}, true},
			{"a chain, the taker comes first", []directory.Account{account(1, "beto", false), account(2, "new", false)}, true},
			{"a chain, the giver comes first", []directory.Account{account(1, "new", false), account(2, "ana", false)}, true},
			{"a new account, the owner is deleted in the same call", []directory.Account{account(4, "ana", false), account(1, "ana", true)}, true},
			{"a lower account, the owner is deleted in the same call", []directory.Account{account(1, "beto", false), account(2, "beto", true)}, true},
			{"a new account, the owner is renamed in the same call", []directory.Account{account(4, "ana", false), account(1, "new", false)}, true},
			{"a deleted account's reference is free", []directory.Account{account(4, "caio", false)}, true},
			{"a deleted account is restored", []directory.Account{account(3, "caio", false)}, true},
			{"deleted accounts may share a reference", []directory.Account{account(4, "ana", true), account(5, "ana", true), account(3, "beto", true)}, true},
			{"references compare exactly", []directory.Account{account(4, "Ana", false), account(5, "ana ", false), account(6, "aná", false)}, true},
			{"a new account takes a reference in use", []directory.Account{account(4, "ana", false)}, false},
			{"renamed to a reference in use", []directory.Account{account(1, "beto", false)}, false},
			{"a deleted account is restored with a reference in use", []directory.Account{account(3, "ana", false)}, false},
			{"the same reference twice in one call", []directory.Account{account(4, "new", false), account(5, "new", false)}, false},
		} {
			p := newPartner(t, db, directory.Ref(fmt.Sprint("p", i)))
			before := []directory.Account{account(1, "ana", false), account(2, "beto", false), account(3, "caio", true)}
			must(t, putAccounts(t, db, p, 1, before...))
			want := before
			if c.ok {
				want = merged(before, c.put)
			}
			err := putAccounts(t, db, p, 2, c.put...)
			if (err == nil) != c.ok {
				t.Errorf("%s: PutAccounts = %v, want ok = %t", c.rule, err, c.ok)
			}
			if got := accounts(t, db, p); !slices.Equal(got, want) {
				t.Errorf("%s: AccountRefs afterwards = %+v\nwant %+v", c.rule, got, want)
			}
		}
	})
}

// merged returns a list with others put in, sorted by number.
func merged(list, put []directory.Account) []directory.Account {
	byID := map[directory.UserID]directory.Account{}
	for _, a := range slices.Concat(list, put) {
		byID[a.ID] = a
	}
	var all []directory.Account
	for _, a := range byID {
		all = append(all, a)
	}
	slices.SortFunc(all, func(a, b directory.Account) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// TestManyChunks reverses the references of many accounts, which takes several statements.
func TestManyChunks(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		const n = 5001
		p := newPartner(t, db, "a")
		all := many(n)
		must(t, putAccounts(t, db, p, 1, all...))
		for i := range all[:n/2] {
			all[i].Ref, all[n-1-i].Ref = all[n-1-i].Ref, all[i].Ref
		}
		must(t, putAccounts(t, db, p, 2, all...))
		if got := accounts(t, db, p); !slices.Equal(got, all) {
			t.Errorf("AccountRefs of %d accounts differ from those that were put", n)
		}
	})
}

func TestTokens(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		p, other := newPartner(t, db, "a"), newPartner(t, db, "b")
		ana := directory.Account{ID: 1, Ref: "ana", Kind: directory.Reader, AccessToken: "T"}
		beto := directory.Account{ID: 2, Ref: "beto", Kind: directory.Reader, AccessToken: "T"}
		must(t, putAccounts(t, db, p, 1, ana))
		if err := putAccounts(t, db, p, 2, beto); err == nil {
			t.Error("PutAccounts(a token twice) = nil, want an error")
		}
		must(t, putAccounts(t, db, other, 1, beto))
		beto.AccessToken = ""
		must(t, putAccounts(t, db, p, 2, beto))
		if got := accounts(t, db, p); len(got) != 2 || len(got[1].AccessToken) != 16 {
			t.Errorf("accounts = %+v, want a token for the second", got)
		}
	})
}

// TestText tests that both engines refuse text that PostgreSQL cannot store, and write nothing.
func TestText(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		p := newPartner(t, db, "a")
		for _, text := range []string{"a\x00b", "\xff"} {
			if err := putEntities(t, db, p, 1, directory.Entity{ID: 1, Ref: "x"}, directory.Entity{ID: 2, Ref: "y", City: text}); !errors.Is(err, directory.ErrText) {
				t.Errorf("PutEntities(city %q) = %v, want ErrText", text, err)
			}
			if err := putAccounts(t, db, p, 1, directory.Account{ID: 1, Ref: "x", AccessToken: "T", Phone: text}); !errors.Is(err, directory.ErrText) {
				t.Errorf("PutAccounts(phone %q) = %v, want ErrText", text, err)
			}
			err := inTx(t, db, func(ctx context.Context, tx bun.Tx) error {
				return (&directorydb.Write{IDB: tx, Partner: p}).PutEvaluations(ctx, []directory.Evaluation{{ID: 1, Title: text}})
			})
			if !errors.Is(err, directory.ErrText) {
				t.Errorf("PutEvaluations(title %q) = %v, want ErrText", text, err)
			}
		}
		if got, err := directorydb.Latest(db, p).Entities(t.Context()); len(got) != 0 || err != nil {
			t.Errorf("Entities = %+v, %v, want none", got, err)
		}
	})
}

// many returns n accounts as they appear in a feed.
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

func sent(text string) directory.Field { return directory.Field{Set: true, Text: text} }

// messages returns the validation errors in err, by field.
func messages(err error) map[string]string {
	var faults directory.FieldErrors
	if !errors.As(err, &faults) {
		return nil
	}
	byField := map[string]string{}
	for _, f := range faults {
		byField[f.Field] = f.Message
	}
	return byField
}
