package check_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/schools/schoolsdb"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/cmd/lectern/internal/check"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/feed"
	"github.com/lectern-dev/lectern/server/internal/load"
	"github.com/lectern-dev/lectern/server/internal/tools/generate"
)

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// filled creates a partner and a library network with generated feeds. Each feed is loaded in two parts, so there are
// superseded snapshots, and a snapshot of the network that is not yet in effect.
func filled(t *testing.T, db *database.DB) {
	t.Helper()
	ctx := t.Context()
	partner := must[directory.PartnerID](t)(directorydb.CreatePartner(ctx, db, "acme", "Acme"))
	network := must[libraries.NetworkID](t)(librariesdb.CreateNetwork(ctx, db, "rede", "Rede"))
	schools, readers := t.TempDir(), t.TempDir()
	must[generate.Summary](t)(generate.Schools(ctx, schools, generate.Params{Users: 150, Days: 40, Seed: 3}))
	must[generate.Summary](t)(generate.Libraries(ctx, readers, generate.Params{Users: 200, Days: 40, Seed: 3}))
	load := func() {
		t.Helper()
		must[*feed.Totals](t)(load.Schools(ctx, &schoolsdb.Store{DB: db.DB, Copy: db.Copy}, partner, "acme", os.DirFS(schools), load.Options{}))
		must[*feed.Totals](t)(load.Libraries(ctx, &librariesdb.Store{DB: db.DB, Copy: db.Copy}, network, os.DirFS(readers), load.Options{}))
	}
	later := t.TempDir() // files that the first load does not have
	move := func(from, to, name string) {
		t.Helper()
		if err := os.Rename(filepath.Join(from, name), filepath.Join(to, name)); err != nil {
			t.Fatal(err)
		}
	}
	move(schools, later, "accesses.ndjson")
	move(readers, later, "sessions.ndjson")
	load()
	move(later, schools, "accesses.ndjson")
	move(later, readers, "sessions.ndjson")
	load()
}

// run checks a database and returns what is wrong, except durability settings that the tests turn off, such as fsync.
func run(t *testing.T, c *check.Checker, deep bool) (wrong []string) {
	t.Helper()
	c.Tell = func(i check.Item) error {
		if !i.OK && !strings.Contains(i.Detail, "fsync") && !strings.Contains(i.Detail, "full_page_writes") && !strings.Contains(i.Detail, "synchronous_commit") {
			if i.Do == "" {
				t.Errorf("%+v does not say what to do", i)
			}
			wrong = append(wrong, i.What+": "+i.Detail)
		}
		return nil
	}
	if err := c.Run(t.Context(), deep); err != nil {
		t.Fatal(err)
	}
	return wrong
}

// finds fails the test unless one finding has all the words.
func finds(t *testing.T, what string, wrong []string, words ...string) {
	t.Helper()
	if !slices.ContainsFunc(wrong, func(text string) bool {
		return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) })
	}) {
		t.Errorf("%s: found %q, want a finding with %q", what, wrong, words)
	}
}

// compared has the kinds whose totals are compared, with words of the finding if a block is missing.
var compared = map[string]string{
	"partner acme record": "tenths of a minute", "partner acme days": "tenths of a minute",
	"library rede shelves": "seconds of reading", "library rede days": "seconds of reading",
}

// TestDeep tests that a good database has no findings, and that check finds damage to each kind of block.
func TestDeep(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		filled(t, db)
		if wrong := run(t, &check.Checker{DB: db}, true); len(wrong) > 0 {
			t.Fatalf("findings in a good database = %q", wrong)
		}
		for tenant, kinds := range map[string][]snapshot.Kind{"partner acme": schoolsdb.Kinds, "library rede": librariesdb.Kinds} {
			for _, k := range kinds {
				b := openBlock(t, db, k)
				flipped := slices.Clone(b.data)
				flipped[len(flipped)/2] ^= 4
				b.set(t, db, flipped)
				finds(t, "a flipped bit of "+k.Name, run(t, &check.Checker{DB: db}, true), tenant, k.Name, "corrupt")
				b.set(t, db, b.data)
				b.remove(t, db)
				if want := compared[tenant+" "+k.Name]; want != "" {
					finds(t, "a missing block of "+k.Name, run(t, &check.Checker{DB: db}, true), tenant, want)
				}
				b.insert(t, db)
				b.data = snapshot.Seal(auth.Tenant(b.tenant), k, snapshot.Block{BlockKey: snapshot.BlockKey{A: b.a, B: b.b}, Data: []byte{200, 1, 2}})
				b.set(t, db, b.data)
				finds(t, "a malformed block of "+k.Name, run(t, &check.Checker{DB: db}, true), tenant)
				b.remove(t, db)
				b.data = b.was
				b.insert(t, db)
			}
		}
		if wrong := run(t, &check.Checker{DB: db}, true); len(wrong) > 0 {
			t.Fatalf("findings after the repair = %q", wrong)
		}
	})
}

func exec(t *testing.T, db *database.DB, statement string) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// TestSetUp tests that check finds what is wrong with a set-up.
func TestSetUp(t *testing.T) {
	dbtest.Empty(t, func(t *testing.T, db *database.DB) {
		finds(t, "an empty database", run(t, &check.Checker{DB: db}, true), "schema", "not that of this version")
		must[[]string](t)(server.Migrate(t.Context(), db))
		none := func(what string, c *check.Checker) {
			t.Helper()
			if wrong := run(t, c, false); len(wrong) > 0 {
				t.Errorf("%s: %q", what, wrong)
			}
		}
		none("a fresh database", &check.Checker{DB: db})
		exec(t, db, `INSERT INTO bun_migrations (name, group_id) VALUES ('99990101000000', 1)`)
		finds(t, "a newer schema", run(t, &check.Checker{DB: db}, true), "schema", "newer")
		exec(t, db, `DELETE FROM bun_migrations WHERE name = '99990101000000'`)
		later := func() time.Time { return time.Now().Add(time.Hour) }
		finds(t, "a clock that is set", run(t, &check.Checker{DB: db, Clock: later}, false), "clock", "LECTERN_CLOCK")
		must[directory.PartnerID](t)(directorydb.CreatePartner(t.Context(), db, "acme", "Acme"))
		exec(t, db, `UPDATE snapshots SET began = began + 600000000`)
		finds(t, "a clock that was ahead", run(t, &check.Checker{DB: db}, false), "clock", "10m0s from now")
		exec(t, db, `UPDATE snapshots SET began = began - 600000000`)
		full := func(string) (uint64, bool) { return 5 << 20, true }
		finds(t, "a full disk", run(t, &check.Checker{DB: db, Free: full}, false), "disk", "0.01 GB are free")
		none("mended", &check.Checker{DB: db})
	})
}

// TestReadOnly tests that check finds a database that takes no writes.
func TestReadOnly(t *testing.T) {
	db := dbtest.Postgres(t)
	name := must[string](t)(func() (name string, err error) {
		err = db.NewRaw(`SELECT current_database()`).Scan(t.Context(), &name)
		return name, err
	}())
	exec(t, db, `ALTER DATABASE "`+name+`" SET default_transaction_read_only = on`)
	again := must[*database.DB](t)(database.Open(t.Context(), db.URL))
	defer again.Close()
	finds(t, "a standby", run(t, &check.Checker{DB: again}, false), "database", "default_transaction_read_only is on")
}

// TestKey tests that check finds what is wrong with the secret key.
func TestKey(t *testing.T) {
	db := dbtest.SQLite(t)
	partner := must[directory.PartnerID](t)(directorydb.CreatePartner(t.Context(), db, "acme", "Acme"))
	issuer := &server.Issuer{Keys: &authdb.Store{DB: db.DB}, Secrets: must[*server.Secrets](t)(server.NewSecrets(db, nil))}
	if _, _, err := issuer.Issue(t.Context(), server.KeyParams{Tenant: auth.Tenant(partner), API: auth.Directory}); err != nil {
		t.Fatal(err)
	}
	file := strings.TrimPrefix(db.URL, "sqlite:") + ".key"
	if wrong := run(t, &check.Checker{DB: db}, false); len(wrong) > 0 {
		t.Fatalf("findings with a good key = %q", wrong)
	}
	change := func(f func() error) {
		t.Helper()
		if err := f(); err != nil {
			t.Fatal(err)
		}
	}
	change(func() error { return os.Chmod(file, 0o640) })
	finds(t, "a key that others can read", run(t, &check.Checker{DB: db}, false), "key of the secrets", "mode 0640")
	change(func() error { return os.Chmod(file, 0o600) })
	if os.Getuid() == 0 {
		change(func() error { return os.Chown(file, 65534, 65534) })
		finds(t, "a key file of another user", run(t, &check.Checker{DB: db}, false), "key of the secrets", "does not belong to the owner of")
		change(func() error { return os.Chown(file, 0, 0) })
	}
	finds(t, "another key", run(t, &check.Checker{DB: db, Key: make([]byte, 32)}, false), "key of the secrets", "1-1")
	change(func() error { return os.Rename(file, file+".away") })
	finds(t, "no key", run(t, &check.Checker{DB: db}, false), "key of the secrets", "LECTERN_SECRET_KEY")
}

// TestServed tests that check reports whether a process serves a file, and that neither is wrong.
func TestServed(t *testing.T) {
	db := dbtest.SQLite(t)
	release := must[func()](t)(db.Claim())
	for _, want := range []string{"serves it", "none"} {
		var said []string
		c := &check.Checker{DB: db, Tell: func(i check.Item) error {
			if i.What == "server" {
				said = append(said, i.Detail)
			}
			return nil
		}}
		if err := c.Run(t.Context(), false); err != nil || c.Wrong() > 0 || len(said) != 1 || !strings.Contains(said[0], want) {
			t.Errorf("Run tells %q, %v, %d wrong, want %q", said, err, c.Wrong(), want)
		}
		release()
	}
}

// TestStop tests that a check ends with its context.
func TestStop(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		filled(t, db)
		ctx, stop := context.WithCancel(t.Context())
		c := &check.Checker{DB: db, Tell: func(i check.Item) error {
			if i.What == "partner acme" {
				stop()
			}
			return nil
		}}
		if err := c.Run(ctx, true); !errors.Is(err, context.Canceled) {
			t.Errorf("Run, canceled = %v, want context.Canceled", err)
		}
	})
}

// TestWrite tests that findings follow the table of the other items.
func TestWrite(t *testing.T) {
	var b bytes.Buffer
	err := check.Write(&b, []check.Item{
		{What: "disk", Detail: "full\nof it", Do: "make room"}, {What: "schema", OK: true, Detail: "up to date"}, {What: "a", OK: true, Detail: "b"},
	})
	const want = "schema  up to date  ok\na       b           ok\nWRONG: disk: full of it; make room\n"
	if b.String() != want || err != nil {
		t.Errorf("table = %q, %v, want %q", b.String(), err, want)
	}
}

// block is an open block as it is stored.
type block struct {
	tenant, kind, a, b, since, until, lo, hi int64
	data, was                                []byte
}

// openBlock returns the middle one of a kind's open blocks.
func openBlock(t *testing.T, db *database.DB, k snapshot.Kind) *block {
	t.Helper()
	var all []*block
	rows, err := db.QueryContext(t.Context(), `
		SELECT tenant_id, kind, a, b, since, until, lo, hi, data FROM blocks WHERE kind = ? AND until = ? ORDER BY a, b`, k.Number, snapshot.Open)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var b block
		if err := rows.Scan(&b.tenant, &b.kind, &b.a, &b.b, &b.since, &b.until, &b.lo, &b.hi, &b.data); err != nil {
			t.Fatal(err)
		}
		b.was = b.data
		all = append(all, &b)
	}
	if len(all) == 0 {
		t.Fatalf("there is no block of %s", k.Name)
	}
	return all[len(all)/2]
}

const thisBlock = ` WHERE tenant_id = ? AND kind = ? AND a = ? AND b = ? AND since = ?`

func (b *block) set(t *testing.T, db *database.DB, data []byte) {
	t.Helper()
	if _, err := db.NewRaw(`UPDATE blocks SET data = ?`+thisBlock, data, b.tenant, b.kind, b.a, b.b, b.since).Exec(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func (b *block) remove(t *testing.T, db *database.DB) {
	t.Helper()
	if _, err := db.NewRaw(`DELETE FROM blocks`+thisBlock, b.tenant, b.kind, b.a, b.b, b.since).Exec(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func (b *block) insert(t *testing.T, db *database.DB) {
	t.Helper()
	_, err := db.NewRaw(`INSERT INTO blocks (tenant_id, kind, a, b, since, until, lo, hi, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		b.tenant, b.kind, b.a, b.b, b.since, b.until, b.lo, b.hi, b.data).Exec(t.Context())
	if err != nil {
		t.Fatal(err)
	}
}
