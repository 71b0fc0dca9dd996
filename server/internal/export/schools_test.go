package export_test

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/schools/report"
	"github.com/lectern-dev/lectern/schools/schoolsdb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/internal/export"
)

// network returns the partner's network, of which there is one.
func network(t *testing.T, db *database.DB, p directory.PartnerID) directory.EntityID {
	t.Helper()
	entities, err := directorydb.Entities(t.Context(), db, p)
	must(t, err)
	i := slices.IndexFunc(entities, func(e directory.Entity) bool { return e.Type == directory.Network })
	return entities[i].ID
}

// TestSchools: what is exported is what the API shows, and its readings, summed up over all days, are those of the API.
func TestSchools(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		migrate(t, db)
		store, p := newPartner(t, db)
		deleteTeacher(t, db, p)
		net := network(t, db, p)
		formats(t, func(t *testing.T, format export.Format) {
			dir := filepath.Join(t.TempDir(), "out")
			sum, err := export.Schools(t.Context(), export.SchoolsOf{Store: store, Partner: p, Network: net}, dir, export.Options{Format: format})
			must(t, err)
			at := versions(t, db, auth.Tenant(p))
			if sum.Versions != at {
				t.Errorf("versions = %v, want %v", sum.Versions, at)
			}
			c := schoolsCheck{t, &report.Reports{Store: store}, report.Access{Partner: p, Network: net, At: at}, dir, format}
			c.users()
			c.engagements()
			c.readings()
			for _, f := range sum.Files {
				if n := len(rows(t, dir, f.Name, format)); int64(n) != f.Rows || n == 0 {
					t.Errorf("%s has %d rows, the summary says %d, want some", f.Name, n, f.Rows)
				}
			}
		})
	})
}

// deleteTeacher takes a teacher out of the directory, whose rows stay.
func deleteTeacher(t *testing.T, db *database.DB, p directory.PartnerID) {
	t.Helper()
	var ref directory.Ref
	must(t, db.NewRaw(`SELECT reference_id FROM accounts WHERE tenant_id = ? AND kind = ? ORDER BY user_id LIMIT 1`, p, directory.Teacher).
		Scan(t.Context(), &ref))
	must(t, (&directorydb.Store{DB: db.DB}).DeleteTeacher(t.Context(), p, ref))
}

type schoolsCheck struct {
	*testing.T
	reports *report.Reports
	access  report.Access
	dir     string
	format  export.Format
}

// all is a page with everything.
var all = paging.Page{Number: 1, Size: math.MaxInt32}

func (c schoolsCheck) users() {
	list, err := c.reports.Users(c.Context(), c.access, report.Filter{}, all)
	must(c.T, err)
	var want []string
	for _, u := range list.Rows {
		school, class, grade := ",", ",", ""
		if u.School != nil {
			school = fmt.Sprint(u.School.ID, ",", u.School.Name)
		}
		if u.Class != nil {
			class = fmt.Sprint(u.Class.ID, ",", u.Class.Name)
		}
		if u.Grade > 0 {
			grade = strconv.Itoa(u.Grade)
		}
		want = append(want, fmt.Sprint(u.ID, ",", u.Name, ",", u.Email, ",", u.Profile, ",", school, ",", class, ",", grade, ",", u.Stage, ",", u.Active))
	}
	c.same("users", want, "userId", "name", "email", "profile", "school.id", "school.name", "class.id", "class.name", "grade", "stage", "active")
	for _, r := range rows(c.T, c.dir, "users", c.format) {
		if r["referenceId"] == "" {
			c.Errorf("user %s has no reference", r["userId"])
		}
	}
}

func (c schoolsCheck) engagements() {
	list, err := c.reports.Engagements(c.Context(), c.access, always, report.Filter{}, all)
	must(c.T, err)
	var want []string
	for _, e := range list.Rows {
		want = append(want, fmt.Sprintf("%s,%d,%s", e.Date, e.UserID, e.Minutes))
	}
	c.same("engagements", want, "date", "userId", "readingMinutes")
}

// same compares some columns of a file with what they should be.
func (c schoolsCheck) same(name string, want []string, columns ...string) {
	c.Helper()
	var got []string
	for _, r := range rows(c.T, c.dir, name, c.format) {
		cells := make([]string, len(columns))
		for i, column := range columns {
			cells[i] = r[column]
		}
		got = append(got, strings.Join(cells, ","))
	}
	if !slices.Equal(got, want) {
		c.Errorf("%s: %d rows, want %d; the first are %q, want %q", name, len(got), len(want), first(got), first(want))
	}
}

func first(list []string) []string { return list[:min(3, len(list))] }

// total is what a user's rows of a book come to.
type total struct {
	minutes     reading.Minutes
	covered     reading.Coverage
	first, last time.Time
}

// readings sums the rows up by user and book and compares that with the API's rows of all time.
func (c schoolsCheck) readings() {
	list, err := c.reports.Readings(c.Context(), c.access, always, report.Filter{}, all)
	must(c.T, err)
	lengths := map[string]int64{}
	for _, b := range rows(c.T, c.dir, "books", c.format) {
		lengths[b["bookId"]] = number(c.T, b["length"])
	}
	totals := map[string]*total{}
	for _, r := range rows(c.T, c.dir, "readings", c.format) {
		key := r["userId"] + " " + r["bookId"]
		if totals[key] == nil {
			totals[key] = &total{}
		}
		totals[key].add(c.T, r)
	}
	for _, want := range list.Rows {
		key := fmt.Sprint(want.UserID, " ", want.Book.ID)
		got := totals[key]
		if got == nil {
			c.Fatalf("user and book %s are not in the export", key)
		}
		percent := reading.PercentOf(got.covered.Within(lengths[strconv.FormatInt(want.Book.ID, 10)]), want.Book.Length)
		if got.minutes != want.Minutes || percent != want.Percent || !got.first.Equal(want.First) || !got.last.Equal(want.Last) {
			c.Errorf("user and book %s = %+v, %d hundredths, want %+v", key, *got, percent, want)
		}
		delete(totals, key)
	}
	if len(totals) > 0 {
		c.Errorf("the export has %v besides", slices.Collect(maps.Keys(totals)))
	}
}

func (n *total) add(t *testing.T, r row) {
	t.Helper()
	n.minutes += reading.Minutes(number(t, strings.Replace(r["readingMinutes"], ".", "", 1)))
	if r["intervals"] != "" {
		for text := range strings.SplitSeq(r["intervals"], ";") {
			from, to, _ := strings.Cut(text, "-")
			n.covered = n.covered.Add(reading.Interval{From: number(t, from), To: number(t, to)})
		}
	}
	begin, err := time.Parse(time.RFC3339, r["firstReadAt"])
	must(t, err)
	end, err := time.Parse(time.RFC3339, r["lastReadAt"])
	must(t, err)
	if n.first.IsZero() {
		n.first = begin
	}
	n.last = end // rows stand by date
}

func number(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	must(t, err)
	return n
}

// TestSchoolsOfPartner: without a network an export has also the users who are attached to none, and their reading.
func TestSchoolsOfPartner(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		migrate(t, db)
		store, p := newPartner(t, db)
		detach(t, db, p)
		count := func(net directory.EntityID) map[string]int64 {
			sum, err := export.Schools(t.Context(), export.SchoolsOf{Store: store, Partner: p, Network: net}, filepath.Join(t.TempDir(), "out"), export.Options{})
			must(t, err)
			n := map[string]int64{}
			for _, f := range sum.Files {
				n[f.Name] = f.Rows
			}
			return n
		}
		whole, part := count(0), count(network(t, db, p))
		if whole["users"] != part["users"]+1 || whole["engagements"] <= part["engagements"] || whole["readings"] <= part["readings"] {
			t.Errorf("rows of the partner = %v, of the network %v, want one user more, with reading", whole, part)
		}
	})
}

// detach leaves a student who has read without an entity.
func detach(t *testing.T, db *database.DB, p directory.PartnerID) {
	t.Helper()
	_, err := db.ExecContext(t.Context(), `
		UPDATE accounts SET entity_id = 0
		 WHERE tenant_id = ?0 AND user_id = (SELECT min(r.a) FROM blocks r JOIN accounts a ON a.tenant_id = r.tenant_id AND a.user_id = r.a
		                                      WHERE r.tenant_id = ?0 AND r.kind = ?2 AND a.kind = ?1)`, p, directory.Reader, schoolsdb.RecordKind.Number)
	must(t, err)
}
