package dbtest_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// fataler is a test that keeps what it fails with.
type fataler struct {
	testing.TB
	text string
}

func (f *fataler) Fatal(args ...any) {
	f.text, _ = args[0].(string)
	runtime.Goexit()
}

func TestPostgresWithoutServer(t *testing.T) {
	t.Setenv("LECTERN_TEST_POSTGRES", "")
	f := &fataler{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		dbtest.Postgres(f)
	}()
	<-done
	if !strings.Contains(f.text, "make test") {
		t.Errorf("without a server, the test fails with %q, want it to name `make test`", f.text)
	}
}

// Each database is fresh, sorts bytewise, and is reached by its URL.
func TestEach(t *testing.T) {
	var engines []database.Engine
	for range 2 {
		dbtest.Each(t, func(t *testing.T, db *database.DB) {
			engines = append(engines, db.Engine)
			for _, q := range []string{`CREATE TABLE words (word text)`, `INSERT INTO words VALUES ('b'), ('A'), ('a'), ('B'), ('é')`} {
				if _, err := db.ExecContext(t.Context(), q); err != nil {
					t.Fatal(err)
				}
			}
			second, err := database.Open(t.Context(), db.URL)
			if err != nil {
				t.Fatal(err)
			}
			defer second.Close()
			var words []string
			if err := second.NewRaw(`SELECT word FROM words ORDER BY word`).Scan(t.Context(), &words); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(words, ""); got != "ABabé" {
				t.Errorf("sorted %q, want ABabé", got)
			}
		})
	}
	if len(engines) != 4 || engines[0] != database.SQLite || engines[1] != database.Postgres {
		t.Errorf("Each ran on %q", engines)
	}
}
