package server_test

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// TestKeepSetting tests that the database has one retention, which a server without the setting does not change. It is
// at least 15 minutes, except with a clock that was set.
func TestKeepSetting(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		now := func() time.Time { return time.Date(2026, 3, 31, 12, 0, 0, 0, time.UTC) }
		for _, tt := range []struct {
			config server.Config
			want   time.Duration // 0: refused
		}{
			{server.Config{}, 2 * time.Hour},
			{server.Config{Keep: 26 * time.Hour}, 26 * time.Hour},
			{server.Config{}, 26 * time.Hour},
			{server.Config{Keep: 15*time.Minute - 1}, 0},
			{server.Config{Keep: -time.Hour, Now: now}, 0},
			{server.Config{PullWindow: -time.Hour}, 0},
			{server.Config{Keep: 15 * time.Minute}, 15 * time.Minute},
			{server.Config{Keep: time.Second, Now: now}, time.Second},
		} {
			tt.config.DB = db
			s, err := server.New(t.Context(), tt.config)
			if tt.want == 0 {
				if err == nil || !strings.Contains(err.Error(), "at least 15m") {
					t.Errorf("keep %v = %v, want an error that names the minimum", tt.config.Keep, err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if keep, err := server.Snapshots(db, nil).Retention(t.Context()); err != nil || keep != tt.want {
				t.Errorf("keep %v = %v, %v, want %v", tt.config.Keep, keep, err, tt.want)
			}
			for _, path := range []string{"/openapi/schools.json", "/openapi/libraries.json"} {
				w := httptest.NewRecorder()
				s.Handler().ServeHTTP(w, httptest.NewRequest("GET", path, nil))
				if told := strings.Count(w.Body.String(), fmt.Sprintf("kept for %v,", tt.want)); told != 2 {
					t.Errorf("keep %v: %s says it %d times, want 2: for X-Snapshot and for 410", tt.config.Keep, path, told)
				}
			}
		}
	})
}

// TestServeRemoves tests that a server removes old snapshots and the rows of dead loads, and ends when told to. A
// program that serves only the handler calls Maintain for that.
func TestServeRemoves(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		removes(t, db, func(ctx context.Context, s *server.Server) error {
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				return err
			}
			return s.Serve(ctx, ln)
		})
	})
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		removes(t, db, func(ctx context.Context, s *server.Server) error {
			s.Maintain(ctx)
			return nil
		})
	})
}

// removes checks that, while run runs, a server removes rows and stores the last use of keys.
func removes(t *testing.T, db *database.DB, run func(context.Context, *server.Server) error) {
	t.Helper()
	f := newFixture(t, db, server.Config{Keep: time.Hour})
	snapshots := server.Snapshots(db, f.clock.time)
	if _, err := snapshots.Begin(t.Context(), 1, nil); err != nil { // this load never continues
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), `UPDATE leases SET expires = 1`); err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), `UPDATE snapshots SET began = 1`); err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), `UPDATE versions SET oldest_registers = registers, oldest_facts = facts, oldest_since = 1`); err != nil {
		t.Fatal(err)
	}
	if w := f.get(f.north, prefix+"/users"); w.Code != 200 {
		t.Fatalf("users = %d %s", w.Code, w.Body)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- run(ctx, f.server) }()
	for left := 2; left > 0 && t.Context().Err() == nil; { // the first removal comes at once
		query := `SELECT (SELECT count(*) FROM leases) + (SELECT count(*) FROM snapshots) - (SELECT count(*) FROM versions)`
		if err := db.NewRaw(query).Scan(t.Context(), &left); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Errorf("run = %v, want nil", err)
	}
	var used int
	if err := db.NewRaw(`SELECT count(*) FROM keys WHERE last_used IS NOT NULL`).Scan(t.Context(), &used); err != nil || used != 1 {
		t.Errorf("%d keys have a last use, %v, want 1", used, err)
	}
}

// TestRemovesAllTables tests that removal, and the rollback of dead loads, cover the tables of all APIs.
func TestRemovesAllTables(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		newServer(t, server.Config{DB: db})
		known := map[string]bool{"blocks": true}
		for _, table := range server.Snapshots(db, nil).Tables {
			known[table.Name] = true
		}
		for table, names := range columns(t, db) {
			has := map[string]bool{}
			for _, n := range names {
				has[n] = true
			}
			if has["since"] && has["until"] && !known[table] {
				t.Errorf("removal does not cover the table %s", table)
			}
		}
		if len(known) < 2 {
			t.Error("removal covers only the table of blocks")
		}
	})
}

// columns returns the columns of a database's tables.
func columns(t *testing.T, db *database.DB) map[string][]string {
	t.Helper()
	query := `SELECT m.name, p.name FROM sqlite_schema m JOIN pragma_table_info(m.name) p WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'`
	if db.Engine == database.Postgres {
		query = `SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'`
	}
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	all := map[string][]string{}
	for rows.Next() {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil {
			t.Fatal(err)
		}
		all[table] = append(all[table], column)
	}
	return all
}

// TestOwnPool tests that a program can pass its own pool, which opens as many connections as requested.
func TestOwnPool(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db, server.Config{})
		driver, dsn := "pgx", db.URL
		if db.Engine == database.SQLite {
			driver, dsn = "sqlite", "file:"+db.File()+"?_time_format=sqlite&_txlock=immediate&_pragma=busy_timeout(5000)"
		}
		pool, err := sql.Open(driver, dsn)
		if err != nil {
			t.Fatal(err)
		}
		defer pool.Close()
		own, err := database.OnPool(pool, db.URL)
		if err != nil {
			t.Fatal(err)
		}
		f.server = newServer(t, server.Config{DB: own, Now: f.clock.time})
		f.handler = documented(t, f.server.Handler())
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				if w := f.get(f.north, prefix+"/readings?startDate=2026-03-01"); w.Code != 200 || !strings.Contains(w.Body.String(), `"percent":50.00`) {
					t.Errorf("readings on an own pool = %d %s", w.Code, w.Body)
				}
			})
		}
		all.Wait()
	})
}
