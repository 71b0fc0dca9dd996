package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/internal/tools/generate"
)

// TestForget tests that forget erases people without naming them. The list of erasures also works on an earlier backup.
func TestForget(t *testing.T) {
	loaded(t)
	ok(t, "backup", "before.db")
	first := ok(t, "forget", "--partner", "ana", "3")
	if !strings.HasPrefix(first, `{"partner":"ana","userId":3,"forgotten":"20`) || !strings.Contains(first, `"repeated":false,"remains":{"books":`) {
		t.Errorf("forget = %s", first)
	}
	if again := ok(t, "forget", "--partner", "ana", "3"); again != strings.Replace(first, "false", "true", 1) {
		t.Errorf("forget again = %s, the first time %s", again, first)
	}
	if line := fails(t, exitError, "forget", "--partner", "ana", "300"); line != "lectern: partner \"ana\" has no userId 300: no such person; userId is the number that the reports show\n" {
		t.Errorf("forget of an unknown person = %s", line)
	}
	list := ok(t, "forget", "--list")
	if list != "--partner=ana 3\n" {
		t.Fatalf("forget --list = %q", list)
	}
	if out := ok(t, "--db", "sqlite:before.db", "forget", "--list"); out != "" {
		t.Errorf("forget --list of the backup = %q, want none", out)
	}
	args := append([]string{"--db", "sqlite:before.db", "forget"}, strings.Fields(list)...)
	if out := ok(t, args...); !strings.Contains(out, `"repeated":false`) {
		t.Errorf("forget in the backup = %s", out)
	}
	for _, wrong := range []string{"forget", "forget 3", "forget --partner ana", "forget --partner ana --library rede 3", "forget --list 3", "forget --partner ana 0"} {
		fails(t, exitUsage, strings.Fields(wrong)...)
	}
}

// TestKilledErasure kills the command at random moments. The person is then either unchanged or erased, and another run
// completes the erasure, down to the bytes of the file.
func TestKilledErasure(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		t.Chdir(t.TempDir())
		ok(t, "--db", db.URL, "partner", "create", "ana", "--name", "Ana")
		generated(t, "schools", "feed", generate.Params{Users: 40, Days: 3})
		ok(t, "--db", db.URL, "load", "schools", "--partner", "ana", "feed")
		begin := time.Now()
		forget := func(id int) []string { return []string{"--db", db.URL, "forget", "--partner", "ana", fmt.Sprint(id)} }
		if out, err := child(t, forget(1)...).CombinedOutput(); err != nil {
			t.Fatalf("forget = %v %s", err, out)
		}
		whole, r := time.Since(begin), rand.New(rand.NewPCG(3, 4))
		n := envInt(t, "LECTERN_TEST_FORGETS", 6)
		for i := range n {
			id := 2 + i%35
			var name, email string
			err := db.NewRaw(`SELECT name, email FROM accounts WHERE user_id = ?`, id).Scan(t.Context(), &name, &email)
			if err != nil {
				t.Fatal(err)
			}
			cmd := child(t, forget(id)...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			kill := time.AfterFunc(time.Duration(r.Int64N(int64(whole))), func() { cmd.Process.Kill() })
			cmd.Wait()
			kill.Stop()
			var left, noted int
			err = db.NewRaw(`
				SELECT (SELECT count(*) FROM accounts WHERE user_id = ?0 AND name = ?1 AND email = ?2), (SELECT count(*) FROM forgotten WHERE user_id = ?0)`,
				id, name, email).Scan(t.Context(), &left, &noted)
			if named := name+email != ""; err != nil || named && left == noted {
				t.Fatalf("after a kill: %d unchanged rows and %d recorded erasures, %v, want one of them", left, noted, err)
			}
			ok(t, forget(id)...)
			if email == "" {
				continue
			}
			files, err := filepath.Glob(strings.TrimPrefix(db.URL, "sqlite:") + "*")
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range files {
				data, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				if bytes.Contains(data, []byte(email)) {
					t.Errorf("%s has %s, want it erased", filepath.Base(file), email)
				}
			}
		}
	})
}
