package database_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// TestUnavailable tests that Unavailable recognizes database trouble on both engines, but no fault of the program
// (H13).
func TestUnavailable(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		mustExec(t, db, `CREATE TABLE things (id bigint PRIMARY KEY)`)
		mustExec(t, db, `INSERT INTO things VALUES (1)`)
		_, syntax := db.ExecContext(ctx, `SELEKT 1`)
		_, taken := db.ExecContext(ctx, `INSERT INTO things VALUES (1)`)
		missing := db.QueryRowContext(ctx, `SELECT id FROM things WHERE id = 2`).Scan(new(int))
		ended, cancel := context.WithCancel(ctx)
		cancel()
		_, canceled := db.ExecContext(ended, `INSERT INTO things VALUES (3)`)
		for rule, err := range map[string]error{"syntax": syntax, "a duplicate key": taken, "no row": missing, "a canceled context": canceled} {
			if err == nil || database.Unavailable(fmt.Errorf("x: %w", err)) {
				t.Errorf("%s = %v, want an error that Unavailable does not recognize", rule, err)
			}
		}
		if database.Unavailable(nil) {
			t.Error("Unavailable(nil) = true, want false")
		}
		for rule, err := range map[string]error{
			"a lock that is held": heldLock(t, db), "no free connection": noConnection(t, db),
			"no database": closedDatabase(t, db),
		} {
			if err == nil || !database.Unavailable(fmt.Errorf("x: %w", err)) {
				t.Errorf("%s = %T %v, want an unavailable database", rule, err, err)
			}
		}
	})
}

// heldLock returns the error of a writer that does not wait for another.
func heldLock(t *testing.T, db *database.DB) (err error) {
	t.Helper()
	other, openErr := database.Open(t.Context(), db.URL)
	if openErr != nil {
		t.Fatal(openErr)
	}
	defer other.Close()
	conn, connErr := other.Conn(t.Context())
	if connErr != nil {
		t.Fatal(connErr)
	}
	defer conn.Close()
	if db.Engine == database.Postgres {
		if _, err := conn.ExecContext(t.Context(), `SET lock_timeout = '1ms'`); err != nil {
			t.Fatal(err)
		}
	}
	txErr := db.RunInTx(t.Context(), nil, func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE things SET id = 1`); err != nil {
			return err
		}
		brief, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		defer cancel()
		_, err = conn.ExecContext(brief, `UPDATE things SET id = 1`)
		return nil
	})
	if txErr != nil {
		t.Fatal(txErr)
	}
	return err
}

// noConnection returns the error of a caller that has no time to wait for a connection.
func noConnection(t *testing.T, db *database.DB) error {
	t.Helper()
	defer db.Writer.SetMaxOpenConns(db.Writer.Stats().MaxOpenConnections)
	db.Writer.SetMaxOpenConns(1)
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err = db.ExecContext(ctx, `SELECT 1`)
	return err
}

// closedDatabase returns the error of opening a port without a server, or a file that is not a database.
func closedDatabase(t *testing.T, db *database.DB) error {
	t.Helper()
	if db.Engine == database.SQLite {
		file := filepath.Join(t.TempDir(), "none.db")
		if err := os.WriteFile(file, []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := database.Open(t.Context(), "sqlite:"+file)
		return err
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ln.Close()
	_, err = database.Open(t.Context(), "postgres://lectern@"+ln.Addr().String()+"/x?sslmode=disable")
	return err
}

// TestTerminated tests that a connection that the server ends fails once, and that the next statement uses another.
func TestTerminated(t *testing.T) {
	db := dbtest.Postgres(t)
	db.SetMaxOpenConns(1)
	for range 3 {
		_, err := db.ExecContext(t.Context(), `SELECT pg_terminate_backend(pg_backend_pid())`)
		if !database.Unavailable(err) {
			t.Errorf("an ended connection = %v, want an unavailable database", err)
		}
		mustExec(t, db, `SELECT 1`)
	}
}

// TestDemoted tests that a connection to a server that is no longer the primary is dropped, so that the next statement
// succeeds.
func TestDemoted(t *testing.T) {
	db := dbtest.Postgres(t)
	mustExec(t, db, `CREATE TABLE things (id bigint PRIMARY KEY)`)
	db.SetMaxOpenConns(1)
	mustExec(t, db, `SET default_transaction_read_only = on`)
	if _, err := db.ExecContext(t.Context(), `INSERT INTO things VALUES (1)`); !database.Unavailable(err) {
		t.Errorf("a write on a read-only connection = %v, want an unavailable database", err)
	}
	mustExec(t, db, `INSERT INTO things VALUES (1)`)
}

// TestServerWithoutConnections tests that a caller waits for a connection of the server as long as its context allows.
func TestServerWithoutConnections(t *testing.T) {
	admin := dbtest.Postgres(t)
	u, err := url.Parse(admin.URL)
	if err != nil {
		t.Fatal(err)
	}
	role := strings.TrimPrefix(u.Path, "/") // the name of the test's own database
	mustExec(t, admin, `CREATE ROLE `+role+` LOGIN CONNECTION LIMIT 1`)
	defer mustExec(t, admin, `DROP ROLE `+role)
	u.User = url.User(role)
	first, err := database.Open(t.Context(), u.String())
	if err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if second, err := database.Open(short, u.String()); err == nil {
		second.Close()
		t.Error("a second connection was opened, want an error")
	} else if !database.Unavailable(err) {
		t.Errorf("no connection left = %v, want an unavailable database", err)
	}
	opened := make(chan error, 1)
	go func() {
		second, err := database.Open(t.Context(), u.String())
		if err == nil {
			err = second.Close()
		}
		opened <- err
	}()
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-opened; err != nil {
		t.Errorf("Open after the other connection is closed = %v, want nil", err)
	}
}

// TestLockedOut tests that a writer waits for another connection's lock only as long as its context allows (H13).
func TestLockedOut(t *testing.T) {
	db := dbtest.SQLite(t)
	mustExec(t, db, `CREATE TABLE things (id bigint PRIMARY KEY)`)
	other, err := database.Open(t.Context(), db.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	tx, err := other.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for what, write := range map[string]func(context.Context) error{
		"a statement": func(ctx context.Context) error {
			_, err := db.ExecContext(ctx, `INSERT INTO things VALUES (1)`)
			return err
		},
		"a query": func(ctx context.Context) error {
			return db.Writer.QueryRowContext(ctx, `INSERT INTO things VALUES (1) RETURNING id`).Scan(new(int))
		},
		"a transaction": func(ctx context.Context) error {
			return db.RunInTx(ctx, nil, func(context.Context, bun.Tx) error { return nil })
		},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		done := make(chan error, 1)
		go func() { done <- write(ctx) }()
		select {
		case err := <-done:
			if !errors.Is(err, context.DeadlineExceeded) || !database.Unavailable(err) {
				t.Errorf("%s during the transaction of another = %v, want a deadline exceeded", what, err)
			}
		case <-time.After(15 * time.Second): // half of the wait without a deadline
			t.Fatalf("%s still waits after its deadline", what)
		}
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	mustExec(t, db, `INSERT INTO things VALUES (1)`)
}

// TestUnavailableWithoutDriver tests the errors of database/sql itself.
func TestUnavailableWithoutDriver(t *testing.T) {
	for err, want := range map[error]bool{
		sql.ErrConnDone: true, context.DeadlineExceeded: true, sql.ErrNoRows: false, context.Canceled: false, errors.New("x"): false,
	} {
		if database.Unavailable(err) != want {
			t.Errorf("Unavailable(%v) = %v", err, !want)
		}
	}
}
