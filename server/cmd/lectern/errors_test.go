package main

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// onDatabase has commands that open the database, with at least one for each way to open it.
var onDatabase = [][]string{
	{"migrate"}, {"serve", "--addr", "127.0.0.1:0"}, {"demo", "--addr", "127.0.0.1:0"}, {"status"}, {"key", "list"}, {"key", "revoke", "1-1"}, {"degrees", "--partner", "ana"},
	{"partner", "create", "bob", "--name", "Bob"}, {"library", "create", "norte", "--name", "Norte"}, {"key", "issue", "directory", "--partner", "ana"},
	{"load", "schools", "--partner", "ana", "feed"}, {"load", "libraries", "--library", "norte", "feed"},
}

// TestNewerDatabase tests that commands refuse a database that a later version has migrated.
func TestNewerDatabase(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		t.Chdir(t.TempDir())
		ok(t, "--db", db.URL, "migrate")
		if _, err := db.Exec(`INSERT INTO bun_migrations (name, group_id) VALUES ('20991231000000', 1)`); err != nil {
			t.Fatal(err)
		}
		for _, args := range onDatabase {
			line := fails(t, exitError, append([]string{"--db", db.URL}, args...)...)
			if !strings.Contains(line, "newer version (migration 20991231000000); run that version") {
				t.Errorf("lectern %q on a newer database says %q, want it to say to run that version", args, line)
			}
		}
	})
}

// TestWrongDatabase tests that the error for a database that cannot be opened is one line. It says what to do, and does
// not have the password.
func TestWrongDatabase(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("text.db", []byte(strings.Repeat("no database\n", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ url, want string }{
		{"lectern.db", "write sqlite:FILE or postgres://"},
		{"sqlite:", "write sqlite:FILE"},
		{"sqlite:nowhere/x.db", "create it or name another file"},
		{"sqlite:.", "name a file in it"},
		{"sqlite:text.db", "check that the file is a SQLite database"},
		{"sqlite:/proc/x.db", "can be written"}, // a folder in which nobody can write
		{"postgres://ana:geheim@127.0.0.1:1/x", "check that the server runs, and the URL's host, user, password and database"},
	} {
		for _, args := range [][]string{{"migrate"}, {"serve", "--addr", "127.0.0.1:0"}, {"demo", "--addr", "127.0.0.1:0"}} {
			line := fails(t, exitError, append([]string{"--db", tt.url}, args...)...)
			if !strings.Contains(line, tt.want) || strings.Contains(line, "geheim") {
				t.Errorf("lectern %q on %s says %q, want %q and no password", args, tt.url, line, tt.want)
			}
		}
	}
}

// TestMissingDatabase tests that commands that need existing data do not create a database.
func TestMissingDatabase(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range onDatabase[3:] {
		if slices.Contains(args, "create") {
			continue
		}
		if line := fails(t, exitError, args...); !strings.Contains(line, "does not exist; name another with --db, or run lectern migrate") {
			t.Errorf("lectern %q without a database says %q, want what to do", args, line)
		}
	}
	if files, _ := os.ReadDir("."); len(files) != 0 {
		t.Errorf("files made = %v, want none", files)
	}
}

// TestWrongFiles tests the errors for files and folders that are missing, of another kind or not writable.
func TestWrongFiles(t *testing.T) {
	loaded(t)
	ok(t, "library", "create", "norte", "--name", "Norte")
	for _, tt := range []struct{ line, want string }{
		{"load schools --partner ana nowhere", "name a folder with one file per resource"},
		{"load schools --partner ana lectern.db", "name a folder with one file per resource"},
		{"load schools --partner ana .", "name the feed's own folder"},
		{"load libraries --library norte nowhere", "name a folder with one file per resource"},
		{"load libraries --library sul feed", "lectern library create"},
		{"degrees --partner ana none.csv", "lectern degrees without FILE"},
		{"degrees --partner ana lectern.db", "name such a file"},
		{"backup nowhere/x.db", "create the folder"},
		{"backup lectern.db", "name another file"},
		{"sign POST http://127.0.0.1/x none.json --key-id 1-1 --secret s", "name the file of the call's body"},
		{"sign GET x --key-id 1-1 --secret s", "write http://HOST/PATH"},
	} {
		if line := fails(t, exitError, strings.Fields(tt.line)...); !strings.Contains(line, tt.want) {
			t.Errorf("lectern %s says %q, want %q", tt.line, line, tt.want)
		}
	}
}

// TestFullDisk tests commands whose output goes to a device that is always full.
func TestFullDisk(t *testing.T) {
	loaded(t)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	for _, args := range [][]string{{"status"}, {"migrate"}, {"demo", "--feeds", "feeds"}} {
		var errs bytes.Buffer
		code := run(t.Context(), args, full, &errs)
		if line := errs.String(); code != exitError || strings.Count(line, "\n") != 1 || !strings.Contains(line, "make room and run this again") {
			t.Errorf("lectern %q on a full disk = %d, %q, want one line that says to make room", args, code, line)
		}
	}
}
