package database_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/uptrace/bun"
)

func TestOpenErrors(t *testing.T) {
	folder := t.TempDir()
	text := filepath.Join(folder, "notes.txt")
	if err := os.WriteFile(text, []byte(strings.Repeat("not a database. ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, url, want string // want is a part of the error
	}{
		{"NoKind", "lectern.db", `of an unknown kind; write sqlite:FILE or postgres://`},
		{"PasswordInNoKind", "host=h password=secret", `write sqlite:FILE or postgres://`},
		{"PasswordBeforeNoKind", "u:secret@h/d", `write sqlite:FILE or postgres://`},
		{"OtherKind", "mysql://u:secret@h/d", `write sqlite:FILE or postgres://`},
		{"NoFile", "sqlite:", "write sqlite:FILE"},
		{"NoFolder", "sqlite:" + folder + "/none/x.db", "/none does not exist; create it"},
		{"FolderIsFile", "sqlite:" + text + "/x.db", "not a "},
		{"IsFolder", "sqlite:" + folder, "is a folder; name a file in it"},
		{"NotADatabase", "sqlite:" + text, "check that the file is a SQLite database"},
		{"NoServer", "postgres://u:secret@127.0.0.1:1/d", "check that the server runs"},
		{"BadPort", "postgres://u:secret@127.0.0.1:x/d", "write postgres://"},
		{"BadMode", "postgres://u:secret@h/d?default_query_exec_mode=quick", "check the parameters"},
		{"BadConns", "postgres://u:secret@h/d?pool_max_conns=1", `pool_max_conns is "1"; write a whole number from 2`},
		{"PasswordAsParameter", "postgres://u@127.0.0.1:1/d?password=secret", "check that the server runs"},
	} {
		t.Run(test.name, func(t *testing.T) {
			db, err := database.Open(t.Context(), test.url)
			if err == nil {
				db.Close()
				t.Fatalf("Open(%q) = no error, want %q", test.url, test.want)
			}
			if !strings.HasPrefix(err.Error(), "database ") || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Open(%q) = %q, want it to begin with database and to contain %q", test.url, err, test.want)
			}
			if strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "\n") {
				t.Errorf("Open(%q) = %q, want one line without the password", test.url, err)
			}
		})
	}
}

func TestOpenOddPath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "50% of #1? ção.db")
	db, err := database.Open(t.Context(), "sqlite:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := os.Stat(path); err != nil {
		t.Errorf("Open(%q) made another file: %v", path, err)
	}
}

func TestOpenRelativePath(t *testing.T) {
	t.Chdir(t.TempDir())
	db, err := database.Open(t.Context(), "sqlite:lectern.db")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := os.Stat("lectern.db"); err != nil {
		t.Error(err)
	}
}

// TestSQLiteSettings tests that a writing connection syncs each commit (2 is FULL), also after a load, and that a
// reading one cannot write.
func TestSQLiteSettings(t *testing.T) {
	served := dbtest.SQLite(t)
	toLoad, err := database.OpenToLoad(t.Context(), served.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer toLoad.Close()
	for db, mapped := range map[*database.DB]string{served: "268435456", toLoad: "0"} {
		both := map[string]string{"journal_mode": "wal", "page_size": "8192", "busy_timeout": "0", "mmap_size": mapped}
		settings(t, db.Writer, both)
		settings(t, db.Writer, map[string]string{"foreign_keys": "1", "synchronous": "2", "secure_delete": "1", "query_only": "0"})
		if err := unsynced(t, db); err != nil {
			t.Fatal(err)
		}
		settings(t, db.Writer, map[string]string{"synchronous": "2"})
		settings(t, db.DB.DB, both)
		settings(t, db.DB.DB, map[string]string{"query_only": "1"})
	}
}

// unsynced turns off the sync of commits on a connection, as a load does.
func unsynced(t *testing.T, db *database.DB) error {
	conn, err := db.Conn(t.Context())
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = conn.ExecContext(t.Context(), `PRAGMA synchronous = NORMAL`)
	return err
}

// settings checks that every connection of a handle has the settings.
func settings(t *testing.T, db *bun.DB, want map[string]string) {
	t.Helper()
	for range db.Stats().MaxOpenConnections { // not released yet, so that each is another one
		conn, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		for pragma, want := range want {
			var got string
			if err := conn.NewRaw("PRAGMA "+pragma).Scan(t.Context(), &got); err != nil || got != want {
				t.Errorf("PRAGMA %s = %q, %v, want %q", pragma, got, err, want)
			}
		}
	}
}

// TestTransactionsThatReadThenWrite tests that a transaction that reads first and then writes waits for another writer.
// A deferred transaction of SQLite would fail.
func TestTransactionsThatReadThenWrite(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		mustExec(t, db, `CREATE TABLE counters (tenant_id bigint PRIMARY KEY, n bigint NOT NULL)`)
		mustExec(t, db, `INSERT INTO counters VALUES (1, 0)`)
		read := `SELECT n FROM counters WHERE tenant_id = 1`
		if db.Engine == database.Postgres {
			read += ` FOR UPDATE`
		}
		const writers, rounds = 6, 20
		errs := make(chan error, writers)
		for range writers {
			go func() {
				var err error
				for range rounds {
					err = db.RunInTx(t.Context(), nil, func(ctx context.Context, tx bun.Tx) error {
						var n int
						if err := tx.NewRaw(read).Scan(ctx, &n); err != nil {
							return err
						}
						_, err := tx.ExecContext(ctx, `UPDATE counters SET n = ? WHERE tenant_id = 1`, n+1)
						return err
					})
					if err != nil {
						break
					}
				}
				errs <- err
			}()
		}
		for range writers {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
		if got := count(t, db, `SELECT n FROM counters`); got != writers*rounds {
			t.Errorf("n = %d after %d increments", got, writers*rounds)
		}
	})
}

// TestReadersDoNotWaitForTheWriter tests that a reading transaction continues while another has the write lock.
func TestReadersDoNotWaitForTheWriter(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		mustExec(t, db, `CREATE TABLE books (tenant_id bigint)`)
		writer, err := db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer writer.Rollback()
		if _, err := writer.ExecContext(t.Context(), `INSERT INTO books VALUES (1)`); err != nil {
			t.Fatal(err)
		}
		reader, err := db.BeginTx(t.Context(), &sql.TxOptions{ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		defer reader.Rollback()
		var n int
		if err := reader.NewRaw(`SELECT count(*) FROM books`).Scan(t.Context(), &n); err != nil || n != 0 {
			t.Errorf("reader during an open transaction of the writer = %d, %v, want 0", n, err)
		}
	})
}

// TestPostgresTypes tests that every type that a store reads comes back unchanged, in the default mode and in others
// that the URL sets.
func TestPostgresTypes(t *testing.T) {
	db := dbtest.Postgres(t)
	for _, mode := range []string{"", "simple_protocol", "cache_describe", "describe_exec"} {
		t.Run("mode="+mode, func(t *testing.T) {
			url := db.URL
			if mode != "" {
				url += "&default_query_exec_mode=" + mode
			}
			db, err := database.Open(t.Context(), url)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			var (
				i       int64
				s, u, n string
				b       []byte
				at      time.Time
				day     time.Time
				yes     bool
				f       float64
				null    sql.NullInt64
				js      []byte
				sum     int64
			)
			err = db.NewRaw(`SELECT 9007199254740993::bigint, 'ção'::text, 'x'::varchar, 12345678901234567.8901::numeric,
				'\x00ff7f'::bytea, timestamptz '2026-01-31 22:30:00.123456-03', date '2026-01-31', true, 0.5::float8,
				NULL::bigint, '{"a": 1}'::jsonb, (SELECT sum(x)::bigint FROM generate_series(1::bigint, 10) x)`).
				Scan(t.Context(), &i, &s, &u, &n, &b, &at, &day, &yes, &f, &null, &js, &sum)
			if err != nil {
				t.Fatal(err)
			}
			if i != 9007199254740993 || s != "ção" || u != "x" || n != "12345678901234567.8901" || string(b) != "\x00\xff\x7f" ||
				!at.Equal(time.Date(2026, 2, 1, 1, 30, 0, 123456000, time.UTC)) || day.Format(time.DateOnly) != "2026-01-31" ||
				!yes || f != 0.5 || null.Valid || string(js) != `{"a": 1}` || sum != 55 {
				t.Errorf("read back %v %q %q %q %x %v %v %v %v %v %s %v", i, s, u, n, b, at, day, yes, f, null, js, sum)
			}
		})
	}
}

func TestPoolMaxConns(t *testing.T) {
	db := dbtest.Postgres(t)
	two, err := database.Open(t.Context(), db.URL+"&pool_max_conns=2")
	if err != nil {
		t.Fatal(err)
	}
	defer two.Close()
	if got := two.Stats().MaxOpenConnections; got != 2 {
		t.Errorf("MaxOpenConnections = %d, want 2", got)
	}
}

func TestRedact(t *testing.T) {
	for in, want := range map[string]string{
		"sqlite:a@b:c.db":               "sqlite:a@b:c.db",
		"postgres://u:p@h/d?sslmode=no": "postgres://u:xxxxx@h/d?sslmode=no",
		"postgres://u@h/d":              "postgres://u@h/d",
		"postgres://u@h/d?password=p":   "postgres://u@h/d?password=xxxxx",
		"postgres://u:p%@h/d":           "postgres:…",
	} {
		if got := database.Redact(in); got != want {
			t.Errorf("Redact(%q) = %q, want %q", in, got, want)
		}
	}
}

func mustExec(tb testing.TB, db *database.DB, query string, args ...any) {
	tb.Helper()
	if _, err := db.ExecContext(tb.Context(), query, args...); err != nil {
		tb.Fatal(err)
	}
}

func count(tb testing.TB, db *database.DB, query string, args ...any) (n int) {
	tb.Helper()
	if err := db.NewRaw(query, args...).Scan(tb.Context(), &n); err != nil {
		tb.Fatal(err)
	}
	return n
}
