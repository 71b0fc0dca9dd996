package export_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools/schoolsdb"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/internal/export"
	"github.com/lectern-dev/lectern/server/internal/generate"
	"github.com/lectern-dev/lectern/server/internal/librariesload"
	"github.com/lectern-dev/lectern/server/internal/schoolsload"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// always is a period that nothing lies outside of.
var always = calendar.Period{Start: calendar.MustParse("2020-01-01"), End: calendar.MustParse("2030-12-31")}

// now is after everything that is generated.
func now() time.Time { return time.Date(2026, 12, 24, 12, 0, 0, 0, time.UTC) }

// migrate brings a database up to date.
func migrate(t *testing.T, db *database.DB) {
	t.Helper()
	_, err := db.Migrate(t.Context(), server.Schema()...)
	must(t, err)
}

// newPartner makes a partner with a generated feed.
func newPartner(t *testing.T, db *database.DB) (*schoolsdb.Store, directory.PartnerID) {
	t.Helper()
	p, err := directorydb.CreatePartner(t.Context(), db, "acme", "Acme")
	must(t, err)
	dir := t.TempDir()
	_, err = generate.Schools(t.Context(), dir, generate.Params{Users: 60, Days: 40, Seed: 3})
	must(t, err)
	store := &schoolsdb.Store{DB: db.DB, Copy: db.Copy}
	_, err = schoolsload.Load(t.Context(), store, dir, schoolsload.Options{Partner: p, Ref: "acme", TempDir: t.TempDir(), Now: now})
	must(t, err)
	return store, p
}

// newNetwork makes a library network and loads a feed into it.
func newNetwork(t *testing.T, db *database.DB, slug, feed string) (*librariesdb.Store, report.Access) {
	t.Helper()
	n, err := librariesdb.CreateNetwork(t.Context(), db, slug, "Rede "+slug)
	must(t, err)
	store := &librariesdb.Store{DB: db.DB, Copy: db.Copy, Now: now}
	_, err = librariesload.Load(t.Context(), store, feed, librariesload.Options{Network: n, TempDir: t.TempDir(), Now: now})
	must(t, err)
	a, err := store.Present(t.Context(), n)
	must(t, err)
	return store, a
}

// librariesFeed is a generated feed.
func librariesFeed(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	_, err := generate.Libraries(t.Context(), dir, generate.Params{Users: 120, Days: 40, Seed: 3})
	must(t, err)
	return dir
}

func versions(t *testing.T, db *database.DB, tenant auth.Tenant) state.Versions {
	t.Helper()
	v, err := authdb.ReadHeld(t.Context(), db, tenant)
	must(t, err)
	return state.Versions{Registers: v.Registers, Facts: v.Facts}
}

// row is a row that was read back, its cells as CSV has them.
type row map[string]string

// rows reads a file of an export back.
func rows(t *testing.T, dir, name string, format export.Format) []row {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name+"."+string(format)))
	must(t, err)
	if format == export.NDJSON {
		return ndjsonRows(t, data)
	}
	lines, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	must(t, err)
	var list []row
	for _, cells := range lines[1:] {
		r := row{}
		for i, name := range lines[0] {
			r[name] = cells[i]
		}
		list = append(list, r)
	}
	return list
}

// ndjsonRows reads NDJSON into the cells that CSV has.
func ndjsonRows(t *testing.T, data []byte) (list []row) {
	t.Helper()
	for line := range bytes.Lines(data) {
		var members map[string]json.RawMessage
		must(t, json.Unmarshal(line, &members))
		r := row{}
		for name, value := range members {
			r[name] = cell(t, value)
		}
		list = append(list, r)
	}
	return list
}

// cell is a value of JSON as a cell of CSV.
func cell(t *testing.T, value json.RawMessage) string {
	t.Helper()
	switch value[0] {
	case 'n':
		return ""
	case '"':
		var text string
		must(t, json.Unmarshal(value, &text))
		return text
	case '[':
		var items []json.RawMessage
		must(t, json.Unmarshal(value, &items))
		texts := make([]string, len(items))
		for i, item := range items {
			texts[i] = cell(t, item)
			if item[0] == '[' { // an interval
				texts[i] = strings.ReplaceAll(texts[i], ";", "-")
			}
		}
		return strings.Join(texts, ";")
	}
	return string(value)
}

// formats runs f with each format.
func formats(t *testing.T, f func(t *testing.T, format export.Format)) {
	for _, format := range []export.Format{export.CSV, export.NDJSON} {
		t.Run(string(format), func(t *testing.T) { f(t, format) })
	}
}
