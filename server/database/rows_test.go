package database_test

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"testing"

	"github.com/lectern-dev/lectern/server/database/dbtest"
)

func TestPostgresIntegers(t *testing.T) {
	db := dbtest.Postgres(t)
	for _, test := range []struct {
		sql  string
		want int64
	}{
		{"9223372036854775807::bigint", math.MaxInt64},
		{"(-9223372036854775808)::bigint", math.MinInt64},
		{"2147483647::int", math.MaxInt32},
		{"(-2147483648)::int", math.MinInt32},
		{"32767::smallint", math.MaxInt16},
		{"(-32768)::smallint", math.MinInt16},
		{"count(*)", 1},
		{"0::bigint", 0},
	} {
		var got int64
		if err := db.NewRaw(`SELECT `+test.sql).Scan(t.Context(), &got); err != nil || got != test.want {
			t.Errorf("SELECT %s = %d, %v, want %d", test.sql, got, err, test.want)
		}
	}
}

func TestPostgresNullsAndEmpty(t *testing.T) {
	db := dbtest.Postgres(t)
	var facts, none []byte
	var text sql.NullString
	err := db.NewRaw(`SELECT ''::bytea, NULL::bytea, ''::text`).Scan(t.Context(), &facts, &none, &text)
	if err != nil || facts == nil || len(facts) != 0 || none != nil || !text.Valid || text.String != "" {
		t.Errorf("read %v, %v, %v, %v, want empty, null, empty", facts, none, text, err)
	}
}

// TestPostgresBytesAreKept tests that the next row does not overwrite bytes that the caller keeps.
func TestPostgresBytesAreKept(t *testing.T) {
	db := dbtest.Postgres(t)
	var all [][]byte
	err := db.NewRaw(`SELECT convert_to(lpad(i::text, 300, '0'), 'UTF8') FROM generate_series(1, 2000) i ORDER BY i`).Scan(t.Context(), &all)
	if err != nil || len(all) != 2000 {
		t.Fatal(len(all), err)
	}
	for i, b := range all {
		n := 0
		for _, c := range b {
			n = n*10 + int(c-'0')
		}
		if n != i+1 {
			t.Fatalf("row %d = %d", i+1, n)
		}
	}
}

func TestPostgresErrors(t *testing.T) {
	db := dbtest.Postgres(t)
	var n int64
	for name, query := range map[string]string{
		"Syntax":       `SELEC 1`,
		"NoTable":      `SELECT * FROM nowhere`,
		"FirstRow":     `SELECT 1 / 0`,
		"LaterRow":     `SELECT 1 / (5000 - i) FROM generate_series(1, 6000) i`,
		"NotANumber":   `SELECT 'x'::text`,
		"InfiniteTime": `SELECT timestamptz 'infinity'`,
	} {
		if err := db.NewRaw(query).Scan(t.Context(), &n); name != "LaterRow" && (err == nil || errors.Is(err, sql.ErrNoRows)) {
			t.Errorf("%s: %s = %v, want an error", name, query, err)
		}
		var all []int64
		if err := db.NewRaw(query).Scan(t.Context(), &all); err == nil {
			t.Errorf("%s: %s into a list = no error", name, query)
		}
	}
	if err := db.NewRaw(`SELECT 1 WHERE false`).Scan(t.Context(), &n); !errors.Is(err, sql.ErrNoRows) {
		t.Errorf("no row = %v, want sql.ErrNoRows", err)
	}
	// The connections can still be used.
	for range 20 {
		if err := db.NewRaw(`SELECT 7`).Scan(t.Context(), &n); err != nil || n != 7 {
			t.Fatal(n, err)
		}
	}
}

// TestPostgresRowsLeftUnread tests that the pool can still be used after rows were not read to their end, or their
// context was cancelled.
func TestPostgresRowsLeftUnread(t *testing.T) {
	db := dbtest.Postgres(t)
	for round := range 40 {
		ctx, cancel := context.WithCancel(t.Context())
		rows, err := db.QueryContext(ctx, `SELECT i, repeat('x', 1000) FROM generate_series(1, 3000) i`)
		if err != nil {
			t.Fatal(err)
		}
		if !rows.Next() {
			t.Fatal("no row")
		}
		if round%2 == 0 {
			cancel()
		}
		rows.Close()
		cancel()
	}
	if n := count(t, db, `SELECT 7`); n != 7 {
		t.Error(n)
	}
	if open := db.Stats().InUse; open != 0 {
		t.Errorf("%d connections are still in use", open)
	}
}
