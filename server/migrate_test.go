package server_test

import (
	"context"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// statements collects the statements that are sent to a database.
type statements struct {
	mu   sync.Mutex
	list []string
}

func (s *statements) BeforeQuery(ctx context.Context, e *bun.QueryEvent) context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = append(s.list, e.Query)
	return ctx
}

func (*statements) AfterQuery(context.Context, *bun.QueryEvent) {}

// noStatement matches comments and string literals, which may contain semicolons.
var noStatement = regexp.MustCompile(`--[^\n]*|'[^']*'`)

// TestMigrateSendsSingleStatements tests that statements are sent one by one, as Citus needs for distributed tables.
func TestMigrateSendsSingleStatements(t *testing.T) {
	dbtest.Empty(t, func(t *testing.T, db *database.DB) {
		sent := &statements{}
		db.DB = db.WithQueryHook(sent)
		if _, err := server.Migrate(t.Context(), db); err != nil {
			t.Fatal(err)
		}
		if len(sent.list) < 50 {
			t.Errorf("%d statements sent, want those of all migrations", len(sent.list))
		}
		for _, query := range sent.list {
			if strings.Contains(strings.TrimRight(noStatement.ReplaceAllString(query, ""), "; \n"), ";") {
				t.Errorf("several statements at once:\n%s", query)
			}
		}
	})
}

// next returns a migration of a later version. It changes tables, moves their contents and creates a table.
func next() fs.FS {
	set := fstest.MapFS{}
	for engine, number := range map[database.Engine]string{database.SQLite: "INTEGER", database.Postgres: "bigint"} {
		set["migrations/"+string(engine)+"/20991231000000_next.tx.up.sql"] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(`-- A later version; why not?
ALTER TABLE schools_books ADD COLUMN pages NUMBER NOT NULL DEFAULT 0;
--bun:split
UPDATE schools_books SET pages = length / 1000 WHERE tenant_id = 7;
--bun:split
CREATE INDEX schools_books_pages ON schools_books (tenant_id, pages);
--bun:split
ALTER TABLE versions RENAME COLUMN erasures TO erased;
--bun:split
CREATE TABLE shelves (tenant_id NUMBER NOT NULL PRIMARY KEY, books NUMBER NOT NULL);
--bun:split
INSERT INTO shelves (tenant_id, books) SELECT tenant_id, count(*) FROM schools_books WHERE tenant_id = 7 GROUP BY tenant_id;
`, "NUMBER", number))}
	}
	return set
}

// TestMigrateToALaterVersion tests that a later version migrates a database with rows, and that this version then
// refuses it. It also tests that on a distributed database.
func TestMigrateToALaterVersion(t *testing.T) {
	dbtest.Everywhere(t, func(t *testing.T, db *database.DB) {
		_, err := db.NewRaw(`INSERT INTO schools_books (tenant_id, book_id, since, until, title, author, isbn, length) VALUES (7, 1, 1, 2, '', '', '', 5000)`).Exec(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		later := append(server.Schema(), next())
		if applied, err := db.Migrate(t.Context(), later...); err != nil || !slices.Equal(applied, []string{"20991231000000_next"}) {
			t.Fatalf("Migrate = %q, %v, want 20991231000000_next", applied, err)
		}
		var pages, books int64
		err = db.NewRaw(`SELECT b.pages, s.books FROM schools_books b JOIN shelves s ON s.tenant_id = b.tenant_id WHERE b.tenant_id = 7`).Scan(t.Context(), &pages, &books)
		if err != nil || pages != 5 || books != 1 {
			t.Errorf("after Migrate %d pages and %d books, %v, want 5 and 1", pages, books, err)
		}
		if spread, err := db.Spread(t.Context(), later...); err != nil || len(spread.Wrong) > 0 {
			t.Errorf("Spread = %+v, %v, want all tables distributed", spread, err)
		}
		const want = "newer version (migration 20991231000000)"
		if _, err := server.Migrate(t.Context(), db); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Migrate of this version = %v, want %q", err, want)
		}
		if _, err := server.New(t.Context(), server.Config{DB: db}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("New of this version = %v, want %q", err, want)
		}
	})
}
