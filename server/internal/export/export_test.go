package export_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/internal/export"
	"github.com/lectern-dev/lectern/server/internal/wire"
)

// raise raises a tenant's versions as a load does, or a directory write.
func raise(t *testing.T, db *database.DB, tenant auth.Tenant, facts bool) {
	t.Helper()
	must(t, db.RunInTx(t.Context(), nil, func(ctx context.Context, tx bun.Tx) error {
		h, err := authdb.Lock(ctx, tx, tenant)
		if err != nil {
			return err
		}
		h.Registers = authdb.NextNumber(h.Registers)
		if facts {
			h.Facts = authdb.NextNumber(h.Facts)
		}
		return h.Hold(ctx, tx, tenant, time.Now())
	}))
}

// names lists a folder, hidden files too; nil where it is not there.
func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	must(t, err)
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// subject is a tenant that can be exported, and a file whose progress is told after others were begun.
type subject struct {
	tenant auth.Tenant
	stage  string
	files  []string
	export func(ctx context.Context, dir string, o export.Options) (export.Summary, error)
}

func subjects(t *testing.T, db *database.DB) []subject {
	t.Helper()
	migrate(t, db)
	ss, p := newPartner(t, db)
	ls, a := newNetwork(t, db, "rede", librariesFeed(t))
	return []subject{
		{auth.Tenant(p), "readings", []string{"books.csv", "engagements.csv", "readings.csv", "users.csv"},
			func(ctx context.Context, dir string, o export.Options) (export.Summary, error) {
				return export.Schools(ctx, export.SchoolsOf{Store: ss, Partner: p}, dir, o)
			}},
		{auth.Tenant(a.Network), "days", []string{"ageGroups.csv", "books.csv", "categories.csv", "channels.csv", "days.csv", "engagements.csv",
			"libraries.csv", "lines.csv", "loans.csv", "logins.csv", "publishers.csv", "readers.csv", "reservations.csv", "shelves.csv",
			"subjects.csv", "suggestions.csv", "titles.csv"},
			func(ctx context.Context, dir string, o export.Options) (export.Summary, error) {
				return export.Libraries(ctx, export.LibrariesOf{Store: ls, Network: a.Network}, dir, o)
			}},
	}
}

// TestOvertaken: an export that a load or a directory write overtakes shows the state with which it began.
func TestOvertaken(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		for _, s := range subjects(t, db) {
			dir := filepath.Join(t.TempDir(), "out")
			raises := 1
			o := export.Options{Progress: func(file string, done, _ int64) {
				if file == s.stage && done == 0 && raises > 0 {
					raises--
					raise(t, db, s.tenant, true)
				}
			}}
			before := versions(t, db, s.tenant)
			sum, err := s.export(t.Context(), dir, o)
			if err != nil || sum.Versions != before || raises != 0 || !slices.Equal(names(t, dir), s.files) {
				t.Errorf("overtaken: %+v, %v, %v, want all files of %+v", sum.Versions, err, names(t, dir), before)
			}
		}
	})
}

// TestInterrupted: nothing is left of an export that a signal ends; a folder that was there stays, empty.
func TestInterrupted(t *testing.T) {
	db := dbtest.SQLite(t)
	for _, s := range subjects(t, db) {
		for _, there := range []bool{false, true} {
			dir := filepath.Join(t.TempDir(), "out")
			if there {
				must(t, os.Mkdir(dir, 0o700))
			}
			ctx, cancel := context.WithCancel(t.Context())
			_, err := s.export(ctx, dir, export.Options{Progress: func(string, int64, int64) {
				if len(names(t, dir)) == 0 {
					t.Error("the export is under way, and nothing is in the folder")
				}
				cancel()
			}})
			if !errors.Is(err, context.Canceled) || len(names(t, dir)) != 0 {
				t.Errorf("interrupted = %v, leaves %v, want Canceled and nothing", err, names(t, dir))
			}
			if _, err := os.Stat(dir); (err == nil) != there {
				t.Errorf("the folder was there: %t, afterwards %v", there, err)
			}
			cancel()
		}
	}
}

func writeNumber(w *wire.Writer, n *int64) { w.Int("userId", *n, "") }

func TestFolderErrors(t *testing.T) {
	parent := t.TempDir()
	full, file := filepath.Join(parent, "full"), filepath.Join(parent, "file")
	must(t, os.Mkdir(full, 0o700))
	must(t, os.WriteFile(filepath.Join(full, ".hidden"), nil, 0o600))
	must(t, os.WriteFile(file, nil, 0o600))
	for dir, want := range map[string]string{
		full: "name a new folder, or an empty one", file: "name a folder", filepath.Join(parent, "none", "out"): "no such file",
	} {
		if _, err := export.NewFolder(dir, export.CSV); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("NewFolder(%s) = %v, want %q", dir, err, want)
		}
	}
	dir := filepath.Join(parent, "twice")
	a, err := export.NewFolder(dir, "")
	must(t, err)
	b, err := export.NewFolder(dir, "")
	must(t, err)
	export.NewTable(a, "users", writeNumber)
	export.NewTable(b, "users", writeNumber).Write(7)
	if err := b.Publish(); !errors.Is(err, os.ErrExist) {
		t.Errorf("two exports into one folder = %v, want ErrExist", err)
	}
	must(t, b.Discard())
	if left := names(t, dir); len(left) != 1 {
		t.Errorf("the second one leaves %v, want the file of the first", left)
	}
	must(t, a.Discard())
	if left := names(t, dir); left != nil {
		t.Errorf("the first one leaves %v", left)
	}
}

// TestTable names a row with every kind of value in both formats.
func TestTable(t *testing.T) {
	for format, want := range map[export.Format]string{
		export.CSV: "text,none,int,or,decimal,small,bool,ints,intervals\r\n" +
			"\"a,\"\"b\"\"\r\nc\",,-7,,1234.5,0.007,true,1;2,0-3;5-9007199254740993\r\n" +
			"\" x\",,0,1,0.0,0.000,false,,\r\n",
		export.NDJSON: `{"text":"a,\"b\"\r\nc","none":null,"int":-7,"or":null,"decimal":1234.5,"small":0.007,"bool":true,"ints":[1,2],"intervals":[[0,3],[5,9007199254740993]]}` + "\n" +
			`{"text":" x","none":null,"int":0,"or":1,"decimal":0.0,"small":0.000,"bool":false,"ints":[],"intervals":[]}` + "\n",
	} {
		dir := filepath.Join(t.TempDir(), "out")
		f, err := export.NewFolder(dir, format)
		must(t, err)
		type row struct {
			text                  string
			n, or, decimal, small int64
			yes                   bool
			ints                  []int64
			c                     reading.Coverage
		}
		table := export.NewTable(f, "x", func(w *wire.Writer, r *row) {
			w.TextOrNull("text", r.text, "")
			w.TextOrNull("none", "", "")
			w.Int("int", r.n, "")
			w.IntIf("or", r.or, r.or >= 0, "")
			w.Minutes("decimal", reading.Minutes(r.decimal), "")
			w.Progress("small", r.small, "")
			w.Bool("bool", r.yes, "")
			w.Ints("ints", r.ints, "")
			w.Intervals("intervals", r.c, "")
		})
		table.Write([]row{
			{"a,\"b\"\r\nc", -7, -1, 12345, 7, true, []int64{1, 2}, reading.Coverage{{From: 0, To: 3}, {From: 5, To: 9007199254740993}}},
			{" x", 0, 1, 0, 0, false, nil, nil},
		}...)
		if hidden := names(t, dir); !slices.Equal(hidden, []string{".x." + string(format) + ".partial"}) {
			t.Errorf("before Publish the folder holds %v", hidden)
		}
		must(t, f.Publish())
		if got, err := os.ReadFile(filepath.Join(dir, "x."+string(format))); string(got) != want || err != nil {
			t.Errorf("%s = %q, %v, want %q", format, got, err, want)
		}
	}
}
