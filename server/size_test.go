package server_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
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
	"github.com/lectern-dev/lectern/server/internal/load"
	"github.com/lectern-dev/lectern/server/internal/tools/generate"
)

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
	_, err := load.Schools(ctx, store, s.partner, "p", os.DirFS(folder), load.Options{Now: s.clock.time})
	return err
}

func (s *sized) loadLibraries(ctx context.Context, folder string) error {
	store := &librariesdb.Store{DB: s.db.DB, Copy: s.db.Copy, Now: s.clock.time}
	_, err := load.Libraries(ctx, store, s.network, os.DirFS(folder), load.Options{Now: s.clock.time})
	return err
}

// hour lets the rest of an hour pass, in which the server removes what is no longer kept, as it does every minute. PostgreSQL
// cleans up after it by itself as a rule, but not within the seconds that the hours of a test take.
func (s *sized) hour() {
	s.Helper()
	remover, end := server.Remover(s.db, s.clock.time), s.clock.now.Add(time.Hour)
	for _, minute := range []time.Duration{1, 7, 13} { // of others nothing comes: states end at full hours
		s.clock.now = end.Add((minute - 60) * time.Minute)
		if err := remover.Remove(s.Context()); err != nil {
			s.Fatal(err)
		}
	}
	s.clock.now = end
	if s.db.Engine == database.Postgres {
		written := []string{"blocks", "accounts", "entities", "states", "versions", "leases"}
		for _, table := range server.States(s.db, nil).Tables {
			written = append(written, table.Name)
		}
		if _, err := s.db.ExecContext(s.Context(), `VACUUM ?`, bun.Safe(strings.Join(written, ", "))); err != nil {
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

// parts are the sizes of the largest tables, and what the blocks of each kind hold: in the state that holds, and in former ones.
func (s *sized) parts() (text string) {
	s.Helper()
	largest := `SELECT name, sum(pgsize), 0 FROM dbstat WHERE aggregate = TRUE GROUP BY 1 ORDER BY 2 DESC LIMIT 6`
	if s.db.Engine == database.Postgres {
		largest = `SELECT relname, pg_total_relation_size(oid), 0 FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 2 DESC LIMIT 6`
	}
	const kinds = `
		SELECT kind, sum(CASE WHEN until = 140737488355327 THEN length(data) ELSE 0 END), sum(CASE WHEN until < 140737488355327 THEN length(data) ELSE 0 END)
		  FROM blocks
		 GROUP BY kind
		 ORDER BY kind`
	for _, query := range []string{largest, kinds} {
		rows, err := s.db.QueryContext(s.Context(), query)
		if err != nil {
			s.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var name string
			var now, former int64
			if err := rows.Scan(&name, &now, &former); err != nil {
				s.Fatal(err)
			}
			text += fmt.Sprintf(" %s %d+%d", name, now, former)
		}
	}
	return text
}

// happened are the files whose rows tell of a moment, with the member that says it.
var happened = map[string]string{
	"segments": "startedAt", "accesses": "at",
	"sessions": "startedAt", "previews": "viewedAt", "activity": "at", "renewals": "renewedAt", "suggestions": "requestedAt",
}

// hourly divides a feed into those that would be sent at a time and every hour after it, to the end: each with the registers as
// they were then, and the events since the one before.
func hourly(t *testing.T, whole string, first time.Time, hours int) []string {
	t.Helper()
	feeds := make([]string, hours+1)
	for i := range feeds {
		feeds[i] = t.TempDir()
	}
	files, err := os.ReadDir(whole)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(whole, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		file := strings.TrimSuffix(f.Name(), ".ndjson")
		parts := make([][]byte, len(feeds))
		for line := range bytes.Lines(text) {
			if member, event := happened[file]; event {
				i := max(0, int((when(t, line, member).Sub(first)+time.Hour-1)/time.Hour))
				parts[i] = append(parts[i], line...)
				continue
			}
			for i := range parts {
				parts[i] = append(parts[i], asOf(t, file, line, first.Add(time.Duration(i)*time.Hour))...)
			}
		}
		for i, part := range parts {
			if err := os.WriteFile(filepath.Join(feeds[i], f.Name()), part, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return feeds
}

// when is the time, or the beginning of the day, that a member of a line has; the zero time where it has none.
func when(t *testing.T, line []byte, member string) (at time.Time) {
	t.Helper()
	_, text, _ := strings.Cut(string(line), `"`+member+`":`)
	if !strings.HasPrefix(text, `"`) {
		return at
	}
	text, _, _ = strings.Cut(text[1:], `"`)
	if len(text) == len("2026-01-01") {
		text += "T00:00:00-03:00"
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return at
}

// appear says when a row of a register is first told of, and turned when that changed what it was at first.
var (
	appear = map[string]string{"loans": "borrowedAt", "reservations": "reservedAt", "readers": "registeredAt", "channels": "date"}
	turned = map[string]string{"loans": "returnedAt", "reservations": "resolvedAt", "readers": "updatedAt"}
)

// asOf is a line of a register as it was at a time, nothing where it was not.
func asOf(t *testing.T, file string, line []byte, until time.Time) []byte {
	t.Helper()
	if appear[file] == "" {
		return line
	}
	if when(t, line, appear[file]).After(until) {
		return nil
	}
	if turned[file] == "" || !when(t, line, turned[file]).After(until) {
		return line
	}
	row := map[string]any{}
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if err := d.Decode(&row); err != nil {
		t.Fatal(err)
	}
	switch file {
	case "loans":
		row["returnedAt"], row["status"] = nil, "active"
	case "reservations":
		row["resolvedAt"], row["status"], row["position"] = nil, "waiting", 1
	case "readers":
		row["deletedAt"], row["status"], row["confirmedAt"], row["lastSignInAt"] = nil, "active", nil, nil
		row["updatedAt"] = when(t, line, "registeredAt").Format(time.RFC3339)
	}
	line, err := json.Marshal(row)
	if err != nil {
		t.Fatal(err)
	}
	return append(line, '\n')
}

// TestSizeOfStates: a database that is loaded every hour for a day or more, each time with the registers and what has happened in
// the hour, takes at most half as much again on the disk as one of a single load of all of it, with the default keep (G8).
func TestSizeOfStates(t *testing.T) {
	if testing.Short() {
		t.Skip("make verify loads for a day")
	}
	users, days, hours := setting(t, "LECTERN_TEST_USERS", 0), setting(t, "LECTERN_TEST_DAYS", 30), setting(t, "LECTERN_TEST_HOURS", 24)
	for _, tt := range []struct {
		domain   string
		users    int
		first    calendar.Date
		generate func(folder string, users int) error
		load     func(s *sized, ctx context.Context, folder string) error
	}{
		{"schools", 300, schools.HistoryStart(), func(folder string, users int) error {
			_, err := generate.Schools(t.Context(), folder, generate.Params{Users: users, Days: days})
			return err
		}, (*sized).loadSchools},
		{"libraries", 2000, libraries.HistoryStart, func(folder string, users int) error {
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
			first := end.Add(-time.Duration(hours) * time.Hour)
			feeds := hourly(t, whole, first, hours)
			dbtest.Each(t, func(t *testing.T, db *database.DB) {
				s, once := newSized(t, db), newSized(t, another(t, db))
				once.clock.now = end
				s.clock.now = first
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
				t.Logf("%d users, %d days: %d bytes once, %d after %d loads, %.2f times;%s; once%s",
					cmp.Or(users, tt.users), days, one, most, hours, float64(most)/float64(one), s.parts(), once.parts())
				if 2*most > 3*one {
					t.Errorf("%d loads an hour apart take %d bytes, one %d: want 1.5 times that at most", hours, most, one)
				}
			})
		})
	}
}
