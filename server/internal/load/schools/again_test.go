package schools_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/schools/report"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/feed"
	"github.com/lectern-dev/lectern/server/internal/load"
)

func text(s string) directory.Field { return directory.Field{Set: true, Text: s} }

// teacher returns the input for a teacher in the directory.
func teacher(ref string) directory.TeacherInput {
	return directory.TeacherInput{Name: text("Feita"), ReferenceID: text(ref), EntityReferenceID: text("6a"), Email: text("a@example.com"), Phone: text("1")}
}

// TestFeedAgain loads a feed, changes the directory, and loads the feed twice more. It tests that no event is counted
// again, and that each event stays with the account that had the reference at the event's time (F4).
func TestFeedAgain(t *testing.T) {
	feed := map[string]string{
		"entities.ndjson": `{"referenceId":"rede","entityType":"network","name":"rede","degree":"6"}
{"referenceId":"escola","entityType":"school","name":"escola","degree":"6","parentReferenceId":"rede"}
{"referenceId":"6a","entityType":"class","name":"6a","degree":"6","parentReferenceId":"escola"}`,
		"accounts.ndjson": `{"referenceId":"ana","kind":"teacher","name":"Ana","entityReferenceId":"6a"}
{"referenceId":"bia","kind":"teacher","name":"Bia","entityReferenceId":"6a"}`,
		"segments.ndjson": `{"segmentId":"s1","account":"ana","bookId":1,"startedAt":"2026-03-01T09:00:00Z","durationMs":60000,"from":0,"to":5,"wpm":90}
{"segmentId":"s2","account":"bia","bookId":1,"startedAt":"2026-03-01T09:00:00Z","durationMs":60000,"from":0,"to":5,"wpm":90}`,
		"books.ndjson": good["books.ndjson"],
	}
	tests := []struct {
		rule   string
		writes string   // ana>anita renames ana, -ana deletes her, +ana creates another
		want   []string // the accounts' references by number, with a - before those of deleted accounts
	}{
		{"nothing happened", "", []string{"ana", "bia"}},
		{"renamed", "ana>anita", []string{"anita", "bia"}},
		{"renamed twice", "ana>anita anita>nita", []string{"nita", "bia"}},
		{"renamed and back", "ana>anita anita>ana", []string{"ana", "bia"}},
		{"exchanged", "ana>x bia>ana x>bia", []string{"bia", "ana"}},
		{"one took the other's", "-bia ana>bia", []string{"bia", "-bia", "ana"}},
		{"removed", "-ana", []string{"-ana", "bia"}},
		{"replaced", "-ana +ana", []string{"-ana", "bia", "ana"}},
		{"replaced twice", "-ana +ana -ana +ana", []string{"-ana", "bia", "-ana", "ana"}},
		{"renamed and replaced", "ana>anita +ana", []string{"anita", "bia", "ana"}},
		{"renamed and removed", "ana>anita -anita", []string{"-anita", "bia"}},
		{"another took the new one too", "ana>anita -anita +anita", []string{"-anita", "bia", "anita"}},
	}
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		for _, tt := range tests {
			t.Run(tt.rule, func(t *testing.T) {
				f := newPartner(t, db, directory.Ref(tt.rule))
				now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
				f.store.Now = func() time.Time { return now }
				f.feedAgain(feed, 2)
				for _, write := range strings.Fields(tt.writes) {
					now = now.Add(time.Hour)
					f.write(write)
				}
				for range 2 {
					now = now.Add(time.Hour)
					f.feedAgain(feed, 0)
				}
				if got := f.references(); !slices.Equal(got, tt.want) {
					t.Errorf("accounts = %q, want %q", got, tt.want)
				}
				if got, want := f.tenths(), map[directory.UserID]int64{1: 10, 2: 10}; !maps.Equal(got, want) {
					t.Errorf("tenths of a minute by account = %v, want %v", got, want)
				}
			})
		}
	})
}

// feedAgain loads a feed and checks the number of new events.
func (f *fixture) feedAgain(files map[string]string, news int) {
	f.t.Helper()
	totals, err := f.load(files, func(o *load.Options) { o.Now = f.store.Now })
	if err != nil || totals.New != news {
		f.t.Fatalf("load = %+v, %v, want %d new events", totals, err, news)
	}
}

// write renames, deletes or creates a teacher in the directory.
func (f *fixture) write(what string) {
	f.t.Helper()
	api := &directorydb.Store{DB: f.db.DB, Now: f.store.Now}
	ctx := f.t.Context()
	var err error
	if from, to, renamed := strings.Cut(what, ">"); renamed {
		_, err = api.UpdateTeacher(ctx, f.partner, directory.Ref(from), teacher(to))
	} else if what[0] == '-' {
		err = api.DeleteTeacher(ctx, f.partner, directory.Ref(what[1:]))
	} else {
		_, err = api.CreateTeacher(ctx, f.partner, teacher(what[1:]))
	}
	if err != nil {
		f.t.Fatalf("%s: %v", what, err)
	}
}

// references returns the references of all accounts, with a - before those of deleted ones.
func (f *fixture) references() (refs []string) {
	f.t.Helper()
	err := directorydb.Latest(f.db, f.partner).AccountRefs(f.t.Context(), func(a directory.Account) error {
		refs = append(refs, map[bool]string{true: "-"}[a.Deleted]+string(a.Ref))
		return nil
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return refs
}

// tenths returns the tenths of a minute that each account has read.
func (f *fixture) tenths() map[directory.UserID]int64 {
	f.t.Helper()
	reports := &report.Reports{Store: f.store}
	access := report.Access{Partner: f.partner, Network: 1, At: versions(f.t, f)}
	list, err := reports.Engagements(f.t.Context(), access, period(), report.Filter{}, paging.Page{Number: 1, Size: 1000})
	if err != nil {
		f.t.Fatal(err)
	}
	got := map[directory.UserID]int64{}
	for _, r := range list.Rows {
		got[r.UserID] += int64(r.Minutes)
	}
	return got
}

// TestWriteDuringLoad changes the directory before the last step of a load, which validates the rows again. A row that
// was good is then skipped or bad, and each bad row is reported once. If the files have changed too, nothing is loaded.
func TestWriteDuringLoad(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		files := with("entities.ndjson", `{"referenceId":"rede","entityType":"network","name":"rede","degree":"6"}
{"referenceId":"escola","entityType":"school","name":"escola","degree":"6","parentReferenceId":"rede"}
{"referenceId":"6a","entityType":"class","name":"6a","degree":"6","parentReferenceId":"escola"}`)
		files["accounts.ndjson"] += "\n" + `{"referenceId":"bia","kind":"teacher","name":"Bia","entityReferenceId":"6a"}`
		f.feedAgain(files, 2)
		files["entities.ndjson"] += "\n" + `{"referenceId":"6b","entityType":"class","name":"6b","degree":"6","parentReferenceId":"escola"}`
		files["accounts.ndjson"] += "\n" + `{"referenceId":"caio","kind":"robot","name":"Caio"}` + "\n" + `{"referenceId":"caio","kind":"internal","name":"Caio"}`
		dir, report := t.TempDir(), filepath.Join(t.TempDir(), "bad.txt")
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		school := directory.EntityInput{Name: text("Seis"), EntityType: text("school"), Degree: text("6"), ReferenceID: text("6b"), ParentReferenceID: text("rede")}
		during := func(writes ...func() error) (*feed.Totals, error) {
			return load.Schools(t.Context(), f.store, f.partner, f.ref, os.DirFS(dir), load.Options{
				TempDir: t.TempDir(), SkipBad: report, Now: func() time.Time { return time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC) },
				Progress: func(stage string, done, _ int64) {
					for stage == "aggregate" && len(writes) > 0 {
						if err := writes[0](); err != nil {
							t.Error(err)
						}
						writes = writes[1:]
					}
				},
			})
		}
		api := &directorydb.Store{DB: f.db.DB, Now: f.store.Now}
		touch := func() error { return os.Chtimes(filepath.Join(dir, "accounts.ndjson"), time.Time{}, time.Unix(1, 0)) }
		rename := func() error {
			_, err := api.UpdateTeacher(t.Context(), f.partner, "bia", teacher("bia"))
			return err
		}
		before := versions(t, f)
		if _, err := during(rename, touch); err == nil || !strings.Contains(err.Error(), "changed since the load began; run it again") || versions(t, f).Facts != before.Facts {
			t.Errorf("load of changing files = %v, want an error and no new version", err)
		}
		remove := func() error { return api.DeleteTeacher(t.Context(), f.partner, "bia") }
		create := func() error {
			_, err := api.CreateEntity(t.Context(), f.partner, school)
			return err
		}
		totals, err := during(remove, create)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := *totals.File("entities"), (row.Counts{Rows: 4, Unchanged: 3, Bad: 1}); got != want {
			t.Errorf("entities %+v, want %+v", got, want)
		}
		if got, want := *totals.File("accounts"), (row.Counts{Rows: 4, New: 1, Unchanged: 1, Deleted: 1, Bad: 1}); got != want {
			t.Errorf("accounts %+v, want %+v", got, want)
		}
		bad, err := os.ReadFile(report)
		if want := `accounts.ndjson line 3: field kind: must be one of reader, teacher, administrator, internal: "robot"
entities.ndjson line 4: field entityType: can't be changed: "class"
`; err != nil || string(bad) != want {
			t.Errorf("bad rows, %v:\n%swant:\n%s", err, bad, want)
		}
	})
}
