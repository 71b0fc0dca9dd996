package server_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/schoolsdb"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/internal/generate"
	"github.com/lectern-dev/lectern/server/internal/librariesload"
	"github.com/lectern-dev/lectern/server/internal/schoolsload"
)

// hours is how many hourly loads there are.
const hours = 48

// setting is a variable of the environment, by default few.
func setting(t *testing.T, variable string, few int) int {
	t.Helper()
	n, err := strconv.Atoi(cmp.Or(os.Getenv(variable), strconv.Itoa(few)))
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return n
}

// sized is a database that is loaded every hour.
type sized struct {
	*testing.T
	db      *database.DB
	empty   int64 // its size before the first load
	clock   clock
	partner directory.PartnerID
	network libraries.NetworkID
}

func newSized(t *testing.T, db *database.DB) *sized {
	t.Helper()
	s := &sized{T: t, db: db}
	if _, err := server.New(t.Context(), server.Config{DB: db, Now: s.clock.time}); err != nil {
		t.Fatal(err)
	}
	var err error
	if s.partner, err = directorydb.CreatePartner(t.Context(), db, "p", "P"); err != nil {
		t.Fatal(err)
	}
	if s.network, err = librariesdb.CreateNetwork(t.Context(), db, "l", "L"); err != nil {
		t.Fatal(err)
	}
	s.empty = s.bytes()
	if db.Engine == database.SQLite { // migrations have left free pages
		var free int64
		if err := db.NewRaw(`SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size`).Scan(t.Context(), &free); err != nil {
			t.Fatal(err)
		}
		s.empty -= free
	}
	return s
}

// loadSchools loads a schools feed, and loadLibraries a libraries feed that holds from the next full hour.
func (s *sized) loadSchools(ctx context.Context, folder string) error {
	store := &schoolsdb.Store{DB: s.db.DB, Copy: s.db.Copy, Now: s.clock.time}
	_, err := schoolsload.Load(ctx, store, folder, schoolsload.Options{Partner: s.partner, Ref: "p", Now: s.clock.time})
	return err
}

func (s *sized) loadLibraries(ctx context.Context, folder string) error {
	store := &librariesdb.Store{DB: s.db.DB, Copy: s.db.Copy, Now: s.clock.time}
	_, err := librariesload.Load(ctx, store, folder, librariesload.Options{Network: s.network, Now: s.clock.time})
	return err
}

// hour lets the rest of an hour pass, in which the server removes what is no longer kept, as it does every minute. PostgreSQL
// cleans up after it by itself as a rule, but not within the seconds that the hours of a test take.
func (s *sized) hour() {
	s.Helper()
	remover, end := server.Remover(s.db, s.clock.time), s.clock.now.Add(time.Hour)
	for minutes := range 10 {
		s.clock.now = end.Add(time.Duration(6*minutes-59) * time.Minute)
		if err := remover.Remove(s.Context()); err != nil {
			s.Fatal(err)
		}
	}
	s.clock.now = end
	if s.db.Engine == database.Postgres {
		if _, err := s.db.ExecContext(s.Context(), `VACUUM ?`, bun.Safe(strings.Join(slices.Sorted(maps.Keys(columns(s.T, s.db))), ", "))); err != nil {
			s.Fatal(err)
		}
	}
}

// bytes is by how much the tables and their indexes have grown: on SQLite the file, with what is free in it.
func (s *sized) bytes() (n int64) {
	s.Helper()
	query := `SELECT page_count * page_size FROM pragma_page_count, pragma_page_size`
	if s.db.Engine == database.Postgres {
		query = `SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`
	}
	if err := s.db.NewRaw(query).Scan(s.Context(), &n); err != nil {
		s.Fatal(err)
	}
	return n - s.empty
}

// tables are the sizes of the largest tables.
func (s *sized) tables() string {
	query := `SELECT name, sum(pgsize) FROM dbstat WHERE aggregate = TRUE GROUP BY 1 ORDER BY 2 DESC LIMIT 6`
	if s.db.Engine == database.Postgres {
		query = `SELECT relname, pg_total_relation_size(oid) FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 2 DESC LIMIT 6`
	}
	rows, err := s.db.QueryContext(s.Context(), query)
	if err != nil {
		s.Fatal(err)
	}
	defer rows.Close()
	text := ""
	for rows.Next() {
		var name string
		var n int64
		if err := rows.Scan(&name, &n); err != nil {
			s.Fatal(err)
		}
		text += fmt.Sprintf(" %s %d", name, n)
	}
	return text
}

// happened are the files whose rows tell of a moment, with the member that says it.
var happened = map[string]string{
	"segments": "startedAt", "accesses": "at",
	"sessions": "startedAt", "previews": "viewedAt", "activity": "at", "renewals": "renewedAt", "suggestions": "requestedAt",
}

// hourOf copies of a feed what one would have that is sent at a time: the registers as they were then, and the events since the one
// before.
func hourOf(t *testing.T, folder string, from, until time.Time) string {
	t.Helper()
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	to := t.TempDir()
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(folder, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		file := strings.TrimSuffix(f.Name(), ".ndjson")
		var kept []byte
		for line := range bytes.Lines(text) {
			if row := asOf(t, file, line, from, until); row != nil {
				kept = append(kept, row...)
			}
		}
		if err := os.WriteFile(filepath.Join(to, f.Name()), kept, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return to
}

// asOf is a line of a feed's file as it was at a time, nil where it was not, or was told of before.
func asOf(t *testing.T, file string, line []byte, from, until time.Time) []byte {
	t.Helper()
	row := map[string]any{}
	when := func(member string) time.Time {
		text, _ := row[member].(string)
		if len(text) == len("2026-01-01") {
			text += "T00:00:00-03:00"
		}
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatalf("%s: %s: %v", file, line, err)
		}
		return at
	}
	member, event := happened[file]
	if !event && file != "loans" && file != "reservations" && file != "readers" && file != "channels" {
		return line
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if err := d.Decode(&row); err != nil {
		t.Fatal(err)
	}
	switch {
	case event && (when(member).Before(from) || !when(member).Before(until)),
		file == "loans" && !when("borrowedAt").Before(until),
		file == "reservations" && !when("reservedAt").Before(until),
		file == "readers" && !when("registeredAt").Before(until),
		file == "channels" && !when("date").Before(until):
		return nil
	case file == "loans" && row["returnedAt"] != nil && !when("returnedAt").Before(until):
		row["returnedAt"], row["status"] = nil, "active"
	case file == "reservations" && row["resolvedAt"] != nil && !when("resolvedAt").Before(until):
		row["resolvedAt"], row["status"], row["position"] = nil, "waiting", 1
	case file == "readers" && !when("updatedAt").Before(until):
		row["deletedAt"], row["status"] = nil, "active"
		row["updatedAt"] = when("registeredAt").Format(time.RFC3339)
		row["confirmedAt"], row["lastSignInAt"] = nil, nil
	default:
		return line
	}
	line, err := json.Marshal(row)
	if err != nil {
		t.Fatal(err)
	}
	return append(line, '\n')
}

// TestSizeOfStates: a database that is loaded every hour for two days, each time with the registers and what has happened in
// the hour, takes at most half as much again on the disk as one of a single load of all of it, with the default keep (G8).
func TestSizeOfStates(t *testing.T) {
	users, days := setting(t, "LECTERN_TEST_USERS", 0), setting(t, "LECTERN_TEST_DAYS", 12)
	for _, tt := range []struct {
		domain   string
		users    int
		first    calendar.Date
		generate func(folder string, users int) error
		load     func(s *sized, ctx context.Context, folder string) error
	}{
		{"schools", 100, schools.HistoryStart(), func(folder string, users int) error {
			_, err := generate.Schools(t.Context(), folder, generate.Params{Users: users, Days: days})
			return err
		}, (*sized).loadSchools},
		{"libraries", 400, libraries.HistoryStart, func(folder string, users int) error {
			_, err := generate.Libraries(t.Context(), folder, generate.Params{Users: users, Days: days})
			return err
		}, (*sized).loadLibraries},
	} {
		t.Run(tt.domain, func(t *testing.T) {
			end := (tt.first + calendar.Date(days)).Start()
			whole := t.TempDir()
			if err := tt.generate(whole, cmp.Or(users, tt.users)); err != nil {
				t.Fatal(err)
			}
			feeds := make([]string, hours+1)
			for i := range feeds {
				until, from := end.Add(time.Duration(i-hours)*time.Hour), time.Time{}
				if i > 0 {
					from = until.Add(-time.Hour)
				}
				feeds[i] = hourOf(t, whole, from, until)
			}
			dbtest.Each(t, func(t *testing.T, db *database.DB) {
				s, once := newSized(t, db), newSized(t, another(t, db))
				once.clock.now = end
				s.clock.now = end.Add(-hours * time.Hour)
				if err := tt.load(once, t.Context(), whole); err != nil {
					t.Fatal(err)
				}
				most := int64(0)
				for i, feed := range feeds {
					if err := tt.load(s, t.Context(), feed); err != nil {
						t.Fatalf("load %d: %v", i, err)
					}
					most = max(most, s.bytes())
					if i < hours {
						s.hour()
					}
				}
				one := once.bytes()
				t.Logf("%d users, %d days: %d bytes once, %d after %d loads, %.2f times;%s; once%s", cmp.Or(users, tt.users), days, one, most, hours, float64(most)/float64(one), s.tables(), once.tables())
				if 2*most > 3*one {
					t.Errorf("%d loads an hour apart take %d bytes, one %d: want 1.5 times that at most", hours, most, one)
				}
			})
		})
	}
}
